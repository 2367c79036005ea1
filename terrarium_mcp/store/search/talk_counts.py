"""Talk counts: who said how many lines of a room in a whole month or day, and at which hours. Pure.

A month that has 43,000 lines has 5,400 people, and is joined with eleven others in 20 ms.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.wording import compact_json

_MONTH = len("2026-05")


class CountedLine(NamedTuple):
    """What is counted of a line; one without a nick is by no person.

    It may stand for several `lines` by one nick in one room at one hour of day, by the newest.
    """

    timestamp: str
    room: int
    nick: str
    lines: int = 1


class TalkPeriod(NamedTuple):
    """A whole month (`2026-05`) or day (`2026-05-10`), UTC, of a room."""

    room: int
    name: str

    @property
    def is_month(self) -> bool:
        """Whether it is a month, and no day."""
        return len(self.name) == _MONTH

    @property
    def begin(self) -> str:
        """Its first day: what begins a timestamp of its first line, or of a later one."""
        return f"{self.name}-01" if self.is_month else self.name

    @property
    def end(self) -> str:
        """The first day after it."""
        first = date.fromisoformat(self.begin)
        if self.is_month:
            return (first + timedelta(31)).replace(day=1).isoformat()
        return (first + timedelta(1)).isoformat()


@dataclass(frozen=True)
class TalkCount:
    """The lines of a period, as the table has them: three columns of JSON.

    Attributes:
        period: the period.
        hours: how many lines each of the 24 hours of day has, UTC, whoever said them.
        spellings: the nicks as last spelt, where that is not how they are folded.
        people: the folded nicks by how many lines each said, asides left out: `{"1":"ada bo"}`, or
            `{"1":["a nick","bo"]}` if any has a space. So it is read in a quarter of the time that
            a number for each nick takes.
    """

    period: TalkPeriod
    hours: str
    spellings: str
    people: str

    @cached_property
    def by_hour(self) -> Sequence[int]:
        """The lines of each hour of day."""
        hours: list[int] = json.loads(self.hours)
        return hours

    @cached_property
    def nicks(self) -> Mapping[str, Sequence[str]]:
        """The folded nicks by how many lines each said."""
        nicks: dict[str, str | list[str]] = json.loads(self.people)
        return {
            lines: some.split(" ") if isinstance(some, str) else some
            for lines, some in nicks.items()
        }

    @cached_property
    def spelt(self) -> Mapping[str, str]:
        """Every nick, folded, as last spelt."""
        spelt = {nick: nick for nicks in self.nicks.values() for nick in nicks}
        return spelt | {fold(nick): nick for nick in json.loads(self.spellings)}

    def add_to(self, said: Counter[str]) -> None:
        """Add the lines of each person to those that were counted before."""
        known = said.get
        for lines, nicks in self.nicks.items():
            if lines == "1":
                said.update(nicks)  # in C: half of all say one
                continue
            more = int(lines)
            for nick in nicks:
                said[nick] = known(nick, 0) + more


class RoomTalk(NamedTuple):
    """All lines of some rooms within a time: some in groups, in no order, and counted periods."""

    lines: Sequence[CountedLine]
    counts: Sequence[TalkCount]


def counted_talk(period: TalkPeriod, lines: Iterable[CountedLine]) -> TalkCount:
    """Count all lines of a period."""
    said = Counter[str]()
    spelt: dict[str, str] = {}
    hours = [0] * 24
    for line in sorted(lines):
        hours[int(line.timestamp[11:13])] += line.lines
        if line.nick:
            folded = fold(line.nick)
            said[folded] += line.lines
            spelt[folded] = line.nick
    return _packed(period, said, spelt, hours)


def joined_talk(period: TalkPeriod, days: Iterable[TalkCount]) -> TalkCount:
    """Join the days of a month, which are in order, and all that have any line."""
    said = Counter[str]()
    spelt: dict[str, str] = {}
    hours = [0] * 24
    for day in days:
        day.add_to(said)
        spelt |= day.spelt
        hours = [sum(both) for both in zip(hours, day.by_hour, strict=True)]
    return _packed(period, said, spelt, hours)


def _packed(
    period: TalkPeriod, said: Mapping[str, int], spelt: Mapping[str, str], hours: Sequence[int]
) -> TalkCount:
    by_lines: dict[int, list[str]] = {}
    for lines, nick in sorted((lines, nick) for nick, lines in said.items()):
        by_lines.setdefault(lines, []).append(nick)
    people = {lines: _in_a_row(nicks) for lines, nicks in by_lines.items()}
    spellings = sorted(nick for folded, nick in spelt.items() if nick != folded)
    return TalkCount(period, compact_json(hours), compact_json(spellings), compact_json(people))


def _in_a_row(nicks: Sequence[str]) -> str | Sequence[str]:
    """Nicks with a space between them, as long as none has one, as an import may bring it."""
    return nicks if any(" " in nick for nick in nicks) else " ".join(nicks)


def largest_within(periods: Sequence[TalkPeriod], since: str, until: Position) -> list[TalkPeriod]:
    """Those of some periods that are whole within a time: its months, and days of no such month."""
    end = until.timestamp  # of which neither the day nor the month is whole
    whole = [
        period
        for period in periods
        if since <= _midnight(period.begin) and period.name < end[: len(period.name)]
    ]
    months = {period for period in whole if period.is_month}
    return [
        period
        for period in whole
        if period.is_month or TalkPeriod(period.room, period.name[:_MONTH]) not in months
    ]


class RoomTime(NamedTuple):
    """A time of a room that is in no counted period: from a timestamp to one, both included.

    No line is at a mere day, such as the end of a period.
    """

    room: int
    begin: str
    end: str


def gaps_between(
    periods: Iterable[TalkPeriod], rooms: Iterable[int], since: str, until: Position
) -> list[RoomTime]:
    """What is left of a time of some rooms beside periods that are whole within it."""
    by_room: dict[int, list[TalkPeriod]] = {room: [] for room in rooms}
    for period in periods:
        by_room[period.room].append(period)
    gaps = []
    for room, counted in by_room.items():
        begin = since
        for period in sorted(counted, key=lambda one: one.begin):
            if begin < period.begin:
                gaps.append(RoomTime(room, begin, period.begin))
            begin = _midnight(period.end)
        if Position(begin) < until:
            gaps.append(RoomTime(room, begin, until.timestamp))
    return gaps


def _midnight(day: str) -> str:
    """The timestamp at which a day begins."""
    return f"{day} 00:00:00.000"
