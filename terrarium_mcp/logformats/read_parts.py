"""Reads one content of an import by parts: what of it is recorded, and what became of the rest."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.logformats.contents import LogContent, ReadLog
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.log_reader import (
    DatedBoundary,
    DatedEvent,
    LineCounts,
    LogItem,
    RejectedLine,
)
from terrarium_mcp.logformats.playback import PlaybackFilter
from terrarium_mcp.logformats.recordable import recordable
from terrarium_mcp.logformats.recorded_times import RecordedTimes
from terrarium_mcp.store import LINES_IN_BLOCK


class ReadResult(NamedTuple):
    """What became of a whole content, the times that it covers, and its earliest moment.

    `are_told`: the log says itself when it was open; else the times are those of its lines.
    `sha256` is that of the file as it was read; empty of a database or an export. If the file
    `became_shorter` meanwhile, what was at its end is not among the lines.
    """

    counts: LineCounts
    left_out: Counter[NotRecorded]
    times: Sequence[RecordedTime]
    are_told: bool
    earliest: datetime | None
    sha256: str = ""
    became_shorter: bool = False


class ReadPart(NamedTuple):
    """Some lines of a content.

    Attributes:
        messages: what is recorded of them, none of a window in which a client talks about itself.
        lines: how many lines they are.
        rejected: those that could not be read.
        result: with the last part of a content, what became of all of it.
    """

    messages: Sequence[NewMessage]
    lines: int
    rejected: Sequence[RejectedLine]
    result: ReadResult | None = None


def read_parts(content: LogContent, rules: Mapping[str, VoiceRules]) -> Iterator[ReadPart]:
    """Read a content to its end.

    Args:
        content: the content.
        rules: how lines are told apart, by network.

    Raises:
        UnusableFile: it cannot be read.
    """
    with content.read() as log:
        yield from _PartReader(content, log, rules_on(content.network, rules)).parts()


class _PartReader:
    """One reading of a content: what becomes of its items, and those that are in no part yet."""

    def __init__(self, content: LogContent, log: ReadLog, rules: VoiceRules) -> None:
        self._content = content
        self._log = log
        self._rules = rules
        self._messages: list[NewMessage] = []
        self._rejected: list[RejectedLine] = []
        self._lines_sent = 0
        self._left_out = Counter[NotRecorded]()
        self._times = RecordedTimes()
        self._playback = PlaybackFilter()

    def parts(self) -> Iterator[ReadPart]:
        """Every part of the content, the last one with the result."""
        for item in self._log.items:
            self._add(item)
            if max(len(self._messages), len(self._rejected)) >= LINES_IN_BLOCK:
                yield self._part()
        self._messages += self._playback.rest()
        if len(self._messages) > LINES_IN_BLOCK:
            yield self._part()
        yield self._part()._replace(result=self._result())

    def _add(self, item: LogItem) -> None:
        if isinstance(item, DatedEvent):  # nearly all are
            self._times.line(item.said_at)
            network, target = self._content.network, self._content.target
            message = recordable(item.event, network, target, item.said_at, self._rules)
            if isinstance(message, NotRecorded):
                self._left_out[message] += 1
            elif target:
                self._messages += self._playback.first_copies(message)
        elif isinstance(item, NewMessage):
            self._times.line(item.said_at)
            self._messages.append(self._content.placed(item))
        elif isinstance(item, DatedBoundary):
            self._times.boundary(item.at, item.boundary)
            if item.boundary is Boundary.OPENED:
                self._messages += self._playback.opened(item.at)
        else:
            self._rejected.append(item)

    def _part(self) -> ReadPart:
        """The next part: a block of messages at most, and every line since the last part."""
        block, self._messages = self._messages[:LINES_IN_BLOCK], self._messages[LINES_IN_BLOCK:]
        rejected, self._rejected = self._rejected, []
        sent, self._lines_sent = self._lines_sent, self._log.counts.lines
        return ReadPart(block, self._lines_sent - sent, rejected)

    def _result(self) -> ReadResult:
        if self._playback.repeated:
            self._left_out[NotRecorded.PLAYED_BACK] = self._playback.repeated
        times, reading = self._times, self._log.reading
        return ReadResult(
            self._log.counts,
            self._left_out,
            times.all(),
            times.are_told,
            times.earliest,
            sha256=reading.sha256 if reading else "",
            became_shorter=bool(reading and reading.became_shorter),
        )
