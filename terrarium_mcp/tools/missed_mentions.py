"""Missed mentions: those of all the time of a digest, which itself reads only the newest lines."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.request import Request
from terrarium_mcp.store import COUNTED, RecentDigest
from terrarium_mcp.tools.exact_hits import found_exactly


class MissedMentions(NamedTuple):
    """The newest mentions of a nick in the order of time, and how many there are.

    `or_more`: there are at least so many.
    """

    lines: Sequence[Message]
    total: int
    or_more: bool = False


async def missed_mentions(
    request: Request,
    rooms: Sequence[Room],
    after: Position,
    nick: str,
    recent: RecentDigest,
    most: int,
) -> MissedMentions:
    """The mentions of a nick by others since a position.

    Args:
        request: what may be read.
        rooms: where to look.
        after: the position (exclusive).
        nick: who is mentioned; "" for nobody.
        recent: the digest of that time: mentions before the part that it read are searched for.
        most: how many lines are wanted.
    """
    read = recent.digest.mentions
    if not nick or recent.reached is None:
        return MissedMentions(read, len(read))
    query = Query(mentions=(nick,), excluded_people=(nick,))
    earlier = request.search(
        query, rooms, limit=most, since=after.moment, until=min(recent.reached, request.until)
    )
    found = await found_exactly(query, earlier, request, lines=most)
    # A search begins with a moment, in which much may have been said: logs tell the minute.
    first = replace(earlier, until=Position(after.timestamp, after.id + 1))
    before = (await found_exactly(query, first, request)).total
    lines = [line for line in found.messages[::-1] if line.position > after]
    return MissedMentions(
        lines=[*lines, *read],
        total=found.total - before + len(read),
        or_more=found.total > COUNTED or not found.total_is_exact,
    )
