"""Rooms: the known channels of each network, found by name."""

from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold, network_key
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.policy import RoomDirectory
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.network_names import rename_network
from terrarium_mcp.store.sqlite.engine.networks import (
    add_network,
    casemapping_of,
    network_names,
)
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.refolding import IS_LEFT, move_current, refold
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.engine.writes import Writer

UNNAMED_NETWORK = "irc"
"""The network of messages stored without one, if no setting names it."""


class Rooms:
    """The rooms of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._directory = ReadCache[None, RoomDirectory](database, self._read)

    async def directory(self) -> RoomDirectory:
        """Every room, by network and channel, and which of them a name means."""
        return await self._directory.get(None)

    async def all(self) -> list[Room]:
        """Every room, by network and channel."""
        return list((await self.directory()).rooms)

    async def networks(self) -> list[str]:
        """The names of all networks, also of those without a room."""
        return await network_names(self._database)

    async def known_before(self, until: Position, rooms: Sequence[Room]) -> list[Room]:
        """Those of the rooms of which anything was recorded before a position."""
        return await known_before(self._database, until, rooms)

    async def casemapping(self, network: str) -> str:
        """The CASEMAPPING by which names on this network compare."""
        return await casemapping_of(self._database, network)

    async def set_casemapping(
        self, network: str, casemapping: str, recorded: Iterable[str] = ()
    ) -> None:
        """Compare the names of a network by this CASEMAPPING from here on.

        Takes a moment: messages that then belong to another room are moved later, by the keeper or
        by the next read. The open spans of the channels that are `recorded` are theirs by either
        comparison, however their rooms are spelled.
        """
        async with self._database.writing() as writer:
            channels = [(network, channel) for channel in recorded]
            rooms = await room_ids(writer, channels)
            await refold(writer, storable(network), casemapping)
            for channel, entered in (await room_ids(writer, channels)).items():
                if rooms[channel] != entered:
                    await move_current(writer, rooms[channel], entered)

    async def name_network(self, network: str) -> bool:
        """Give this name to the network that had none, in every table.

        Does nothing if there is no unnamed network, or if others are known too.

        Returns:
            Whether this is now the only network: then what is stored elsewhere of one without a
            name is of this one.
        """
        if network == UNNAMED_NETWORK:
            return False
        async with self._database.writing() as writer:
            known = await network_names(writer)
            if known == [UNNAMED_NETWORK]:
                await rename_network(writer, UNNAMED_NETWORK, network)
            elif known == [network]:  # version 0.1.0 named the network, and not its removals
                both = {"network": network, "old": UNNAMED_NETWORK}
                await writer.run(_NAME_REMOVALS, both)
            return known in ([UNNAMED_NETWORK], [network])

    async def respell_network(self, network: str) -> list[str]:
        """Give this name to the same network under any other spelling, in every table.

        Returns:
            The other spellings.
        """
        if not _other_spellings(network, await self.networks()):
            return []  # as nearly always: it takes no turn at writing
        async with self._database.writing() as writer:
            others = _other_spellings(network, await network_names(writer))
            for other in others:
                await rename_network(writer, other, network)
            return others

    async def _read(self, _: None) -> RoomDirectory:
        rows = await self._database.rows(
            f"SELECT id, network, channel, ifnull(casemapping, '{DEFAULT_CASEMAPPING}')"  # noqa: S608 -- constants
            f" FROM rooms LEFT JOIN networks n ON n.name = network WHERE NOT {IS_LEFT}"
            " ORDER BY network, folded"
        )
        return RoomDirectory(Room(*row) for row in rows)


async def known_before(reads: Reads, until: Position, rooms: Sequence[Room]) -> list[Room]:
    """Those of the rooms of which anything was recorded before a position."""
    rows = await reads.rows(
        f"SELECT id FROM rooms r WHERE {within(rooms, 'r.id')} AND (EXISTS ("  # noqa: S608 -- ids of ours
        "  SELECT 1 FROM messages m WHERE m.room = r.id AND m.timestamp <= :until"
        f"  AND {BEFORE_CUTOFF})"
        " OR EXISTS (SELECT 1 FROM spans WHERE room = r.id AND began < :until))",
        position_params("until", until),
    )
    known = {row[0] for row in rows}
    return [room for room in rooms if room.id in known]


def _other_spellings(network: str, known: Iterable[str]) -> list[str]:
    """The same network under other spellings. What has no network is none, whoever is called so."""
    key, own_names = network_key(network), (network, UNNAMED_NETWORK)
    return [one for one in known if one not in own_names and network_key(one) == key]


_NAME_REMOVALS = "UPDATE removals SET network = :network WHERE network = :old"


async def room_ids(writer: Writer, named: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The ids of rooms by (network, channel as spelled); new rooms are inserted."""
    wanted = dict.fromkeys(named)
    if not wanted:
        return {}
    known = await writer.rows(
        "SELECT network, channel, id FROM rooms"  # noqa: S608 -- question marks
        f" WHERE (network, channel) IN (VALUES {', '.join(['(?, ?)'] * len(wanted))})"
        f" AND NOT {IS_LEFT}",
        [name for pair in wanted for name in pair],
    )
    ids = {(network, channel): int(number) for network, channel, number in known}
    for network, channel in wanted:
        if (network, channel) not in ids:  # a new room, or another spelling of one
            ids[network, channel] = await _room_by_fold(writer, network, channel)
    return ids


async def room_id(writer: Writer, network: str, channel: str) -> int:
    """The id of the room that a channel is, in any spelling; a new room is inserted."""
    return (await room_ids(writer, [(network, channel)]))[network, channel]


async def _room_by_fold(writer: Writer, network: str, channel: str) -> int:
    """The id of the room whose folded name is that of a channel; a new room is inserted."""
    await add_network(writer, network)
    casemapping = await casemapping_of(writer, network)
    found = {"network": network, "folded": fold(channel, casemapping), "channel": channel}
    sql = "SELECT id FROM rooms WHERE network = :network AND folded = :folded"
    known = await writer.value(sql, found)
    if known is None:
        await writer.run(
            "INSERT INTO rooms (network, folded, channel) VALUES (:network, :folded, :channel)",
            found,
        )
        known = await writer.value(sql, found)
    return int(known)


OF_ROOM = "m.room = :room"
"""The SQL condition that a message `m` belongs to `:room`. As a parameter it keeps the statement
the same for every room, thus in the cache: parsing it takes a fifth of the time of a page."""


def within(rooms: Sequence[Room], column: str = "room") -> str:
    """The SQL condition that a row belongs to one of `rooms`, by our own integer ids."""
    return f"{column} IN ({','.join(str(int(room.id)) for room in rooms)})"
