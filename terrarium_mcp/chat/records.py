"""The values that all layers exchange: a message to be recorded, a message of the record."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING
from terrarium_mcp.chat.times.timestamps import Position, from_iso, to_text


class MessageType(StrEnum):
    """The type of a message: commands of RFC 2812 3, and ACTION for CTCP's /me."""

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
    def parse(cls, stored: str | None) -> "MessageType":
        """The type in a stored row. An empty or unknown one (of another program) is speech."""
        return cls.__members__.get((stored or "").upper(), cls.PRIVMSG)


SPEECH = (MessageType.PRIVMSG, MessageType.NOTICE, MessageType.ACTION)
"""Messages that people say; all others are events."""


class Origin(StrEnum):
    """How a message reached this program."""

    LIVE = "live"
    PLAYBACK = "playback"
    IMPORT = "import"


class NewMessage(NamedTuple):
    """A message as the recorder passes it to the store.

    `said_at` is the aware moment under which it is stored. `server_time` is the raw IRCv3
    server-time, kept where it differs. `user` and `host` are evidence of identity and never leave
    the store. `repeat` is for playback: how many equal lines of the same second preceded this one
    in the same replay, since people do say "hi" twice.

    A tuple, as `Message` below: an import makes one of every line.
    """

    network: str
    channel: str
    nick: str
    text: str
    said_at: datetime
    kind: MessageType = MessageType.PRIVMSG
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
    repeat: int = 0

    @property
    def server_second(self) -> str:
        """The second in which its server has it, as text: equal for all copies of a message."""
        moment = self.said_at
        if self.server_time:
            with suppress(ValueError):  # not one that can be read
                moment = from_iso(self.server_time)
        return to_text(moment)[:19]


class Room(NamedTuple):
    """A network's channel.

    `id` is the column `room`; `channel` the spelling the network uses; `casemapping` how its names
    compare.
    """

    id: int
    network: str
    channel: str
    casemapping: str = DEFAULT_CASEMAPPING

    @property
    def label(self) -> str:
        """The room's full name where several networks are recorded: `libera/#chan`."""
        return f"{self.network}/{self.channel}"


def networks_of(rooms: Iterable[Room]) -> list[str]:
    """The networks of rooms, each once, in the order of the rooms."""
    return list(dict.fromkeys(room.network for room in rooms))


class Message(NamedTuple):
    """A recorded message, without what never leaves the store.

    `nick` is who says it. If a relay carried it from another network, that is a name which a
    stranger chose there, and `via` is the nick of the relay.

    A tuple, because pages have hundreds of these and a frozen dataclass takes four times as long to
    create.
    """

    id: int
    room: Room
    said_at: datetime
    nick: str
    text: str
    kind: MessageType
    account: str = ""
    own: bool = False
    removed: bool = False
    via: str = ""
    is_command: bool = False

    @property
    def is_aside(self) -> bool:
        """Whether it is no evidence: the bot said it, or it is a command to the bot."""
        return self.own or self.is_command

    @property
    def position(self) -> Position:
        """Its position in the order of all messages."""
        return Position(to_text(self.said_at), self.id)


class Page(NamedTuple):
    """Some messages, and whether the same request has `more` of them before or after."""

    messages: Sequence[Message]
    more: bool = False


class Member(NamedTuple):
    """A member of a channel. `rank` is a prefix as in PREFIX of RPL_ISUPPORT (`@`, `+` ...).

    `user` and `host` show who opted out; they are not stored.
    """

    nick: str
    rank: str = ""
    away: bool = False
    account: str = ""
    since: datetime | None = None
    user: str = ""
    host: str = ""
