"""The words in the content of a message, which some endpoints send in parts. Pure."""

from collections.abc import Sequence
from typing import Any

_OF_WORDS = (None, "text", "output_text")
"""Types of a part that holds words for the reader. Others hold reasoning, images or citations."""


def words_of(content: str | Sequence[Any] | None) -> str:
    """The words: content in parts may be strings, or objects with a type and a text."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(map(_words_of_part, content))


def _words_of_part(part: object) -> str:
    match part:
        case str():
            return part
        case {"type": "refusal", "refusal": str(text)}:
            return text
        case {"text": str(text), **rest} if rest.get("type") in _OF_WORDS:
            return text
    return ""
