"""Plain text for people: a line for each message, with its day, time and channel. Pure.

It is only written; `jsonl` and the layouts of programs are read again.
"""

from datetime import datetime

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import LogEvent

_DID = {
    MessageType.JOIN: "joins",
    MessageType.PART: "leaves",
    MessageType.QUIT: "quits",
    MessageType.NICK: "is now",
    MessageType.KICK: "kicks",
    MessageType.MODE: "sets mode",
    MessageType.TOPIC: "sets the topic:",
}


def plain_line(said_at: datetime, room: str, event: LogEvent) -> str:
    """The line of a message: of its moment in the reader's zone, and the name of its room.

    Colour codes, line breaks and all that cannot be seen are removed.
    """
    return harmless(f"{said_at:%Y-%m-%d %H:%M:%S} {room} {_said(event)}")


def _said(event: LogEvent) -> str:
    match event.kind:
        case MessageType.PRIVMSG:
            return f"<{event.nick}> {event.text}"
        case MessageType.ACTION:
            return f"* {event.nick} {event.text}"
        case MessageType.NOTICE:
            return f"-{event.nick}- {event.text}"
    return f"*** {event.nick} {_DID[event.kind]} {event.text}".rstrip()
