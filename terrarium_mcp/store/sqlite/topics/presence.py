"""Who is in a channel: replaced whenever the list changes, out of date while the bot is away."""

from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.identity import Identity, fold
from terrarium_mcp.chat.opt_outs import OptOuts
from terrarium_mcp.chat.records import Member, Room
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records.people import PresenceSnapshot
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.networks import casemapping_of
from terrarium_mcp.store.sqlite.engine.rooms import room_id
from terrarium_mcp.store.sqlite.index.live_clock import live_until
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader

_LENGTH = "SELECT count(*) FROM presence WHERE room = :room"
_LENGTH_BY_NAME = """
SELECT count(*) FROM presence
WHERE room = (SELECT id FROM rooms WHERE network = :network AND folded = :folded)"""


class Presence:
    """The member lists of all rooms."""

    def __init__(self, database: Database, opt_out_reader: OptOutReader) -> None:
        self._database = database
        self._opt_out_reader = opt_out_reader

    async def replace(
        self, network: str, channel: str, people: Sequence[Member], at: datetime
    ) -> int:
        """Replace the member list of a channel, without those who opted out.

        Members already on it keep the time they joined. For new ones it is their `since`, or `at`.
        Like a span, the list is no older than the last live line of its room (`Spans.begin`).

        Returns:
            How long the list is now.
        """
        now = to_text(at)
        async with self._database.writing() as writer:
            room = await room_id(writer, network, channel)
            opt_outs = await self._opt_out_reader.current(writer)
            out = {who for one in people if _opted_out(opt_outs, who := _identity(network, one))}
            self._opt_out_reader.set_members(network, channel, out)
            known = await writer.rows(
                "SELECT folded, since FROM presence WHERE room = :room", {"room": room}
            )
            since = {row["folded"]: row["since"] for row in known}
            casemapping = await casemapping_of(writer, storable(network))
            folded = {one.nick: fold(storable(one.nick), casemapping) for one in people}
            await writer.run("DELETE FROM presence WHERE room = :room", {"room": room})
            await writer.many(
                "INSERT OR REPLACE INTO presence (room, folded, nick, rank, away, account, since)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        room,
                        folded[one.nick],
                        storable(one.nick),
                        one.rank,
                        int(one.away),
                        storable(one.account),
                        since.get(folded[one.nick]) or (to_text(one.since) if one.since else now),
                    )
                    for one in people
                    if _identity(network, one) not in out
                ],
            )
            await writer.run(
                "INSERT OR REPLACE INTO presence_as_of (room, as_of) VALUES (:room, :at)",
                {"room": room, "at": max(now, (await live_until(writer, [room]))[room])},
            )
            return int(await writer.value(_LENGTH, {"room": room}))

    async def length(self, network: str, channel: str) -> int:
        """How long the member list of a channel is: a purge may have removed somebody."""
        casemapping = await casemapping_of(self._database, storable(network))
        room = {"network": storable(network), "folded": fold(storable(channel), casemapping)}
        return int(await self._database.value(_LENGTH_BY_NAME, room))

    async def current(self, room: Room) -> PresenceSnapshot:
        """The members of `room` as last received: by rank, then by nick."""
        rows = await self._database.rows(
            "SELECT nick, rank, away, account, since FROM presence WHERE room = :room"
            " ORDER BY instr('!~&@%+', substr(rank || 'x', 1, 1)) = 0,"
            " instr('!~&@%+', substr(rank || 'x', 1, 1)), folded",
            {"room": room.id},
        )
        as_of = await self._database.value(
            "SELECT as_of FROM presence_as_of WHERE room = :room", {"room": room.id}
        )
        people = [
            Member(nick, rank, bool(away), account, from_text(since) if since else None)
            for nick, rank, away, account, since in rows
        ]
        return PresenceSnapshot(people, from_text(as_of) if as_of else None)


def _identity(network: str, member: Member) -> Identity:
    return Identity(network, member.nick, member.user, member.host, member.account)


def _opted_out(opt_outs: OptOuts, who: Identity) -> bool:
    """Whether a member opted out; while their host is not known, the nick decides as well."""
    return opt_outs.covers(who) or (not who.host and opt_outs.has_nick(who.network, who.nick))
