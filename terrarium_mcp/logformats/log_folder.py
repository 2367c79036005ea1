"""Exports as a folder of logs: a file for each channel, or for each channel and day."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from terrarium_mcp.chat.records import Room
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.exporting import (
    LAYOUTS,
    Export,
    NothingToExport,
    ReportExported,
    dated_events,
    visible_pages,
)
from terrarium_mcp.logformats.layout import LogLayout
from terrarium_mcp.store import Store
from terrarium_mcp.wording import shown


async def export_folder(
    store: Store, export: Export, folder: Path, report: ReportExported = lambda _: None
) -> int:
    """Write the logs of a program into an empty folder; returns the number of messages.

    Raises:
        NothingToExport: no message matches.
        TerrariumError: two channels would have the same file.
        OSError: a file cannot be written.
        StoreFailed: the database cannot be read.
    """
    layout = LAYOUTS[export.form]
    _require_different_files(layout, export.search.rooms)
    total = 0
    with _LogFiles(folder) as files:
        for room in export.search.rooms:
            async for page in visible_pages(store, _of_room(export, room)):
                for at, event in dated_events(page, export):
                    path = layout.file(room.network, room.channel, at)
                    files.write(path, layout.lines(at, event, files.last_in(path)), at)
                total += len(page)
                report(total)
    if not total:
        raise NothingToExport
    return total


def _of_room(export: Export, room: Room) -> Export:
    return replace(export, search=replace(export.search, rooms=(room,)))


def _require_different_files(layout: LogLayout, rooms: Iterable[Room]) -> None:
    """Check that no two channels would be written into one file.

    Raises:
        TerrariumError: two would.
    """
    taken: dict[PurePosixPath, Room] = {}
    for room in rooms:
        path = layout.file(room.network, room.channel, datetime(2000, 1, 1, tzinfo=UTC))
        if other := taken.get(path):
            raise TerrariumError(
                f"{shown(other.label)} and {shown(room.label)} have the same file in the layout of"
                f" {layout.name}, {path}. Export them one after the other, with --channel, into"
                " different folders."
            )
        taken[path] = room


class _LogFiles(ExitStack):
    """The files of a folder, of which one is open at a time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._path: PurePosixPath | None = None
        self._stream: IO[str] | None = None
        self._last: datetime | None = None

    def last_in(self, path: PurePosixPath) -> datetime | None:
        """The moment of the last message written to a file; None for a new one."""
        return self._last if path == self._path else None

    def write(self, path: PurePosixPath, lines: Sequence[str], at: datetime) -> None:
        """Append the lines of a message, said at a moment, to a file of the folder."""
        if path != self._path or self._stream is None:
            self._stream = self._opened(self._folder / path)
        self._path, self._last = path, at
        self._stream.writelines(f"{line}\n" for line in lines)

    def _opened(self, file: Path) -> IO[str]:
        self.close()
        file.parent.mkdir(parents=True, exist_ok=True)
        # Appended: where clocks go back at midnight, a day that has a file already comes again.
        return self.enter_context(file.open("a", encoding="utf-8", newline=""))
