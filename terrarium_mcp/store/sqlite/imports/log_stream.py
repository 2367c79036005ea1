"""Logs one after the other, as one stream of lines: a group of lines may be of several logs.

A transaction for each log of a thousand small ones would take twice as long.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from terrarium_mcp.chat.followed_nicks import FollowedNicks
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store.records.imports import ImportTotals, LogEnd, LogSource
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.rooms import Rooms
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.imports.clock_correction import ClockCorrection, UnsavedLines
from terrarium_mcp.store.sqlite.imports.group_insert import InsertedPart, insert_group
from terrarium_mcp.store.sqlite.imports.known_lines import LogPart
from terrarium_mcp.store.sqlite.imports.log_blocks import LogLines, PreparedLog, blocks_of, each_of
from terrarium_mcp.store.sqlite.imports.log_spans import add_open_times
from terrarium_mcp.store.sqlite.imports.recent_texts import RecentTexts
from terrarium_mcp.store.sqlite.imports.source_rows import (
    NewSource,
    ReadSource,
    SourceRow,
    begin_sources,
    complete_sources,
    require_not_undone,
)
from terrarium_mcp.store.sqlite.imports.stored_lines import TimeSpan
from terrarium_mcp.store.sqlite.ingest.insert import Inserted
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, joined

Logs = Iterable[tuple[LogSource, LogLines]] | AsyncIterable[tuple[LogSource, LogLines]]
"""Logs, and the lines of each."""


@dataclass(eq=False)
class _LogInWork:
    """A log of which not all is stored.

    Attributes:
        log: the log.
        correction: what corrects its times.
        first: the position of its first line in the stream.
        taken: how many of its lines were taken from it.
        said: from when to when these were said; None if there are none.
        end: what is known since these are all; None before.
        unsaved: those of the taken that are not stored, by blocks.
        row: its row, once any of it is stored.
        added: how many of these lines were new.
        left_out: how many of them stay out, as `Inserted.left_out`.
    """

    log: LogSource
    correction: ClockCorrection
    first: int
    taken: int = 0
    said: TimeSpan | None = None
    end: LogEnd | None = None
    unsaved: list[PreparedLines] = field(default_factory=list)
    row: SourceRow | None = None
    added: int = 0
    left_out: int = 0

    @property
    def reached(self) -> int:
        """The position behind its last line so far."""
        return self.first + self.taken

    def take(self, block: PreparedLines) -> None:
        """Take the next lines from it, with corrected times."""
        self.taken += len(block)
        self.unsaved.append(block)
        if block:
            time = TimeSpan(*block.said)
            self.said = time.joined(self.said or time)

    def saved(self, position: int) -> None:
        """Take note that all lines of the stream up to a position are stored."""
        left = self.reached - max(position, self.first)
        while self.unsaved and sum(map(len, self.unsaved[1:])) >= left:
            del self.unsaved[0]
        if self.unsaved and (done := sum(map(len, self.unsaved)) - left):
            self.unsaved[0] = self.unsaved[0][done:]

    @property
    def totals(self) -> ImportTotals:
        """What became of it."""
        known = self.taken - self.added - self.left_out
        clock = self.correction
        said = self.said and (from_text(self.said.first), from_text(self.said.last))
        return ImportTotals(
            self.taken, self.added, known, clock.offset, self.left_out, clock.was_set, said
        )


@dataclass
class _Stored:
    """What one transaction stored: it counts once it is committed."""

    parts: dict[_LogInWork, InsertedPart] = field(default_factory=dict)
    newest: int = 0
    completed: list[_LogInWork] = field(default_factory=list)


class LogStream:
    """The lines of the logs of one import, on their way into the tables.

    Attributes:
        totals: what became of each log that is stored whole, in order.
    """

    def __init__(self, database: Database, import_id: int) -> None:
        self.totals: list[ImportTotals] = []
        self._database = database
        self._import = import_id
        self._logs: list[_LogInWork] = []
        self._taken = self._saved = 0
        self._stored = _Stored()
        self._recent = RecentTexts()
        self._followed = FollowedNicks()
        """Taken along from log to log: a program may begin a file for each day."""
        self._casemappings: dict[str, str] = {}
        """By network, as they were when its first log was begun: clocks need no more."""

    async def blocks(self, logs: Logs) -> AsyncGenerator[PreparedLines, None]:
        """The lines of all logs, with corrected times: small logs that were read together as one.

        Raises:
            UnstorableMessage: the time of one cannot be stored.
        """
        together: list[PreparedLines] = []
        async with aclosing(each_of(logs)) as each:
            async for log, lines in each:
                work = await self._begin(log)
                async with aclosing(blocks_of(lines, self._taken)) as blocks:
                    async for read in blocks:
                        block = await work.correction.corrected(read)
                        self._taken += len(block)
                        work.take(block)
                        if block:
                            self._recent.add(
                                work.correction.clock, block, self._taken, work.correction.room_of
                            )
                        together.append(block)
                        if read.ends_block:
                            yield joined(together)
                            together = []
                work.end = lines.end() if isinstance(lines, PreparedLog) else LogEnd()

    async def insert(
        self, writer: Writer, lines: PreparedLines, opt_out_reader: OptOutReader
    ) -> Inserted:
        """Insert the next lines.

        Raises:
            ImportWasUndone: the import has been undone.
        """
        self._stored = _Stored()
        await require_not_undone(writer, self._import)
        end = self._saved + len(lines)
        of_logs = [(work, lines[self._within(work, end)]) for work in self._logs]
        of_logs = [(work, its) for work, its in of_logs if its]
        parts = [LogPart(work.log, work.row, work.correction.margin, its) for work, its in of_logs]
        group = await insert_group(
            writer, self._import, lines, parts, opt_out_reader, self._followed
        )
        works = [work for work, _ in of_logs]
        self._stored.parts |= zip(works, group.parts, strict=True)
        new = [number for number in group.ids if number]
        if new:
            await self._recent.note_others(writer, before=new[0])
            self._stored.newest = new[-1]
        await self._complete(writer, end)
        return Inserted(group.ids, group.texts)

    async def complete(self, writer: Writer) -> None:
        """Complete the logs that ended with the last line that is stored, or have no line."""
        self._stored = _Stored()
        await self._complete(writer, self._saved)

    def saved(self, lines: int) -> None:
        """Take note that so many lines of the stream are stored: the transaction is committed."""
        for work in self._logs:
            work.saved(lines)
        self._saved = lines
        self._recent.saved(lines, self._stored.newest)
        for work, part in self._stored.parts.items():
            work.row = replace(part.row, is_new=False)
            work.correction.newest_before = part.row.newest_before
            work.added += part.added
            work.left_out += part.left_out
        self.totals += [work.totals for work in self._stored.completed]
        completed = {*self._stored.completed}  # a group may have 200 logs
        self._logs = [work for work in self._logs if work not in completed]

    async def _begin(self, log: LogSource) -> _LogInWork:
        if log.network not in self._casemappings:
            casemapping = await Rooms(self._database).casemapping(storable(log.network))
            self._casemappings[log.network] = casemapping
        casemapping = self._casemappings[log.network]
        clock = ClockCorrection(
            self._database, log, casemapping, self._recent, self._unsaved_before_last
        )
        work = _LogInWork(log, clock, self._taken)
        self._logs.append(work)
        return work

    def _unsaved_before_last(self) -> Iterator[UnsavedLines]:
        """The lines that are not stored yet of the logs before the last, the one being corrected.

        A clock that held these logs would hold all logs of the import, each by the one behind it.
        """
        return (
            UnsavedLines(work.log, work.correction.margin, joined(work.unsaved))
            for work in self._logs[:-1]
            if work.unsaved
        )

    def _within(self, work: _LogInWork, end: int) -> slice:
        """Which of the unsaved lines up to a position are those of a log."""
        begin = max(work.first, self._saved)
        return slice(begin - self._saved, max(begin, min(work.reached, end)) - self._saved)

    async def _complete(self, writer: Writer, end: int) -> None:
        """Complete the logs that end up to a position, among them those that have no line."""
        completed = [work for work in self._logs if work.end and work.reached <= end]
        parts = self._stored.parts
        empty = [work for work in completed if not (work.row or work in parts)]
        if empty:
            newest = await newest_message(writer)
            new = [NewSource(work.log, newest) for work in empty]
            rows = await begin_sources(writer, self._import, new)
            parts |= zip(empty, map(InsertedPart, rows), strict=True)
        ends = [
            ReadSource(work.row or parts[work].row, work.correction.offset, work.end)
            for work in completed
            if work.end
        ]
        await complete_sources(writer, ends)
        await add_open_times(writer, self._import, [(one.source.log, one.end) for one in ends])
        self._stored.completed += completed
