"""A database in the form of terrarium-irc, the bot that came before, with invented lines.

What is faithful is the form: which part wrote which time format, private messages among the
channels, CTCP kept raw, notices stored as PRIVMSG, one QUIT row for each channel, NULLs, dialogue
turns as JSON. Its clock ran in America/New_York, and the night of 2025-11-02 is in it.
"""

import json
import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/New_York")
BOT = "Terra"
FOREIGN_TABLES = (
    "channels",
    "users",
    "conversation_history",
    "conversation_summaries",
    "channel_users",
)
OWN_INDEXES = (
    "idx_messages_channel_timestamp",
    "idx_messages_timestamp",
    "idx_messages_nick",
    "idx_messages_type",
)
Row = tuple[str | None, ...]
"""timestamp, channel, nick, user, host, message, message_type"""

SCHEMA = """
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
    channel TEXT, nick TEXT, user TEXT, host TEXT, message TEXT,
    message_type TEXT DEFAULT 'PRIVMSG'
);
CREATE TABLE channels (
    name TEXT PRIMARY KEY,
    joined_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    message_count INTEGER DEFAULT 0
);
CREATE TABLE users (
    nick TEXT PRIMARY KEY, user TEXT, host TEXT,
    first_seen DATETIME DEFAULT CURRENT_TIMESTAMP,
    last_seen DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE conversation_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
    role TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE TABLE conversation_summaries (
    channel TEXT PRIMARY KEY,
    summary TEXT NOT NULL,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE channel_users (
    channel TEXT NOT NULL,
    nick TEXT NOT NULL,
    joined_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (channel, nick)
);
CREATE INDEX idx_messages_channel_timestamp ON messages(channel, timestamp DESC);
CREATE INDEX idx_messages_timestamp ON messages(timestamp DESC);
CREATE INDEX idx_messages_nick ON messages(nick);
CREATE INDEX idx_messages_type ON messages(message_type);
CREATE INDEX idx_conversation_channel_timestamp ON conversation_history(channel, timestamp ASC);
"""

INSERT = (
    "INSERT INTO messages (timestamp, channel, nick, user, host, message, message_type)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)

_WORDS = """
kettle green oolong the cup is cold again who moved my teapot see
https://example.org/leaves?id=3 now and then with milk
""".split()  # noqa: SIM905 -- words read better than a list


def local(moment: datetime) -> str:
    """A time as `datetime.now()` of that machine went into the file."""
    return moment.astimezone(ZONE).replace(tzinfo=None).isoformat(" ")


def utc(moment: datetime) -> str:
    """A time as SQLite's CURRENT_TIMESTAMP writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def said(count: int, began: datetime = datetime(2025, 11, 1, 22, tzinfo=UTC)) -> Iterator[Row]:
    """The first `count` rows of an invented history; the same ones every time."""
    chance, now = random.Random(1105), began  # noqa: S311 -- the same lines every time
    for _ in range(count):
        now += timedelta(
            seconds=chance.uniform(5, 900) if count < 1000 else chance.uniform(0.2, 20),
            microseconds=chance.randrange(1, 1_000_000),
        )
        yield _row(chance, now)


def _row(chance: random.Random, now: datetime) -> Row:
    nick = chance.choice(["ada", "bo", "Cy^", "dot|away"])
    channel = chance.choice(["#terrarium", "#terrarium", "#Dev"])
    text, kind = " ".join(chance.choices(_WORDS, k=chance.randint(1, 14))), "PRIVMSG"
    match chance.randrange(40):
        case 0:
            kind, text = "JOIN", ""
        case 1:
            kind, text = "PART", "off to bed"
        case 2:
            kind, text = "QUIT", "Ping timeout"
        case 3:
            kind, text = "NICK", nick + "_"
        case 4:
            text = "\x01ACTION pours\x01"
        case 5:
            channel, text = BOT, "between the two of us"
        case 6:
            nick, text = "ChanServ", "a notice, kept as speech"
        case 7:
            text = "\x0304hot\x0f and caf\u00e9 and \u65e5\u672c\u8a9e"
        case 8:
            text = "\x01VERSION\x01"
    return (local(now), channel, nick, "~" + nick[:3], "host.example", text, kind)


def make(path: Path, rows: Iterable[Row] | int) -> Path:
    """Make such a database at `path`, out of the given rows or of as many invented ones."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SCHEMA)
        db.executemany(INSERT, said(rows) if isinstance(rows, int) else rows)
        _fill_the_other_tables(db)
    return path


def _fill_the_other_tables(db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO channels (name, message_count)"
        " SELECT channel, count(*) FROM messages WHERE channel NOT NULL GROUP BY channel"
    )
    db.execute(
        "INSERT INTO users (nick, user, host)"
        " SELECT nick, max(user), max(host) FROM messages WHERE nick NOT NULL GROUP BY nick"
    )
    db.executemany(
        "INSERT INTO channel_users (channel, nick) VALUES ('#terrarium', ?)",
        [("ada",), ("bo",), (BOT,)],
    )
    call = {"function": {"name": "search_chat_logs", "arguments": '{"query": "teapot"}'}}
    asked = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", **call}]}
    found = {"role": "tool", "tool_call_id": "call_1", "content": "<tool_result>[]</tool_result>"}
    db.executemany(
        "INSERT INTO conversation_history (channel, role, content) VALUES ('#terrarium', ?, ?)",
        [
            ("user", "ada: who moved it?"),
            ("assistant", json.dumps(asked)),
            ("tool", json.dumps(found)),
            ("assistant", "<think>hm</think>Bo did."),
        ],
    )
    db.execute("INSERT INTO conversation_summaries (channel, summary) VALUES ('#terrarium', 'tea')")
