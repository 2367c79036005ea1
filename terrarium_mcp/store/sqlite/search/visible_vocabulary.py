"""The vocabulary of the lines that a search may see, counted in samples of these lines.

The words table counts all rooms, so it only proposes words here; whether and how often they were
said is read from visible lines. The newest lines with any of the words show the frequent ones, and
how often these come up: enough, where the most frequent are wanted. Where each word is to be
counted, the newest lines with any of those not seen yet show the next, and so on until none is
left. Each step sees words a hundred times rarer than the one before, so three or four do. A word is
counted exactly where fewer lines than a sample hold it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.times.timestamps import BEGINNING, from_text
from terrarium_mcp.store.search.vocabulary_queries import (
    LONGEST_WHOLE,
    VocabularyQuery,
    WordsAmong,
)
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.index.fts_syntax import ordered_and
from terrarium_mcp.store.sqlite.search.visible_lines import NewestLines, VisibleLines
from terrarium_mcp.store.sqlite.search.vocabulary import SqliteVocabulary, is_cut, string_of

SAMPLE = 100
"""Lines of a sample. Of 150 known lines asked for with a word cut short, the first ten hits hold
142 with 64 lines, 144 with 100, and 143 with the counts of the whole history."""

_STEPS = 3
"""Samples for the most frequent words of a kind; each word is counted in as many as it takes."""

_NO_LIMIT = -1

_COLUMNS = "m.id, m.timestamp, m.nick, m.message"

_FEW = 1_000
"""Up to this many lines with the words, in all rooms, the lines are read to see their rooms: 1.5 us
a line. The index takes 10 us to find the place of one in the list of a room (10 M lines)."""

_AT_ONCE = 500
"""Words of one FTS5 expression, which opens a posting list for each: 10 us."""


@dataclass(frozen=True, slots=True)
class LineSample:
    """The newest visible lines with any of some words, and the timestamp of the first line of all.

    `is_complete`: no other visible line holds one of them.
    """

    lines: Sequence[Row]
    first: str
    is_complete: bool

    def estimated(self, count: int) -> int:
        """How many visible lines there are of a kind that has `count` in the sample.

        As many as at the rate of the sample, since the first line.
        """
        if self.is_complete:
            return count
        newest, oldest = self.lines[0]["timestamp"], self.lines[-1]["timestamp"]
        return max(count, round(count * _seconds(self.first, newest) / _seconds(oldest, newest)))


class _WordCount:
    """The count of the words that one query asks for, sample by sample.

    Args:
        left: the words that were not seen yet, with their lines in all rooms.
        query: what is asked for.
    """

    def __init__(self, left: dict[str, int], query: VocabularyQuery) -> None:
        self.left = left
        self._most = query.most
        self._steps = _NO_LIMIT if isinstance(query, WordsAmong) else _STEPS
        self._lines: dict[str, int] = {}

    @property
    def goes_on(self) -> bool:
        """Whether another sample may show more of them."""
        return bool(self.left) and self._steps != 0 and len(self._lines) < self._most

    @property
    def most_frequent(self) -> dict[str, int]:
        """The words that were seen, with about how many visible lines they are in."""
        ordered = sorted(self._lines, key=lambda word: (-self._lines[word], word))
        return {word: self._lines[word] for word in ordered[: self._most]}

    def take(self, sample: LineSample) -> None:
        """Count the words of a sample of the lines with any of those left."""
        has_cut = any(map(is_cut, self.left))
        said = Counter(
            word for line in sample.lines for word in _said(line, self.left, has_cut=has_cut)
        )
        self._lines |= {word: sample.estimated(count) for word, count in said.items()}
        self._steps -= 1
        is_over = sample.is_complete or not said
        self.left = {} if is_over else {w: n for w, n in self.left.items() if w not in said}


class VisibleVocabulary:
    """The words of visible lines."""

    def __init__(self, reads: Reads, lines: VisibleLines) -> None:
        self._words = SqliteVocabulary(reads)
        self._lines = lines

    async def most_frequent(self, *queries: VocabularyQuery) -> list[dict[str, int]]:
        """For each query its words and their lines, about, the most frequent first."""
        proposed = await self._words.all_words(*queries)
        counts = [
            _WordCount(dict(words), query) for words, query in zip(proposed, queries, strict=True)
        ]
        while pending := [count for count in counts if count.goes_on]:
            samples = await self._samples([list(self._expressions(one.left)) for one in pending])
            for count, sample in zip(pending, samples, strict=True):
                count.take(sample)
        return [count.most_frequent for count in counts]

    async def sample(self, match: str) -> LineSample:
        """The newest visible lines that an FTS5 expression finds."""
        (found,) = await self._samples([[match]])
        return found

    def _expressions(self, words: Mapping[str, int]) -> Iterator[str]:
        """FTS5 expressions that together find the lines with any of these words."""
        in_rooms = self._lines.in_rooms if sum(words.values()) > _FEW else ""
        ordered = sorted(words)
        for start in range(0, len(ordered), _AT_ONCE):
            strings = " OR ".join(map(string_of, ordered[start : start + _AT_ONCE]))
            spoken = f"message : ({strings})"
            yield ordered_and([spoken, in_rooms]) if in_rooms else spoken

    async def _samples(self, wanted: Sequence[Sequence[str]]) -> list[LineSample]:
        """A sample for each of these lists of FTS5 expressions."""
        every = [NewestLines(match, SAMPLE) for matches in wanted for match in matches]
        found = iter(await self._lines.newest(every, _COLUMNS))
        return [await self._sample(list(islice(found, len(matches)))) for matches in wanted]

    async def _sample(self, found: Sequence[Sequence[Row]]) -> LineSample:
        """The newest of these lines, and whether they are all."""
        newest = found[0]
        if len(found) > 1:
            lines = {row["id"]: row for rows in found for row in rows}
            newest = sorted(lines.values(), key=_position, reverse=True)[:SAMPLE]
        is_complete = len(newest) < SAMPLE
        first = BEGINNING.timestamp if is_complete else (await self._lines.totals()).first
        return LineSample(newest, first, is_complete)


def _said(line: Row, words: Mapping[str, int], *, has_cut: bool) -> set[str]:
    """Those of the words that a line holds; where any is cut, those that it holds longer."""
    said = words_in(plain(as_text(line["message"])))
    if has_cut:
        said += tuple(word[:LONGEST_WHOLE] for word in said if len(word) > LONGEST_WHOLE)
    return words.keys() & said


def _position(line: Row) -> tuple[str, int]:
    return line["timestamp"], line["id"]


def _seconds(since: str, until: str) -> float:
    """The time between two timestamps, at least a second."""
    return max(1.0, (from_text(until) - from_text(since)).total_seconds())
