"""Upkeep: every committed line is normalised once, and taken in by every derived structure.

Our own appends do both in their own transaction. What other programs append to `messages` (the
owner's eight columns) lies above the watermarks until somebody catches up: the keeper does so
every second, and every read does so first, so that none misses a committed line.

A structure that is to be made again gets the watermark -1. Whoever catches up then empties it and
fills it, in transactions of a moment each, and goes on where another was killed.
"""

import logging
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from terrarium_mcp.store.database import Database, Row, Writer
from terrarium_mcp.store.derived.counters import Counters
from terrarium_mcp.store.derived.link_index import LinkIndex
from terrarium_mcp.store.derived.message_index import MessageIndex
from terrarium_mcp.store.derived.people_index import PeopleIndex
from terrarium_mcp.store.derived.phrase_index import PhraseIndex
from terrarium_mcp.store.derived.runs import Runs
from terrarium_mcp.store.derived.structure import TO_BE_EMPTIED, Derived, empty, full_text
from terrarium_mcp.store.derived.topic_index import TopicIndex
from terrarium_mcp.store.derived.words_index import WordsIndex
from terrarium_mcp.store.errors import IndexDamaged, StillOpening, StoreFailed
from terrarium_mcp.store.foreign import normalise
from terrarium_mcp.store.lock import PAUSE, BatchSizer, Turn
from terrarium_mcp.store.opening import PATIENCE
from terrarium_mcp.store.wal_reset import beside_strangers

CHUNK = 20_000
"""Rows that are taken in within a second: a read does so itself, and nobody leaves more behind. For
more it waits until the keeper has."""

AT_ONCE = (200, 2_000, 10_000)
"""Rows taken in by one transaction: at least, at first, at most. Of more than so many at once no
page of a table is written less often."""

DERIVED: tuple[Derived, ...] = (
    MessageIndex(),
    PhraseIndex(),
    Runs(),
    Counters(),
    PeopleIndex(),
    LinkIndex(),
    TopicIndex(),
    WordsIndex(),
)

STALLED = 300.0
"""Seconds without any progress after which nobody seems to be at it; to empty takes a minute."""

_LOOK_AGAIN = 0.05
"""Seconds between two looks at how far the keeper is."""

NORMALISED = "messages"
"""The name under which the watermark of the messages themselves stands: normalised up to there."""

EVERYTHING = (NORMALISED, *(one.name for one in DERIVED))

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Standing:
    """The lowest watermark of some structures, and the newest id."""

    lowest: int
    newest: int

    @property
    def behind(self) -> int:
        """How many ids there are to take in."""
        return max(0, self.newest - self.lowest)

    @property
    def part(self) -> float:
        """How much is taken in, 0 to 1."""
        return max(0, self.lowest) / max(1, self.newest)


class Upkeep:
    """Keeps the derived structures complete."""

    def __init__(self, database: Database, network: str) -> None:
        self._database = database
        self._network = network
        self._pace = BatchSizer(*AT_ONCE)
        self._warned = False

    async def indexed_up_to(self, name: str = NORMALISED) -> int:
        """The id up to which a structure is complete."""
        sql = "SELECT upto FROM derived WHERE name = :name"
        return int(await self._database.value(sql, {"name": name}, default=0))

    async def lag(self) -> int:
        """How many ids there are to take in; as rows may be missing among them, at most."""
        return (await self._standing(EVERYTHING)).behind

    async def rows(
        self, sql: str, params: Mapping[str, Any], *, uses: Sequence[str] = ()
    ) -> list[Row]:
        """Read in one go what is complete; only where that finds nothing, catch up and read again.

        Args:
            sql: a statement that finds nothing unless `complete(*uses)` holds.
            params: its parameters.
            uses: the structures it reads besides the messages.

        Raises:
            StillOpening: as `ensure_current`.
            TookTooLong: the deadline passed.
        """
        if rows := await self._database.rows(sql, {**params, "kept_up": False}):
            return rows
        await self.ensure_current(*uses)
        return await self._database.rows(sql, {**params, "kept_up": True})

    async def ensure_current(self, *names: str) -> None:
        """Catch up before a read that uses the structures named (the messages themselves always).

        Raises:
            StillOpening: so much was appended that it takes longer than anybody waits.
        """
        await self.rebuild_if_damaged()
        wanted = (NORMALISED, *names)
        impatient_at = anyio.current_time() + PATIENCE
        while (standing := await self._standing(wanted)).behind > CHUNK:
            if anyio.current_time() > impatient_at:
                raise StillOpening("indexing the history", standing.part)
            await anyio.sleep(_LOOK_AGAIN)  # two who index at once would starve a recorder
        await self.catch_up(names=wanted)

    async def catch_up(
        self,
        report: Callable[[float], None] = lambda _: None,
        names: Collection[str] = EVERYTHING,
    ) -> None:
        """Normalise, and take in what lies above the watermarks. `report` may raise to stop it."""
        behind = (await self._standing(names)).behind > 0
        while behind:
            reached, newest = await self._chunk(names)
            behind = reached < newest
            if behind:
                report(max(0, reached) / max(1, newest))
                await anyio.sleep(PAUSE)

    async def rebuild(
        self, names: Collection[str], report: Callable[[float], None] = lambda _: None
    ) -> None:
        """Let the keeper make derived structures again, and wait until it has.

        Others read and write meanwhile. When the keeper dies the next one goes on.

        Raises:
            StoreFailed: nothing has moved for long; it goes on once there is a keeper that can.
        """
        await self.schedule_rebuild(names)
        lowest, moved_at = TO_BE_EMPTIED, anyio.current_time()
        while (standing := await self._standing(names)).behind:
            report(standing.part)
            if standing.lowest != lowest:
                lowest, moved_at = standing.lowest, anyio.current_time()
            elif anyio.current_time() > moved_at + STALLED:
                raise StoreFailed(
                    f"The keeper of {self._database.path} does not get on. Its log says why;"
                    " terrarium-mcp doctor says which process it is."
                )
            await anyio.sleep(_LOOK_AGAIN)

    async def schedule_rebuild(self, names: Collection[str]) -> None:
        """Let derived structures count as not made yet: whoever catches up makes them again."""
        async with self._database.writing() as writer:
            await _schedule_rebuild(writer, names)

    async def rebuild_if_damaged(self) -> None:
        """Start over with the full-text indexes if one was found damaged.

        One that is being made again is let be: who read it meanwhile read a part of it.
        """
        if not self._database.index_damaged:
            return
        self._database.index_damaged = False
        async with self._database.writing() as writer:
            marks = await watermarks(writer)
            names = await full_text(writer, DERIVED)
            await _schedule_rebuild(writer, [n for n in names if marks[n] >= marks[NORMALISED]])

    async def _standing(self, names: Collection[str]) -> "_Standing":
        wanted = ", ".join(f"'{name}'" for name in names)
        rows = await self._database.rows(
            "SELECT (SELECT max(id) FROM messages) AS newest, min(upto) AS lowest,"  # noqa: S608 -- our names
            f" count(*) AS known FROM derived WHERE name IN ({wanted})"
        )
        newest, lowest, known = rows[0]["newest"] or 0, rows[0]["lowest"] or 0, rows[0]["known"]
        return _Standing(lowest if known == len(names) else min(lowest, 0), newest)

    async def _chunk(self, names: Collection[str]) -> tuple[int, int]:
        """Let `names` take in the next rows; returns the id they reach, and the newest."""
        try:
            async with self._database.writing() as writer:
                turn = Turn(self._database.has_waiters)
                reached, newest = await self._take_in_next(writer, names, turn)
        except IndexDamaged:
            async with self._database.writing() as writer:
                await _schedule_rebuild(writer, await full_text(writer, DERIVED))
            self._database.index_damaged = False
            raise
        turn.step()
        if TO_BE_EMPTIED < reached < newest:  # as many rows as were to be taken in
            self._pace.record(self._pace.rows, turn.longest)
        return reached, newest

    async def _take_in_next(
        self, writer: Writer, names: Collection[str], turn: Turn
    ) -> tuple[int, int]:
        marks = {n: upto for n, upto in (await watermarks(writer)).items() if n in names}
        newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
        for one in DERIVED:
            if marks.get(one.name) == TO_BE_EMPTIED:
                if await empty(writer, one):
                    await _note(writer, [one.name], 0)
                return TO_BE_EMPTIED, newest
        sql = "SELECT max(id) FROM (SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT ?)"
        last = int(await writer.value(sql, (min(marks.values()), self._pace.rows), default=0))
        if marks[NORMALISED] < last:
            self._warn(await normalise(writer, marks[NORMALISED] + 1, last, self._network))
            turn.step()
        reached = await _advance(writer, marks, last, turn)
        return reached if last else newest, newest

    def _warn(self, strange: int) -> None:
        """Say once that another program writes the file."""
        if strange and not self._warned:
            self._warned = True
            log.warning(
                "another program appends lines to %s. %s",
                self._database.path,
                beside_strangers(sqlite3.sqlite_version_info),
            )


def complete(*names: str) -> str:
    """The SQL condition that the messages, and the structures named, hold every committed line.

    A statement with it sees both in one snapshot, and SQLite answers it once for all rows.
    `:kept_up` says that it was true a moment ago: what was appended since need not be seen.
    """
    wanted = ", ".join(f"'{name}'" for name in (NORMALISED, *names))
    return (
        "(:kept_up OR (SELECT min(upto) >= (SELECT max(id) FROM messages)"  # noqa: S608 -- our names
        f" AND count(*) = {len(names) + 1} FROM derived WHERE name IN ({wanted})))"
    )


async def watermarks(writer: Writer) -> dict[str, int]:
    """The id up to which each structure is complete, by name."""
    rows = await writer.rows("SELECT name, upto FROM derived")
    return {NORMALISED: 0} | {one.name: 0 for one in DERIVED} | {row[0]: row[1] for row in rows}


async def index_rows(writer: Writer, first: int, last: int, turn: Turn) -> bool:
    """Let every structure that is complete up to `first` take in new rows, normalised ones.

    Returns:
        Whether all did; as soon as the turn is over the others are left behind.
    """
    marks = await watermarks(writer)
    complete = {name: upto for name, upto in marks.items() if upto >= first - 1}
    if NORMALISED not in complete:
        return False
    return await _advance(writer, complete, last, turn) == last and len(complete) == len(marks)


async def unindex_rows(writer: Writer, ids: Sequence[int]) -> None:
    """Let every structure give up messages that are about to be deleted or redacted.

    One that has not come so far does not hold them, and will not take them in any more.
    """
    marks = await watermarks(writer)
    for one in DERIVED:
        if held := [number for number in ids if number <= marks[one.name]]:
            await one.remove(writer, held)


async def _advance(writer: Writer, marks: Mapping[str, int], last: int, turn: Turn) -> int:
    """Let structures take in rows up to `last`, until the turn is over; returns what all reach."""
    behind = [one for one in DERIVED if marks.get(one.name, last) < last]
    done = [NORMALISED] if marks.get(NORMALISED, last) < last else []
    while behind and not turn.is_over:
        one = behind.pop(0)
        await one.add(writer, marks[one.name] + 1, last)
        done.append(one.name)
        turn.step()
    await _note(writer, done, last)
    return min([last, *(marks[one.name] for one in behind)])


async def _note(writer: Writer, names: Collection[str], upto: int) -> None:
    """Note up to which id structures are complete now."""
    await writer.many(
        "INSERT INTO derived (name, upto) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET upto = excluded.upto",
        [(name, upto) for name in names],
    )


async def _schedule_rebuild(writer: Writer, names: Collection[str]) -> None:
    await _note(writer, names, TO_BE_EMPTIED)
    if names:
        log.warning("made again from the messages: %s", ", ".join(names))
