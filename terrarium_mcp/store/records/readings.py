"""What is read of the history besides messages: conversations, digests, links."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.times.timestamps import Position

if TYPE_CHECKING:  # types only: the package is loaded when a conversation is read
    from terrarium_mcp.chat.digest import Digest
    from terrarium_mcp.chat.disentanglement import ReplyLink


class Conversation(NamedTuple):
    """The lines that belong to a message, oldest first, the message included.

    `links` gives for each of them the line it answers; a line from outside the window, reached by
    a reply tag, has none. `left_out` are the ids of lines that may belong to it too, but are far
    from the message and doubtful; `beyond` counts lines beyond the number asked for. `between`
    counts other lines between the first and the last, `looked_at` all lines that were compared.
    `may_begin_before` and `may_go_on_after` are the ids of its first and last line, where it comes
    so near to an edge of what was compared that it may have other lines beyond.
    """

    message: Message
    messages: Sequence[Message]
    links: Sequence["ReplyLink"] = ()
    left_out: Sequence[int] = ()
    beyond: int = 0
    between: int = 0
    looked_at: int = 1
    may_begin_before: int | None = None
    may_go_on_after: int | None = None


class RecentDigest(NamedTuple):
    """The digest of a time. `reached`: it was read only from here on; None if it was read whole."""

    digest: "Digest"
    reached: Position | None = None


class Link(NamedTuple):
    """A URL, the newest message that contains it, and the number of messages that do."""

    url: str
    message: Message
    times: int


class KnownLine(NamedTuple):
    """The newest line of a room, as the network knows it: where to go on after an absence.

    `said_at` is the server's own time where it gave one. `nick` and `text` are those of speech that
    has no msgid.
    """

    said_at: datetime
    msgid: str = ""
    nick: str = ""
    text: str = ""
