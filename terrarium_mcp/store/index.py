"""The full-text index and its watermark: every committed line is normalised and indexed once.

Our own appends move the watermark in their own transaction. What other programs append to
`messages` (the owner's eight columns) lies above it until somebody catches up: the keeper does so
every second, and every search does so first, so that no search misses a committed line.
"""

from collections.abc import Callable

from terrarium_mcp.chat.identity import CHANNEL_PREFIXES
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.rooms import room_ids

CHUNK = 5_000
"""Rows indexed in one transaction: a tenth of a second, which a recorder can wait."""


class Index:
    """Keeps the index complete."""

    def __init__(self, database: Database, network: str) -> None:
        self._database = database
        self._network = network

    async def behind(self) -> int:
        """How many ids are above the watermark."""
        sql = "SELECT ifnull(max(id), 0) - (SELECT id FROM watermark) FROM messages"
        return max(0, int(await self._database.value(sql, default=0)))

    async def catch_up(self, report: Callable[[float], None] = lambda _: None) -> int:
        """Normalise and index what lies above the watermark; returns how many ids that were."""
        total = await self.behind()
        done = 0
        while done < total:
            async with self._database.writing() as writer:
                first, last = await self._next_chunk(writer)
                await normalise(writer, first, last, self._network)
                await cover(writer, first, last)
            done += max(1, last - first + 1)
            report(min(1.0, done / total))
        return total

    async def _next_chunk(self, writer: Writer) -> tuple[int, int]:
        first = 1 + int(await writer.value("SELECT id FROM watermark"))
        newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
        return first, min(newest, first + CHUNK - 1)


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


async def normalise(writer: Writer, first: int, last: int, network: str) -> None:
    """Give rows that another program appended their network, room and full timestamp."""
    span = {"first": first, "last": last, "network": network}
    foreign = "id BETWEEN :first AND :last AND room IS NULL"
    found = await writer.rows(
        f"SELECT DISTINCT ifnull(network, :network) AS network, channel FROM messages WHERE {foreign}",  # noqa: S608, E501 -- a constant
        span,
    )
    if not found:
        return
    channels = [(row["network"], row["channel"]) for row in found if row["channel"]]
    public = [pair for pair in channels if pair[1][0] in CHANNEL_PREFIXES]
    ids = await room_ids(writer, public)
    await writer.many(
        "UPDATE messages SET room = ?, network = ?, origin = ifnull(origin, 'live'),"
        " timestamp = ifnull(strftime('%Y-%m-%d %H:%M:%f', timestamp),"
        " (SELECT timestamp FROM messages AS before WHERE before.id < messages.id"
        "  AND timestamp NOT NULL ORDER BY before.id DESC LIMIT 1))"
        " WHERE channel = ? AND ifnull(network, ?) = ? AND id BETWEEN ? AND ? AND room IS NULL",
        [(ids[pair], pair[0], pair[1], network, pair[0], first, last) for pair in public],
    )
    private = f"FROM messages WHERE {foreign} AND channel != ''"
    await writer.run(
        "INSERT INTO private_messages"
        " (id, timestamp, network, target, nick, user, host, message, message_type)"
        " SELECT id, ifnull(timestamp, ''), ifnull(network, :network), channel, nick, user, host,"
        f" message, message_type {private}",
        span,
    )
    await writer.run(f"DELETE {private}", span)
