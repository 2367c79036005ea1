"""Genuine logs of five programs in the same channels on the same days, and what was truly said.

tests/samples/logs/truth.log holds what each client sent to the server, in order.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from terrarium_mcp.chat.irctext import action
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.files import LogFile, lines_of
from terrarium_mcp.logformats.log_reader import DatedEvent, LogItem, RejectedLine
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.planning import ImportContext, PlannedLog, planned
from terrarium_mcp.logformats.recognition import fitting

LOGS = Path(__file__).parents[1] / "samples" / "logs"
BERLIN = ZoneInfo("Europe/Berlin")
PROGRAMS = ("weechat", "irssi", "znc", "hexchat", "limnoria")

_SENT = re.compile(rb"\d+\.\d+ (\S+) >> (PRIVMSG|NOTICE|NICK) (\S+)(?: :(.*))?\Z", re.DOTALL)


@dataclass(frozen=True)
class Said:
    """A line of speech: who, how, and what, without codes and what a program may have lost."""

    nick: str
    kind: MessageType
    text: str


def truth(channel: str) -> list[Said]:
    """What people said in a channel, in order."""
    nicks: dict[str, str] = {}
    said = []
    for line in (LOGS / "truth.log").read_bytes().split(b"\n"):
        if not (match := _SENT.match(line)):
            continue
        who, command, target, raw = match.groups()
        person = who.decode()
        if command == b"NICK":
            nicks[person] = target.decode()
        elif target.decode() == channel:
            text = (raw or b"").decode("utf-8", "replace")
            done = action(text)
            kind = MessageType(command.decode()) if done is None else MessageType.ACTION
            said.append(Said(nicks[person], kind, bare(text if done is None else done)))
    return said


def bare(text: str) -> str:
    """A text without what some program loses: formatting, bytes that are not UTF-8, blanks."""
    letters = re.sub(r"\x03\d{0,2}(,\d{1,2})?|[^\x20-\x7e]|f?f?0000(?=hex)", "", text)
    return " ".join(letters.split())


def logs_of(program: str, scratch: Path) -> Iterator[PlannedLog]:
    """The logs of a program, as an import plans them."""
    for file in log_files([str(LOGS / program)], scratch):
        assert isinstance(file, LogFile), file
        head, choices = heads(file), Choices(network="labnet", zone=BERLIN)
        yield planned(file, head, fitting(file, head, choices), ImportContext(choices))


def heads(file: LogFile) -> list[bytes]:
    """The first lines of a file."""
    with file.opened() as stream:
        return list(lines_of(stream))[:300]


def items(log: PlannedLog) -> list[LogItem]:
    """Everything that is read of a log."""
    with log.file.opened() as stream:
        return list(log.reader().read(lines_of(stream)))


def speech(read: Sequence[LogItem]) -> list[Said]:
    """The speech among what was read."""
    return [
        Said(one.event.nick, one.event.kind, bare(one.event.text))
        for one in read
        if isinstance(one, DatedEvent) and one.event.kind in SPEECH
    ]


def rejected(read: Sequence[LogItem]) -> list[RejectedLine]:
    """The lines that could not be read."""
    return [one for one in read if isinstance(one, RejectedLine)]
