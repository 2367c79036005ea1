"""The imports of a database: a new one, a list of all, and how one is undone."""

import json
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.chat.times.timestamps import from_text, local, to_text
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.store.records.imports import (
    EarlierCommand,
    EarlierReading,
    ImportRecord,
    ImportTotals,
    LogSource,
    UndoResult,
    zone_and_half,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import Rooms
from terrarium_mcp.store.sqlite.imports.earlier_sources import earlier_sources
from terrarium_mcp.store.sqlite.imports.half_lines import remove_half_lines
from terrarium_mcp.store.sqlite.imports.import_lock import only_import
from terrarium_mcp.store.sqlite.imports.log_spans import cut_gaps
from terrarium_mcp.store.sqlite.imports.log_stream import Logs, LogStream
from terrarium_mcp.store.sqlite.imports.source_rows import source_params
from terrarium_mcp.store.sqlite.imports.stored_lines import around, day_around
from terrarium_mcp.store.sqlite.imports.undo import UNFINISHED, ImportUndo
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.voice_rules import stored_rules
from terrarium_mcp.store.sqlite.ingest.append import Appender
from terrarium_mcp.store.sqlite.ingest.bulk import append_in_groups
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader


class Imports:
    """The imports of one database. What is the same line: store/recognition/once.py."""

    def __init__(
        self,
        database: Database,
        indexer: Indexer,
        opt_out_reader: OptOutReader,
        is_keeper: Callable[[], bool],
    ) -> None:
        """The imports of a file; `is_keeper` as `append_in_groups` has it."""
        self._is_keeper = is_keeper
        self._database = database
        self._indexer = indexer
        self._rooms = Rooms(database)
        self._appender = Appender(database, indexer, opt_out_reader)

    def alone(self, on_wait: Callable[[], None]) -> AbstractAsyncContextManager[None]:
        """Let no other import, by this process or another, run during the block.

        Args:
            on_wait: called if another runs, whose end is then waited for.
        """
        return only_import(self._database.path, on_wait)

    async def voice_rules(self) -> Mapping[str, VoiceRules]:
        """How lines are told apart, by network, as `chat.voices.rules_on` reads them.

        Raises:
            StoreFailed: the file cannot be read.
        """
        return await stored_rules(self._database)

    async def begin(self, command: str) -> int:
        """Begin an import; returns its number.

        Where the same command was interrupted, that import goes on: its logs are read again from
        their beginning, and what they added by then is recognised.
        """
        now = to_text(datetime.now(UTC))
        async with self._database.writing() as writer:
            interrupted = await writer.value(_INTERRUPTED, [storable(command)])
            if interrupted is not None:
                return int(interrupted)
            await writer.run(
                "INSERT INTO imports (at, command) VALUES (?, ?)", (now, storable(command))
            )
            return int(await writer.value("SELECT last_insert_rowid()"))

    async def interrupted(self, command: str) -> int | None:
        """The number of the import that `begin` would go on with; None if it would begin another.

        Raises:
            StoreFailed: the file cannot be read.
        """
        found = await self._database.value(_INTERRUPTED, [storable(command)])
        return None if found is None else int(found)

    async def add_all(
        self,
        import_id: int,
        logs: Logs,
        report: Callable[[int], None] = lambda _: None,
    ) -> list[ImportTotals]:
        """Merge logs into the history, beside a live recorder and in constant memory.

        Small logs are stored by groups that take no longer a line than a large one. Lines keep
        their own time, unless the clock of their log was wrong. The room's coverage names the time
        that they span. Lines without a channel are never recognised.

        Args:
            import_id: what `begin` returned.
            logs: the logs, and the lines of each in its order. Logs of the same time should follow
                each other, and those with the most exact stamps come first.
            report: called with how many lines of all logs are stored. May raise to stop.

        Raises:
            UnstorableMessage: its time cannot be stored. All messages before it are stored.
            ImportWasUndone: the import has been undone meanwhile.
            StoreFailed: the lines that were reported are stored, and no others.
        """
        stream = LogStream(self._database, import_id)

        def saved(lines: int) -> None:
            stream.saved(lines)
            report(lines)

        async with aclosing(stream.blocks(logs)) as blocks:
            lines = await append_in_groups(
                self._appender, blocks, saved, stream.insert, self._is_keeper
            )
        async with self._database.writing() as writer:
            await stream.complete(writer)
        stream.saved(lines)
        return stream.totals

    async def note_gaps(self, import_id: int, network: str, gaps: Sequence[RecordedTime]) -> None:
        """Note times in which the client whose logs this import read was on no network.

        Call it once all its logs are stored; it may be repeated.
        """
        async with self._database.writing() as writer:
            await cut_gaps(writer, import_id, network, gaps)

    async def finish(self, import_id: int) -> None:
        """Note that an import has read all its logs: the same command then begins another.

        Where an earlier import read a log that was not written to its end, the half of a line that
        it ended with is removed: this import has the whole line.
        """
        await remove_half_lines(self._database, self._indexer, import_id)
        async with self._database.writing() as writer:
            await writer.run(
                "UPDATE imports SET finished = ? WHERE id = ?",
                (to_text(datetime.now(UTC)), import_id),
            )

    async def known_files(self, sha256s: Iterable[str]) -> frozenset[str]:
        """Those of some files, by their hashes, of which an import has begun to read anything."""
        rows = await self._database.rows(_KNOWN_FILES, [json.dumps([*sha256s])])
        return frozenset(row[0] for row in rows)

    async def was_read(
        self, sha256: str, network: str, channel: str, began: datetime | None = None
    ) -> EarlierReading | None:
        """The newest import that read a file of these contents whole, into this channel.

        None if there is none, if it has been undone, or if it could read no line as a message.
        Of a file that is of one day, `began` is the local time of its first line (naive): what
        people say may be the same on two days, and is then said twice.
        """
        rows = await self._database.rows(_READERS, {"sha256": sha256, "network": storable(network)})
        casemapping = await self._rooms.casemapping(network)
        name = fold(storable(channel), casemapping)
        for import_id, its_channel, zone, first in rows:
            is_here = fold(its_channel, casemapping) == name
            if is_here and (began is None or _is_of_same_day(began, from_text(first), zone)):
                return EarlierReading(import_id, zone)
        return None

    async def stored_nothing_of(self, log: LogSource) -> EarlierReading | None:
        """The newest import that read a log whole as it is now, and stored no line of it.

        None if there is none, or if it has been undone.
        """
        rows = await self._database.rows(_READERS_OF_NOTHING, source_params(log))
        return EarlierReading(rows[0][0], log.zone) if rows else None

    async def known_zones(self, paths: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """The time zones in which imports have read logs of these paths, by path."""
        zones = defaultdict[str, set[str]](set)
        for path, zone in await self._database.rows(_ZONES, [json.dumps([*map(storable, paths)])]):
            zones[path].add(zone)
        return {path: frozenset(its) for path, its in zones.items()}

    async def newest_commands(self, paths: Iterable[str]) -> Mapping[str, EarlierCommand]:
        """The newest import, of those not undone, that read a log of each path."""
        rows = await self._database.rows(_COMMANDS, [json.dumps([*map(storable, paths)])])
        return {path: EarlierCommand(number, command) for path, number, command in rows}

    async def read_in_another_zone(self, log: LogSource, began: datetime) -> EarlierReading | None:
        """The newest import that read a log before it grew, if it did in another time zone.

        Where either clock had 12 hours, that is any that read a log of this path and day otherwise.

        Args:
            log: the log as it is now.
            began: when its first line was said.
        """
        sources = await earlier_sources(self._database, log, around([to_text(began)]))
        if sources and sources[-1].zone != log.zone:
            return EarlierReading(sources[-1].import_id, sources[-1].zone)
        return await self._read_by_another_clock(log, began)

    async def _read_by_another_clock(
        self, log: LogSource, began: datetime
    ) -> EarlierReading | None:
        zone, half = zone_and_half(log.zone)
        span = day_around(began, ZoneInfo(zone))
        rows = await self._database.rows(_OTHERWISE_READ, source_params(log) | span._asdict())
        read = (EarlierReading(*row) for row in rows)
        return next((one for one in read if zone_and_half(one.zone)[1] != half), None)

    async def all(self) -> list[ImportRecord]:
        """Every import, the oldest first; also those that were interrupted or undone."""
        left = await self._unfinished_undos()
        return [_record(row, left) for row in await self._database.rows(_RECORDS)]

    async def undo(
        self,
        import_id: int,
        report: Callable[[int], None] = lambda _: None,
    ) -> UndoResult:
        """Remove the messages that only this import has, and the times that it covered.

        Others record and read meanwhile. May be interrupted at any point: the same call does the
        rest. Ids are not used again.

        Args:
            import_id: its number.
            report: called with how many messages are removed. May raise to stop.

        Raises:
            UnknownImport: there is no such import.
            StoreFailed: the database cannot be written. What was removed stays removed.
        """
        return await ImportUndo(self._database, self._indexer, import_id).run(report)

    async def finish_undos(self, report: Callable[[int], None] = lambda _: None) -> None:
        """Do the rest of each undo that was interrupted.

        An import would recognise the lines that are left, and so keep them at times that were
        perhaps why they were to go.

        Args:
            report: as `undo` has it, called for one import after the other.

        Raises:
            StoreFailed: the database cannot be written. What was removed stays removed.
        """
        for number in await self._unfinished_undos():
            await self.undo(number, report)

    async def _unfinished_undos(self) -> list[int]:
        return [row[0] for row in await self._database.rows(UNFINISHED)]


def _record(row: Row, unfinished_undos: Container[int]) -> ImportRecord:
    return ImportRecord(
        id=row["id"],
        at=from_text(row["at"]),
        command=row["command"],
        finished=row["finished"] is not None,
        undone_at=from_text(row["undone"]) if row["undone"] else None,
        is_partly_undone=row["id"] in unfinished_undos,
        sources=row["sources"],
        lines=row["lines"],
        added=row["added"],
        known=row["lines"] - row["added"],
        first=from_text(row["first"]) if row["first"] else None,
        last=from_text(row["last"]) if row["last"] else None,
    )


_CLOCK_ERROR = timedelta(hours=1)
"""By how much the time of a log's lines may have been corrected."""


def _is_of_same_day(began: datetime, first: datetime, zone: str) -> bool:
    """Whether the first line that was stored of a log of the same contents is of the same day.

    Args:
        began: when the first of its lines was said, in local time; it may not have been stored.
        first: when the first line that was stored of the other log was said.
        zone: that in which the other log was read.
    """
    here = local(first, ZoneInfo(zone_and_half(zone)[0])).replace(tzinfo=None)
    return -_CLOCK_ERROR <= here - began < timedelta(days=1) - _CLOCK_ERROR


_INTERRUPTED = """
SELECT max(id) FROM imports WHERE command = ? AND finished IS NULL AND undone IS NULL"""

_KNOWN_FILES = """
SELECT DISTINCT f.value FROM json_each(?) f JOIN import_sources s ON s.sha256 = f.value"""

_ZONES = """
SELECT DISTINCT path, zone FROM import_sources WHERE path IN (SELECT value FROM json_each(?))"""

# Beside a max() a column is of the row that has it.
_COMMANDS = """
SELECT s.path, max(i.id), i.command FROM import_sources s JOIN imports i ON i.id = s.import
WHERE s.path IN (SELECT value FROM json_each(?)) AND i.undone IS NULL
GROUP BY s.path"""

_READERS = """
SELECT s.import, s.channel, s.zone, s.first FROM import_sources s JOIN imports i ON i.id = s.import
WHERE s.sha256 = :sha256 AND s.network = :network AND s.is_whole AND s.lines > 0
  AND i.undone IS NULL
ORDER BY s.import DESC"""

_OTHERWISE_READ = """
SELECT s.import, s.zone FROM import_sources s JOIN imports i ON i.id = s.import
WHERE s.path = :path AND s.network = :network AND s.channel = :channel AND s.zone <> :zone
  AND s.first BETWEEN :first AND :last AND i.undone IS NULL
ORDER BY s.import DESC"""

_READERS_OF_NOTHING = """
SELECT s.import FROM import_sources s JOIN imports i ON i.id = s.import
WHERE s.sha256 = :sha256 AND s.network = :network AND s.channel = :channel AND s.path = :path
  AND s.format = :format AND s.zone = :zone AND s.is_whole AND s.lines = 0 AND i.undone IS NULL
ORDER BY s.import DESC LIMIT 1"""

# A log that an interrupted import began to read has one row for each attempt.
_RECORDS = """
SELECT i.id, i.at, i.command, i.finished, i.undone,
  count(a.path) AS sources, ifnull(sum(a.lines), 0) AS lines, ifnull(sum(a.added), 0) AS added,
  min(a.first) AS first, max(a.last) AS last
FROM imports i LEFT JOIN (
  SELECT import, path, max(lines) AS lines, sum(added) AS added,
    min(first) AS first, max(last) AS last
  FROM import_sources GROUP BY import, path, network, channel, sha256
) a ON a.import = i.id
GROUP BY i.id ORDER BY i.id"""
