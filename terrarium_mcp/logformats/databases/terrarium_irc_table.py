"""A database with terrarium-irc's table alone: written, and adopted again by `terrarium-mcp serve`.

terrarium-irc stores local time with a fraction and no zone, and /me as it was sent.
"""

import sqlite3
from collections.abc import Iterable
from datetime import tzinfo
from pathlib import Path
from types import TracebackType
from typing import Self

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import from_text, local
from terrarium_mcp.store import ArchivedMessage

_TABLE = """
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
  channel TEXT,
  nick TEXT,
  user TEXT,
  host TEXT,
  message TEXT,
  message_type TEXT DEFAULT 'PRIVMSG'
);
CREATE INDEX idx_messages_channel_timestamp ON messages (channel, timestamp DESC);
"""

_INSERT = """
INSERT INTO messages (timestamp, channel, nick, user, host, message, message_type)
VALUES (?, ?, ?, ?, ?, ?, ?)"""


class TerrariumIrcDatabase:
    """A new database that messages are added to, oldest first; they are numbered from 1.

    Where clocks go back, terrarium-irc's times are ambiguous, and the numbers show the order.
    """

    def __init__(self, path: Path, zone: tzinfo, *, with_hosts: bool) -> None:
        """Make the table.

        Args:
            path: an empty file.
            zone: the zone in which terrarium-irc runs.
            with_hosts: whether user and host are written.

        Raises:
            OSError: the file cannot be written.
        """
        self._zone = zone
        self._with_hosts = with_hosts
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA synchronous=OFF")  # a part of it is never used
        self._connection.executescript(_TABLE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        self._connection.close()

    def add(self, messages: Iterable[ArchivedMessage]) -> None:
        """Add messages.

        Raises:
            OSError: the file cannot be written; the disk may be full.
        """
        self._connection.execute("BEGIN")
        try:
            self._connection.executemany(_INSERT, map(self._row, messages))
            self._connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from error

    def _row(self, message: ArchivedMessage) -> tuple[str | None, ...]:
        said_at = local(from_text(message.timestamp), self._zone)
        kind, text = message.message_type, message.message
        if kind == MessageType.ACTION:
            kind, text = MessageType.PRIVMSG.value, f"\x01ACTION {text}\x01"
        return (
            said_at.replace(tzinfo=None).isoformat(" ", "microseconds"),
            message.channel,
            message.nick,
            message.user if self._with_hosts else None,
            message.host if self._with_hosts else None,
            text,
            kind,
        )
