"""Rows that another program appended to `messages`, with terrarium-irc's eight columns."""

from collections.abc import Sequence
from datetime import UTC, datetime

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.irctext import action
from terrarium_mcp.chat.records import MessageType, Origin
from terrarium_mcp.chat.times.legacy_times import utc_times
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.message_ids import settle
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import UNNAMED_NETWORK, room_ids
from terrarium_mcp.store.sqlite.engine.writes import Writer


async def normalise(writer: Writer, first: int, last: int, network: str) -> int:
    """Give the foreign rows among these ids a network, a room and a full timestamp.

    Like imported messages they keep their own time, and do not advance the live clock of a room. A
    row without a time gets its neighbour's; one without a channel stays without a room; a private
    one moves to `private_messages`.

    Args:
        writer: the transaction.
        first: the first id.
        last: the last id.
        network: the network of rows that name none; if it is `UNNAMED_NETWORK` and the database
            knows exactly one, that one.

    Returns:
        How many foreign rows there were.
    """
    rows = await writer.rows(
        "SELECT id, timestamp, channel, network, message FROM messages"
        " WHERE id BETWEEN :first AND :last AND room IS NULL ORDER BY id",
        {"first": first, "last": last},
    )
    if not rows:
        return 0
    foreign = sum(row["network"] is None for row in rows)
    await _count(writer, foreign)
    network = await _network_or_only_one(writer, network)
    places = {row["id"]: (row["network"] or network, as_text(row["channel"])) for row in rows}
    ids = await room_ids(writer, (place for place in places.values() if is_channel(place[1])))
    await writer.many(
        "UPDATE messages SET timestamp = ?, network = ?, room = ?, origin = ifnull(origin, ?)"
        " WHERE id = ?",
        [
            (timestamp, places[number][0], ids.get(places[number]), Origin.IMPORT.value, number)
            for number, timestamp in await _timestamps(writer, rows)
        ],
    )
    actions = [
        (action(as_text(row["message"])), MessageType.ACTION.value, row["id"]) for row in rows
    ]
    await writer.many(
        "UPDATE messages SET message = ?, message_type = ? WHERE id = ?",
        [change for change in actions if change[0] is not None],
    )
    await move_private(writer, first, last)
    return foreign


async def _count(writer: Writer, rows: int) -> None:
    if rows:
        await writer.run(
            "INSERT INTO foreign_rows (day, noticed, rows)"
            " VALUES (substr(:now, 1, 10), :now, :rows)"
            " ON CONFLICT DO UPDATE SET noticed = excluded.noticed, rows = rows + excluded.rows",
            {"now": to_text(datetime.now(UTC)), "rows": rows},
        )


async def move_private(writer: Writer, first: int, last: int) -> None:
    """Move messages to a person (a target that is no channel) out of what everybody can read."""
    span = {"first": first, "last": last}
    private = "FROM messages WHERE id BETWEEN :first AND :last AND room IS NULL AND channel != ''"
    if not await writer.rows(f"SELECT 1 {private} LIMIT 1", span):
        return
    await writer.run(
        "INSERT INTO private_messages (id, timestamp, network, target, nick, user, host, account,"
        " message, message_type, self)"
        " SELECT id, timestamp, network, channel, nick, user, host, account,"
        f" message, message_type, self {private}",
        span,
    )
    await settle(writer)
    await writer.run(f"DELETE {private}", span)


async def _timestamps(writer: Writer, rows: Sequence[Row]) -> list[tuple[int, str]]:
    """The ids and timestamps of rows, read as UTC; the row before them counts as a neighbour."""
    before = await writer.value(
        "SELECT timestamp FROM messages WHERE id < :first AND timestamp NOT NULL"
        " ORDER BY id DESC LIMIT 1",
        {"first": rows[0]["id"]},
    )
    said = [(row["id"], row["timestamp"]) for row in rows]
    timed = utc_times([(0, before), *said], UTC)
    return [(number, to_text(moment)) for number, moment in timed if number]


async def _network_or_only_one(writer: Writer, network: str) -> str:
    """`network`; if no setting names it, the only one that the database knows."""
    if network != UNNAMED_NETWORK:
        return network
    known = [str(row["name"]) for row in await writer.rows("SELECT name FROM networks")]
    return known[0] if len(known) == 1 else network
