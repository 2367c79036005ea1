"""Moving messages to the room they belong to, after their network's CASEMAPPING changed.

A message belongs to the room whose folded name is the fold of its `channel`, as sent. After
`engine/refolding.py` that may be another room than the one it is in. All messages are looked at
once, in steps; one that moves is taken out of every structure that goes by rooms, and put back.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Collection, Mapping, Sequence

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.refolding import IS_LEFT, ROOM_MOVES
from terrarium_mcp.store.sqlite.engine.rooms import room_id
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.followers import Follower, followed

LOOKED_AT = 20_000
"""Ids that a step looks at: 33 ms of CPU (200,000 lines of one channel)."""

MOVED = 200
"""Messages that a step moves at most: 25 ms of CPU."""


class RoomMoves:
    """The moves that are left. `followers` are the structures that go by rooms."""

    def __init__(self, followers: Sequence[Follower]) -> None:
        self._followers = followers

    async def advance(self, writer: Writer, newest: int) -> None:
        """Take one step: look at the next messages up to the id `newest`, and move some of them."""
        mark = await writer.value(f"SELECT upto FROM derived WHERE name = '{ROOM_MOVES}'")
        if mark is None:
            return
        span = {"first": mark + 1, "last": min(mark + LOOKED_AT, newest)}
        misplaced = await _misplaced(writer, span)
        moved, rest = misplaced[:MOVED], misplaced[MOVED:]
        if moved:
            await self._move(writer, moved)
        if not rest and span["last"] == newest:
            await writer.run(f"DELETE FROM rooms WHERE {IS_LEFT}")
            await writer.run(f"DELETE FROM derived WHERE name = '{ROOM_MOVES}'")
            return
        upto = moved[-1]["id"] if rest else span["last"]
        await writer.run(f"UPDATE derived SET upto = ? WHERE name = '{ROOM_MOVES}'", (upto,))

    async def _move(self, writer: Writer, rows: Sequence[Row]) -> None:
        async with followed(writer, self._followers, [row["id"] for row in rows]):
            rooms = await _rooms_of(writer, {(row["room"], row["channel"]) for row in rows})
            await writer.many(
                "UPDATE messages SET room = ? WHERE id = ?",
                [(rooms[row["room"], row["channel"]], row["id"]) for row in rows],
            )


async def _misplaced(writer: Writer, span: Mapping[str, int]) -> list[Row]:
    """The first messages among these ids that are in another room than they belong to."""
    spellings = await writer.rows(_SPELLINGS, span)
    misplaced = [
        row
        for row in spellings
        if fold(as_text(row["channel"]), row["casemapping"]) != row["folded"]
    ]
    found = [
        message
        for row in misplaced
        for message in await writer.rows(
            _SPELT, {**span, "room": row["room"], "channel": row["channel"]}
        )
    ]
    return sorted(found, key=lambda message: int(message["id"]))


_SPELLINGS = f"""
SELECT DISTINCT m.room, m.channel, r.folded, n.casemapping
FROM messages m JOIN rooms r ON r.id = m.room JOIN networks n ON n.name = r.network
WHERE m.id BETWEEN :first AND :last AND (m.channel != r.channel OR {IS_LEFT})"""

_SPELT = f"""
SELECT id, room, channel FROM messages NOT INDEXED
WHERE id BETWEEN :first AND :last AND room = :room AND channel = :channel
ORDER BY id LIMIT {MOVED + 1}"""


async def _rooms_of(
    writer: Writer, places: Collection[tuple[int, object]]
) -> Mapping[tuple[int, object], int]:
    """Where the messages of a room with a spelling belong, by both; new rooms are inserted."""
    found = {}
    for room, channel in places:
        network = await writer.value("SELECT network FROM rooms WHERE id = ?", (room,))
        found[room, channel] = await room_id(writer, network, as_text(channel))
        both = {"room": room, "other": found[room, channel]}
        await writer.run(_FOLLOWING_CLOCK, both)
        await writer.run(_SAME_SPANS, both)
    return found


_FOLLOWING_CLOCK = """
UPDATE rooms SET live_until =
  max(live_until, (SELECT live_until FROM rooms WHERE id = :room)) WHERE id = :other"""

# A room that was taken for another was recorded when that was, as far as anybody knows.
_SAME_SPANS = """
INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source)
SELECT :other, began, alive, ended, why_began, why_ended, source FROM spans
WHERE room = :room AND NOT EXISTS (SELECT 1 FROM spans WHERE room = :other)"""
