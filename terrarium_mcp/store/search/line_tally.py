"""Tallies lines that were read: who said them, where, and at which hours."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import Room
from terrarium_mcp.store.records.figures import ScopeDetails

_MOST_TALKERS = 10


class CountedLine(NamedTuple):
    """What is counted of a line; one without a nick is by no person.

    It may stand for several `lines` by one nick in one room at one hour of day, by the newest.
    """

    timestamp: str
    room: int
    nick: str
    lines: int = 1


def details_of(lines: Iterable[CountedLine], rooms: Sequence[Room]) -> ScopeDetails:
    """The details of these lines, which are in `rooms` and in the order of their time.

    Nicks are one if they are equal when folded, as in the counters; the newest spelling is shown.
    """
    room_of = {room.id: room for room in rooms}
    by_person: Counter[tuple[str, str]] = Counter()
    spelling: dict[tuple[str, str], str] = {}
    by_room: Counter[int] = Counter()
    hours = [0] * 24
    for line in lines:
        by_room[line.room] += line.lines
        hours[int(line.timestamp[11:13])] += line.lines
        if line.nick:
            person = room_of[line.room].network, fold(line.nick)
            by_person[person] += line.lines
            spelling[person] = line.nick
    most = sorted(by_person, key=lambda person: (-by_person[person], person))[:_MOST_TALKERS]
    rooms_by_lines = sorted(by_room, key=lambda number: (-by_room[number], number))
    return ScopeDetails(
        people=len(by_person),
        talkers=[(person[0], spelling[person], by_person[person]) for person in most],
        rooms=[(room_of[number], by_room[number]) for number in rooms_by_lines],
        hours=hours,
    )


def lines_by_period(lines: Iterable[CountedLine], starts: Sequence[str]) -> list[int]:
    """How many of the lines are in each of the periods that begin at these timestamps, ascending.

    The last period has no end; what is before the first is in none.
    """
    counts = [0] * len(starts)
    for line in lines:
        if number := bisect_right(starts, line.timestamp):
            counts[number - 1] += 1
    return counts
