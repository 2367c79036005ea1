"""Version 1: the first schema, made new or out of a terrarium-irc database."""

import sqlite3

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import audit, derived, foreign, merging
from terrarium_mcp.store.derived import (
    counters,
    link_index,
    message_index,
    people_index,
    phrase_index,
    runs,
    topic_index,
    words_index,
)
from terrarium_mcp.store.migrations import terrarium_irc
from terrarium_mcp.store.migrations.step import Report, within

MESSAGES = """
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
  channel TEXT,
  nick TEXT,
  user TEXT,
  host TEXT,
  message TEXT,
  message_type TEXT DEFAULT 'PRIVMSG'
)"""

ADDED_COLUMNS = (
    "network TEXT",
    "room INTEGER",
    "account TEXT",
    "msgid TEXT",
    "reply_to TEXT",
    "server_time TEXT",
    "origin TEXT",
    "relayed_by TEXT",
    "self INTEGER",
    "bot INTEGER",
    "redacted_at TEXT",
)

TABLES = """
CREATE TABLE networks (
  name TEXT PRIMARY KEY,
  casemapping TEXT NOT NULL DEFAULT 'rfc1459'
) WITHOUT ROWID;

CREATE TABLE rooms (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  folded TEXT NOT NULL,
  channel TEXT NOT NULL,
  live_until TEXT NOT NULL DEFAULT '',  -- no live line is dated before this one
  UNIQUE (network, folded)
);

-- Readable by the two who wrote them, through the bot, and by no tool.
CREATE TABLE private_messages (
  id INTEGER PRIMARY KEY,
  timestamp TEXT NOT NULL,
  network TEXT NOT NULL,
  target TEXT NOT NULL,
  nick TEXT, user TEXT, host TEXT, account TEXT,
  message TEXT,
  message_type TEXT,
  self INTEGER
);

-- When a room was recorded. `alive` moves along while it is: where a crash left it, it ended.
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  room INTEGER NOT NULL REFERENCES rooms,
  began TEXT NOT NULL,
  alive TEXT NOT NULL,
  ended TEXT,
  why_began TEXT NOT NULL,
  why_ended TEXT,
  source TEXT NOT NULL DEFAULT ''
);
CREATE INDEX spans_by_room ON spans (room, began);

-- Who is in a room now. Rebuilt at every join of ours.
CREATE TABLE presence (
  room INTEGER NOT NULL REFERENCES rooms,
  folded TEXT NOT NULL,
  nick TEXT NOT NULL,
  rank TEXT NOT NULL,
  away INTEGER NOT NULL,
  account TEXT NOT NULL,
  since TEXT,
  PRIMARY KEY (room, folded)
) WITHOUT ROWID;
CREATE TABLE presence_as_of (room INTEGER PRIMARY KEY REFERENCES rooms, as_of TEXT NOT NULL);
"""

# The index by time rises: new lines then fill its last page, where a falling one (as terrarium-irc
# has it) is left with half-empty pages: 65 bytes a line against 33. Both are read either way.
INDEXES = """
CREATE INDEX IF NOT EXISTS idx_messages_channel_timestamp ON messages (channel, timestamp DESC);
CREATE INDEX IF NOT EXISTS idx_messages_timestamp ON messages (timestamp);
CREATE INDEX messages_by_room ON messages (room, timestamp);
CREATE INDEX messages_by_msgid ON messages (room, msgid) WHERE msgid IS NOT NULL;
"""

_CONVERTING = 0.75
"""The part of the time in which rows are converted; then their indexes are made."""


def migrate(connection: sqlite3.Connection, settings: Settings, report: Report) -> None:
    """Make the tables; what terrarium-irc recorded is kept, in its own rows."""
    adopting = terrarium_irc.is_present(connection)
    indexes = terrarium_irc.without_indexes(connection)
    if not adopting:
        connection.execute(MESSAGES)
    for column in ADDED_COLUMNS:
        connection.execute(f"ALTER TABLE messages ADD COLUMN {column}")
    for topic in (
        TABLES,
        derived.TABLES,
        foreign.TABLES,
        message_index.TABLES,
        phrase_index.TABLES,
        runs.TABLES,
        counters.TABLES,
        people_index.TABLES,
        link_index.TABLES,
        topic_index.TABLES,
        words_index.TABLES,
        merging.MERGED,
        audit.TABLES,
    ):
        _run(connection, topic)
    if adopting:
        terrarium_irc.convert(connection, settings, within(report, 0, _CONVERTING))
    indexes += _statements(INDEXES)
    for number, sql in enumerate(indexes, 1):
        connection.execute(sql)
        report(_CONVERTING + (1 - _CONVERTING) * number / len(indexes))


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Execute a script inside the transaction (executescript would commit it)."""
    for statement in _statements(script):
        connection.execute(statement)


def _statements(script: str) -> list[str]:
    """The statements of a script, one by one."""
    found = [""]
    for line in script.splitlines(keepends=True):
        found[-1] += line
        if sqlite3.complete_statement(found[-1]):
            found.append("")
    return found[:-1]
