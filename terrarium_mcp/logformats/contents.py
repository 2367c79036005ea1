"""What an import reads, whether of a text log or of a database: the messages of one room."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, timedelta, tzinfo
from functools import partial
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.databases.database_format import (
    DatabaseFormat,
    StoredRoom,
    open_readonly,
)
from terrarium_mcp.logformats.files import LogFile, UnusableFile, lines_of
from terrarium_mcp.logformats.formats import DATABASE_FORMATS
from terrarium_mcp.logformats.log_reader import DatedEvent, LineCounts, LogItem
from terrarium_mcp.logformats.planning import (
    NO_NETWORK,
    NO_ZONE,
    Choices,
    PlannedLog,
    UndecidedLog,
)


class ReadLog(NamedTuple):
    """A log while it is read: its items, and what became of its lines so far."""

    items: Iterator[LogItem]
    counts: LineCounts


@dataclass(frozen=True, slots=True)
class LogContent:
    """The messages of one room, or of a private chat, in one file.

    Attributes:
        file: the file.
        format: the name of its format.
        program: the program that wrote it, for people to read.
        network: the network.
        target: a channel, or a person; "" for a window in which the client talks about itself.
        zone: the name of the time zone in which its times are read.
        resolution: of its stamps.
        is_spelt: whether the target is spelt in the log, or else only in the name of the file.
        is_by_day: whether the file is one of many, each of a day.
        lines: about how many lines it has, 0 if that is not known.
        read: opens it, from its beginning.
    """

    file: LogFile
    format: str
    program: str
    network: str
    target: str
    zone: str
    resolution: timedelta
    is_spelt: bool
    is_by_day: bool
    lines: int
    read: Callable[[], AbstractContextManager[ReadLog]]

    @property
    def is_private(self) -> bool:
        """Whether it is a private conversation."""
        return bool(self.target) and not is_channel(self.target)

    def placed(self, message: NewMessage) -> NewMessage:
        """A message of this content in its room; the channel as the message spells it."""
        is_here = fold(message.channel) == fold(self.target)
        channel = message.channel if is_here else self.target
        return replace(message, network=self.network, channel=channel)


class UnknownDatabase(TerrariumError):
    """A database of SQLite that is of no program whose databases are read."""

    def __init__(self, path: str) -> None:
        known = ", ".join(sorted(one.program for one in DATABASE_FORMATS))
        super().__init__(f"{path}: a database of an unknown program. Known: {known}.")


def content_of_text(log: PlannedLog) -> LogContent:
    """The content of a text log."""
    return LogContent(
        file=log.file,
        format=log.format.name,
        program=log.format.program,
        network=log.network,
        target=log.target,
        zone=str(log.zone),
        resolution=log.resolution,
        is_spelt=log.is_spelt,
        is_by_day=log.day is not None,
        lines=int(log.file.stored.stat().st_size / log.bytes_per_line),
        read=partial(_read_text, log),
    )


def contents_of_database(file: LogFile, choices: Choices) -> Sequence[LogContent]:
    """The contents of a database, one for each room.

    Raises:
        UnknownDatabase: it is of no known program.
        UndecidedLog: it does not name its network, and no option does.
        UnusableFile: it cannot be read.
    """
    try:
        with closing(open_readonly(file.stored)) as connection:
            fitting = [one for one in DATABASE_FORMATS if one.fits(connection)]
            if not fitting:
                raise UnknownDatabase(file.path)
            rooms = fitting[0].rooms(connection, file.stored)
    except sqlite3.Error as error:
        raise UnusableFile(f"{file.path}: {error}") from error
    if any(not (choices.network or room.network) for room in rooms):
        raise UndecidedLog(file.path, NO_NETWORK)
    if fitting[0].is_local and not choices.zone:
        raise UndecidedLog(file.path, NO_ZONE)
    return [_of_room(file, fitting[0], room, choices) for room in rooms]


def _of_room(file: LogFile, form: DatabaseFormat, room: StoredRoom, choices: Choices) -> LogContent:
    zone = choices.zone if form.is_local and choices.zone else UTC
    return LogContent(
        file=file,
        format=form.name,
        program=form.program,
        network=choices.network or room.network,
        target=choices.renamed.get(fold(room.target), room.target),
        zone=str(zone),
        resolution=timedelta(milliseconds=1),
        is_spelt=True,
        is_by_day=False,
        lines=0,
        read=partial(_read_rows, file, form, room, zone),
    )


@contextmanager
def _read_text(log: PlannedLog) -> Iterator[ReadLog]:
    reader = log.reader()
    with log.file.opened() as stream:
        yield ReadLog(reader.read(lines_of(stream)), reader.counts)


@contextmanager
def _read_rows(
    file: LogFile, form: DatabaseFormat, room: StoredRoom, zone: tzinfo
) -> Iterator[ReadLog]:
    counts = LineCounts()
    with closing(open_readonly(file.stored)) as connection:
        yield ReadLog(_counted(form.read(connection, room, zone), counts), counts)


def _counted(rows: Iterator[DatedEvent | None], counts: LineCounts) -> Iterator[LogItem]:
    for row in rows:
        counts.lines += 1
        if row is None:
            counts.chatter += 1
        else:
            counts.messages += 1
            yield row
