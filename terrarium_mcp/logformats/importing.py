"""Imports logs into the store, one room of one file after the other.

A line that cannot be read is counted and reported, and stops nothing. What the store has already is
recognised there, so that an import may be interrupted, and run again from its beginning.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import IO
from zoneinfo import ZoneInfo

from anyio import to_thread

from terrarium_mcp.chat.irctext import is_service
from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.times.timestamps import local
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.databases.database_format import is_database
from terrarium_mcp.logformats.files import LogFile, UnusableFile, readable
from terrarium_mcp.logformats.log_reader import DatedEvent, LineCounts, RejectedLine
from terrarium_mcp.logformats.read_parts import ReadPart, read_parts
from terrarium_mcp.logformats.reading import LogReading
from terrarium_mcp.logformats.recorded_times import PAUSE
from terrarium_mcp.store import (
    EarlierCommand,
    EarlierReading,
    ImportTotals,
    LogEnd,
    LogSource,
    PreparedLines,
    PreparedLog,
    Store,
    wal_of,
    zone_and_half,
)

ReportLines = Callable[[int], None]
"""Called with how many more lines have been read."""

_CHUNK = 1024 * 1024

_TOGETHER = 100
"""Files that a thread hashes at once: to call it costs as much as a small file."""

_NO_ZONES = frozenset[str]()

Reject = Callable[[LogFile, RejectedLine], None]
"""Called with every line that could not be read."""


@dataclass(slots=True)
class ContentReport:
    """What became of one room of one file.

    `totals` is None where nothing was stored: the file was imported before, which `earlier` names,
    or this is a trial, or the file cannot be read to its end, which `failure` says. `command` is
    that of the newest import that read a file of this path, whatever it had then. `first` and
    `last` are its earliest and its latest moment, in whatever order its lines have them. `sha256`
    is that of the file, once it was looked whether it was imported, and that of what was read, once
    it was read. `unread` is the first line that could not be read. If the file `became_shorter`
    while it was read, what was at its end did not come. `times` are those in which it was open;
    if they `are_told`, it says so itself.
    """

    content: LogContent
    sha256: str = ""
    counts: LineCounts = field(default_factory=LineCounts)
    left_out: Counter[NotRecorded] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None
    unread: RejectedLine | None = None
    totals: ImportTotals | None = None
    earlier: EarlierReading | None = None
    command: EarlierCommand | None = None
    failure: UnusableFile | None = None
    became_shorter: bool = False
    times: Sequence[RecordedTime] = ()
    are_told: bool = False


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
        self._gaps: dict[str, list[RecordedTime]] = {}
        """Times without a connection, by network, as a client's own window tells them."""

    async def try_out(self) -> None:
        """Read everything and store nothing."""
        for report in self.reports:
            try:
                await to_thread.run_sync(self._exhaust, report)
            except UnusableFile as error:
                report.failure = error

    async def store(self, store: Store, command: str, reading: LogReading) -> int:
        """Read and store everything; returns the number of the import.

        It is 0 if there was nothing to store: every file was imported before, or is damaged. A file
        that is found to be damaged before anything of it is stored is left out.

        Raises:
            UnusableFile: a file cannot be read although it could before, or a database is damaged.
                All before it is stored.
            ReadingStopped: the process that reads was ended. Run the same import again.
            StoreFailed: the store cannot write. Run the same import again.
        """
        unread = await self._unread(store)
        if _with_target(unread):
            number = await store.imports.begin(command)
        else:  # an import that was interrupted at its very end has only that to come
            number = await store.imports.interrupted(command) or 0
        if not number:
            return 0
        contents = [report.content for report in unread]
        async with reading.parts(contents, self._rules) as parts:
            totals = await store.imports.add_all(number, self._logs(unread, parts))
        for report, its_totals in zip(_with_target(unread), totals, strict=True):
            report.totals = its_totals
        for network, gaps in self._gaps.items():
            await store.imports.note_gaps(number, network, gaps)
        await store.imports.finish(number)
        return number

    async def _unread(self, store: Store) -> list[ContentReport]:
        """The reports of what no earlier import has read, without what cannot be read."""
        hashes = await _hashes(list(dict.fromkeys(report.content.file for report in self.reports)))
        known = await store.imports.known_files(
            one for one in hashes.values() if isinstance(one, str)
        )
        paths = list(dict.fromkeys(report.content.file.path for report in self.reports))
        zones = await store.imports.known_zones(paths)
        commands = await store.imports.newest_commands(paths)
        for report in self.reports:
            content, found = report.content, hashes[report.content.file]
            report.command = commands.get(content.file.path)
            if isinstance(found, UnusableFile):
                report.failure = found
                continue
            report.sha256 = found
            if content.target and found in known:
                report.earlier = await store.imports.was_read(
                    found,
                    content.network,
                    content.target,
                    await _local_beginning(content) if content.is_by_day else None,
                ) or await _read_as_silent(store, content, found)
            if not report.earlier and zones.get(content.file.path, _NO_ZONES) - {content.zone}:
                report.earlier = await _read_in_another_zone(store, content, found)
        return [one for one in self.reports if not (one.failure or one.earlier)]

    async def _logs(
        self, reports: Sequence[ContentReport], parts: AsyncIterator[ReadPart]
    ) -> AsyncIterator[tuple[LogSource, PreparedLog]]:
        """The logs that are to be stored, from the parts of all contents."""
        for report in reports:
            lines = self._lines(report, parts)
            if report.content.target:
                end = partial(_end, report)
                yield _source(report.content, report.sha256), PreparedLog(lines, end)
            async for _ in lines:  # nothing is left of a log that was stored
                pass

    async def _lines(
        self, report: ContentReport, parts: AsyncIterator[ReadPart]
    ) -> AsyncIterator[PreparedLines]:
        """The lines of one content, from its parts, which are the next."""
        async for part in parts:
            self._note(report, part)
            if isinstance(part.messages, PreparedLines) and part.messages:
                yield part.messages
            if part.result:
                return

    def _exhaust(self, report: ContentReport) -> None:
        for part in read_parts(report.content, self._rules):
            self._note(report, part)

    def _note(self, report: ContentReport, part: ReadPart) -> None:
        """Report what became of a part of a content."""
        self._on_lines(part.lines)
        target = report.content.target
        if target and not is_service(target):  # what a client says to its user is of no interest
            for line in part.rejected:
                report.unread = report.unread or line
                self._on_reject(report.content.file, line)
        if part.result:
            report.counts, report.left_out = part.result.counts, part.result.left_out
            report.first = part.result.earliest
            report.became_shorter = part.result.became_shorter
            report.sha256 = part.result.sha256 or report.sha256
            self._note_times(report, part.result.times)
            report.are_told = part.result.are_told

    def _note_times(self, report: ContentReport, times: Sequence[RecordedTime]) -> None:
        content = report.content
        if not times:
            return
        report.last = max(time.ended for time in times)
        if not content.target:  # between two connections nothing was recorded
            gaps = [RecordedTime(one.ended, other.began) for one, other in pairwise(times)]
            self._gaps.setdefault(content.network, []).extend(gaps)
        else:
            report.times = times


def _end(report: ContentReport) -> LogEnd:
    pause = PAUSE if report.content.is_by_day and not report.are_told else timedelta(0)
    return LogEnd(report.sha256, report.times, pause, report.are_told)


def _with_target(reports: Iterable[ContentReport]) -> list[ContentReport]:
    return [report for report in reports if report.content.target]


async def _read_as_silent(store: Store, content: LogContent, sha256: str) -> EarlierReading | None:
    """The import that noted when a log was open in which nobody says or does anything.

    One whose lines were left out is another matter: they may be recorded now.
    """
    earlier = await store.imports.stored_nothing_of(_source(content, sha256))
    return earlier if earlier and not await to_thread.run_sync(_began, content) else None


async def _read_in_another_zone(
    store: Store, content: LogContent, sha256: str
) -> EarlierReading | None:
    """The import that read a log before it grew, if it did in another time zone.

    To go on in this one would store its lines a second time, hours apart.
    """
    began = await to_thread.run_sync(_began, content)
    if not (content.target and began):
        return None
    return await store.imports.read_in_another_zone(_source(content, sha256), began)


async def _local_beginning(content: LogContent) -> datetime | None:
    """When the first line of a content was said, in local time without its zone.

    By a clock of 12 hours that is the first time that it shows so on that day: an import that took
    it for one of 24 read that.
    """
    began = await to_thread.run_sync(_began, content)
    zone, half = zone_and_half(content.zone)
    here = began and local(began, ZoneInfo(zone)).replace(tzinfo=None)
    return here.replace(hour=here.hour % 12) if here and half else here


def _began(content: LogContent) -> datetime | None:
    """When the first line of a content was said; None if it has none, or cannot be read."""
    try:
        with content.read() as log:
            said = (one.said_at for one in log.items if isinstance(one, DatedEvent | NewMessage))
            return next(said, None)
    except UnusableFile:  # whoever reads it to its end reports that
        return None


def _source(content: LogContent, sha256: str) -> LogSource:
    return LogSource(
        path=content.file.path,
        format=content.program,
        network=content.network,
        channel=content.target,
        zone=content.zone,
        sha256=sha256,
        size=content.file.size,
        resolution=content.resolution,
        series=content.series,
    )


async def _hashes(files: Sequence[LogFile]) -> Mapping[LogFile, str | UnusableFile]:
    """The SHA-256 of each file, or why it cannot be read."""
    found: list[str | UnusableFile] = []
    while some := files[len(found) : len(found) + _TOGETHER]:
        found += await to_thread.run_sync(list, map(_hash, some))
    return dict(zip(files, found, strict=True))


def _hash(file: LogFile) -> str | UnusableFile:
    try:
        return _sha256(file)
    except UnusableFile as error:
        return error


def _sha256(file: LogFile) -> str:
    """That of a file; of a database with its newest rows, which are in a file beside it."""
    digest = hashlib.sha256()
    with file.opened() as stream:
        first = stream.read(_CHUNK)
        digest.update(first)
        _add(stream, digest)
    if is_database(first):
        with (
            readable(file.path),
            suppress(FileNotFoundError),
            wal_of(file.stored).open("rb") as newest,
        ):
            _add(newest, digest)
    return digest.hexdigest()


def _add(stream: IO[bytes], digest: "hashlib._Hash") -> None:
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
