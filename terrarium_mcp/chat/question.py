"""A question in plain language: who it speaks of, which of its words tell, what it asks for."""

import re
from collections.abc import Iterator, Mapping

from terrarium_mcp.chat.english import tells
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.terms import words_in

_CHUNK = re.compile(r"[^\s,;:?!\"()]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_POSSESSIVE = ("'s", "\u2019s")
_WHEN = re.compile(r"(?i)\b(?:when|how long|what (?:year|month|date|day|time))\b")
_NAMES_A_TIME = re.compile(  # in lower case: to ignore the case takes three times as long
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weekend|weeks?|months?|years?|days?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|recently|since|morning|night|\d{4}"
    r"|\d{1,2}:\d\d)\b"
)
_SPEAKS_OF_ITSELF = re.compile(
    r"(?i)\b(?:i|im|i['\u2019](?:m|ve|d|ll)|my|me|mine|we|we['\u2019](?:re|ve|ll)|our|us)\b"
)
_AS_A_PERSON = (
    r"(?i)(?:\b(?:did|does|has|had|was|is|by|from|nick|user)\s+|[@<]){0}(?!\w)"
    r"|(?<!\w){0}(?:['\u2019]s|\s+(?:said|say|says|wrote|asked|ask|mentioned|suggested|told"
    r"|thought|thinks?))\b"
)
"""Wording around a name that only a person has."""

_RARELY_A_NICK = 0.2
"""A nick that said fewer lines than this share of the lines with its name in them is a word too,
such as `will` or `mark`: only the wording tells whether the person is meant."""


def possible_nicks(text: str) -> tuple[str, ...]:
    """What in `text` may be a nick, folded, in its order; `ada's` may be `ada's` or `ada`."""
    return tuple(dict.fromkeys(one for spellings in _names(text) for one in spellings))


def people_named(
    text: str, lines_by: Mapping[str, int], lines_with: Mapping[str, int]
) -> tuple[str, ...]:
    """The folded nicks that `text` speaks of, in its order.

    Args:
        text: the question.
        lines_by: how many lines each of its possible nicks said.
        lines_with: how many lines hold each of them as a word.
    """
    named: dict[str, None] = {}
    for spellings in _names(text):
        for nick in spellings:
            lines = lines_by.get(nick, 0)
            if not lines or (lines < 2 and nick.isalpha()):
                continue
            rare = lines < _RARELY_A_NICK * (1 + lines_with.get(nick, 0))
            if not rare or re.search(_AS_A_PERSON.format(re.escape(nick)), fold(text)):
                named[nick] = None
                break
    return tuple(named)


def telling_words(text: str, people: tuple[str, ...]) -> tuple[str, ...]:
    """The words of `text`, folded, that say what is asked about: no stop words, no names.

    Where all are such words, they are all there is to go by.
    """
    names = {word: None for nick in people for word in words_in(nick)}
    telling = [word for word in _telling(text) if word not in names and _is_whole(word)]
    rest = [word for word in words_in(text) if word not in names]
    return tuple(dict.fromkeys(telling or rest or names))


def asks_when(text: str) -> bool:
    """Whether the question is for a time."""
    return _WHEN.search(text) is not None


def names_a_time(text: str) -> bool:
    """Whether a line names a time, so that it may answer when."""
    return _NAMES_A_TIME.search(text.lower()) is not None


def speaks_of_itself(text: str) -> bool:
    """Whether somebody speaks of himself."""
    return _SPEAKS_OF_ITSELF.search(text) is not None


def is_question(text: str) -> bool:
    """Whether a line asks something."""
    return text.rstrip().endswith("?")


def _names(text: str) -> Iterator[list[str]]:
    """The spellings of each piece of `text` that may be a nick."""
    for chunk in _CHUNK.findall(text):
        name = fold(chunk.strip(".,'\u2019<>@"))
        spellings = [name, name[:-2]] if name.endswith(_POSSESSIVE) else [name]
        if kept := [one for one in spellings if one and tells(one)]:
            yield kept


def _telling(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower().replace("\u2019", "'")):
        bare = word.removesuffix("'s")
        if tells(bare):
            yield from filter(tells, words_in(bare))


def _is_whole(word: str) -> bool:
    """Whether it is more than a letter that was left of something; 7 and a Chinese sign are."""
    return len(word) > 1 or word.isdigit() or not word.isascii()
