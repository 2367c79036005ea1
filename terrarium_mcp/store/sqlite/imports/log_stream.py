"""Logs one after the other, as one stream of lines: a group of lines may be of several logs.

A transaction for each log of a thousand small ones would take twice as long.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from terrarium_mcp.store.records import ImportTotals, LogSource
from terrarium_mcp.store.sqlite.engine.database import Database, Writer
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.rooms import Rooms
from terrarium_mcp.store.sqlite.imports.clock_correction import ClockCorrection, UnsavedLines
from terrarium_mcp.store.sqlite.imports.log_blocks import LogLines, blocks_of
from terrarium_mcp.store.sqlite.imports.log_insert import LogInsert, insert_conditions
from terrarium_mcp.store.sqlite.imports.source_rows import (
    READ_BEFORE,
    SourceRow,
    begin_source,
    complete_sources,
    require_not_undone,
    source_params,
)
from terrarium_mcp.store.sqlite.index.index_texts import joined_texts
from terrarium_mcp.store.sqlite.ingest.bulk import each_of
from terrarium_mcp.store.sqlite.ingest.insert_prepared import Inserted
from terrarium_mcp.store.sqlite.ingest.opted_out import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, joined

Logs = Iterable[tuple[LogSource, LogLines]] | AsyncIterable[tuple[LogSource, LogLines]]
"""Logs, and the lines of each."""


@dataclass(eq=False)
class _LogInWork:
    """A log of which not all is stored.

    Attributes:
        log: the log.
        clock: what corrects its times.
        first: the position of its first line in the stream.
        taken: how many of its lines were taken from it.
        is_read: whether these are all.
        unsaved: those of the taken that are not stored, by blocks.
        row: its row, once any of it is stored.
        added: how many of the stored ones were new.
    """

    log: LogSource
    clock: ClockCorrection
    first: int
    taken: int = 0
    is_read: bool = False
    unsaved: list[PreparedLines] = field(default_factory=list)
    row: SourceRow | None = None
    added: int = 0

    @property
    def end(self) -> int:
        """The position behind its last line so far."""
        return self.first + self.taken

    def saved(self, position: int) -> None:
        """Take note that all lines of the stream up to a position are stored."""
        left = self.end - max(position, self.first)
        while self.unsaved and sum(map(len, self.unsaved[1:])) >= left:
            del self.unsaved[0]
        if self.unsaved and (done := sum(map(len, self.unsaved)) - left):
            self.unsaved[0] = self.unsaved[0][done:]

    @property
    def totals(self) -> ImportTotals:
        """What became of it."""
        return ImportTotals(self.taken, self.added, self.taken - self.added, self.clock.offset)


@dataclass
class _Stored:
    """What one transaction stored: it counts once it is committed."""

    rows: dict[_LogInWork, SourceRow] = field(default_factory=dict)
    added: dict[_LogInWork, int] = field(default_factory=dict)
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
        self._casemappings: dict[str, str] = {}
        """By network, as they were when its first log was begun: clocks need no more."""

    async def blocks(self, logs: Logs) -> AsyncGenerator[PreparedLines, None]:
        """The lines of all logs, with corrected times.

        Raises:
            UnstorableMessage: the time of one cannot be stored.
        """
        async with aclosing(each_of(logs)) as each:
            async for log, lines in each:
                work = await self._begin(log)
                work.clock.newest_before = await self._database.value(
                    READ_BEFORE, source_params(log)
                )
                async with aclosing(blocks_of(lines, self._taken)) as blocks:
                    async for read in blocks:
                        block = await work.clock.corrected(read)
                        self._taken += len(block)
                        work.taken += len(block)
                        work.unsaved.append(block)
                        yield block
                work.is_read = True

    async def insert(
        self, writer: Writer, lines: PreparedLines, opt_outs: OptOutReader
    ) -> Inserted:
        """Insert the next lines.

        Raises:
            ImportWasUndone: the import has been undone.
        """
        self._stored = _Stored()
        await require_not_undone(writer, self._import)
        conditions = await insert_conditions(writer, lines, opt_outs)
        parts: list[Inserted] = []
        end = self._saved + len(lines)
        for work in self._logs:
            begin = max(work.first, self._saved)
            of_log = lines[begin - self._saved : max(begin, min(work.end, end)) - self._saved]
            if of_log:
                row = await self._row(writer, work)
                log = LogInsert(row, work.clock.found.margin, conditions)
                part = await log.insert(writer, of_log)
                self._stored.added[work] = len(of_log) - part.ids.count(0)
                parts.append(part)
        await self._complete(writer, end)
        texts = joined_texts([part.texts for part in parts if any(part.ids)])
        return Inserted([number for part in parts for number in part.ids], texts)

    async def complete(self, writer: Writer) -> None:
        """Complete the logs that ended with the last line that is stored, or have no line."""
        self._stored = _Stored()
        await self._complete(writer, self._saved)

    def saved(self, lines: int) -> None:
        """Take note that so many lines of the stream are stored: the transaction is committed."""
        for work in self._logs:
            work.saved(lines)
        self._saved = lines
        for work, row in self._stored.rows.items():
            work.row, work.clock.newest_before = replace(row, is_new=False), row.newest_before
        for work, added in self._stored.added.items():
            work.added += added
        self.totals += [work.totals for work in self._stored.completed]
        self._logs = [work for work in self._logs if work not in self._stored.completed]

    async def _begin(self, log: LogSource) -> _LogInWork:
        if log.network not in self._casemappings:
            casemapping = await Rooms(self._database).casemapping(storable(log.network))
            self._casemappings[log.network] = casemapping
        before = [*self._logs]

        def earlier() -> Iterator[UnsavedLines]:
            return (UnsavedLines(work.log, joined(work.unsaved)) for work in before if work.unsaved)

        clock = ClockCorrection(self._database, log, self._casemappings[log.network], earlier)
        work = _LogInWork(log, clock, self._taken)
        self._logs.append(work)
        return work

    async def _row(self, writer: Writer, work: _LogInWork) -> SourceRow:
        """The row of a log; a new one if none of it is stored."""
        if work.row:
            return work.row
        if work not in self._stored.rows:
            self._stored.rows[work] = await begin_source(writer, self._import, work.log)
        return self._stored.rows[work]

    async def _complete(self, writer: Writer, end: int) -> None:
        """Complete the logs that end up to a position, among them those that have no line."""
        completed = [work for work in self._logs if work.is_read and work.end <= end]
        rows = [(await self._row(writer, work), work.clock.offset) for work in completed]
        await complete_sources(writer, rows)
        self._stored.completed += completed
