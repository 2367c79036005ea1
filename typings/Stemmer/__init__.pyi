"""What we use of PyStemmer."""

from collections.abc import Sequence

class Stemmer:
    def __init__(self, algorithm: str) -> None: ...
    def stemWord(self, word: str) -> str: ...  # noqa: N802 -- its own name
    def stemWords(self, words: Sequence[str]) -> list[str]: ...  # noqa: N802 -- its own name
