"""What an import reads of a file: the messages of one room."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.logformats.dated_paths import without_dates
from terrarium_mcp.logformats.files import FileReading, LogFile
from terrarium_mcp.logformats.log_origin import LogOrigin
from terrarium_mcp.logformats.log_reader import LineCounts, LogItem
from terrarium_mcp.logformats.planning import PlannedLog


class ReadLog(NamedTuple):
    """A log while it is read: its items, and what became of its lines so far.

    `reading` is that of its file, None of a database or an export, of which no part is a file.
    """

    items: Iterator[LogItem]
    counts: LineCounts
    reading: FileReading | None = None


@dataclass(frozen=True, slots=True)
class LogContent:
    """The messages of one room, or of a private chat, in one file.

    Attributes:
        file: the file.
        format: the name of its format.
        program: the program that wrote it, for people to read.
        origin: where it belongs by its path, or by its database, whatever the options say.
        network: the network.
        target: a channel, or a person; "" for a window in which the client talks about itself.
        zone: the name of the time zone in which its times are read, as a LogSource has it.
        resolution: of its stamps.
        is_spelt: whether the target is spelt in the log, or else only in the name of the file.
        series: if the file is one of many, each of a day, the path that all have in common; else
            empty.
        lines: about how many lines it has, 0 if that is not known.
        read: opens it, from its beginning.
        happens_in: the channels that the lines of a log name whose path names none; they are looked
            for only if an option names its channel.
    """

    file: LogFile
    format: str
    program: str
    origin: LogOrigin
    network: str
    target: str
    zone: str
    resolution: timedelta
    is_spelt: bool
    series: str
    lines: int
    read: Callable[[], AbstractContextManager[ReadLog]]
    happens_in: frozenset[str] = frozenset()

    @property
    def is_private(self) -> bool:
        """Whether it is a private conversation."""
        return bool(self.target) and not is_channel(self.target)

    @property
    def is_by_day(self) -> bool:
        """Whether the file is one of many, each of a day."""
        return bool(self.series)

    def placed(self, message: NewMessage) -> NewMessage:
        """A message of this content in its room; the channel as the message spells it."""
        is_here = fold(message.channel) == fold(self.target)
        channel = message.channel if is_here else self.target
        return message._replace(network=self.network, channel=channel)


def content_of_text(log: PlannedLog) -> LogContent:
    """The content of a text log."""
    return LogContent(
        file=log.file,
        format=log.format.name,
        program=log.format.program,
        origin=log.origin,
        network=log.network,
        target=log.target,
        zone=log.zone_name,
        resolution=log.resolution,
        is_spelt=log.is_spelt,
        series=without_dates(log.file.path).path if log.origin.day else "",
        lines=int(log.file.size / log.bytes_per_line),
        read=partial(_read_text, log),
        happens_in=log.happens_in,
    )


@contextmanager
def _read_text(log: PlannedLog) -> Iterator[ReadLog]:
    reader = log.reader()
    with log.file.opened() as stream:
        reading = FileReading(log.file, stream)
        yield ReadLog(reader.read(log.lines(reading.lines())), reader.counts, reading)
