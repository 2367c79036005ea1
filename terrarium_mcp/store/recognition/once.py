"""Once: which lines of a log are stored already. This page is the rule.

A line of a log is *known* if its room has a stored line that

1. the log does not have yet: it neither added it nor recognised it in an earlier line. Every stored
   line is recognised once, so repeats stay: who said "ok" twice said it twice.
2. is of the same kind, by the same nick, with the same text (comparison.py says what is the same).
3. was said at the same time. A stamp names a time that lasts a second, or a minute; the two times
   may be `JITTER` apart, since each program writes down when a line reached it.

Lines are looked at by time, and each takes the earliest stored line that is free. Of all ways to
pair repeats this one leaves the fewest lines alone, and it does not depend on how many lines are
looked at together: an import that was interrupted and is repeated ends as one that was not. For the
same reason a line without a nick is as good as one with: an empty nick equals any. Where such a
line took what another needs, it moves on to one that is free.

A stored line whose text was removed by a redaction is any line of that nick, kind and time, however
many there are: an import does not bring back what was taken away.

A stored line is as exact as the log that added it; one that we recorded is exact.

What is not known is added, at its own time. The line that came first stays as it is.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from heapq import merge
from operator import itemgetter

from terrarium_mcp.store.recognition.comparison import ComparableLine, is_same_text

JITTER = 3_000
"""Milliseconds. Servers of a network pass a line on within a second or two, and a client under load
stamps it when it gets to it."""

MOST_MOVED = 20
"""Lines that are asked to move on for one: few have the same words within seconds."""

_END = itemgetter(0)


def recognised(
    lines: Sequence[ComparableLine], stored: Sequence[ComparableLine], margin: int = 0
) -> list[int | None]:
    """For each line of a log the index of the stored line that it is; None for a new line.

    Args:
        lines: lines of one log, in its order.
        stored: the lines that the log does not have yet and that may be meant.
        margin: milliseconds by which the times may be farther apart than `JITTER`: a log whose
            clock was corrected is less exact.
    """
    pairs = _Pairs(lines, stored, JITTER + margin)
    for number in sorted(range(len(lines)), key=lambda number: lines[number].at):
        pairs.add(number)
    return pairs.found


class _Pairs:
    """Lines of a log, and the stored lines that they are.

    Attributes:
        found: for each line the index of its stored line; None where there is none yet.
    """

    def __init__(
        self, lines: Sequence[ComparableLine], stored: Sequence[ComparableLine], jitter: int
    ) -> None:
        self.found: list[int | None] = [None] * len(lines)
        self._lines = lines
        self._stored = stored
        self._jitter = jitter
        self._taken_by: list[int | None] = [None] * len(stored)
        self._coarsest = max((other.resolution for other in stored), default=0)
        self._by_key = defaultdict[Hashable, list[tuple[int, int]]](list)
        for index, other in enumerate(stored):
            for key in _keys_of(other):
                self._by_key[key].append((other.at + other.resolution, index))
        for same in self._by_key.values():
            same.sort()

    def add(self, number: int) -> None:
        """Pair a line with the first that is this line, and free; a redacted one stays free."""
        if not (self._takes_free(number) or self._takes_from_another(number, set())):
            redacted = self._at_the_time_of(self._lines[number], _redacted(self._lines[number]))
            self.found[number] = next((index for _, index in redacted), None)

    def _takes_free(self, number: int) -> bool:
        return any(
            self._take(number, index)
            for index in self._same(self._lines[number])
            if self._taken_by[index] is None
        )

    def _takes_from_another(self, number: int, asked: set[int]) -> bool:
        """Whether a line that took one of the same words finds another: an augmenting path."""
        for index in self._same(self._lines[number]):
            other = self._taken_by[index]
            if other is None or index in asked or len(asked) >= MOST_MOVED:
                continue
            asked.add(index)
            if self._takes_free(other) or self._takes_from_another(other, asked):
                return self._take(number, index)
        return False

    def _take(self, number: int, index: int) -> bool:
        self._taken_by[index] = number
        self.found[number] = index
        return True

    def _same(self, line: ComparableLine) -> Iterator[int]:
        """The stored lines that a line may be, the earliest first, whether or not they are free."""
        if line.nick:
            keys = (_words_and_nick(line, line.nick), _words_and_nick(line, ""))
            same: Iterator[tuple[int, int]] = merge(
                *(self._at_the_time_of(line, key) for key in keys)
            )
        else:
            same = self._at_the_time_of(line, _words(line))
        return (index for _, index in same if is_same_text(line.text, self._stored[index].text))

    def _at_the_time_of(self, line: ComparableLine, key: Hashable) -> Iterator[tuple[int, int]]:
        """The stored lines of a key that were said when a line was: when each ended, its index."""
        same = self._by_key.get(key, ())
        end = line.at + line.resolution + self._jitter
        for position in range(bisect_left(same, line.at - self._jitter, key=_END), len(same)):
            ended, index = same[position]
            if ended > end + self._coarsest:
                return
            if self._stored[index].at <= end:
                yield ended, index


def _keys_of(other: ComparableLine) -> tuple[Hashable, ...]:
    """Under which keys a stored line is looked up."""
    if other.is_redacted:
        return (_redacted(other),)
    return _words_and_nick(other, other.nick), _words(other)


def _words_and_nick(line: ComparableLine, nick: str) -> Hashable:
    return line.kind, line.skeleton, nick


def _words(line: ComparableLine) -> Hashable:
    return line.kind, line.skeleton


def _redacted(line: ComparableLine) -> Hashable:
    return "redacted", line.kind, line.nick, ""
