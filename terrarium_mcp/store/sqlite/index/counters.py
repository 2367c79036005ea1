"""Counters: how much was said, by whom and when, updated as messages are written."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.voices_sql import SPEAKER
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import (
    COUNTED_COLUMNS,
    FOLDED,
    IS_COUNTED,
    NICK_FOLDED,
    SAID,
    SECONDS,
    day_counts_sql,
    grouped_messages_sql,
    hour_counts_sql,
    joined_spellings_sql,
    nick_counts_sql,
    room_counts_sql,
    spellings_sql,
)
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.rolling_windows import advance
from terrarium_mcp.store.sqlite.index.structure import compare

ADVANCE_EVERY = timedelta(minutes=1)
"""How often the rolling windows are advanced while messages are written."""

MANY_LINES = 20
"""The index `talkers` holds the nicks with this many lines in a room, or more."""


class Counters:
    """The counters. They change with every message that is added, deleted or redacted.

    `clock` returns the present, at which the rolling windows end.
    """

    name = "counters"
    tables = ("room_counts", "day_counts", "hour_counts", "nick_counts")

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._advanced_at = datetime.min.replace(tzinfo=UTC)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Count the messages with the ids `first` to `last`."""
        await self._advance(writer, first)
        span = {"first": first, "last": last}
        await _change(writer, "m.id BETWEEN :first AND :last", span, step=1)

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Count messages by what was tallied of them.

        Where a relay carried any of them, or one is as new as the rolling windows, `add` counts
        them: the tallies tell neither who spoke through a relay nor which lines are in a window.
        """
        await self._advance(writer, texts.first)
        windows_began = str(await writer.value("SELECT min(since) FROM last_windows", default=""))
        if texts.has_relayed or max(texts.timestamps) >= windows_began:
            await self.add(writer, texts.first, texts.last)
            return
        await writer.run(_MAKE_BATCH)
        await writer.run(_MAKE_SPELLINGS)
        await writer.many(_ADD_HOUR, _hour_rows(texts))
        await writer.many(_ADD_SPELLING, _nick_rows(texts))
        await _add_batch(writer)
        await writer.run(_into_nicks(_TALLIED_SPELLINGS), _ALL)
        await writer.run("DELETE FROM temp.spellings")

    async def _advance(self, writer: Writer, first: int) -> None:
        """Advance the rolling windows, if it is time to; `first` is not counted yet."""
        now = self._clock()
        if now - self._advanced_at >= ADVANCE_EVERY:
            self._advanced_at = now
            await advance(writer, now, first)

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Count messages again that were subtracted a moment ago."""
        await _change(writer, AMONG_IDS, ids_params(ids), step=1)

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Subtract these messages; their rows are still there, and not yet redacted."""
        gone = ids_params(ids)
        await _change(writer, AMONG_IDS, gone, step=-1)
        for table, keys in _MAY_BE_EMPTY.items():
            await _drop_empty(writer, table, keys, gone)
        for repair in _REPAIRS:
            await writer.run(repair, gone)

    async def clear(self, writer: Writer) -> None:
        """Delete every row."""
        for table in self.tables:
            await writer.run(f"DELETE FROM {table}")

    async def differences(self, writer: Writer) -> list[str]:
        """Compare each table with a recount."""
        found = []
        for table, (columns, recount) in _RECOUNTS.items():
            kept = f"SELECT {columns} FROM {table}"
            found += await compare(writer, table, kept, recount, _ALL)
        return found


_ALL = {"step": 1}

_MAKE_BATCH = """
CREATE TEMP TABLE IF NOT EXISTS batch (
  room, hour, kind, n, words, questions, links, last_day, last_week,
  first_id, last_id, first, last, said
)"""

_ADD_HOUR = "INSERT INTO temp.batch VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?)"

_MAKE_SPELLINGS = """
CREATE TEMP TABLE IF NOT EXISTS spellings (room, nick, lines, events, asides, spoke, seen)"""
_ADD_SPELLING = "INSERT INTO temp.spellings VALUES (?, ?, ?, ?, ?, ?, ?)"
_TALLIED_SPELLINGS = f"""
SELECT room, nick, {NICK_FOLDED} AS folded, sum(lines) AS lines, sum(events) AS events,
  sum(asides) AS asides, max(spoke) AS spoke, max(seen) AS seen
FROM temp.spellings m GROUP BY room, nick LIMIT -1"""

_ADDED = ", ".join(f"{name} = {name} + excluded.{name}" for name in COUNTED_COLUMNS)

# A room comes before its nicks: the triggers count them there.
_INTO = {
    f"room_counts (room, {', '.join(COUNTED_COLUMNS)}, last_day, last_week, first, last)": (
        room_counts_sql("temp.batch"),
        f"""{_ADDED},
          last_day = last_day + excluded.last_day, last_week = last_week + excluded.last_week,
          first = min(ifnull(first, excluded.first), ifnull(excluded.first, first)),
          last = max(ifnull(last, excluded.last), ifnull(excluded.last, last))""",
    ),
    f"day_counts (room, day, {', '.join(COUNTED_COLUMNS)}, first_id, last_id)": (
        day_counts_sql("temp.batch"),
        f"""{_ADDED},
          first_id = min(first_id, excluded.first_id), last_id = max(last_id, excluded.last_id)""",
    ),
    "hour_counts (room, hour, lines)": (
        hour_counts_sql("temp.batch"),
        "lines = lines + excluded.lines",
    ),
}


def _into_nicks(spellings: str) -> str:
    return f"""
INSERT INTO nick_counts (room, folded, lines, events, asides, spoke, seen, spelt)
{nick_counts_sql(spellings)}
ON CONFLICT DO UPDATE SET
  lines = lines + excluded.lines,
  events = events + excluded.events,
  asides = asides + excluded.asides,
  spoke = max(spoke, excluded.spoke),
  spelt = CASE WHEN excluded.seen > seen
      OR (excluded.seen = seen AND ifnull(excluded.spelt, folded) > ifnull(spelt, folded))
    THEN excluded.spelt ELSE spelt END,
  seen = max(seen, excluded.seen)
"""


async def _change(writer: Writer, which: str, params: Mapping[str, object], *, step: int) -> None:
    """Add the messages that meet the condition `which` to every counter, or subtract them."""
    stepped = {**params, "step": step}
    await writer.run(_MAKE_BATCH)
    await writer.run("INSERT INTO temp.batch" + grouped_messages_sql(which), stepped)
    await _add_batch(writer)
    await writer.run(_into_nicks(spellings_sql(which)), stepped)


async def _add_batch(writer: Writer) -> None:
    """Add the groups of `temp.batch` to the counters of rooms, days and hours, and empty it."""
    for table, (counted, update) in _INTO.items():
        await writer.run(f"INSERT INTO {table} {counted} ON CONFLICT DO UPDATE SET {update}")
    await writer.run("DELETE FROM temp.batch")


def _hour_rows(texts: IndexTexts) -> Iterator[tuple[object, ...]]:
    """The rows of `temp.batch`, of messages that are older than the windows."""
    for hour in texts.tallies.hours:
        place, *counted, first, last, began, ended = hour
        ids = (texts.first + first, texts.first + last)
        yield texts.rooms[place], *counted, *ids, began, ended, hour.is_said


def _nick_rows(texts: IndexTexts) -> Iterator[tuple[object, ...]]:
    """The rows of `temp.spellings`."""
    for place, nick, lines, events, spoke, seen in texts.tallies.nicks:
        yield texts.rooms[place], nick, lines, events, 0, spoke, seen
    for room, nick in texts.asides:  # which was tallied as a line
        yield room, nick, -1, 0, 1, None, None


_DAY = "substr(m.timestamp, 1, 10)"
_STAYS = f"""(
  NOT {AMONG_IDS} AND +m.id <= (SELECT upto FROM derived WHERE name = '{Counters.name}'))"""
"""That a message is counted and not removed: one that waits may be gone before it is counted."""

_NICKS = "nick_counts"
_MAY_BE_EMPTY = {
    "room_counts": {"room": "m.room"},
    "day_counts": {"room": "m.room", "day": _DAY},
    _NICKS: {"room": "m.room", "folded": FOLDED},
}
"""The tables whose rows may become empty by a removal, with the SQL of each key's value."""


async def _drop_empty(
    writer: Writer, table: str, keys: Mapping[str, str], gone: Mapping[str, object]
) -> None:
    """Delete the rows that a removal left empty."""
    # `(room, folded) IN (SELECT ...)` would read all rows of the room: SQLite uses only `room`.
    rows = await writer.rows(
        f"SELECT DISTINCT {', '.join(keys.values())} FROM messages m"
        f" WHERE {AMONG_IDS} AND {IS_COUNTED}",
        gone,
    )
    which = " AND ".join(f"{key} = ?" for key in keys)
    empty = "lines = 0 AND events = 0" + (" AND asides = 0" if table == _NICKS else "")
    await writer.many(
        f"DELETE FROM {table} WHERE {which} AND {empty}",
        [tuple(row) for row in rows],
    )


def _from_gone(keys: Mapping[str, str], table: str, *columns: str) -> str:
    """The FROM clause that joins a table's rows with the removed messages they had counted."""
    named = ", ".join(f"{value} AS {key}" for key, value in keys.items())
    matching = " AND ".join(f"{table}.{key} = gone.{key}" for key in keys)
    return f"""
FROM (
  SELECT {named}, {", ".join(columns)} FROM messages m WHERE {AMONG_IDS} AND {IS_COUNTED}
  GROUP BY {", ".join(keys.values())}
) gone WHERE {matching}"""


def _newest_before(column: str, condition: str) -> str:
    """The time of a nick's newest message that stays, looked up backwards from `column`."""
    return SECONDS.format(f"""(
  SELECT m.timestamp FROM messages m
  WHERE m.room = nick_counts.room AND m.timestamp < datetime(nick_counts.{column} + 1, 'unixepoch')
    AND {condition} AND {_STAYS} AND {FOLDED} = nick_counts.folded
  ORDER BY m.timestamp DESC LIMIT 1)""")


def _end_of_room(order: str) -> str:
    """The time of a room's first (ASC) or last (DESC) line that stays."""
    return f"""(
  SELECT m.timestamp FROM messages m WHERE m.room = room_counts.room AND {SAID} AND {_STAYS}
  ORDER BY m.timestamp {order} LIMIT 1)"""


# If a removal took a first or last message, the next one is looked up, unless none is left.
_REPAIRS = (
    "DELETE FROM hour_counts WHERE lines = 0",
    f"""
UPDATE room_counts SET
  first = CASE WHEN lines = 0 THEN NULL
    WHEN first >= gone.first_gone THEN {_end_of_room("ASC")} ELSE first END,
  last = CASE WHEN lines = 0 THEN NULL
    WHEN last <= gone.last_gone THEN {_end_of_room("DESC")} ELSE last END
{_from_gone(
    _MAY_BE_EMPTY["room_counts"], "room_counts",
    "min(m.timestamp) AS first_gone", "max(m.timestamp) AS last_gone",
)}""",
    f"""
UPDATE day_counts SET (first_id, last_id) = (
  SELECT min(m.id), max(m.id) FROM messages m
  WHERE m.room = day_counts.room AND {IS_COUNTED} AND {_STAYS}
    AND m.timestamp >= day_counts.day AND m.timestamp < day_counts.day || '~')
{_from_gone(
    _MAY_BE_EMPTY["day_counts"], "day_counts",
    "min(m.id) AS first_gone", "max(m.id) AS last_gone",
)}
AND (first_id = gone.first_gone OR last_id = gone.last_gone)""",
    f"""
UPDATE nick_counts SET
  spoke = CASE WHEN lines = 0 AND asides = 0 THEN 0
    WHEN spoke <= gone.spoke_gone THEN {_newest_before("spoke", SAID)} ELSE spoke END,
  seen = CASE WHEN seen <= gone.seen_gone THEN {_newest_before("seen", IS_COUNTED)} ELSE seen END
{_from_gone(
    _MAY_BE_EMPTY["nick_counts"], "nick_counts",
    f"{SECONDS.format(f'max(CASE WHEN {IS_SPEECH} THEN m.timestamp END)')} AS spoke_gone",
    f"{SECONDS.format('max(m.timestamp)')} AS seen_gone",
)}""",
    f"""
UPDATE nick_counts SET spelt = nullif((
  SELECT max(CAST({SPEAKER} AS TEXT)) FROM messages m
  WHERE m.room = nick_counts.room AND {FOLDED} = nick_counts.folded AND {IS_COUNTED} AND {_STAYS}
    AND m.timestamp >= datetime(nick_counts.seen, 'unixepoch')
    AND m.timestamp < datetime(nick_counts.seen + 1, 'unixepoch')), nick_counts.folded)
{_from_gone(_MAY_BE_EMPTY["nick_counts"], "nick_counts", "1")}""",
)  # fmt: skip

_EVERYTHING = f"({grouped_messages_sql('true')})"
_PEOPLE = f"""
SELECT c.*, (SELECT count(*) FROM nick_counts n WHERE n.room = c.room AND n.lines > 0) AS people
FROM ({room_counts_sql(_EVERYTHING)}) c"""
_RECOUNTS = {
    "room_counts": (
        f"room, {', '.join(COUNTED_COLUMNS)}, last_day, last_week, first, last, people",
        _PEOPLE,
    ),
    "day_counts": (
        f"room, day, {', '.join(COUNTED_COLUMNS)}, first_id, last_id",
        day_counts_sql(_EVERYTHING),
    ),
    "hour_counts": ("room, hour, lines", hour_counts_sql(_EVERYTHING)),
    "nick_counts": (
        "room, folded, lines, events, asides, spoke, seen, spelt",
        joined_spellings_sql(nick_counts_sql(spellings_sql("true"))),
    ),
}
"""Each table's columns, and the statement that recounts them."""
