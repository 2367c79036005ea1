"""How a program lays out its logs, as data: which file a message goes into, and as which lines.

The writers stand beside the readers, in `text/`. What they write is read back as it was, but for
what the format has no room for (docs/exporting.md).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.logformats.entries import LogEvent

_LINE_BREAK = re.compile(r"\r\n|[\r\n]")
_NOT_IN_A_NICK = re.compile(r"[\s<>\x00-\x1f]")
_NOT_IN_A_USER_HOST = re.compile(r"[\s@()<>\[\]\x00-\x1f]")
_NOT_IN_A_FILE_NAME = re.compile(r"[\x00-\x1f\x7f]")

WriteLines = Callable[[datetime, LogEvent, datetime | None], Sequence[str]]
"""The lines for a message: of its moment in the zone of the log, the message, and the moment of the
message before it in the same file, None for the first."""

NameFile = Callable[[str, str, datetime], PurePosixPath]
"""The file of a message: of a network, a channel, and its moment in the zone of the log."""


@dataclass(frozen=True)
class LogLayout:
    """A program's layout of its logs.

    Attributes:
        name: as the option `--format` takes it; that of the `TextFormat` that reads it.
        lines: what is written for a message.
        file: where it is written.
    """

    name: str
    lines: WriteLines
    file: NameFile


def on_one_line(text: str) -> str:
    """A text without line breaks, which no IRC server lets through: another program stored them."""
    return _LINE_BREAK.sub(" ", text)


def writable_nick(nick: str) -> str:
    """A nick as the readers recognise one; what cannot be in a nick becomes `_`."""
    return _NOT_IN_A_NICK.sub("_", nick) or "_"


def user_host(event: LogEvent) -> str:
    """The user@host of a message; `@` where it is not exported."""
    user, host = (_NOT_IN_A_USER_HOST.sub("_", part) for part in (event.user, event.host))
    return f"{user}@{host}"


def kicked(event: LogEvent) -> tuple[str, str]:
    """Who a KICK removes, and the reason."""
    target, _, reason = event.text.partition(" ")
    return writable_nick(target), on_one_line(reason)


def file_name(name: str, *, slash: str) -> str:
    """The name of a network or channel in the name of a file: `slash` replaces a `/`.

    Only ASCII letters become lower case: to IRC, the case of all others makes another name.
    """
    safe = _NOT_IN_A_FILE_NAME.sub("_", fold(name, "ascii").replace("/", slash))
    return safe.replace(".", "_", 1) if safe.startswith(".") else safe
