"""The history as values, row by row as it is stored: what an export reads and a restoration writes.

These are the only records that hold `user` and `host`: they go into files of the owner, and nowhere
else. Text may be None, as any column of an adopted database may be. Times are UTC text as in the
column `timestamp`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from terrarium_mcp.errors import TerrariumError


class ArchivedRoom(NamedTuple):
    """A room: its number in the database, and the CASEMAPPING of its network."""

    id: int
    network: str
    channel: str
    casemapping: str


class ArchivedSpan(NamedTuple):
    """A time in which a room was recorded, by the other program `source` unless that is ""."""

    id: int
    network: str
    channel: str
    began: str
    alive: str
    ended: str | None
    why_began: str
    why_ended: str | None
    source: str


class ArchivedMessage(NamedTuple):
    """A message with all that is stored of it; `message` is its text.

    `channel` is spelt as it was sent. `own` and `bot` are 0, 1, or None where it is not known.
    A tuple, because an export makes millions of them.
    """

    id: int
    timestamp: str
    network: str | None
    channel: str | None
    nick: str | None
    user: str | None
    host: str | None
    message: str | None
    message_type: str | None
    account: str | None = None
    msgid: str | None = None
    reply_to: str | None = None
    server_time: str | None = None
    origin: str | None = None
    relayed_by: str | None = None
    own: int | None = 0
    bot: int | None = 0
    redacted_at: str | None = None


class ArchivedPrivateMessage(NamedTuple):
    """A message to one person, `target`."""

    id: int
    timestamp: str
    network: str
    target: str
    nick: str | None
    user: str | None
    host: str | None
    account: str | None
    message: str | None
    message_type: str | None
    own: int | None = 0


ArchiveRecord = ArchivedRoom | ArchivedSpan | ArchivedMessage | ArchivedPrivateMessage


@dataclass(frozen=True, slots=True)
class RestoredTotals:
    """How many rows a restoration wrote; `known` messages were there from an interrupted one."""

    messages: int = 0
    known: int = 0
    spans: int = 0
    private: int = 0


class NotRestorable(TerrariumError):
    """The database holds other messages, or the records contradict each other."""
