"""Times that words beside others make of them: `from X until Y`, `more than 2 days ago`. Pure.

They are told by where the times of a text are, not by patterns of their own: each end of `from 3
May until yesterday at noon` may be any time.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import WEEKDAY
from terrarium_mcp.chat.times.patterns import compiled

UP_TO = r"(?:to|until|till|through|up\s+to)"
"""What joins the end to a time that `from` opens, as a regular expression."""

_NOW = r"(?:right\s+)?now\b"
_ONWARDS = r"\s+(?:on(?=\s*(?:[?.,!;]|$))|onwards?\b)"
"""Behind a time that is opened: `from May 3 on`, but not `from May 3 on the kettle`."""

BEFORE_ITS_END = (
    rf"(?={_ONWARDS}|\s+(?:{UP_TO}|and)\s+"
    rf"(?:{_NOW}|(?:today|yesterday)\b|(?:the\s+)?(?:(?:this|last)\s|\d)))"
)
"""What follows a weekday or a month that nothing but `from` or `between` shows to be one."""

_OPENING = r"\b(?P<opening>from|between)\s+(?:the\s+)?"
_CLOSING = (
    rf"(?P<closing>\s+(?P<word>{UP_TO}|and)\s+|\s*[-\u2013\u2014]\s*)"
    rf"(?:(?P<now>{_NOW})|(?:the\s+)?(?P<weekday>{WEEKDAY}\b)?)"
)
_COMPARING = (
    r"\b(?:(?P<before>(?:more|longer)\s+than|over)|(?P<until>at\s+least)"
    r"|(?P<since>(?:less|no\s+(?:more|longer))\s+than|under|at\s+most))\s+\Z"
)
"""In front of `2 days ago`, and by which word for an open time it is meant."""

_LONGEST = 20
"""More characters than these words have in front of a time, with one blank behind each."""


class Joint(NamedTuple):
    """Words from `begin` to `end` of a text, and the times of which they make another.

    It begins with the time `since`, such as `since 3 May`, and ends with `until`. If it goes on,
    or is only compared with another, both are the same.
    """

    begin: int
    end: int
    since: str
    until: str


def joints(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Joint]:
    """The times that the words beside others make of them, which are at `spans` of a text."""
    ends = dict(spans)
    for begin, end in ends.items():
        if joint := _compared(text, begin, end) or _joint(text, begin, end, ends):
            yield joint


def _compared(text: str, begin: int, end: int) -> Joint | None:
    """What is more or less than so long ago; None if the time is not compared."""
    compared = compiled(_COMPARING).search(text, max(0, begin - _LONGEST), begin)
    if compared is None or not text[begin:end].lower().endswith("ago"):
        return None
    words = f"{compared.lastgroup} {text[begin:end]}"
    return Joint(compared.start(), end, words, words)


def _joint(text: str, begin: int, end: int, ends: dict[int, int]) -> Joint | None:
    """What begins with the time from `begin` to `end`; None if nothing opens it, or closes it."""
    opened = _opened(text, begin)
    if opened is None:
        return None
    at, since = opened.start(), f"since {text[opened.end() : end]}"
    if onwards := compiled(_ONWARDS).match(text, end):
        return Joint(at, onwards.end(), since, since)
    closed = compiled(_CLOSING).match(text, end)
    if closed is None:
        return None
    if opened["opening"].lower() == "from" and (closed["word"] or "").lower() == "and":
        return None  # `from last week and yesterday` are two times
    if closed["now"]:
        return Joint(at, closed.end(), since, since)
    after = _end_of_closing(closed, ends)
    if after is None:
        return None
    return Joint(at, after, since, f"until {text[closed.end('closing') : after]}")


def _opened(text: str, begin: int) -> re.Match[str] | None:
    """What opens the time that begins there; some times include the word."""
    in_front = compiled(rf"{_OPENING}\Z").search(text, max(0, begin - _LONGEST), begin)
    return in_front or compiled(_OPENING).match(text, begin)


def _end_of_closing(closed: re.Match[str], ends: dict[int, int]) -> int | None:
    """Where the time ends that closes another; it may include the word in front of it."""
    begins = (closed.start("word"), closed.end("closing"), closed.end())
    closings = [ends[begin] for begin in begins if begin in ends]
    return max(closings, default=closed.end("weekday") if closed["weekday"] else None)
