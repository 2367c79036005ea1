"""The values that flow through every room: a line that was heard, a message that is remembered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from terrarium_mcp.chat.when import Position, to_text


class Kind(StrEnum):
    """What a row of `messages` is: the commands of RFC 2812 3, and ACTION for CTCP's /me."""

    PRIVMSG = "PRIVMSG"
    NOTICE = "NOTICE"
    ACTION = "ACTION"
    JOIN = "JOIN"
    PART = "PART"
    QUIT = "QUIT"
    NICK = "NICK"
    KICK = "KICK"
    MODE = "MODE"
    TOPIC = "TOPIC"

    @classmethod
    def of(cls, stored: str | None) -> "Kind":
        """The kind of a stored row; what other programs left empty or misspelt counts as speech."""
        return cls.__members__.get((stored or "").upper(), cls.PRIVMSG)


SPEECH = (Kind.PRIVMSG, Kind.NOTICE, Kind.ACTION)
"""What people say; everything else is an event."""


class Origin(StrEnum):
    """How a line came to us."""

    LIVE = "live"
    PLAYBACK = "playback"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A line as the recorder hands it to the store.

    `said_at` is the aware moment the line counts for; `server_time` the raw IRCv3 server-time, kept
    where it differs. `user` and `host` are evidence of identity and never leave the store.
    """

    network: str
    channel: str
    nick: str
    text: str
    said_at: datetime
    kind: Kind = Kind.PRIVMSG
    user: str = ""
    host: str = ""
    account: str = ""
    msgid: str = ""
    reply_to: str = ""
    server_time: str = ""
    origin: Origin = Origin.LIVE
    relayed_by: str = ""
    own: bool = False
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """A network's channel. `id` is the column `room`; `channel` the spelling the network uses."""

    id: int
    network: str
    channel: str

    @property
    def label(self) -> str:
        """The room's full name where several networks are recorded: `libera/#chan`."""
        return f"{self.network}/{self.channel}"


class Message(NamedTuple):
    """A remembered line, as much of it as anybody may be shown.

    Pages have hundreds of these, and a frozen dataclass takes four times as long to make.
    """

    id: int
    room: Room
    said_at: datetime
    nick: str
    text: str
    kind: Kind
    account: str = ""
    own: bool = False
    removed: bool = False

    @property
    def position(self) -> Position:
        """Where the line stands in the order of all lines."""
        return Position(to_text(self.said_at), self.id)


@dataclass(frozen=True, slots=True)
class Page:
    """Some messages, and whether the same question has more of them before or after."""

    messages: Sequence[Message]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Present:
    """Somebody who is in a channel: rank as in PREFIX of RPL_ISUPPORT (`@`, `+` ...)."""

    nick: str
    rank: str = ""
    away: bool = False
    account: str = ""
    since: datetime | None = None
