"""What an import reads of a program's database: the messages of each of its rooms."""

import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, timedelta, tzinfo
from functools import partial
from itertools import chain

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent, ReadLog
from terrarium_mcp.logformats.databases.database_format import (
    DatabaseFormat,
    ReadRow,
    StoredRoom,
    first_not_a_table,
    has_columns,
    is_database,
    open_readonly,
    stored_rows,
    unplaced_rows,
)
from terrarium_mcp.logformats.databases.database_formats import DATABASE_FORMATS
from terrarium_mcp.logformats.files import LogFile, UnusableFile
from terrarium_mcp.logformats.log_origin import LogOrigin
from terrarium_mcp.logformats.log_reader import DatedEvent, LineCounts, LogItem, RejectedLine
from terrarium_mcp.logformats.planning import NO_NETWORK, NO_ZONE, UndecidedLog, UnplacedLog
from terrarium_mcp.wording import and_more, shown

_OWN_COLUMNS = {
    "messages": frozenset({"message", "room"}),
    "derived": frozenset({"name", "upto"}),
}
"""By which a database of terrarium-mcp is known, of whatever version."""

_SHOWN = 5
"""Networks, and channels of each, that an error names; more are counted."""


class UnknownDatabase(TerrariumError):
    """A database of SQLite that is of no program whose databases are read."""

    def __init__(self, path: str) -> None:
        known = ", ".join(sorted(one.program for one in DATABASE_FORMATS))
        super().__init__(f"{path}: a database of an unknown program. Known: {known}.")


class OwnDatabase(TerrariumError):
    """A database of terrarium-mcp: it has more than the messages that an import would read."""

    def __init__(self, file: LogFile) -> None:
        is_packed = str(file.stored) != file.path
        database = "THE-RESTORED-FILE" if is_packed else shlex.quote(file.path)
        first = "restore it first, and" if is_packed else ""
        super().__init__(
            f"{file.path}: a database of terrarium-mcp itself. terrarium-mcp restore puts a backup"
            f" in place. To merge it into another history,{first and f' {first}'} write it with"
            f" terrarium-mcp export --db {database} --output history.jsonl, and import that."
        )


class NamelessNetworks(TerrariumError):
    """A database has several networks and not all of their names: --network would merge them."""

    def __init__(self, path: str, rooms: Iterable[StoredRoom]) -> None:
        channels: dict[str, list[str]] = {}
        for room in rooms:
            channels.setdefault(room.network or room.network_id, []).append(shown(room.target))
        networks = [f"{shown(one)} ({and_more(its, _SHOWN)})" for one, its in channels.items()]
        super().__init__(
            f"{path}: it has several networks, and does not name them all:"
            f" {and_more(networks, _SHOWN)}. One --network would merge them, so it is not read."
            " The Lounge keeps their names in users/<user>.json: import its logs/<user>.sqlite3"
            " from where that file is."
        )


def _unusable(file: LogFile, error: sqlite3.Error) -> UnusableFile:
    """Why a database cannot be read."""
    code = getattr(error, "sqlite_errorcode", None)  # Python's own errors have none
    if code == sqlite3.SQLITE_INTERRUPT:
        return UnusableFile(f"{file.path}: it has more rows than a file of its size can hold.")
    if code == sqlite3.SQLITE_TOOBIG:
        return UnusableFile(f"{file.path}: it has a name that is longer than any.")
    return UnusableFile(f"{file.path}: {error}")


def _require_unpacked(file: LogFile) -> None:
    """Check that a database is a file of its own: SQLite reads it here and there, not in a row."""
    with file.stored.open("rb") as stored:
        if not is_database(stored.read(100)):
            raise UnusableFile(f"{file.path}: a database in a packed file. Unpack it first.")


def contents_of_database(file: LogFile, choices: Choices) -> Sequence[LogContent]:
    """The contents of a database, one for each room.

    Raises:
        OwnDatabase: it is terrarium-mcp's.
        UnknownDatabase: it is of no known program.
        NamelessNetworks: it does not name its networks, and has several.
        UnplacedLog: it does not name its network, and no option does.
        UndecidedLog: its times are local, and no option names their zone.
        UnusableFile: it cannot be read, or it is packed.
    """
    _require_unpacked(file)
    try:
        with closing(open_readonly(file.stored)) as connection:
            if has_columns(connection, _OWN_COLUMNS):
                raise OwnDatabase(file)
            fitting = [one for one in DATABASE_FORMATS if one.fits(connection)]
            if not fitting:
                raise UnknownDatabase(file.path)
            if name := first_not_a_table(connection, fitting[0].columns):
                raise UnusableFile(
                    f"{file.path}: its {name} is a view or a virtual table. Only tables are read."
                )
            rooms = fitting[0].rooms(connection, file.stored)
            if not rooms and any(unplaced_rows(connection, fitting[0])):
                raise UnusableFile(f"{file.path}: none of its rows names a channel.")
    except sqlite3.Error as error:
        raise _unusable(file, error) from error
    if not all(room.network for room in rooms):
        if len({room.network or room.network_id for room in rooms}) > 1:
            raise NamelessNetworks(file.path, rooms)
        if not choices.network:
            raise UnplacedLog(file.path, NO_NETWORK)
    if fitting[0].is_local and not choices.zone:
        raise UndecidedLog(file.path, NO_ZONE)
    # Rows that are of no room are counted with the first that is imported in any case.
    first = next((room for room in rooms if is_channel(room.target)), None)
    return [
        _of_room(file, fitting[0], room, choices, with_unplaced=room is first) for room in rooms
    ]


def _of_room(
    file: LogFile, form: DatabaseFormat, room: StoredRoom, choices: Choices, *, with_unplaced: bool
) -> LogContent:
    zone = choices.zone if form.is_local and choices.zone else UTC
    return LogContent(
        file=file,
        format=form.name,
        program=form.program,
        origin=LogOrigin(room.network, room.target),
        network=choices.network or room.network,
        target=choices.target(room.target),
        zone=str(zone),
        resolution=timedelta(milliseconds=1),
        is_spelt=True,
        series="",
        lines=0,
        read=partial(_read_rows, file, form, room, zone, with_unplaced=with_unplaced),
    )


@contextmanager
def _read_rows(
    file: LogFile, form: DatabaseFormat, room: StoredRoom, zone: tzinfo, *, with_unplaced: bool
) -> Iterator[ReadLog]:
    counts = LineCounts()
    try:
        with closing(open_readonly(file.stored)) as connection:
            rows = form.read(stored_rows(connection, form, room.key), zone)
            if with_unplaced:
                rows = chain(rows, unplaced_rows(connection, form))
            yield ReadLog(_counted(rows, counts), counts)
    except sqlite3.Error as error:
        raise _unusable(file, error) from error


def _counted(rows: Iterator[ReadRow], counts: LineCounts) -> Iterator[LogItem]:
    for row in rows:
        counts.lines += 1
        counts.empty += row is None
        counts.rejected += isinstance(row, RejectedLine)
        counts.messages += isinstance(row, DatedEvent)
        if row is not None:
            yield row
