"""The SQL of figures: the counters as they stand, less what a cutoff hides, or line by line.

The statements give the same columns, so that whoever asks need not know which was taken. None
finds anything while the counters are behind.
"""

# ruff: noqa: S608 -- every statement is made of constants and ids of ours

from collections.abc import Sequence

from terrarium_mcp.chat.records import Room
from terrarium_mcp.store.derived.counters import MANY_LINES, Counters
from terrarium_mcp.store.derived.counting import (
    COUNTED,
    FOLDED,
    LINK,
    QUESTION,
    SAID,
    SINCE,
    SUMS,
    TALLY,
    WORDS,
)
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import IS_SPEECH
from terrarium_mcp.store.upkeep import complete

MOST_TALKERS = 10

NEARBY = "12 hours"
"""A window of the counters that is off by less is put right, instead of counted anew."""

COMPLETE = complete(Counters.name)

BEFORE = "(m.timestamp, m.id) < (:until, :until_id)"
AFTER = "m.timestamp >= :until AND (m.timestamp, m.id) >= (:until, :until_id)"
NOWHERE = "false"

TOTALS = ("room", "lines", "people", "first", "last", "last_day", "last_week")
"""The columns of all statements. Those about a single room have also those of `TALLY`, and two as
JSON: `talkers` as [[nick, lines], ...] and `hours` as [[hour, lines], ...]."""

FEW_ROOMS = 16
"""So many rooms are looked up one by one; of more, all messages of a time are read."""


def as_counted(rooms: Sequence[Room]) -> str:
    """The totals of rooms as the counters stand: `from_counters` of many rooms in half the time.

    Of many rooms it gives those of all, and whoever asks leaves out the others: to look up four
    hundred one by one takes a tenth of the time.
    """
    return f"""
WITH {_windows(rooms)}
SELECT c.room, c.lines, c.people, c.first, c.last, {_since("day")}, {_since("week")}
FROM near CROSS JOIN room_counts c
LEFT JOIN off_day ON off_day.room = c.room LEFT JOIN off_week ON off_week.room = c.room
WHERE {COMPLETE} AND {_of_few(rooms, "c.room")}
"""


def from_counters(rooms: Sequence[Room], hidden: str, *, details: bool = False) -> str:
    """The figures of rooms from the counters, less the messages that `hidden` names.

    Args:
        rooms: which ones.
        hidden: a condition on messages `m`.
        details: also talkers and hours; there is then a single room, `:room`.
    """
    return f"""
WITH {_messages("later", rooms, hidden)},
hidden AS MATERIALIZED (SELECT room, {_sums()} FROM later GROUP BY room),
silenced AS MATERIALIZED (
  SELECT room, folded, count(*) AS lines FROM later WHERE said AND folded NOT NULL GROUP BY 1, 2
),
unheard AS MATERIALIZED (
  SELECT s.room, count(*) AS people
  FROM silenced s JOIN nick_counts n ON n.room = s.room AND n.folded = s.folded
  WHERE n.lines = s.lines GROUP BY s.room
),
{_windows(rooms)}
SELECT c.room, c.lines - ifnull(h.lines, 0) AS lines, c.people - ifnull(u.people, 0) AS people,
  CASE WHEN c.lines > ifnull(h.lines, 0) THEN c.first END AS first,
  CASE WHEN ifnull(h.lines, 0) = 0 THEN c.last ELSE (
    SELECT m.timestamp FROM messages m
    WHERE m.room = c.room AND {SAID} AND m.timestamp <= :until AND {BEFORE}
    ORDER BY m.timestamp DESC LIMIT 1
  ) END AS last,
  {_since("day")} - ifnull(h.last_day, 0) AS last_day,
  {_since("week")} - ifnull(h.last_week, 0) AS last_week
  {_DETAILS_COUNTED if details else ""}
FROM near CROSS JOIN room_counts c
LEFT JOIN hidden h ON h.room = c.room LEFT JOIN unheard u ON u.room = c.room
LEFT JOIN off_day ON off_day.room = c.room LEFT JOIN off_week ON off_week.room = c.room
WHERE {COMPLETE} AND {within(rooms, "c.room")}
"""


def line_by_line(rooms: Sequence[Room], shown: str, *, details: bool = False) -> str:
    """The figures of rooms by reading every message that `shown` names."""
    return f"""
WITH {_messages("earlier", rooms, shown)},
summed AS (
  SELECT room, {_sums()}, count(DISTINCT folded) FILTER (WHERE said) AS people,
    min(timestamp) FILTER (WHERE said) AS first, max(timestamp) FILTER (WHERE said) AS last
  FROM earlier GROUP BY room
)
SELECT {", ".join(TOTALS)} {_DETAILS_READ if details else ""} FROM summed WHERE {COMPLETE}
"""


def _messages(name: str, rooms: Sequence[Room], which: str) -> str:
    """A table of messages with what is counted of each."""
    return f"""{name} AS MATERIALIZED (
  SELECT m.room, m.timestamp, {FOLDED} AS folded, 1 AS n, {IS_SPEECH} AS said,
    upper(m.message_type) AS kind, {WORDS} AS words, {QUESTION} AS questions, {LINK} AS links
  FROM messages m
  WHERE {_within(rooms)} AND {COUNTED} AND {which}
)"""


def _sums() -> str:
    tallied = ", ".join(f"ifnull({SUMS[name]}, 0) AS {name}" for name in TALLY)
    return (
        f"{tallied}, sum(said AND timestamp >= :day) AS last_day,"
        " sum(said AND timestamp >= :week) AS last_week"
    )


def _windows(rooms: Sequence[Room]) -> str:
    """Tables that put the windows of the counters right."""
    return f"""near AS MATERIALIZED (SELECT {_near("day")} AS day, {_near("week")} AS week),
{_off("day", rooms)},
{_off("week", rooms)}"""


def _near(window: str) -> str:
    """Whether the moment `:day` (or `:week`) is near the one that the counters go by."""
    since = SINCE[window]
    return (
        f":{window} BETWEEN {since} AND datetime({since}, '{NEARBY}')"
        f" OR {since} BETWEEN :{window} AND datetime(:{window}, '{NEARBY}')"
    )


def _off(window: str, rooms: Sequence[Room]) -> str:
    """By how many lines of each room the counters' window is off, because it begins elsewhere."""
    since = SINCE[window]
    return f"""off_{window} AS MATERIALIZED (
  SELECT m.room, sum(iif(m.timestamp < :{window}, -1, 1)) AS lines FROM messages m
  WHERE (SELECT {window} FROM near) AND {_of_few(rooms, "m.room")} AND {SAID}
    AND m.timestamp >= min(:{window}, {since}) AND m.timestamp < max(:{window}, {since})
  GROUP BY m.room
)"""


def _since(window: str) -> str:
    """How many lines a room has since the moment `:day` (or `:week`).

    Where that is far from the moment that the counters go by, the rest of its date is read, and
    later dates are taken from the days.
    """
    return f"""CASE WHEN near.{window} THEN c.last_{window} + ifnull(off_{window}.lines, 0) ELSE (
    SELECT count(*) FROM messages m WHERE m.room = c.room AND {SAID}
      AND m.timestamp >= :{window} AND m.timestamp < substr(:{window}, 1, 10) || '~'
  ) + ifnull((
    SELECT sum(lines) FROM day_counts WHERE room = c.room AND day > substr(:{window}, 1, 10)
  ), 0) END"""


def _within(rooms: Sequence[Room]) -> str:
    return within(rooms, "m.room" if len(rooms) <= FEW_ROOMS else "+m.room")  # + : not by its index


def _of_few(rooms: Sequence[Room], column: str) -> str:
    """As `_within`, where it helps; what is found of other rooms is not asked for."""
    return within(rooms, column) if len(rooms) <= FEW_ROOMS else "true"


# Whoever is among the ten before the cutoff is among the first ten and as many more as it hides.
_MOST = f"{MOST_TALKERS} + (SELECT count(*) FROM silenced)"
_LESS_HIDDEN = ", ".join(
    f"c.{name} - ifnull(h.{name}, 0) AS {name}" for name in TALLY if name != "lines"
)
_DETAILS_COUNTED = f""", {_LESS_HIDDEN}, (
  SELECT json_group_array(json_array(nick, lines)) FROM (
    SELECT ifnull(n.spelt, n.folded) AS nick, n.lines - ifnull(s.lines, 0) AS lines
    FROM (
      SELECT * FROM (
        SELECT * FROM nick_counts WHERE room = :room AND lines >= {MANY_LINES}
        ORDER BY lines DESC, folded LIMIT {_MOST})
      UNION ALL
      SELECT * FROM (
        SELECT * FROM nick_counts WHERE room = :room AND lines BETWEEN 1 AND {MANY_LINES - 1}
        LIMIT CASE WHEN {_MOST} > (
          SELECT count(*) FROM (
            SELECT 1 FROM nick_counts WHERE room = :room AND lines >= {MANY_LINES} LIMIT {_MOST})
        ) THEN -1 ELSE 0 END)
    ) n LEFT JOIN silenced s ON s.folded = n.folded
    WHERE n.lines > ifnull(s.lines, 0) ORDER BY 2 DESC, n.folded LIMIT {MOST_TALKERS}
  )
) AS talkers, (
  SELECT json_group_array(json_array(hour, lines - (
    SELECT count(*) FROM later
    WHERE said AND CAST(substr(timestamp, 12, 2) AS INTEGER) = hour_counts.hour)))
  FROM hour_counts WHERE room = :room
) AS hours"""

_DETAILS_READ = f""", {", ".join(name for name in TALLY if name != "lines")}, (
  SELECT json_group_array(json_array(nick, lines)) FROM (
    SELECT ifnull(n.spelt, e.folded) AS nick, count(*) AS lines
    FROM earlier e LEFT JOIN nick_counts n ON n.room = :room AND n.folded = e.folded
    WHERE e.said AND e.folded NOT NULL
    GROUP BY e.folded ORDER BY 2 DESC, e.folded LIMIT {MOST_TALKERS}
  )
) AS talkers, (
  SELECT json_group_array(json_array(hour, lines)) FROM (
    SELECT CAST(substr(timestamp, 12, 2) AS INTEGER) AS hour, count(*) AS lines
    FROM earlier WHERE said GROUP BY 1
  )
) AS hours"""
