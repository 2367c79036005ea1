"""The SQL of room statistics: the counters, less what a cutoff hides, or a recount.

Every statement returns the columns of `TOTALS`, one row for each room asked for, and no row at all
while the counters are incomplete. All take:

    :rooms            the ids of the rooms, a JSON list; empty if `:is_range` says enough
    :lowest, :highest the range of these ids
    :is_range         whether the rooms are all ids of that range
    :day, :week       since when the lines of the last day and week count
    :until, :until_id the cutoff: messages at or after this position are hidden

`in_rooms` is one of `ONE_ROOM`, `FEW_ROOMS` and `MANY_ROOMS`: it decides by which index messages
are read. The counters keep their own start of the last day and week; where that is near the one
asked for, the lines between the two are added or subtracted (`off_day`, `off_week`).
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Sequence
from functools import cache

from terrarium_mcp.chat.records import Room
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, folded_sql
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED, JOINED_SPEAKER, SPEAKER
from terrarium_mcp.store.sqlite.index.counter_sql import (
    FOLDED,
    IS_COUNTED,
    SAID,
    SECONDS,
    SINCE,
)
from terrarium_mcp.store.sqlite.index.counters import MANY_LINES, Counters
from terrarium_mcp.store.sqlite.index.voices import Voices
from terrarium_mcp.store.sqlite.index.watermarks import current_sql

COUNTED_BY = (Counters.name, Voices.name)
"""The structures that must be complete: while the voice rules change, some of the lines of a person
are still counted for the relay that carried them."""

COMPLETE = current_sql(*COUNTED_BY)

AFTER = "m.timestamp >= :until AND (m.timestamp, m.id) >= (:until, :until_id)"
"""The SQL condition that the cutoff hides a message `m`."""

_BY_NICK = f"m.room = n.room AND {IS_COUNTED} AND {BEFORE_CUTOFF} AND {FOLDED} = n.folded"
SPELT_BEFORE = f"""CASE WHEN n.seen < {SECONDS.format(":until")}
  THEN ifnull(n.spelt, n.folded)
  ELSE (
    SELECT max(CAST({SPEAKER} AS TEXT)) FROM messages m WHERE {_BY_NICK} AND m.timestamp >= (
      SELECT substr(m.timestamp, 1, 19) FROM messages m
      WHERE {_BY_NICK} AND m.timestamp <= :until ORDER BY m.timestamp DESC LIMIT 1)) END"""
"""The SQL expression for the spelling of a nick of `nick_counts n` that was the newest at a cutoff.

The counters have the newest of all; of those in the same second they keep the greatest."""

TOTALS = ("room", "lines", "people", "first", "last", "last_day", "last_week")
"""The columns of every statement. Those about one room add two columns of JSON: `talkers` as
[[nick, lines], ...] and `hours` as [[hour, lines], ...]."""

ONE_ROOM = "m.room = :room"
FEW_ROOMS = "m.room IN (SELECT value FROM json_each(:rooms))"
MANY_ROOMS = (
    "+m.room BETWEEN :lowest AND :highest"
    " AND (:is_range OR +m.room IN (SELECT value FROM json_each(:rooms)))"
)
"""The SQL conditions that a message belongs to the rooms asked for. The last one's `+` makes SQLite
read all messages of a time instead of seeking each room in the index by room."""

_ASKED_FOR = (
    "c.room BETWEEN :lowest AND :highest"
    " AND (:is_range OR c.room IN (SELECT value FROM json_each(:rooms)))"
)
"""The SQL condition that counts `c` belong to the rooms asked for. All rooms of a file are usually
a range of ids, which costs nothing to compare; a list of 400 costs a sixth of the statement."""

_FEW = 16
"""Up to this many rooms are read one by one."""
_MOST_TALKERS = 10
_NEAR = "12 hours"
"""How far the counters' start of a window may be off to be corrected instead of recounted."""


def room_condition(rooms: Sequence[Room]) -> str:
    """How to read the messages of these rooms: room by room for a few, else by time."""
    return MANY_ROOMS if len(rooms) > _FEW else FEW_ROOMS


def room_params(rooms: Sequence[Room]) -> dict[str, object]:
    """The parameters that name the rooms; `:room` is the first."""
    ids = {room.id for room in rooms}
    lowest, highest = min(ids, default=0), max(ids, default=-1)
    is_range = len(ids) == highest - lowest + 1
    return {
        "rooms": "[]" if is_range and len(rooms) > _FEW else json.dumps([*ids]),
        "room": rooms[0].id if rooms else 0,
        "lowest": lowest,
        "highest": highest,
        "is_range": is_range,
    }


@cache
def current_totals(in_rooms: str) -> str:
    """The totals without a cutoff: `totals_before` of many rooms takes twice as long."""
    return f"""
WITH {_corrections(in_rooms)}
SELECT {_CURRENT}
{_FROM_COUNTERS}
WHERE {COMPLETE} AND {_ASKED_FOR}"""


@cache
def totals_before(in_rooms: str) -> str:
    """The totals before a cutoff: the counters less what the cutoff hides."""
    return f"""
WITH {_hidden(in_rooms, AFTER)},
{_corrections(in_rooms)}
SELECT {_LESS_HIDDEN}
{_FROM_COUNTERS} {_JOIN_HIDDEN}
WHERE {COMPLETE} AND {_ASKED_FOR}"""


@cache
def current_details() -> str:
    """Everything about the one room `:room`: `details_before` no cutoff takes twice as long."""
    return f"""
WITH {_corrections(ONE_ROOM)}
SELECT {_CURRENT},
  ({_TALKERS}) AS talkers,
  ({_HOURS}) AS hours
{_FROM_COUNTERS}
WHERE {COMPLETE} AND {_ASKED_FOR}"""


@cache
def details_before() -> str:
    """Everything about the one room `:room` before a cutoff: the counters less what it hides."""
    return f"""
WITH {_hidden(ONE_ROOM, AFTER)},
{_corrections(ONE_ROOM)}
SELECT {_LESS_HIDDEN},
  ({_TALKERS_LESS_HIDDEN}) AS talkers,
  ({_HOURS_LESS_HIDDEN}) AS hours
{_FROM_COUNTERS} {_JOIN_HIDDEN}
WHERE {COMPLETE} AND {_ASKED_FOR}"""


@cache
def recounted_totals(in_rooms: str) -> str:
    """The totals before a cutoff, by reading every message before it."""
    return f"""
WITH {_recount(in_rooms)}
SELECT {", ".join(TOTALS)} FROM summed
WHERE {COMPLETE}"""


@cache
def recounted_details() -> str:
    """Everything about the one room `:room` before a cutoff, by reading every message before it."""
    return f"""
WITH {_recount(ONE_ROOM)}
SELECT {", ".join(TOTALS)},
  ({_TALKERS_READ}) AS talkers,
  ({_HOURS_READ}) AS hours
FROM summed
WHERE {COMPLETE}"""


_JOINED_FOLDED = folded_sql(JOINED_SPEAKER)


def _messages(in_rooms: str, which: str) -> str:
    """The messages that `which` selects, with what is counted of each.

    Asides are said, so they count in the totals of a room; nobody is a talker for them.
    """
    return f"""
  SELECT m.room, m.timestamp, {_JOINED_FOLDED} AS folded, {IS_SPEECH} AS said,
    {IS_SPEECH} AND v.aside IS NULL AS talked
  FROM {JOINED}
  WHERE {in_rooms} AND {IS_COUNTED} AND {which}"""


_SUMS = ", ".join(
    ["sum(said) AS lines"]
    + [f"sum(said AND timestamp >= :{window}) AS last_{window}" for window in SINCE]
)


def _hidden(in_rooms: str, which: str) -> str:
    """Tables of what is hidden: the messages, their sums, and lines by nick.

    `silenced` are the nicks with hidden lines, `unheard` counts those without any line left.
    """
    return f"""later AS MATERIALIZED ({_messages(in_rooms, which)}),
hidden AS MATERIALIZED (SELECT room, {_SUMS} FROM later GROUP BY room),
silenced AS MATERIALIZED (
  SELECT room, folded, count(*) AS lines FROM later WHERE talked AND folded NOT NULL GROUP BY 1, 2
),
unheard AS MATERIALIZED (
  SELECT s.room, count(*) AS people
  FROM silenced s JOIN nick_counts n ON n.room = s.room AND n.folded = s.folded
  WHERE n.lines = s.lines GROUP BY s.room
)"""


_JOIN_HIDDEN = """
LEFT JOIN hidden h ON h.room = c.room LEFT JOIN unheard u ON u.room = c.room"""

_FROM_COUNTERS = """
FROM near CROSS JOIN room_counts c
LEFT JOIN off_day ON off_day.room = c.room LEFT JOIN off_week ON off_week.room = c.room"""


def _recount(in_rooms: str) -> str:
    """Tables of the messages before the cutoff, and their sums by room."""
    return f"""earlier AS MATERIALIZED ({_messages(in_rooms, BEFORE_CUTOFF)}),
summed AS (
  SELECT room, {_SUMS}, count(DISTINCT folded) FILTER (WHERE talked) AS people,
    min(timestamp) FILTER (WHERE said) AS first, max(timestamp) FILTER (WHERE said) AS last
  FROM earlier GROUP BY room
)"""


def _near(window: str) -> str:
    """The SQL condition that `:day` (or `:week`) is near the start that the counters keep."""
    since = SINCE[window]
    return (
        f":{window} BETWEEN {since} AND datetime({since}, '{_NEAR}')"
        f" OR {since} BETWEEN :{window} AND datetime(:{window}, '{_NEAR}')"
    )


def _off(window: str, rooms: str) -> str:
    """By how many lines of each room the counters' window is off."""
    since = SINCE[window]
    return f"""off_{window} AS MATERIALIZED (
  SELECT m.room, sum(iif(m.timestamp < :{window}, -1, 1)) AS lines FROM messages m
  WHERE (SELECT {window} FROM near) AND {rooms} AND {SAID}
    AND m.timestamp >= min(:{window}, {since}) AND m.timestamp < max(:{window}, {since})
  GROUP BY m.room
)"""


def _corrections(in_rooms: str) -> str:
    """Tables that correct the last day and week; rooms that were not asked for are joined away."""
    rooms = "true" if in_rooms == MANY_ROOMS else in_rooms
    return f"""near AS MATERIALIZED (SELECT {_near("day")} AS day, {_near("week")} AS week),
{_off("day", rooms)},
{_off("week", rooms)}"""


_LAST = {
    window: f"""CASE WHEN near.{window} THEN c.last_{window} + ifnull(off_{window}.lines, 0) ELSE (
    SELECT count(*) FROM messages m WHERE m.room = c.room AND {SAID}
      AND m.timestamp >= :{window} AND m.timestamp < substr(:{window}, 1, 10) || '~'
  ) + ifnull((
    SELECT sum(lines) FROM day_counts WHERE room = c.room AND day > substr(:{window}, 1, 10)
  ), 0) END"""
    for window in SINCE
}
"""The lines of a room since `:day` (or `:week`). If that is far from the start that the counters
keep, the rest of its date is read from the messages, and later dates from the counts by day."""

_CURRENT = f"""c.room, c.lines, c.people, c.first, c.last,
  {_LAST["day"]} AS last_day,
  {_LAST["week"]} AS last_week"""

_LESS_HIDDEN = f"""c.room, c.lines - ifnull(h.lines, 0) AS lines,
  c.people - ifnull(u.people, 0) AS people,
  CASE WHEN c.lines > ifnull(h.lines, 0) THEN c.first END AS first,
  CASE WHEN ifnull(h.lines, 0) = 0 THEN c.last ELSE (
    SELECT m.timestamp FROM messages m
    WHERE m.room = c.room AND {SAID} AND m.timestamp <= :until AND {BEFORE_CUTOFF}
    ORDER BY m.timestamp DESC LIMIT 1
  ) END AS last,
  {_LAST["day"]} - ifnull(h.last_day, 0) AS last_day,
  {_LAST["week"]} - ifnull(h.last_week, 0) AS last_week"""


def _talking_most(most: str) -> str:
    """The nicks with the most lines in `:room`: at least `most` of them, if the room has that many.

    Nicks with many lines have an index by lines; the rest is read only if they are too few.
    """
    return f"""
      SELECT * FROM (
        SELECT * FROM nick_counts WHERE room = :room AND lines >= {MANY_LINES}
        ORDER BY lines DESC, folded LIMIT {most})
      UNION ALL
      SELECT * FROM (
        SELECT * FROM nick_counts WHERE room = :room AND lines BETWEEN 1 AND {MANY_LINES - 1}
        LIMIT CASE WHEN {most} > (
          SELECT count(*) FROM (
            SELECT 1 FROM nick_counts WHERE room = :room AND lines >= {MANY_LINES}
            LIMIT {most})
        ) THEN -1 ELSE 0 END)"""


_TALKERS = f"""
  SELECT json_group_array(json_array(ifnull(n.spelt, n.folded), n.lines)) FROM (
    SELECT * FROM ({_talking_most(f"{_MOST_TALKERS}")})
    ORDER BY lines DESC, folded LIMIT {_MOST_TALKERS}
  ) n"""

_HOURS = """
  SELECT json_group_array(json_array(hour, lines)) FROM hour_counts WHERE room = :room"""

# Whoever is in the top ten before the cutoff is in the overall top N, N = ten and as many more as
# have hidden lines.
_CANDIDATES = f"{_MOST_TALKERS} + (SELECT count(*) FROM silenced)"

_TALKERS_LESS_HIDDEN = f"""
  SELECT json_group_array(json_array({SPELT_BEFORE}, n.remaining)) FROM (
    SELECT n.*, n.lines - ifnull(s.lines, 0) AS remaining
    FROM ({_talking_most(_CANDIDATES)}) n LEFT JOIN silenced s ON s.folded = n.folded
    WHERE n.lines > ifnull(s.lines, 0) ORDER BY remaining DESC, n.folded LIMIT {_MOST_TALKERS}
  ) n"""

_HOURS_LESS_HIDDEN = """
  SELECT json_group_array(json_array(hour, lines - (
    SELECT count(*) FROM later
    WHERE said AND CAST(substr(timestamp, 12, 2) AS INTEGER) = hour_counts.hour)))
  FROM hour_counts WHERE room = :room"""

_TALKERS_READ = f"""
  SELECT json_group_array(json_array({SPELT_BEFORE}, n.remaining)) FROM (
    SELECT n.*, e.remaining FROM (
      SELECT folded, count(*) AS remaining FROM earlier WHERE talked AND folded NOT NULL
      GROUP BY folded ORDER BY remaining DESC, folded LIMIT {_MOST_TALKERS}
    ) e JOIN nick_counts n ON n.room = :room AND n.folded = e.folded
    ORDER BY e.remaining DESC, e.folded
  ) n"""

_HOURS_READ = """
  SELECT json_group_array(json_array(hour, lines)) FROM (
    SELECT CAST(substr(timestamp, 12, 2) AS INTEGER) AS hour, count(*) AS lines
    FROM earlier WHERE said GROUP BY 1
  )"""
