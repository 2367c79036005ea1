"""Clock offset: by how much the clock of a log was fast, beside what is stored of the same talk.

Long texts that occur once in a part of the log and once in the room are the evidence. Each pair
allows a range of offsets, as stamps name seconds or minutes. The offset is the one that most pairs
allow. It is believed if

- `FEWEST` pairs of at least two people allow it,
- `AGREEING` of all pairs do: what a bot says every hour pairs with another hour, people do not,
- and of the log's long texts that were then said while the room has lines, `FOUND` are among the
  pairs: two days in which the same announcements were made are not the same day.

No offset is looked for beyond `FARTHEST`, so that nothing pairs with yesterday's. One that the rule
of recognition bridges anyway is none.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from terrarium_mcp.store.recognition.comparison import ComparableLine
from terrarium_mcp.store.recognition.once import JITTER

LONG = 24
"""Characters of a text that people hardly repeat."""

FARTHEST = 14 * 3_600_000
"""Milliseconds: a clock in the zone farthest from UTC, and less than a day."""

FEWEST = 5
AGREEING = 0.8
FOUND = 0.5

_SECOND = 1_000


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """By how many milliseconds a clock was fast, more or less `margin`, as `lines` lines show.

    The margin is what remains open where stamps name minutes.
    """

    milliseconds: int
    margin: int
    lines: int


NO_OFFSET = ClockOffset(0, 0, 0)


def distinctive(lines: Iterable[ComparableLine]) -> list[ComparableLine]:
    """The lines whose text is long and occurs once."""
    long = [line for line in lines if len(line.text) >= LONG and not line.is_redacted]
    times = Counter(line.text for line in long)
    return [line for line in long if times[line.text] == 1]


def offset_between(
    lines: Sequence[ComparableLine],
    stored: Iterable[ComparableLine],
    covered: tuple[int, int],
) -> ClockOffset | None:
    """The offset of a log's clock; None if the evidence does not show one, nor that there is none.

    Args:
        lines: distinctive lines of the log.
        stored: the room's lines with these texts.
        covered: milliseconds since 1970 of the room's first and last line near the log's.
    """
    pairs = _pairs(lines, stored)
    if len(pairs) < FEWEST:
        return None
    low, high = _most_allowed([allowed for _, allowed in pairs])
    agreeing = [line for line, (first, last) in pairs if first <= low and high <= last]
    # Between two seconds it is the earlier: programs cut a stamp, and do not round it.
    middle = ceil((low + high) / 2 / _SECOND - 0.5) * _SECOND
    offset = 0 if low <= 0 <= high else middle
    margin = max(0, high - offset - JITTER, offset - low - JITTER)
    began, ended = covered
    comparable = sum(
        began <= line.at - offset and line.at + line.resolution - offset <= ended for line in lines
    )
    is_consistent = (
        len(agreeing) >= max(FEWEST, AGREEING * len(pairs))
        and len({line.nick for line in agreeing}) > 1
        and len(agreeing) >= FOUND * comparable
        and abs(offset) <= FARTHEST
    )
    return ClockOffset(offset, margin, len(agreeing)) if is_consistent else None


_Allowed = tuple[int, int]
"""The first and last offset that a pair allows, in milliseconds."""


def _pairs(
    lines: Iterable[ComparableLine], stored: Iterable[ComparableLine]
) -> list[tuple[ComparableLine, _Allowed]]:
    """The lines that occur once among the stored, and the offsets that each allows."""
    by_words = defaultdict[tuple[str, str, str], list[ComparableLine]](list)
    for other in stored:
        by_words[other.nick, other.kind, other.text].append(other)
    return [
        (line, _allowed(line, same[0]))
        for line in lines
        if len(same := by_words[line.nick, line.kind, line.text]) == 1
    ]


def _allowed(line: ComparableLine, other: ComparableLine) -> _Allowed:
    apart = line.at - other.at
    return apart - other.resolution - JITTER, apart + line.resolution + JITTER


def _most_allowed(ranges: Sequence[_Allowed]) -> _Allowed:
    """The offsets that most of the ranges allow: the first such stretch."""
    # At the same offset ranges begin before others end.
    edges = sorted([(low, 0) for low, _ in ranges] + [(high, 1) for _, high in ranges])
    allowed = most = 0
    best = (0, 0)
    for n, (offset, ends) in enumerate(edges):
        allowed += -1 if ends else 1
        if allowed > most:
            most, best = allowed, (offset, edges[n + 1][0])
    return best
