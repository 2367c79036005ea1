"""Figures: exact counts of what was said, in rooms and in what a search selects."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from terrarium_mcp.chat.records import Room

MOST_READ = 2_000
"""Up to this many lines are read one by one, to say who said them: 5 us each (10 M lines)."""

MOST_TALLIED = 5_000
"""Up to this many lines of whole rooms are grouped by SQL, to say who said them, where no period
counts them: 3 us each, with what becomes of the groups. (15,000 lines of a month took 65 ms of CPU,
and figures should take 20.)"""

MOST_COUNTED = 600_000
"""Up to this many lines of whole rooms are joined from what is counted of their months and days, to
say who said them: a year of the busiest of 400 channels (10 M lines) takes 20 ms."""

MOST_PERIODS = 400
"""Periods with lines that are listed: a year of days. Each takes up to 1 ms, as does a pause."""


class RoomStats(NamedTuple):
    """What was said in a room before a cutoff; every count is of lines of speech.

    The last two are filled in for a single room only; `hours` are 24 counts by hour of day, UTC.
    A named tuple, as an overview makes hundreds: a frozen dataclass takes three times as long.
    """

    room: Room
    lines: int = 0
    people: int = 0
    first: datetime | None = None
    last: datetime | None = None
    last_day: int = 0
    last_week: int = 0
    talkers: Sequence[tuple[str, int]] = ()
    hours: Sequence[int] = ()


class ScopeDetails(NamedTuple):
    """Who said the lines of a search scope, where and at which hours.

    `people` counts all who did, `talkers` are the ten with most lines, as (network, nick, lines).
    `rooms` are those with any line, by their number; `hours` are 24 counts by hour of day, UTC.
    `local_hours` are those in the zone of the search, empty where only those in UTC are counted.
    """

    people: int
    talkers: Sequence[tuple[str, str, int]]
    rooms: Sequence[tuple[Room, int]]
    hours: Sequence[int]
    local_hours: Sequence[int] = ()


class ScopeStats(NamedTuple):
    """How many messages a search scope holds, exactly, and when they were said.

    `details` is None where there are too many messages to say who said each. `periods` are those
    asked for that have any, as (first day, lines), the newest first; `is_cut` if there are earlier
    ones. `asides` are how many of the lines are asides; `left_out` how many more would match, but
    are asides that the query does not ask for. One of the two is 0.
    """

    lines: int
    first: datetime | None = None
    last: datetime | None = None
    details: ScopeDetails | None = None
    periods: Sequence[tuple[date, int]] = ()
    is_cut: bool = False
    asides: int = 0
    left_out: int = 0
