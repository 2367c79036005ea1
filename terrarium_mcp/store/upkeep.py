"""Upkeep: every committed line is normalised once, and taken in by every derived structure.

Our own appends do both in their own transaction. What other programs append to `messages` (the
owner's eight columns) lies above the watermarks until somebody catches up: the keeper does so
every second, and every read does so first, so that none misses a committed line.
"""

from collections.abc import Callable, Collection

import anyio

from terrarium_mcp.store.counters import Counters
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.derived import Derived
from terrarium_mcp.store.foreign import normalise
from terrarium_mcp.store.link_index import LinkIndex
from terrarium_mcp.store.message_index import MessageIndex
from terrarium_mcp.store.opening import PATIENCE, StillOpening
from terrarium_mcp.store.people_index import PeopleIndex
from terrarium_mcp.store.runs import Runs
from terrarium_mcp.store.topic_index import TopicIndex

CHUNK = 5_000
"""Rows taken in by one transaction: a tenth of a second, which a recorder can wait."""

DERIVED: tuple[Derived, ...] = (
    MessageIndex(),
    Runs(),
    Counters(),
    PeopleIndex(),
    LinkIndex(),
    TopicIndex(),
)

NORMALISED = "messages"
"""The name under which the watermark of the messages themselves stands: normalised up to there."""

EVERYTHING = (NORMALISED, *(one.name for one in DERIVED))


class Upkeep:
    """Keeps the derived structures complete."""

    def __init__(self, database: Database, network: str) -> None:
        self._database = database
        self._network = network

    async def reached(self, name: str = NORMALISED) -> int:
        """The id up to which a structure is complete."""
        sql = "SELECT upto FROM derived WHERE name = :name"
        return int(await self._database.value(sql, {"name": name}, default=0))

    async def behind(self) -> int:
        """How many ids there are to take in; as rows may be missing among them, at most."""
        lowest = await self._lowest(EVERYTHING)
        newest = int(await self._database.value("SELECT max(id) FROM messages", default=0))
        return 0 if lowest is None else newest - lowest

    async def keep_up(self, *names: str) -> None:
        """Catch up before a read that uses the structures named (the messages themselves always).

        Raises:
            StillOpening: so much was appended that it takes longer than anybody waits.
        """
        impatient_at = anyio.current_time() + PATIENCE

        def report(part: float) -> None:
            if part < 1 and anyio.current_time() > impatient_at:
                raise StillOpening("indexing new lines", part)

        await self.catch_up(report, names=(NORMALISED, *names))

    async def catch_up(
        self,
        report: Callable[[float], None] = lambda _: None,
        names: Collection[str] = EVERYTHING,
    ) -> None:
        """Normalise, and take in what lies above the watermarks. `report` may raise to stop it."""
        beginning = await self._lowest(names)
        while beginning is not None:
            reached, newest = await self._chunk(names)
            if reached >= newest:
                return
            report((reached - beginning) / (newest - beginning))

    async def _lowest(self, names: Collection[str]) -> int | None:
        """The watermark that stands lowest among `names`; None when all are at the newest id."""
        wanted = ", ".join(f"'{name}'" for name in names)
        rows = await self._database.rows(
            "SELECT (SELECT max(id) FROM messages) AS newest, min(upto) AS lowest,"  # noqa: S608 -- our names
            f" count(*) AS known FROM derived WHERE name IN ({wanted})"
        )
        newest, lowest, known = rows[0]["newest"] or 0, rows[0]["lowest"] or 0, rows[0]["known"]
        lowest = lowest if known == len(names) else 0
        return lowest if lowest < newest else None

    async def _chunk(self, names: Collection[str]) -> tuple[int, int]:
        """Let `names` take in the next rows; returns the id they reach, and the newest."""
        async with self._database.writing() as writer:
            marks = {n: upto for n, upto in (await watermarks(writer)).items() if n in names}
            newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
            sql = "SELECT max(id) FROM (SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT ?)"
            last = int(await writer.value(sql, (min(marks.values()), CHUNK), default=0))
            if marks[NORMALISED] < last:
                await normalise(writer, marks[NORMALISED] + 1, last, self._network)
            await _advance(writer, marks, last)
        return last or newest, newest


async def watermarks(writer: Writer) -> dict[str, int]:
    """The id up to which each structure is complete, by name."""
    rows = await writer.rows("SELECT name, upto FROM derived")
    return {NORMALISED: 0} | {one.name: 0 for one in DERIVED} | {row[0]: row[1] for row in rows}


async def take_in(writer: Writer, first: int, last: int) -> None:
    """Let every structure that is complete up to `first` take in new rows, normalised ones."""
    marks = await watermarks(writer)
    complete = {name: upto for name, upto in marks.items() if upto >= first - 1}
    if NORMALISED in complete:
        await _advance(writer, complete, last)


async def _advance(writer: Writer, marks: dict[str, int], last: int) -> None:
    for one in DERIVED:
        if one.name in marks and marks[one.name] < last:
            await one.add(writer, marks[one.name] + 1, last)
    await writer.many(
        "INSERT INTO derived (name, upto) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET upto = max(upto, excluded.upto)",
        [(name, last) for name in marks],
    )
