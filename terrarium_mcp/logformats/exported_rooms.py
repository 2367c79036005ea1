"""An export as JSON Lines, merged into a history that has messages already: one room at a time.

Its messages are in the order of time, whatever their rooms, and an import reads room by room. So
they are first split into a file for each. (Into an empty database an export is restored whole.)
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import IO

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent, ReadLog
from terrarium_mcp.logformats.files import LogFile, UnusableFile
from terrarium_mcp.logformats.jsonl import (
    LONGEST_RECORD,
    NotJsonLines,
    as_new_message,
    jsonl_line,
    message_in,
    read_jsonl,
)
from terrarium_mcp.logformats.log_origin import LogOrigin
from terrarium_mcp.logformats.log_reader import LineCounts, LogItem
from terrarium_mcp.store import ArchivedMessage, ArchivedRoom, ArchivedSpan, ArchiveRecord

PROGRAM = "terrarium-mcp"

_MOST_OPEN = 200
"""Files that are written at once; of an export with more rooms the rest waits for another pass."""


@contextmanager
def export_records(file: LogFile) -> Iterator[Iterator[ArchiveRecord]]:
    """The records of an export, which are read as they are taken.

    Raises:
        UnusableFile: the file cannot be read, a line is damaged, or lines are missing.
    """
    with file.opened() as stream:  # which names the file in whatever fails
        try:
            yield read_jsonl(_lines(stream))
        except NotJsonLines as error:
            raise UnusableFile(str(error)) from error


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream; the beginning of one that is too long, which ends the reading."""
    while line := stream.readline(LONGEST_RECORD + 1):
        yield line


def contents_of_export(file: LogFile, choices: Choices, scratch: Path) -> Sequence[LogContent]:
    """The contents of an export, one for each room; its private messages are not among them.

    `scratch` is a folder for the files of the rooms.

    Raises:
        UnusableFile: the file cannot be read, a line is damaged, or lines are missing.
    """
    with export_records(file) as records:
        head = takewhile(lambda one: isinstance(one, ArchivedRoom | ArchivedSpan), records)
        rooms = [one for one in head if isinstance(one, ArchivedRoom)]
    split = SplitExport(file, rooms, scratch)
    return [
        LogContent(
            file=file,
            format="jsonl",
            program=PROGRAM,
            origin=LogOrigin(room.network, room.channel),
            network=choices.network or room.network,
            target=choices.target(room.channel),
            zone="UTC",
            resolution=timedelta(milliseconds=1),
            is_spelt=True,
            series="",
            lines=0,
            read=partial(split.read, room),
        )
        for room in rooms
    ]


class SplitExport:
    """The messages of an export, in a file for each room. They are split once one is read."""

    def __init__(self, file: LogFile, rooms: Sequence[ArchivedRoom], scratch: Path) -> None:
        self._file = file
        self._numbers = {
            (room.network, fold(room.channel, room.casemapping)): room.id for room in rooms
        }
        self._casemappings = {room.network: room.casemapping for room in rooms}
        self._scratch = scratch
        self._folder: Path | None = None

    @contextmanager
    def read(self, room: ArchivedRoom) -> Iterator[ReadLog]:
        """Read the messages of a room."""
        if self._folder is None:
            self._folder = self._split()
        counts = LineCounts()
        with (self._folder / str(room.id)).open("rb") as stream:
            yield ReadLog(_messages(stream, counts), counts)

    def _split(self) -> Path:
        folder = Path(tempfile.mkdtemp(dir=self._scratch))
        numbers = list(self._numbers.values())
        for at in range(0, len(numbers), _MOST_OPEN):
            wanted = numbers[at : at + _MOST_OPEN]
            with ExitStack() as stack, export_records(self._file) as records:
                files = {
                    number: stack.enter_context((folder / str(number)).open("wb"))
                    for number in wanted
                }
                for record in records:
                    if isinstance(record, ArchivedMessage) and (
                        written := files.get(self._room_of(record))
                    ):
                        written.write(jsonl_line(record, with_hosts=True).encode() + b"\n")
        return folder

    def _room_of(self, message: ArchivedMessage) -> int:
        network = message.network or ""
        casemapping = self._casemappings.get(network, "")
        return self._numbers.get((network, fold(message.channel or "", casemapping)), 0)


def _messages(stream: IO[bytes], counts: LineCounts) -> Iterator[LogItem]:
    for line in stream:
        counts.lines += 1
        message = as_new_message(message_in(line))
        if message is None:  # its text was removed
            counts.empty += 1
            continue
        counts.messages += 1
        yield message
