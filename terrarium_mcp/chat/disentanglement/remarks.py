"""Remarks: lines that add nothing to what they answer."""

from terrarium_mcp.chat.disentanglement.words import FIRST_WORDS, UNSPECIFIC_WORDS


def is_bare(text: str) -> bool:
    """Whether a line is a single everyday word, or none: `thanks`, `bob: yes`, `:)`.

    A single word of another kind (`broadcom`, a URL, a sentence without spaces) may be an answer.
    """
    words = text.split(maxsplit=2)
    if len(words) > 1 and words[0].endswith((":", ",")):
        del words[0]
    if len(words) != 1:
        return not words
    word = "".join(filter(str.isalnum, words[0])).lower()
    return not word or word in FIRST_WORDS or word in UNSPECIFIC_WORDS
