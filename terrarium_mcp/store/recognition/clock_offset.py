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

A clock may be set between two lines, or drift. So where `FEWEST` pairs in a row do not allow the
offset of the others, the lines are cut there, and each stretch is judged by itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import NamedTuple

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


class ClockStretch(NamedTuple):
    """Lines of a log between which its clock was not set: the first and last that show its offset.

    They are numbers among the lines that were compared.
    """

    first: int
    last: int
    offset: ClockOffset


def distinctive(lines: Iterable[ComparableLine]) -> list[ComparableLine]:
    """The lines whose text is long and occurs once."""
    long = [line for line in lines if len(line.text) >= LONG and not line.is_redacted]
    times = Counter(line.text for line in long)
    return [line for line in long if times[line.text] == 1]


def offsets_along(
    lines: Sequence[ComparableLine],
    stored: Iterable[ComparableLine],
    covered: tuple[int, int],
) -> list[ClockStretch]:
    """The offsets of a log's clock, in the order of its lines, as far as the evidence shows them.

    Args:
        lines: distinctive lines of the log, in its order.
        stored: the room's lines with these texts.
        covered: milliseconds since 1970 of the room's first and last line near the log's.
    """
    found: list[ClockStretch] = []
    begin = 0
    pieces = [*_pieces(_pairs(lines, stored))]
    for piece in pieces:
        first, last = piece[0].number, piece[-1].number
        end = len(lines) if piece is pieces[-1] else last + 1
        if offset := _offset_of(piece, lines[begin:end], covered):
            found.append(ClockStretch(first, last, offset))
        begin = end
    return found


class _Pair(NamedTuple):
    """A line, its number, and the first and last offset that its pair allows, in milliseconds."""

    number: int
    line: ComparableLine
    first: int
    last: int

    def allows(self, low: int, high: int) -> bool:
        """Whether it allows all offsets between two."""
        return self.first <= low and high <= self.last


def _pairs(lines: Iterable[ComparableLine], stored: Iterable[ComparableLine]) -> list[_Pair]:
    """The lines that occur once among the stored, and the offsets that each allows."""
    by_words = defaultdict[tuple[str, str, str], list[ComparableLine]](list)
    for other in stored:
        by_words[other.nick, other.kind, other.text].append(other)
    return [
        _Pair(number, line, *_allowed(line, same[0]))
        for number, line in enumerate(lines)
        if len(same := by_words[line.nick, line.kind, line.text]) == 1
    ]


def _allowed(line: ComparableLine, other: ComparableLine) -> tuple[int, int]:
    apart = line.at - other.at
    return apart - other.resolution - JITTER, apart + line.resolution + JITTER


def _pieces(pairs: Sequence[_Pair]) -> Iterator[Sequence[_Pair]]:
    """The pairs in pieces, of which each has one offset, unless it shows none."""
    if not pairs:
        return
    low, high = _most_allowed(pairs)
    runs: list[tuple[int, int]] = []
    begin = 0
    for agrees, run in groupby(pair.allows(low, high) for pair in pairs):
        end = begin + len([*run])
        if not agrees and end - begin >= FEWEST:
            runs.append((begin, end))
        begin = end
    if not runs:
        yield pairs
        return
    begin, end = max(runs, key=lambda run: run[1] - run[0])
    for part in (pairs[:begin], pairs[begin:end], pairs[end:]):
        yield from _pieces(part)


def _offset_of(
    pairs: Sequence[_Pair], lines: Iterable[ComparableLine], covered: tuple[int, int]
) -> ClockOffset | None:
    """The offset that most pairs of these lines allow; None if that is not enough evidence."""
    low, high = _most_allowed(pairs)
    agreeing = [pair.line for pair in pairs if pair.allows(low, high)]
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


def _most_allowed(pairs: Sequence[_Pair]) -> tuple[int, int]:
    """The first and last of the offsets that most pairs allow: the first such range."""
    # At the same offset ranges begin before others end.
    edges = sorted([(pair.first, 0) for pair in pairs] + [(pair.last, 1) for pair in pairs])
    allowed = most = 0
    best = (0, 0)
    for n, (offset, ends) in enumerate(edges):
        allowed += -1 if ends else 1
        if allowed > most:
            most, best = allowed, (offset, edges[n + 1][0])
    return best
