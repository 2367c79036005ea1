"""The SQL that counts messages, shared by the counters and a recount.

A message counts once it has a room and a time, until it is redacted. Speech (`IS_SPEECH`) counts as
lines, everything else as events. A nick's lines are those of which it is the speaker; asides have a
count of their own there.
"""

# ruff: noqa: S608 -- every statement is made of constants

from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.sql_expressions import folded_sql, is_speech_sql
from terrarium_mcp.store.sqlite.engine.voices_sql import IS_ASIDE, JOINED, JOINED_SPEAKER, SPEAKER

COUNTED_COLUMNS = (
    "lines", "words", "questions", "links", "actions",
    "events", "joins", "parts", "quits", "kicks", "nicks", "topics",
)  # fmt: skip
"""The columns that count the messages of a room, and of each of its days."""

IS_COUNTED = "m.room NOT NULL AND m.timestamp NOT NULL AND m.redacted_at IS NULL"
"""The SQL condition that a message counts at all."""

SAID = f"{IS_COUNTED} AND {IS_SPEECH}"
"""The SQL condition that a message counts as a line."""

FOLDED = folded_sql(SPEAKER)
"""The SQL expression for the folded nick of whoever said message `m`, or did what it reports."""

NICK_FOLDED = folded_sql("m.nick")
"""The SQL expression for the folded nick that sent message `m`: a relay's, where it is relayed."""

TALKED = f"{SAID} AND NOT {IS_ASIDE}"
"""The SQL condition that a message counts as a line of whoever said it: no command to the bot, and
nothing of what that said itself."""

WORDS = "ifnull(length(m.message) - length(replace(m.message, ' ', '')) + (m.message != ''), 0)"
"""The number of words of a message: its spaces, plus one."""

QUESTION = "ifnull(m.message LIKE '%?', 0)"
"""Whether a message ends with a question mark."""

LINK = "CASE WHEN instr(m.message, '://') THEN urls_of(CAST(m.message AS BLOB)) != '[]' ELSE 0 END"
"""Whether a message contains a URL. Python is called for the few that may."""


SINCE = {
    name: f"(SELECT since FROM last_windows WHERE name = '{name}')" for name in ("day", "week")
}
"""The moment at which the window of the last day begins, and that of the last week."""


def grouped_messages_sql(which: str) -> str:
    """The messages that meet the condition `which`, grouped by room, hour and type.

    A type is thus interpreted once per group, not once per message. `:step` is 1 or -1.
    """
    return f"""
SELECT m.room, m.hour, m.kind, :step * count(*) AS n,
  :step * sum(words) AS words, :step * sum(question) AS questions, :step * sum(link) AS links,
  :step * count(*) FILTER (WHERE m.timestamp >= {SINCE["day"]}) AS last_day,
  :step * count(*) FILTER (WHERE m.timestamp >= {SINCE["week"]}) AS last_week,
  min(m.id) AS first_id, max(m.id) AS last_id, min(m.timestamp) AS first, max(m.timestamp) AS last,
  {is_speech_sql("m.kind")} AS said
FROM (
  SELECT m.id, m.room, m.timestamp, substr(m.timestamp, 1, 13) AS hour,
    upper(m.message_type) AS kind, {WORDS} AS words, {QUESTION} AS question, {LINK} AS link
  FROM messages m
  WHERE {which} AND {IS_COUNTED}
  LIMIT -1  -- keeps SQLite from sorting whole messages into their groups
) m
GROUP BY 1, 2, 3
"""


SUMS = {
    "lines": "sum(n) FILTER (WHERE said)",
    "words": "sum(words) FILTER (WHERE said)",
    "questions": "sum(questions) FILTER (WHERE said)",
    "links": "sum(links) FILTER (WHERE said)",
    "actions": "sum(n) FILTER (WHERE kind = 'ACTION')",
    "events": "sum(n) FILTER (WHERE NOT said)",
    "joins": "sum(n) FILTER (WHERE kind = 'JOIN')",
    "parts": "sum(n) FILTER (WHERE kind = 'PART')",
    "quits": "sum(n) FILTER (WHERE kind = 'QUIT')",
    "kicks": "sum(n) FILTER (WHERE kind = 'KICK')",
    "nicks": "sum(n) FILTER (WHERE kind = 'NICK')",
    "topics": "sum(n) FILTER (WHERE kind = 'TOPIC')",
}
_TALLIED = ", ".join(f"ifnull({SUMS[name]}, 0) AS {name}" for name in COUNTED_COLUMNS)


def room_counts_sql(source: str) -> str:
    """The rows of `room_counts`, from groups."""
    return f"""
SELECT room, {_TALLIED},
  ifnull(sum(last_day) FILTER (WHERE said), 0) AS last_day,
  ifnull(sum(last_week) FILTER (WHERE said), 0) AS last_week,
  min(first) FILTER (WHERE said) AS first, max(last) FILTER (WHERE said) AS last
FROM {source} WHERE true GROUP BY room
"""


def day_counts_sql(source: str) -> str:
    """The rows of `day_counts`, from groups."""
    return f"""
SELECT room, substr(hour, 1, 10) AS day, {_TALLIED},
  min(first_id) AS first_id, max(last_id) AS last_id
FROM {source} WHERE true GROUP BY room, day
"""


def hour_counts_sql(source: str) -> str:
    """The rows of `hour_counts`, from groups."""
    return f"""
SELECT room, CAST(substr(hour, 12, 2) AS INTEGER) AS of_day, sum(n) AS lines
FROM {source} WHERE said GROUP BY room, of_day
"""


SECONDS = "ifnull(CAST(strftime('%s', {}) AS INTEGER), 0)"


def spellings_sql(which: str) -> str:
    """The messages that meet `which` by room and nick, one row for each spelling.

    Folding once per group is cheaper than once per message.
    """
    return f"""
SELECT m.room, CAST(m.nick AS TEXT) AS nick, {NICK_FOLDED} AS folded,
  sum(said AND aside IS NULL) AS lines, sum(NOT said) AS events, count(aside) AS asides,
  max(CASE WHEN said THEN m.timestamp END) AS spoke, max(m.timestamp) AS seen
FROM (
  SELECT m.room, {JOINED_SPEAKER} AS nick, m.timestamp, {IS_SPEECH} AS said, v.aside
  FROM {JOINED}
  WHERE {which} AND {IS_COUNTED} AND m.nick NOT NULL
  LIMIT -1  -- keeps SQLite from evaluating `said` three times per row
) m
GROUP BY m.room, m.nick
LIMIT -1  -- and from folding a nick twice
"""


def nick_counts_sql(spellings: str) -> str:
    """The rows of `nick_counts`, one for each spelling of a nick; `:step` is 1 or -1.

    The upsert into the table joins them, and so does `joined_spellings_sql`.
    """
    return f"""
SELECT room, folded, :step * lines AS lines, :step * events AS events, :step * asides AS asides,
  {SECONDS.format("spoke")} AS spoke, {SECONDS.format("seen")} AS seen,
  nullif(nick, folded) AS spelt
FROM ({spellings}) WHERE true
"""


def joined_spellings_sql(spellings: str) -> str:
    """The rows of `nick_counts_sql`, with all spellings of a nick joined under the newest."""
    return f"""
SELECT room, folded, sum(lines) AS lines, sum(events) AS events, sum(asides) AS asides,
  max(spoke) AS spoke, max(seen) AS seen,
  nullif(substr(max(printf('%020d', seen) || ifnull(spelt, folded)), 21), folded) AS spelt
FROM ({spellings}) GROUP BY room, folded
"""
