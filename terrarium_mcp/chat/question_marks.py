"""The question marks of the world's scripts. Pure.

What is stored knows the ASCII one alone: the counters of questions (`counter_sql.QUESTION`).
"""

import re

_MARKS = "?\uff1f\u061f"  # also as wide as an ideograph, and Arabic
_GREEK_MARKS = ";\u037e"
_ANY = re.compile(f"[{_MARKS}]")
_GREEK = re.compile(f"[{_GREEK_MARKS}]")
_GREEK_WORD = re.compile(r"[\u0370-\u037d\u0386\u0388-\u03ff\u1f00-\u1fff]{2}")
"""Two letters: one may be a unit or a variable, and then a semicolon is one."""


def _ending_a_sentence(marks: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![{marks}])[{marks}]+(?=[\s!.\u2026)\"'\u201d\u2019]|$)|\uff1f")


_ENDING, _ENDING_GREEK = _ending_a_sentence(_MARKS), _ending_a_sentence(_MARKS + _GREEK_MARKS)
"""No blank need follow the full-width one. A run of marks is read once, however long it is."""


def has_question_mark(text: str) -> bool:
    """Whether a question mark is anywhere in a text."""
    if text.isascii():
        return "?" in text
    return bool(_ANY.search(text) or (_GREEK.search(text) and _GREEK_WORD.search(text)))


def asking_part(text: str) -> str:
    """A text up to the last question mark that ends a sentence in it; "" if none does.

    A question mark in a URL or a pattern ends none: another character follows.
    """
    ending = _ENDING_GREEK if _GREEK_WORD.search(text) else _ENDING
    ends = [found.end() for found in ending.finditer(text)]
    return text[: ends[-1]] if ends else ""


def ends_with_question_mark(text: str) -> bool:
    """Whether a question mark, and perhaps blanks, end a text."""
    last = text.rstrip()[-1:]
    return last != "" and (
        last in _MARKS or (last in _GREEK_MARKS and _GREEK_WORD.search(text) is not None)
    )
