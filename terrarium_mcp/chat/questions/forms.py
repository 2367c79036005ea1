"""The forms of questions: patterns for a whole question, with the names in it."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from terrarium_mcp.chat.english.words import may_name_somebody

NICK = r"[^\s,;:?!\"()]+"
"""What may be a nick, as a regular expression."""

NAMED_NICK = rf"(?P<nick>{NICK})"
"""The nick of the person whom a question is about, as a regular expression."""

NAMED_WORDS = r"(?P<words>.+?)"
"""The words that a question is about, as a regular expression."""

DID_OR_HAS = r"(?:did|do|does|has|have|had)"
"""What may precede the person who said something, as a regular expression."""

BE = r"(?:was|were|is|are|got|has|have|had|been|did|get)"
"""What may stand before the participle of what happens to somebody, as a regular expression."""

PRONOUN = r"(?:it|this|that|these|those|they|them|us|me|you|him|her)"
"""What stands for words that were said before, and finds none of them, as a regular expression."""

_AND = re.compile(r"\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+", re.IGNORECASE)

OTHER_NICKS = rf"(?P<others>(?:(?:{_AND.pattern}){NICK})*)"
"""The nicks that may follow another, each after a comma or `and`; `nicks_among` names them."""

_NOBODY = frozenset(
    {"us", "who", "it", "nobody", "people", "folks"}
    | {f"{some}{body}" for some in ("any", "some", "every") for body in ("one", "body")}
)
"""Words in the place of a nick that name nobody, beside stop words."""

_LATELY = re.compile(
    r"\s*\b(?:(?:most\s+)?recently|lately|of\s+late|these\s+days"
    r"|(?:just\s+)?the\s+other\s+(?:day|night|evening|morning|afternoon|week))\b",
    re.IGNORECASE,
)


def without_lately(text: str) -> str:
    """The text without `recently` and the like, which name no time: the newest lines are meant."""
    return " ".join(_LATELY.sub("", text).split())


def nicks_among(others: str) -> tuple[str, ...]:
    """The nicks that were found by `OTHER_NICKS`."""
    return tuple(nick for nick in _AND.split(others) if nick)


@cache
def form(pattern: str) -> re.Pattern[str]:
    """A form of question, which fits a whole text: blanks and marks around it do not matter.

    In front of it are a comma and blanks where a time was: `in May, what did ada say?`

    It is compiled once, when it is first needed.
    """
    return re.compile(rf"[\s,]*+{pattern}[\s,?!.]*", re.IGNORECASE)


def matches(patterns: Iterable[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a text with the forms of these patterns, in their order."""
    return (found for pattern in patterns if (found := form(pattern).fullmatch(text)))


def named_part(match: re.Match[str], name: str) -> str:
    """The part of a question that its form calls so, as written; "" if there is none."""
    return match.groupdict().get(name) or ""


def named_person(word: str) -> str:
    """The nick, or "" for a word that names nobody: a stop word, `everyone`, `nobody`.

    A verb such as `will` is a nick there.
    """
    folded = word.lower()
    return "" if folded in _NOBODY or not may_name_somebody(folded) else word


def person_in(patterns: Iterable[str], text: str) -> str:
    """The person, as written, in the first form that fits a text; "" if none does."""
    match = next(matches(patterns, text), None)
    return named_person(match["nick"]) if match else ""
