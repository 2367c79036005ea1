"""The notes of a query: what it leaves out, and what of it was read as text."""

import re
from collections.abc import Sequence

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.query.operator_hints import operator_hint
from terrarium_mcp.chat.query.syntax import MOST_CHARACTERS, OPERATORS, without_punctuation_behind
from terrarium_mcp.chat.terms import Term, TermKind

MOST_PARTS = 64
"""Words, phrases and names that are read; a question has a dozen."""

NO_TIME_LEFT = "no message can be both after and before these times"
"""The note of a query whose times exclude each other."""

ALL_NAMED = "a line must name everyone after mentions:; to find any of them, search for each"
CUT = f"only the first {MOST_PARTS} words, phrases and names were used"
CUT_SHORT = f"only the first {MOST_CHARACTERS:,} characters of the query were read"
OR_READ_AS_TEXT = "OR was read as text: it must be between two words or phrases"

_OTHER_SYNTAX = {
    "AND": "AND was read as text: it must be between two words or phrases",
    "NOT": "NOT was read as text: -word excludes messages with the word",
    "*": "* was read as text: an empty query lists every line",
}
_NEEDS_VALUE = re.compile(rf"-?(?:{'|'.join(OPERATORS)}):", re.IGNORECASE)

_MOST_NAMED = 4
"""Excluded words that a note names."""

_MOST_SHOWN = 40
"""Characters of what was typed that a note repeats."""


def syntax_hint(word: str, *, is_in_question: bool = False) -> str:
    """How to write what a word was probably meant for; "" of any other word.

    A question may stress its `NOT`, and no minus excludes anything there.
    """
    if is_in_question and word == "NOT":
        return ""
    if word in _OTHER_SYNTAX:
        return _OTHER_SYNTAX[word]
    if _NEEDS_VALUE.fullmatch(word):
        return f"{word} was read as text: its value must follow the colon directly"
    return operator_hint(word)


def read_as_text(typed: str, hint: str) -> str:
    """That an operator has an invalid value, and how to write one."""
    return f"{shown(typed)} was read as text: {hint}"


def read_as_option(word: str) -> str:
    """That a word behind a minus excludes nothing, and how it would."""
    bare = shown(without_punctuation_behind(word))
    return f'-{bare} was read as text: -"{bare}" excludes the lines that hold {bare}'


def left_out(excluded: Sequence[Term]) -> str:
    """Which lines are left out, and how a word is written that was not meant so."""
    named = [shown(str(term)) for term in excluded[:_MOST_NAMED]]
    *others, last = named if len(excluded) <= _MOST_NAMED else [*named, "others"]
    held = f"{', '.join(others)} or {last}" if others else last
    words = [term.text for term in excluded if term.kind is TermKind.WORD]
    as_text = f'; "-{shown(words[0])}" in quotes is text' if words else ""
    return f"without lines that hold {held}{as_text}"


def shown(typed: str) -> str:
    """The beginning of what was typed, as a note may repeat it."""
    clean = harmless(typed)
    return clean if len(clean) <= _MOST_SHOWN else clean[:_MOST_SHOWN] + "..."
