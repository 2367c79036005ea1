"""Refolding: what changes for rooms and dialogues when a network compares names in another way.

Under another CASEMAPPING two rooms may turn out to be one (`#a[` and `#a{` under rfc1459), and one
may turn out to be two. Two networks may turn out to be one under two spellings. The rows of `rooms`
follow in one short transaction; messages that belong elsewhere by the spelling of their `channel`
are moved later, in steps (index/room_moves.py).
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Iterable, Mapping, Sequence

from terrarium_mcp.chat.identity import fold, is_spelt_alike
from terrarium_mcp.store.sqlite.engine.networks import add_network, casemapping_of
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer

ROOM_MOVES = "rooms"
"""The watermark that exists only while messages are to be moved: the last id looked at."""

IS_LEFT = "folded GLOB ' *'"
"""The SQL condition that a room turned out to be another one: its messages are to be moved there.
What it has for a folded name is no channel's (RFC 2812 1.3: without spaces)."""

_LEFT = "' ' || id"


async def refold(writer: Writer, network: str, casemapping: str) -> None:
    """Compare the names of a network by this CASEMAPPING from here on."""
    params = {"network": network, "casemapping": casemapping}
    await add_network(writer, network)
    before = await casemapping_of(writer, network)
    if before == casemapping:
        return
    await writer.run("UPDATE networks SET casemapping = :casemapping WHERE name = :network", params)
    both = (before, casemapping)
    rooms = await writer.rows(_ROOMS, params)
    await _refold_quiet(writer, network, rooms, both)
    await _refold_rooms(writer, rooms, casemapping)
    await _rename(writer, "dialogues", await writer.rows(_DIALOGUES, params), casemapping)
    await _refold_members(writer, await writer.rows(_MEMBERS, params), casemapping)
    if not all(is_spelt_alike(room["channel"], both) for room in rooms):
        await _move_messages(writer)
    if not all(is_spelt_alike(row[0], both) for row in await writer.rows(_RULED, params)):
        await writer.run("UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0")


async def join_networks(writer: Writer, left: str, stayed: str) -> None:
    """Give the rooms and dialogues of a network to one that it turned out to be, and forget it."""
    params = {"left": left, "network": stayed}
    casemapping = await casemapping_of(writer, stayed)
    await refold(writer, left, casemapping)
    for table in ("rooms", "dialogues"):
        await writer.run(f"{_LEAVE.format(table)} AND channel != ''", params)
    await writer.run(f"{_LEAVE.format('dialogues')} AND {_HAS_ANOTHER}", params)
    await _refold_rooms(writer, await writer.rows(_ROOMS, params), casemapping)
    await _rename(writer, "dialogues", await writer.rows(_DIALOGUES, params), casemapping)
    await _move_messages(writer)
    await writer.run("DELETE FROM networks WHERE name = :left", params)


async def move_current(writer: Writer, left: int, entered: int) -> None:
    """Give what goes on in a room to the one in which it really does: its record, and who is there.

    Messages follow by their spelling.
    """
    rooms = {"left": left, "entered": entered}
    await writer.run("UPDATE spans SET room = :entered WHERE room = :left AND ended IS NULL", rooms)
    for table in ("presence", "presence_as_of"):
        await writer.run(f"UPDATE OR REPLACE {table} SET room = :entered WHERE room = :left", rooms)


_LEAVE = f"UPDATE {{}} SET network = :network, folded = {_LEFT} WHERE network = :left"
_HAS_ANOTHER = """
channel = '' AND person IN (
  SELECT person FROM dialogues WHERE network = :network AND channel = '')"""

# Of rooms that turn out to be one, that with the most messages stays: the others' are moved.
_ROOMS = """
SELECT id, channel FROM rooms WHERE network = :network
ORDER BY (SELECT lines + events FROM room_counts WHERE room = id) DESC, id"""

# Of dialogues that turn out to be one, that with the newest question stays. Nobody comes upon the
# turns of the others any more, but they can be removed.
_DIALOGUES = """
SELECT id, channel FROM dialogues d WHERE network = :network AND channel != ''
ORDER BY (SELECT max(asked_at) FROM dialogue_turns WHERE dialogue = d.id) DESC, id DESC"""

_MEMBERS = """
SELECT p.room, p.nick FROM presence p JOIN rooms r ON r.id = p.room WHERE r.network = :network"""

_RULED = """
SELECT nick FROM voice_rules WHERE network = :network
UNION SELECT relay.value ->> 0 FROM voice_rules, json_each(relays) relay WHERE network = :network"""
"""The nicks by which lines of the network are told apart: that of the bot, and those of relays."""


async def _move_messages(writer: Writer) -> None:
    """Have every message looked at again for the room that it belongs to."""
    await writer.run("REPLACE INTO derived (name, upto) VALUES (?, -1)", (ROOM_MOVES,))


async def _refold_rooms(writer: Writer, rooms: Sequence[Row], casemapping: str) -> None:
    stays = await _rename(writer, "rooms", rooms, casemapping)
    for room in rooms:
        stayed = stays[fold(room["channel"], casemapping)]
        if stayed != room["id"]:
            await _join(writer, room["id"], stayed)


async def _rename(
    writer: Writer, table: str, rows: Sequence[Row], casemapping: str
) -> Mapping[str, int]:
    """Give every row its new folded name, the first of several that have the same; whose it is.

    What the others have for one is no channel's.
    """
    numbers = [(row["id"],) for row in rows]
    await writer.many(f"UPDATE {table} SET folded = {_LEFT} WHERE id = ?", numbers)
    stays: dict[str, int] = {}
    for row in rows:
        stays.setdefault(fold(row["channel"], casemapping), row["id"])
    await writer.many(f"UPDATE {table} SET folded = ? WHERE id = ?", stays.items())
    return stays


async def _join(writer: Writer, left: int, stayed: int) -> None:
    """Give all that is known of a room, apart from its messages, to the room that it really is."""
    rooms = {"left": left, "stayed": stayed}
    await writer.run("UPDATE spans SET room = :stayed WHERE room = :left", rooms)
    await writer.run(
        "UPDATE rooms SET live_until ="
        " max(live_until, (SELECT live_until FROM rooms WHERE id = :left)) WHERE id = :stayed",
        rooms,
    )
    for table in ("presence", "presence_as_of"):
        await writer.run(f"UPDATE OR IGNORE {table} SET room = :stayed WHERE room = :left", rooms)
        await writer.run(f"DELETE FROM {table} WHERE room = :left", rooms)


async def _refold_quiet(
    writer: Writer, network: str, rooms: Iterable[Row], casemappings: tuple[str, str]
) -> None:
    """Keep channels quiet, of which only the folded name is known: each that it may be of."""
    before, casemapping = casemappings
    spelt: dict[str, list[str]] = {}
    for room in rooms:
        spelt.setdefault(fold(room["channel"], before), []).append(room["channel"])
    params = {"network": network}
    for quiet in await writer.rows("SELECT * FROM quiet_channels WHERE network = :network", params):
        await writer.run(_NO_LONGER_QUIET, dict(quiet))
        await writer.many(
            _QUIET,
            [
                dict(quiet) | {"folded": fold(channel, casemapping)}
                for channel in spelt.get(quiet["folded"], [quiet["folded"]])
            ],
        )


_NO_LONGER_QUIET = """
DELETE FROM quiet_channels WHERE network = :network AND folded = :folded"""

_QUIET = """
INSERT INTO quiet_channels (network, folded, until, asked_by)
VALUES (:network, :folded, :until, :asked_by)
ON CONFLICT DO UPDATE SET until = max(until, excluded.until)"""


async def _refold_members(writer: Writer, members: Iterable[Row], casemapping: str) -> None:
    await writer.many(
        "UPDATE OR REPLACE presence SET folded = ? WHERE room = ? AND nick = ?",
        [(fold(one["nick"], casemapping), one["room"], one["nick"]) for one in members],
    )
