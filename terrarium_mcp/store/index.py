"""The full-text index and its watermark: every committed line is normalised and indexed once.

Our own appends move the watermark in their own transaction. What other programs append to
`messages` (the owner's eight columns) lies above it until somebody catches up: the keeper does so
every second, and every read does so first, so that none misses a committed line.
"""

from collections.abc import Callable

import anyio

from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.foreign import normalise
from terrarium_mcp.store.opening import PATIENCE, StillOpening

CHUNK = 5_000
"""Rows indexed in one transaction: a tenth of a second, which a recorder can wait."""


class Index:
    """Keeps the index complete."""

    def __init__(self, database: Database, network: str) -> None:
        self._database = database
        self._network = network

    async def watermark(self) -> int:
        """The id up to which every line is indexed."""
        return int(await self._database.value("SELECT id FROM watermark", default=0))

    async def behind(self) -> int:
        """How many ids are above the watermark; as rows may be missing among them, at most."""
        sql = "SELECT ifnull(max(id), 0) - (SELECT id FROM watermark) FROM messages"
        return max(0, int(await self._database.value(sql, default=0)))

    async def keep_up(self) -> None:
        """Catch up before a read.

        Raises:
            StillOpening: so much was appended that it takes longer than anybody waits.
        """
        impatient_at = anyio.current_time() + PATIENCE

        def report(part: float) -> None:
            if part < 1 and anyio.current_time() > impatient_at:
                raise StillOpening("indexing new lines", part)

        await self.catch_up(report)

    async def catch_up(self, report: Callable[[float], None] = lambda _: None) -> None:
        """Normalise and index what lies above the watermark. `report` may raise to stop it."""
        total = await self.behind()
        if not total:
            return
        beginning = await self.watermark()
        while reached := await self._index_chunk():
            report(min(1.0, (reached - beginning) / total))

    async def _index_chunk(self) -> int:
        """Index the next rows; returns the id they reach, 0 when there are none."""
        async with self._database.writing() as writer:
            watermark = int(await writer.value("SELECT id FROM watermark", default=0))
            last = int(
                await writer.value(
                    "SELECT max(id) FROM"
                    " (SELECT id FROM messages WHERE id > :watermark ORDER BY id LIMIT :chunk)",
                    {"watermark": watermark, "chunk": CHUNK},
                    default=0,
                )
            )
            if last:
                await normalise(writer, watermark + 1, last, self._network)
                await cover(writer, watermark + 1, last)
        return last


async def cover(writer: Writer, first: int, last: int) -> None:
    """Index the ids `first` to `last` and move the watermark to `last`.

    In the order of rising rowids (falling ids): FTS5 would flush at every step backwards.
    """
    if last < first:
        return
    await writer.run(
        "INSERT INTO message_index (rowid, message, scope)"
        " SELECT id, message, scope FROM message_index_source"
        " WHERE id BETWEEN :oldest AND :newest ORDER BY id",
        {"oldest": -last, "newest": -first},
    )
    await writer.run("UPDATE watermark SET id = max(id, :last)", {"last": last})
