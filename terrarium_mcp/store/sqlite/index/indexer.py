"""Indexing: every committed message is normalised once, and added to every derived structure.

An append of many messages does both in its own transaction (ingest/append.py says when). Others
stay above the watermarks until one of our processes catches up: every read does first, so that it
misses no committed message, and the keeper does by groups (grouped_indexing.py), as a message that
is indexed alone writes 25 pages.

A structure whose rebuild is scheduled has the watermark -1. Whichever process catches up next
empties and refills it, in short transactions, and continues where another was killed.
"""

import logging
import sqlite3
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import anyio

from terrarium_mcp.store.errors import DiskFull, IndexDamaged, StillOpening, StoreFailed
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts_merge import NEARLY_COMPLETE
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from terrarium_mcp.store.sqlite.engine.reads import Reads, Result, Row
from terrarium_mcp.store.sqlite.engine.refolding import ROOM_MOVES
from terrarium_mcp.store.sqlite.engine.wal_reset_bug import other_writers_advice
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE, BatchSizer, YieldingTransaction
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.all_structures import (
    BY_TEXTS,
    DERIVED,
    EVERYTHING,
    MOVES,
    VOICES,
)
from terrarium_mcp.store.sqlite.index.external_rows import normalise
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.live_clock import store_live
from terrarium_mcp.store.sqlite.index.structure import (
    NORMALISED,
    TO_BE_EMPTIED,
    Derived,
    empty_some,
    full_text_names,
)
from terrarium_mcp.store.sqlite.index.voiced_texts import voiced
from terrarium_mcp.store.sqlite.index.watermarks import (
    IndexState,
    index_state,
    schedule_rebuild,
    set_watermarks,
    watermarks,
)
from terrarium_mcp.store.sqlite.opening import PATIENCE

INDEXED_BY_READ = 20_000
"""Rows that are indexed within a second: a read indexes up to as many itself, and waits for the
keeper if there are more. No append leaves more behind."""

BATCH = (200, 2_000, 10_000)
"""Rows indexed by one transaction: at least, at first, at most. A larger batch does not write the
pages of any table less often."""

STALLED = 300.0
"""Seconds without progress after which a rebuild counts as stalled; emptying takes a minute."""

_CHECK_EVERY = 0.05
"""Seconds between two checks of how far the keeper is."""

log = logging.getLogger(__name__)

Found_co = TypeVar("Found_co", covariant=True)


class CurrentRead(Protocol[Found_co]):
    """A whole read that returns None unless what it uses is current, or it is told that it is."""

    def __call__(self, reads: Reads, *, is_current: bool) -> Coroutine[Any, Any, Found_co | None]:
        """Read."""
        ...


class BatchResult(NamedTuple):
    """What one transaction of catching up came to.

    Attributes:
        reached: the id up to which all the structures named are complete; `TO_BE_EMPTIED` while
            messages are moved between rooms or a structure is emptied, which comes first.
        newest: the newest id.
        transaction: the timing of its steps.
    """

    reached: int
    newest: int
    transaction: YieldingTransaction

    @property
    def is_behind(self) -> bool:
        """Whether there is more to do."""
        return self.reached < self.newest

    @property
    def was_full(self) -> bool:
        """Whether it held as many rows as a batch may."""
        return TO_BE_EMPTIED < self.reached < self.newest

    @property
    def part(self) -> float:
        """The part that is done, 0 to 1."""
        return max(0, self.reached) / max(1, self.newest)


class Indexer:
    """Keeps the derived structures current."""

    def __init__(self, database: Database, network: str) -> None:
        self._database = database
        self._network = network
        self._state = ReadCache[None, IndexState](database, lambda _: index_state(database))
        self._size = BatchSizer(*BATCH)
        self._foreign_rows_logged = False
        self._disk_full_logged = False

    async def indexed_up_to(self, *names: str) -> int:
        """The id up to which all the structures named are complete; -1: one is to be emptied."""
        return (await self.state()).lowest(names or (NORMALISED,))

    async def lag(self, names: Collection[str] = EVERYTHING) -> int:
        """How many ids these structures lack yet: an upper bound on the rows left to index."""
        return (await self.state()).lag(names)

    async def rows(
        self, sql: str, params: Mapping[str, Any], *, uses: Sequence[str] = ()
    ) -> list[Row]:
        """Read; only if the statement finds nothing, catch up and read again.

        Args:
            sql: a statement that finds nothing unless `current_sql(*uses)` holds.
            params: its parameters, but for `:is_current`.
            uses: the names of the structures it reads besides the messages.

        Raises:
            StillOpening: as `ensure_current`.
            TookTooLong: the deadline passed.
        """

        async def read(reads: Reads, *, is_current: bool) -> list[Row] | None:
            return await reads.rows(sql, {**params, "is_current": is_current}) or None

        return await self.read_whole(read, uses=uses, briefly=True) or []

    async def read_whole(
        self,
        read: CurrentRead[Result],
        *,
        uses: Sequence[str],
        deadline: float | None = None,
        briefly: bool = False,
    ) -> Result | None:
        """What a read of several statements finds; where it returns None, catch up and read again.

        Args:
            read: the read.
            uses: the names of the structures it reads besides the messages.
            deadline: as in `Database.read_whole`, for each try.
            briefly: as there.

        Raises:
            StillOpening: as `ensure_current`.
            TookTooLong: the deadline passed.
        """
        whole = partial(self._database.read_whole, deadline=deadline, briefly=briefly)
        found = await whole(partial(read, is_current=False))
        if found is not None:
            return found
        await self.ensure_current(*uses)
        return await whole(partial(read, is_current=True))

    async def ensure_current(self, *names: str) -> bool:
        """Catch up before a read that uses the structures named, and the messages.

        On a full disk nothing can be indexed: then what is indexed is read, and the log says so.

        Returns:
            Whether they are complete: False on a full disk.

        Raises:
            StillOpening: the keeper did not get there within `PATIENCE` seconds.
        """
        await self.rebuild_if_damaged()
        if (await self.state()).is_current(names):
            return True
        needed = (ROOM_MOVES, NORMALISED, *names)
        impatient_at = anyio.current_time() + PATIENCE
        while (state := await self.state()).lag(needed) > INDEXED_BY_READ:
            if anyio.current_time() > impatient_at:
                raise StillOpening("indexing the history", state.part(needed))
            await anyio.sleep(_CHECK_EVERY)  # two processes indexing at once starve a recorder
        try:
            await self.catch_up(names=needed)
        except DiskFull as error:
            if not self._disk_full_logged:
                log.warning("reading what is indexed, without the newest lines: %s", error)
            self._disk_full_logged = True
            return False
        self._disk_full_logged = False
        return True

    async def catch_up(
        self,
        report: Callable[[float], None] = lambda _: None,
        names: Collection[str] = EVERYTHING,
        *,
        patiently: bool = False,
    ) -> None:
        """Normalise and index everything above the watermarks, in short transactions.

        Args:
            report: called with the part that is done, 0 to 1; may raise to stop.
            names: the watermarks to advance.
            patiently: as in `Database.writing`: a bulk append indexes its own lines.
        """
        is_behind = (await self.state()).lag(names) > 0
        while is_behind:
            batch = await self._advance_once(names, patiently=patiently)
            is_behind = batch.is_behind
            if is_behind:
                report(batch.part)
                await anyio.sleep(PAUSE)

    async def rebuild(
        self, names: Collection[str], report: Callable[[float], None] = lambda _: None
    ) -> None:
        """Have the keeper rebuild derived structures, and wait until it has.

        Other processes read and write meanwhile. If the keeper dies the next one continues.

        Raises:
            StoreFailed: there was no progress for `STALLED` seconds; a later keeper continues.
        """
        await self.schedule_rebuild(names)
        wanted = (await self.state()).newest  # later messages may wait for their group
        lowest, moved_at = TO_BE_EMPTIED, anyio.current_time()
        while (state := await self.state()).lowest(names) < wanted:
            report(state.part(names))
            if state.lowest(names) != lowest:
                lowest, moved_at = state.lowest(names), anyio.current_time()
            elif anyio.current_time() > moved_at + STALLED:
                raise StoreFailed(
                    f"The keeper of {self._database.path} makes no progress. Its log says why;"
                    " terrarium-mcp doctor shows which process it is."
                )
            await anyio.sleep(_CHECK_EVERY)

    async def differences(self, names: Collection[str] = EVERYTHING) -> list[str]:
        """Catch up, then compare derived structures with a recount; a sentence for each difference.

        Reads every message and keeps the write lock meanwhile: minutes, where there are millions.
        """
        await self.catch_up(names=(ROOM_MOVES, *EVERYTHING))
        async with self._database.writing() as writer:
            return [
                difference
                for structure in DERIVED
                if structure.name in names
                for difference in await structure.differences(writer)
            ]

    async def schedule_rebuild(self, names: Collection[str]) -> None:
        """Mark derived structures for a rebuild by whichever process catches up next."""
        async with self._database.writing() as writer:
            await schedule_rebuild(writer, names)

    async def rebuild_if_damaged(self) -> None:
        """Schedule a rebuild of the full-text indexes if a read or write found one damaged.

        An index already being rebuilt is left alone: the reader simply saw it half-built.
        One that lags by less than `NEARLY_COMPLETE` is not: its next group is not due yet.
        """
        if not self._database.index_damaged:
            return
        self._database.index_damaged = False
        async with self._database.writing() as writer:
            marks = await watermarks(writer)
            names = await full_text_names(writer, DERIVED)
            await schedule_rebuild(
                writer,
                [
                    name
                    for name in names
                    if marks[name] != TO_BE_EMPTIED
                    and marks[NORMALISED] - marks[name] < NEARLY_COMPLETE
                ],
            )

    async def state(self) -> IndexState:
        """How far everything is: one read after each commit, whoever asks."""
        return await self._state.get(None)

    async def normalise(self, writer: Writer, last: int) -> None:
        """Normalise all messages up to the id `last`."""
        done = (await watermarks(writer))[NORMALISED]
        if done < last:
            await self._normalise(writer, done + 1, last)
            await self.determine_voices(writer, done + 1, last)
            await set_watermarks(writer, [NORMALISED], last)

    async def determine_voices(self, writer: Writer, first: int, last: int) -> None:
        """Determine who speaks in messages whose group is indexed later.

        They are shown before that, and then by their voices. The watermark follows with the group,
        which determines them once more.
        """
        await VOICES.add(writer, first, last)

    async def index_appended(
        self,
        writer: Writer,
        first: int,
        last: int,
        transaction: YieldingTransaction,
        texts: IndexTexts | None = None,
    ) -> bool:
        """Add new rows, and the few before them that wait for their group, to every structure.

        Args:
            writer: the transaction.
            first: the id of the first new row.
            last: the id of the last.
            transaction: ends early where another writer waits.
            texts: those of all new rows, if they are at hand: rows that this transaction inserted,
                so that nobody can have removed one.

        Returns:
            Whether every structure holds them now. Once the transaction is over the rest are left
            behind, and so is a structure that lags by more than `NEARLY_COMPLETE`.
        """
        marks = await watermarks(writer)
        to_advance = {
            name: mark
            for name, mark in marks.items()
            if mark != TO_BE_EMPTIED and first - mark <= NEARLY_COMPLETE
        }
        if NORMALISED not in to_advance:
            return False
        await self._normalise(writer, marks[NORMALISED] + 1, last)
        await self._ensure_voices(writer, marks, to_advance, marks[NORMALISED] + 1, last)
        reached = await _advance(writer, to_advance, last, transaction, texts)
        return reached == last and len(to_advance) == len(marks)

    async def _advance_once(self, names: Collection[str], *, patiently: bool) -> BatchResult:
        """Index the next rows in one transaction, and adapt how many the next one takes."""
        try:
            batch = await self._database.write_whole(
                lambda writer: self._index_next(writer, names),
                patiently=patiently,
                lasting=False,  # the watermarks are written with what they mark
            )
        except IndexDamaged:
            async with self._database.writing() as writer:
                await schedule_rebuild(writer, await full_text_names(writer, DERIVED))
            self._database.index_damaged = False
            raise
        batch.transaction.step()
        if batch.was_full:
            self._size.record(self._size.rows, batch.transaction.longest)
        return batch

    async def _index_next(self, writer: Writer, names: Collection[str]) -> BatchResult:
        transaction = YieldingTransaction(self._database.has_waiters)
        marks = await watermarks(writer)
        to_advance = {name: mark for name, mark in marks.items() if name in names}
        newest = await newest_message(writer)
        not_yet = BatchResult(TO_BE_EMPTIED, newest, transaction)
        if ROOM_MOVES in to_advance:
            await MOVES.advance(writer, newest)
            return not_yet  # until none is left
        for structure in DERIVED:
            if to_advance.get(structure.name) == TO_BE_EMPTIED:
                if await empty_some(writer, structure):
                    await set_watermarks(writer, [structure.name], 0)
                return not_yet
        lowest = min(to_advance.values())
        sql = "SELECT max(id) FROM (SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT ?)"
        last = int(await writer.value(sql, (lowest, self._size.rows), default=0))
        if marks[NORMALISED] < last:
            await self._normalise(writer, marks[NORMALISED] + 1, last)
            transaction.step()
        await self._ensure_voices(writer, marks, to_advance, lowest + 1, last)
        reached = await _advance(writer, to_advance, last, transaction)
        return BatchResult(reached if last else newest, newest, transaction)

    async def _ensure_voices(
        self,
        writer: Writer,
        marks: Mapping[str, int],
        to_advance: Collection[str],
        first: int,
        last: int,
    ) -> None:
        """Determine who speaks in rows, unless the voices are advanced by the transaction anyway.

        The other structures hold a row by its voice, and so it is shown.
        """
        if VOICES.name not in to_advance and marks[VOICES.name] < last:
            await self.determine_voices(writer, first, last)

    async def _normalise(self, writer: Writer, first: int, last: int) -> None:
        self._log_foreign_rows(await normalise(writer, first, last, self._network))
        await store_live(writer, first, last)

    def _log_foreign_rows(self, count: int) -> None:
        """Log once that another program writes the file."""
        if count and not self._foreign_rows_logged:
            self._foreign_rows_logged = True
            log.warning(
                "another program appends lines to %s. %s",
                self._database.path,
                other_writers_advice(sqlite3.sqlite_version_info),
            )


async def _advance(
    writer: Writer,
    marks: Mapping[str, int],
    last: int,
    transaction: YieldingTransaction,
    texts: IndexTexts | None = None,
) -> int:
    """Add rows up to `last` while the transaction may go on; returns the id all `marks` reach."""
    behind = [structure for structure in DERIVED if marks.get(structure.name, last) < last]
    done = [NORMALISED] if marks.get(NORMALISED, last) < last else []
    if VOICES in behind:  # also where the transaction is over: rows are shown by their voices
        behind.remove(VOICES)
        await _add(writer, VOICES, marks[VOICES.name] + 1, last, texts)
        done.append(VOICES.name)
        transaction.step()
    if texts:
        texts = await voiced(writer, texts)
    while behind and not transaction.is_over:
        structure = behind.pop(0)
        await _add(writer, structure, marks[structure.name] + 1, last, texts)
        done.append(structure.name)
        transaction.step()
    await set_watermarks(writer, done, last)
    return min([last, *(marks[structure.name] for structure in behind)])


async def _add(
    writer: Writer, structure: Derived, first: int, last: int, texts: IndexTexts | None
) -> None:
    """Add rows to a structure, the last of them by their texts if these are at hand."""
    if texts and (filled := BY_TEXTS.get(structure.name)):
        if first < texts.first:
            await structure.add(writer, first, texts.first - 1)
        await filled.add_texts(writer, texts)
    else:
        await structure.add(writer, first, last)
