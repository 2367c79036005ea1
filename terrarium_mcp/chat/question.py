"""A plain English question: the people it names, the words that say what it is about."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from terrarium_mcp.chat.english import is_stop_word
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.times.calendar_words import MONTHS, WEEKDAYS

_CHUNK = re.compile(r"[^\s,;:?!\"()]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_POSSESSIVE = ("'s", "\u2019s")
_WHEN = re.compile(r"(?i)\b(?:when|how long|what (?:year|month|date|day|time))\b")
_NAMES_A_TIME = re.compile(  # for lower case: ignoring case takes three times as long
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weekend|weeks?|months?|years?|days?"
    rf"|{'|'.join((*WEEKDAYS, *MONTHS))}|recently|since|morning|night|\d{{4}}|\d{{1,2}}:\d\d)\b"
)
"""Signs that an answer says when. Unlike `time_expressions` it need not know which time that is."""

_FIRST_PERSON = re.compile(
    r"(?i)\b(?:i|im|i['\u2019](?:m|ve|d|ll)|my|me|mine|we|we['\u2019](?:re|ve|ll)|our|us)\b"
)
_BEFORE_A_NICK = r"\b(?:did|does|has|had|was|is|by|from|nick|user)\s+|[@<]"
_AFTER_A_NICK = (
    r"['\u2019]s|\s+(?:said|say|says|wrote|asked|ask|mentioned|suggested|told|thought|thinks?)"
)

_MOST_NAMES = 64
"""Pieces of a question that may be nicks: each costs a look-up, and a pattern if it is one."""

_RARELY_A_NICK = 0.2
"""A nick whose messages are fewer than this share of the messages that contain it as a word, such
as `will` or `mark`, counts as a word, unless the wording shows that the person is meant."""


def possible_nicks(text: str) -> tuple[str, ...]:
    """What in `text` may be a nick, folded, in order; `ada's` may be `ada's` or `ada`."""
    return tuple(dict.fromkeys(nick for spellings in _names(text) for nick in spellings))


def people_named(
    text: str, lines_by: Mapping[str, int], lines_with: Mapping[str, int]
) -> tuple[str, ...]:
    """The folded nicks that `text` mentions, in order.

    Args:
        text: the question.
        lines_by: how many messages each possible nick has said.
        lines_with: how many messages contain each of them as a word.
    """
    named: dict[str, None] = {}
    for spellings in _names(text):
        for nick in spellings:
            lines = lines_by.get(nick, 0)
            if not lines or (lines < 2 and nick.isalpha()):
                continue
            rare = lines < _RARELY_A_NICK * (1 + lines_with.get(nick, 0))
            if not rare or _is_worded_as_a_person(nick, fold(text)):
                named[nick] = None
                break
    return tuple(named)


def content_words(text: str, people: tuple[str, ...]) -> tuple[str, ...]:
    """The words of `text`, folded, that say what it is about: no stop words and no names.

    If there are no others, all words that are no names; and if there are none of these, the names.
    """
    names = {word: None for nick in people for word in words_in(nick)}
    telling = [word for word in _content_words(text) if word not in names and _is_whole(word)]
    rest = [word for word in words_in(text) if word not in names]
    return tuple(dict.fromkeys(telling or rest or names))


def asks_when(text: str) -> bool:
    """Whether the question asks for a time."""
    return _WHEN.search(text) is not None


def names_a_time(text: str) -> bool:
    """Whether a message names a time, and so may answer when something happened."""
    return _NAMES_A_TIME.search(text.lower()) is not None


def is_first_person(text: str) -> bool:
    """Whether a message is in the first person."""
    return _FIRST_PERSON.search(text) is not None


def is_question(text: str) -> bool:
    """Whether a message ends as a question."""
    return text.rstrip().endswith("?")


def _names(text: str) -> Iterator[list[str]]:
    """The spellings of each piece of `text` that may be a nick."""
    chunks = (found[0] for found in _CHUNK.finditer(text))
    for chunk in islice(chunks, _MOST_NAMES):
        name = fold(chunk.strip(".,'\u2019<>@"))
        spellings = [name, name[:-2]] if name.endswith(_POSSESSIVE) else [name]
        if kept := [nick for nick in spellings if nick and not is_stop_word(nick)]:
            yield kept


def _is_worded_as_a_person(nick: str, folded: str) -> bool:
    """Whether the folded text uses the nick as a name: `did mark ...`, `<mark`, `mark's`."""
    name = re.escape(nick)
    return (
        re.search(
            rf"(?i)(?:{_BEFORE_A_NICK}){name}(?!\w)|(?<!\w){name}(?:{_AFTER_A_NICK})\b", folded
        )
        is not None
    )


def _content_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower().replace("\u2019", "'")):
        if not is_stop_word(word):
            yield from (part for part in words_in(word) if not is_stop_word(part))


def _is_whole(word: str) -> bool:
    """Whether it is more than a stray letter; a digit or a Chinese character is."""
    return len(word) > 1 or word.isdigit() or not word.isascii()
