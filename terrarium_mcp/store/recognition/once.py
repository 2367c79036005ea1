"""Once: which lines of a log are stored already. This page is the rule.

A line of a log is *known* if its room has a stored line that

1. the log does not have yet: it neither added it nor recognised it in an earlier line. Every stored
   line is recognised once, so repeats stay: who said "ok" twice said it twice.
2. is of the same kind, by the same nick, with the same text (comparison.py says what is the same).
3. was said at the same time. A stamp names a time that lasts a second, or a minute; the two times
   may be `JITTER` apart, since each program writes down when a line reached it.

Where several stored lines would do, the nearest in time is taken, and of all pairs of a group of
lines the nearest first: so a line is recognised in itself whenever it was stored by an earlier,
interrupted import of the same log. Pairs in which both nicks are known come before those in which
one is not. Last come stored lines whose text was removed by a redaction: they equal any text of
that nick, kind and time, or an import would bring back what was taken away.

A stored line is as exact as the log that added it; one that we recorded is exact.

What is not known is added, at its own time. The line that came first stays as it is.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from terrarium_mcp.store.recognition.comparison import ComparableLine, is_same_text

JITTER = 3_000
"""Milliseconds. Servers of a network pass a line on within a second or two, and a client under load
stamps it when it gets to it."""


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
    texts = [index for index, other in enumerate(stored) if not other.is_redacted]
    pairs.take(range(len(lines)), texts, _words_and_nick)
    pairs.take(range(len(lines)), [index for index in texts if not stored[index].nick], _words)
    pairs.take([number for number, line in enumerate(lines) if not line.nick], texts, _words)
    redacted = [index for index, other in enumerate(stored) if other.is_redacted]
    pairs.take(range(len(lines)), redacted, _kind_and_nick)
    return pairs.found


def _words_and_nick(line: ComparableLine) -> Hashable:
    return line.kind, line.skeleton, line.nick


def _words(line: ComparableLine) -> Hashable:
    return line.kind, line.skeleton


def _kind_and_nick(line: ComparableLine) -> Hashable:
    return line.kind, line.nick


class _Pairs:
    """The pairs found so far: for each line the index of its stored line."""

    def __init__(
        self, lines: Sequence[ComparableLine], stored: Sequence[ComparableLine], jitter: int
    ) -> None:
        self.found: list[int | None] = [None] * len(lines)
        self._lines = lines
        self._stored = stored
        self._jitter = jitter
        self._free = [True] * len(stored)

    def take(
        self,
        lines: Iterable[int],
        stored: Iterable[int],
        key: Callable[[ComparableLine], Hashable],
    ) -> None:
        """Pair those of these lines that are the same, the nearest in time first.

        Args:
            lines: indexes of lines; those that are paired already are left out.
            stored: indexes of stored lines, likewise.
            key: equal for lines that may be the same.
        """
        by_key = defaultdict[Hashable, list[tuple[int, int]]](list)
        for index in stored:
            if self._free[index]:
                other = self._stored[index]
                by_key[key(other)].append((other.at, index))
        if not by_key:
            return
        for same in by_key.values():
            same.sort()
        unpaired = [number for number in lines if self.found[number] is None]
        for _, _, number, index in sorted(self._candidates(unpaired, by_key, key)):
            if self.found[number] is None and self._free[index]:
                self.found[number] = index
                self._free[index] = False

    def _candidates(
        self,
        lines: Iterable[int],
        by_key: Mapping[Hashable, Sequence[tuple[int, int]]],
        key: Callable[[ComparableLine], Hashable],
    ) -> Iterator[tuple[int, int, int, int]]:
        """Each possible pair: how far apart the times are, and the stamps, then both indexes."""
        coarsest = max(other.resolution for other in self._stored)
        for number in lines:
            line = self._lines[number]
            same = by_key.get(key(line), ())
            begin = bisect_left(same, (line.at - coarsest - self._jitter, 0))
            end = bisect_left(same, (line.at + line.resolution + self._jitter + 1, 0))
            for at, index in same[begin:end]:
                other = self._stored[index]
                apart = max(0, at - line.at - line.resolution, line.at - at - other.resolution)
                if apart <= self._jitter and (
                    other.is_redacted or is_same_text(line.text, other.text)
                ):
                    yield apart, abs(at - line.at), number, index
