"""Whose a file is, its version, and whether it has the schema of that version."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store.sqlite.engine.files import bytes_of
from terrarium_mcp.store.sqlite.engine.location import beginning_of
from terrarium_mcp.store.sqlite.schema import terrarium_irc
from terrarium_mcp.store.sqlite.schema.comparison import Difference, differences
from terrarium_mcp.store.sqlite.schema.obstacles import Obstacle, additions, taken_names
from terrarium_mcp.store.sqlite.schema.recreation import can_be_rebuilt
from terrarium_mcp.store.sqlite.schema.versions import CURRENT
from terrarium_mcp.wording import and_more

APPLICATION_ID = 0x7465_7272  # "terr"

_SHOWN = 6
"""Differences, or tables, that an error names."""

_IDS_BEHIND_ALL = """\
UPDATE messages SET id = (SELECT max(max(id), 0) FROM messages) + 1 - id WHERE id < 1;"""

_MAGIC = b"SQLite format 3\0"  # https://sqlite.org/fileformat.html 1.3
_ENCODING = "UTF-8"
"""In which all of ours have their text: SQL compares its bytes."""

_VERSION = slice(60, 64)  # the user version, as there
_MARK = slice(68, 72)  # the application id, as there


class NotOurs(HostFailure):
    """The file is not a database that terrarium-mcp may use."""


class WrongFile(NotOurs):
    """The file is of another kind, so that another must be named."""

    def __init__(self, problem: str, first: str = "", *, option: str = "DB_PATH") -> None:
        """An error of a file.

        Args:
            problem: what is wrong with it, a sentence.
            first: a better way out than to name another file.
            option: what named it.
        """
        name = f"{first}, or name" if first else "Name"
        super().__init__(f"{problem} {name} another file with {option}.")
        self._wrong = problem, first

    def named_by(self, option: str) -> "WrongFile":
        """The same error of a file that this option named."""
        return WrongFile(*self._wrong, option=option)


class WrongSchema(NotOurs):
    """The file lacks a part of the schema of its version, or has another one in its place."""

    def __init__(self, path: Path, version: int, wrong: Sequence[Difference]) -> None:
        few = and_more([str(one) for one in wrong], _SHOWN)
        super().__init__(
            f"{path} is marked as version {version}, but does not have its schema: {few}."
            f" Nothing was changed. {_way_out(version, wrong)}"
        )


def _way_out(version: int, wrong: Sequence[Difference]) -> str:
    if can_be_rebuilt(version, wrong):
        return "All of it can be rebuilt from the messages: run terrarium-mcp doctor --rebuild."
    way = "If another program changed the schema, go back to a backup."
    if version == 1:
        way += (
            " A development file from before version 1 was final is not supported: start again"
            " from the copy that was kept beside it (*.before-v1.*), or from the logs."
        )
    return way


class Obstructed(NotOurs):
    """An owner's index or trigger may refuse what terrarium-mcp writes."""

    def __init__(self, path: Path, added: Sequence[Obstacle]) -> None:
        few = and_more([str(one) for one in added], _SHOWN)
        remedies = "; ".join(one.remedy for one in added[:_SHOWN])
        super().__init__(
            f"{path} is not used, because lines might be refused there, and lost: added by another"
            f" hand: {few}. Nothing was changed. Stop every program that uses the file, remove what"
            f" was added ({remedies};) with the program that added it or with sqlite3, and start"
            " again. Indexes that are not UNIQUE may stay."
        )


class NamesTaken(NotOurs):
    """An owner's table has a name that a migration needs; `added` may refuse lines besides."""

    def __init__(
        self, path: Path, version: int, taken: Sequence[Obstacle], added: Sequence[Obstacle]
    ) -> None:
        few = and_more([str(one) for one in taken], _SHOWN)
        danger = (
            f" Besides, lines might be refused by {and_more([str(one) for one in added], _SHOWN)}."
            if added
            else ""
        )
        # An index may be both.
        remedies = dict.fromkeys(one.remedy for one in (*added[:_SHOWN], *taken[:_SHOWN]))
        super().__init__(
            f"{path} cannot be {'migrated' if version else 'adopted'}: its {few}, made by another"
            f" hand, {'has a name' if len(taken) == 1 else 'have names'} that terrarium-mcp gives"
            f" to tables of its own.{danger} Nothing was changed. Stop every program that uses the"
            f" file, rename a table and remove anything else ({'; '.join(remedies)};), as with"
            " sqlite3, and start again."
        )


class NotAdopted(HostFailure):
    """The file is terrarium-irc's, and the command may not change that."""

    def __init__(self, path: Path, *, has_option: bool = True) -> None:
        repeat = ", or repeat this command with --adopt" if has_option else ""
        super().__init__(
            f"{path} is a database of terrarium-irc. Adopt it first: start terrarium-mcp serve,"
            f" bridge or up on it{repeat}. A copy is kept beside it."
            " If terrarium-irc ran in another time zone, name it in TERRARIUM_SOURCE_TIMEZONE."
        )


def check_adopted(path: Path) -> None:
    """Refuse a database of terrarium-irc, without even a lock on it.

    Raises:
        NotAdopted: it is one.
    """
    if mark_of(path) == 0:
        # `immutable` keeps SQLite from locking it, making -wal and -shm, or rolling back a journal.
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        # Without a lock, a file that is being written may look damaged: then it is not known.
        with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True)) as connection:
            if terrarium_irc.is_present(connection):
                raise NotAdopted(path)


def mark_of(path: Path) -> int | None:
    """The application id in the file itself, read without SQLite; None if it is no SQLite file."""
    header = _header(path)
    return int.from_bytes(header[_MARK], "big") if header else None


def version_in_header(path: Path) -> int:
    """The version in the file itself, read without a lock; 0 if it is not terrarium-mcp's."""
    header = _header(path)
    ours = int.from_bytes(header[_MARK], "big") == APPLICATION_ID
    return int.from_bytes(header[_VERSION], "big") if ours else 0


def _header(path: Path) -> bytes:
    """The beginning of an SQLite file; nothing if it is none."""
    if not bytes_of(path):
        return b""
    header = beginning_of(path, _MARK.stop)
    return header if header.startswith(_MAGIC) else b""


def check_magic(path: Path) -> None:
    """Check that the file is SQLite's at all; WrongFile if not."""
    if beginning_of(path, len(_MAGIC)) != _MAGIC:
        raise WrongFile(f"{path} is not an SQLite database.")


def checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of an open database, whose schema is that of the version.

    Raises:
        WrongFile: it is another program's, or a later version's.
        WrongSchema: a table or another part of the schema is missing or different.
    """
    with _one_state(connection):
        version = marked_version(connection, path)
        if version and (wrong := differences(connection, version)):
            raise WrongSchema(path, version, wrong)
    return version


def usable_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of an open database into which every line can be written.

    Raises:
        WrongFile, WrongSchema: as `checked_version`.
        Obstructed: an index or trigger was added that may refuse one.
    """
    with _one_state(connection):
        version = checked_version(connection, path)
        if version and (added := additions(connection, version)):
            raise Obstructed(path, added)
    return version


def check_names(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Check that nothing is in the way of the versions after that of an open database.

    Raises:
        NamesTaken: something has the name of what they create. It also names what Obstructed would.
        Obstructed: something on terrarium-irc's messages may refuse lines once they are adopted.
        NotOurs: some of these have ids that no structure would take in.
    """
    if not version and terrarium_irc.is_present(connection):
        _check_ids(connection, path)
    added = () if version else additions(connection, version)
    if taken := taken_names(connection, version):
        raise NamesTaken(path, version, taken, added)
    if added:
        raise Obstructed(path, added)


def _check_ids(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the watermarks, which begin at 0, are below every message of terrarium-irc."""
    lowest = connection.execute("SELECT min(id) FROM messages").fetchone()[0]
    if lowest is not None and lowest < 1:
        raise NotOurs(
            f"{path} cannot be adopted: messages in it have ids below 1, such as {lowest}, and no"
            " search would find them. Nothing was changed. Stop every program that uses the file,"
            f" give them others with sqlite3 ({_IDS_BEHIND_ALL}), and start again."
        )


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """A read transaction: another process may migrate the file between two reads."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # an error may have ended it
            connection.execute("ROLLBACK")


def marked_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version that an open database claims; WrongFile as `checked_version`."""
    encoding = str(connection.execute("PRAGMA encoding").fetchone()[0])
    if encoding != _ENCODING:
        raise WrongFile(
            f"{path} has its text in {encoding}, in which no search finds anything.",
            f"Copy it into a new one, which has it in {_ENCODING}"
            " (sqlite3 OLD .dump | sqlite3 NEW)",
        )
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if mark == APPLICATION_ID and version > CURRENT:
        raise WrongFile(
            f"{path} is of version {version}; this terrarium-mcp knows versions up to {CURRENT}.",
            "Install the newer terrarium-mcp again",
        )
    if mark == APPLICATION_ID and version < 0:
        raise WrongFile(
            f"{path} is marked as version {version}, which no terrarium-mcp does: another program"
            " changed the mark.",
            "Go back to a backup",
        )
    tables = terrarium_irc.foreign_tables(connection) if version == 0 else ()
    if mark not in (0, APPLICATION_ID) or (version and not mark) or tables:
        marks = f"application id {mark:#x}, version {version}; terrarium-mcp's are"
        marks += f" {APPLICATION_ID:#x}, up to {CURRENT}"
        evidence = f"tables: {and_more(tables, _SHOWN)}" if tables else marks
        raise WrongFile(f"{path} belongs to another program ({evidence}).")
    return version
