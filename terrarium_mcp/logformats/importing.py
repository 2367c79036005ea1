"""Imports logs into the store, one room of one file after the other.

A line that cannot be read is counted and reported, and stops nothing. What the store has already is
recognised there, so that an import may be interrupted, and run again from its beginning.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from anyio import to_thread

from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.logformats.contents import LogContent, ReadLog
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.log_reader import DatedBoundary, LineCounts, RejectedLine
from terrarium_mcp.logformats.recordable import recordable
from terrarium_mcp.logformats.recorded_times import (
    PAUSE,
    RecordedTime,
    RecordedTimes,
    joined,
    without,
)
from terrarium_mcp.store import EarlierReading, ImportTotals, LogSource, Store

ReportLines = Callable[[int], None]
"""Called with how many more lines have been read."""

_CHUNK = 1024 * 1024

_REPORTED = 1_000
"""Lines between two reports."""

Reject = Callable[[LogFile, RejectedLine], None]
"""Called with every line that could not be read."""


@dataclass(slots=True)
class ContentReport:
    """What became of one room of one file.

    `totals` is None where nothing was stored: the file was imported before, which `earlier` names,
    or this is a trial.
    """

    content: LogContent
    counts: LineCounts = field(default_factory=LineCounts)
    left_out: Counter[NotRecorded] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None
    totals: ImportTotals | None = None
    earlier: EarlierReading | None = None


class RoomName(NamedTuple):
    """A channel of a network."""

    network: str
    channel: str


class LogImport:
    """One run of an import: it reads contents, stores their messages and collects reports."""

    def __init__(
        self,
        contents: Sequence[LogContent],
        rules: Mapping[str, VoiceRules],
        *,
        on_lines: ReportLines,
        on_reject: Reject,
    ) -> None:
        """An import of these contents, of networks with these rules.

        Args:
            contents: what is read, in this order.
            rules: how lines are told apart, by network, as `rules_on` reads them.
            on_lines: is called as lines are read.
            on_reject: is called with each line that cannot be read.
        """
        self.reports = [ContentReport(content) for content in contents]
        self._rules = rules
        self._on_lines = on_lines
        self._on_reject = on_reject
        self._times: dict[RoomName, list[RecordedTime]] = {}
        self._gaps: dict[str, list[RecordedTime]] = {}
        """Times without a connection, by network, as a client's own window tells them."""

    async def try_out(self) -> None:
        """Read everything and store nothing.

        Raises:
            UnusableFile: a file cannot be read to its end.
        """
        for report in self.reports:
            await to_thread.run_sync(self._exhaust, report)

    async def store(self, store: Store, command: str) -> int:
        """Read and store everything; returns the number of the import.

        Raises:
            UnusableFile: a file cannot be read to its end. What was read of it is stored.
            StoreFailed: the store cannot write. Run the same import again.
        """
        number = await store.imports.begin(command)
        stored: list[ContentReport] = []
        totals = await store.imports.add_all(number, self._logs(store, stored))
        for report, its_totals in zip(stored, totals, strict=True):
            report.totals = its_totals
        for room, times in self._times.items():
            for time in without(joined(times), self._gaps.get(room.network, ())):
                await store.imports.add_span(
                    number, *room, time.began, time.ended, "the log begins", "the log ends"
                )
        await store.imports.finish(number)
        return number

    async def _logs(
        self, store: Store, stored: list[ContentReport]
    ) -> AsyncIterator[tuple[LogSource, Iterator[NewMessage]]]:
        """The logs that are to be stored, whose reports are added to `stored`."""
        for report in self.reports:
            content = report.content
            if not content.target:
                await to_thread.run_sync(self._exhaust, report)
                continue
            digest = await to_thread.run_sync(_sha256, content.file)
            report.earlier = await store.imports.was_read(digest, content.network, content.target)
            if report.earlier:
                continue
            stored.append(report)
            yield _source(content, digest), self._read(report)

    def _read(self, report: ContentReport) -> Iterator[NewMessage]:
        """The messages to record of one content."""
        with report.content.read() as log:
            report.counts = log.counts
            yield from self._messages(report, log)

    def _exhaust(self, report: ContentReport) -> None:
        for _ in self._read(report):
            pass

    def _messages(self, report: ContentReport, log: ReadLog) -> Iterator[NewMessage]:
        """The messages of a log that may be recorded; everything else is noted."""
        content, times = report.content, RecordedTimes()
        rules = rules_on(content.network, self._rules)
        for item in log.items:
            if log.counts.lines % _REPORTED == 0:
                self._on_lines(_REPORTED)
            if isinstance(item, RejectedLine):
                if content.target:  # what a client says to its user is of no interest
                    self._on_reject(content.file, item)
            elif isinstance(item, DatedBoundary):
                times.boundary(item.at, item.boundary)
            elif isinstance(item, NewMessage):
                times.line(item.said_at)
                yield content.placed(item)
            else:
                times.line(item.said_at)
                message = recordable(
                    item.event, content.network, content.target, item.said_at, rules
                )
                if isinstance(message, NotRecorded):
                    report.left_out[message] += 1
                elif content.target:
                    yield message
        self._note_times(report, times.all())

    def _note_times(self, report: ContentReport, times: Sequence[RecordedTime]) -> None:
        content = report.content
        if not times:
            return
        report.first, report.last = times[0].began, max(time.ended for time in times)
        if not content.target:  # between two connections nothing was recorded
            gaps = [RecordedTime(one.ended, other.began) for one, other in pairwise(times)]
            self._gaps.setdefault(content.network, []).extend(gaps)
            return
        room = RoomName(content.network, content.target)
        pause = PAUSE if content.is_by_day else timedelta(0)
        self._times[room] = joined([*self._times.get(room, ()), *times], pause)


def _source(content: LogContent, sha256: str) -> LogSource:
    return LogSource(
        path=content.file.path,
        format=content.program,
        network=content.network,
        channel=content.target,
        zone=content.zone,
        sha256=sha256,
        size=content.file.stored.stat().st_size,
        resolution=content.resolution,
    )


def _sha256(file: LogFile) -> str:
    digest = hashlib.sha256()
    with file.opened() as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
