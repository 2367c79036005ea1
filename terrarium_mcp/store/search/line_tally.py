"""Tallies lines that were read, or counted before: who said them, where, and at which hours."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from heapq import nlargest
from itertools import chain
from operator import add

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import from_text, local
from terrarium_mcp.store.records.figures import ScopeDetails
from terrarium_mcp.store.search.talk_counts import CountedLine, TalkCount

_MOST_TALKERS = 10


def details_of(
    lines: Iterable[CountedLine], rooms: Sequence[Room], counts: Sequence[TalkCount] = ()
) -> ScopeDetails:
    """The details of lines in these rooms: some in the order of their time, and counted periods.

    Nicks are one if they are equal when folded, as in the counters; the newest spelling is shown.
    Of one period in several rooms, that is any that was the newest in one of them.
    """
    room_of = {room.id: room for room in rooms}
    said = {room.network: Counter[str]() for room in rooms}
    spelt: dict[tuple[str, str], tuple[str, str]] = {}
    by_room: Counter[int] = Counter()
    hours = [0] * 24
    for line in lines:
        by_room[line.room] += line.lines
        hours[int(line.timestamp[11:13])] += line.lines
        if line.nick:
            network, folded = room_of[line.room].network, fold(line.nick)
            said[network][folded] += line.lines
            spelt[network, folded] = line.timestamp, line.nick
    for count in counts:
        by_room[count.period.room] += sum(count.by_hour)
        hours = [*map(add, hours, count.by_hour)]
        count.add_to(said[room_of[count.period.room].network])
    newest = sorted(counts, key=lambda count: count.period.begin, reverse=True)
    talkers = []
    for network, folded, number in _most(said):
        when, nick = spelt.get((network, folded), ("", folded))
        for count in newest:
            if count.period.begin < when:
                break
            if room_of[count.period.room].network == network and folded in count.spelt:
                nick = count.spelt[folded]
                break
        talkers.append((network, nick, number))
    rooms_by_lines = sorted(by_room, key=lambda number: (-by_room[number], number))
    return ScopeDetails(
        people=sum(map(len, said.values())),
        talkers=talkers,
        rooms=[(room_of[number], by_room[number]) for number in rooms_by_lines],
        hours=hours,
    )


def _most(said: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str, int]]:
    """Who said most, as (network, folded nick, lines)."""
    every = chain.from_iterable(people.values() for people in said.values())
    least = min(nlargest(_MOST_TALKERS, every), default=0)
    found = [
        (network, nick, lines)
        for network, people in said.items()
        for nick, lines in people.items()
        if lines >= least
    ]
    return sorted(found, key=lambda one: (-one[2], one[:2]))[:_MOST_TALKERS]


def lines_by_local_hour(lines: Iterable[CountedLine], zone: tzinfo) -> list[int]:
    """How many of the lines are in each of the 24 hours of day of a zone."""
    hours = [0] * 24
    for line in lines:
        hours[local(from_text(line.timestamp), zone).hour] += line.lines
    return hours


def lines_by_period(lines: Iterable[CountedLine], starts: Sequence[str]) -> list[int]:
    """How many of the lines are in each of the periods that begin at these timestamps, ascending.

    The last period has no end; what is before the first is in none.
    """
    counts = [0] * len(starts)
    for line in lines:
        if number := bisect_right(starts, line.timestamp):
            counts[number - 1] += 1
    return counts
