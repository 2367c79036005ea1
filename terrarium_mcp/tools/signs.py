"""The signs of a person: what they said and did, also under the nicks that they changed to."""

from collections.abc import Sequence

from terrarium_mcp.chat.nick_history import SAME_EVENT, NickTenure
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.request import Request
from terrarium_mcp.store import Sort

_SIGNS = 200
"""Newest lines and events of a nick that are read."""


async def signs_of(request: Request, rooms: Sequence[Room], nick: str) -> list[Message]:
    """The newest lines and events of a nick in these rooms, newest first.

    If it changed, those of its holder under other nicks are among them, while they held these; but
    for a nick that opted out of the record, which nothing links to another.
    """
    opt_outs = await request.store.opt_outs.current()
    signs = await _of_nick(request, rooms, nick, request.until)
    networks = {one.room.network for one in signs if one.kind is MessageType.NICK}
    for network in networks:
        there = [room for room in rooms if room.network == network]
        held = _when_held([one for one in signs if one.room.network == network])
        for tenure in await request.store.people.nick_tenures(nick, held, there):
            if not opt_outs.has_nick(network, tenure.nick):
                signs += await _during(request, there, tenure)
    return sorted({one.id: one for one in signs}.values(), key=lambda one: one.position)[::-1]


def _when_held(signs: Sequence[Message]) -> Position:
    """A position at which a nick was held by whoever made these signs, newest first.

    A nick change ends that; it may have been recorded in several rooms.
    """
    kept = next((one for one in signs if one.kind is not MessageType.NICK), None)
    return kept.position if kept else Position.at(signs[-1].said_at - SAME_EVENT)


async def _during(request: Request, rooms: Sequence[Room], tenure: NickTenure) -> list[Message]:
    signs = await _of_nick(request, rooms, tenure.nick, tenure.until)
    return [one for one in signs if one.position >= tenure.since]


async def _of_nick(
    request: Request, rooms: Sequence[Room], nick: str, until: Position
) -> list[Message]:
    query = Query(people=(nick,), kinds=tuple(MessageType))
    newest = request.search(
        query, rooms, limit=_SIGNS, sort=Sort.NEWEST, until=until, wants_total=False
    )
    found = await request.store.search(newest, "absence")
    return [one for one in found.messages if not one.via]  # a name from elsewhere is not them
