"""The deep check: compares everything derived with a recount, on a copy, so that nothing waits.

A recount of a large database takes minutes, and FTS5's own check takes the write lock. The copy is
what one read transaction sees: other processes read and write meanwhile, but the WAL cannot be
reset and grows. A damaged page is copied as it is.
"""

import sqlite3
from collections.abc import Callable
from contextlib import aclosing, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio import from_thread, to_thread

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.errors import NotChecked, NotMigrated
from terrarium_mcp.store.private_files import create_private
from terrarium_mcp.store.records.health import DeepCheck, Fact
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.files import bytes_of, free_bytes, wal_of
from terrarium_mcp.store.sqlite.engine.folder_access import is_file_found
from terrarium_mcp.store.sqlite.health.external_changes import external_changes
from terrarium_mcp.store.sqlite.health.readonly import untouched
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from terrarium_mcp.store.sqlite.index.indexer import INDEXED_BY_READ, Indexer
from terrarium_mcp.store.sqlite.index.message_index import MessageIndex
from terrarium_mcp.store.sqlite.index.structure import NORMALISED, TO_BE_EMPTIED, Derived
from terrarium_mcp.store.sqlite.schema import (
    CURRENT,
    NotAdopted,
    terrarium_irc,
    usable_version,
)

PAGES = 4_000
"""Pages copied between two reports."""

DEADLINE = 24 * 3600.0
"""Seconds for SQLite's own check of the file: effectively no limit."""

MOST_FAULTS = 5
"""Faults of the file that are reported; more add nothing."""

OnStep = Callable[[str], None]
"""Receives a description of each step."""


async def check_deeply(
    path: Path, settings: Settings, on_step: OnStep, temp: Path | None = None
) -> DeepCheck:
    """Compare the whole database at `path` with itself.

    Args:
        path: the database, which is not changed.
        settings: name the network of messages that came without one.
        on_step: is called with the progress.
        temp: the folder for the copy, which holds every message; default: the database's.

    Raises:
        NotChecked: there is no room for the copy.
        NotMigrated: the database is of an older version.
        NotAdopted: it is terrarium-irc's.
        StoreFailed: it cannot be read at all.
    """
    is_file_found(path)  # or it says why not
    folder = temp or path.parent
    _check_room(path, folder)
    try:
        temporary = TemporaryDirectory(prefix=f"{path.name}.check-", dir=folder)
    except OSError as error:
        raise NotChecked(
            f"No copy can be made in {folder}: {error}. Name another folder with --temp."
        ) from error
    with temporary as place:
        copy = Path(place) / path.name
        await to_thread.run_sync(_copy, path, copy, on_step)
        async with aclosing(Database(copy)) as database:
            await database.open()
            return await _checked(database, settings.network_name, on_step)


def _check_room(path: Path, folder: Path) -> None:
    """Check that the copy fits; the recount itself sorts in memory."""
    needed, free = path.stat().st_size + bytes_of(wal_of(path)), free_bytes(folder)
    if free < needed:
        raise NotChecked(
            f"A deep check works on a copy, which needs {needed / 1e6:,.0f} MB; {folder} has"
            f" {free / 1e6:,.0f} MB. Free some space, or name another folder with --temp."
        )


def _copy(path: Path, copy: Path, on_step: OnStep) -> None:
    """Copy what one read transaction sees. Runs in a thread that can be cancelled."""
    create_private(copy)
    with untouched(path) as source, closing(sqlite3.connect(copy)) as target:
        version = usable_version(source, path)
        if not version and terrarium_irc.is_present(source):
            raise NotAdopted(path, has_option=False)
        if version != CURRENT:
            raise NotMigrated(path)
        target.execute("PRAGMA synchronous=OFF")  # a copy spoiled by a power cut is not used
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # begins the read

        def report(_: int, left: int, pages: int) -> None:
            from_thread.check_cancelled()
            on_step(f"copying, {1 - left / max(1, pages):.0%}")

        source.backup(target, pages=PAGES, progress=report)


async def _checked(database: Database, network: str, on_step: OnStep) -> DeepCheck:
    facts, wrong = list[Fact](), list[str]()
    on_step("checking the file")
    faults = await _faults(database)
    facts.append(Fact("file", "; ".join(faults) or "every page is intact", bool(faults)))
    indexer = Indexer(database, network)
    normalised = await indexer.indexed_up_to()
    for structure in DERIVED:
        on_step(f"checking {structure.name}")
        began = anyio.current_time()
        upto = await indexer.indexed_up_to(structure.name)
        if upto == TO_BE_EMPTIED or normalised - upto > INDEXED_BY_READ:
            differences = [f"{structure.name}: is being rebuilt, or a rebuild was interrupted."]
        else:
            differences = await _differences(database, indexer, structure)
        if differences:
            wrong.append(structure.name)
        equal = f"equal to a recount ({anyio.current_time() - began:.1f} s)"
        facts.append(Fact(structure.name, " ".join(differences) or equal, bool(differences)))
    if MessageIndex.name in wrong:
        on_step("looking for changes by other programs")
        facts += await _external_changes(database)
    return DeepCheck(facts, wrong)


async def _faults(database: Database) -> list[str]:
    """What SQLite reports as wrong with the file, and how to repair it."""
    try:
        rows = await database.rows(f"PRAGMA integrity_check({MOST_FAULTS})", deadline=DEADLINE)
    except TerrariumError as error:
        return [str(error)]
    faults = [row[0] for row in rows if row[0] != "ok"]
    repair = (
        "Stop every program that uses it, and repair a copy: sqlite3 COPY .recover | sqlite3 NEW"
    )
    return [*faults, repair] if faults else []


async def _differences(database: Database, indexer: Indexer, structure: Derived) -> list[str]:
    try:
        await indexer.catch_up(names=(NORMALISED, structure.name))
        async with database.writing() as writer:
            return await structure.differences(writer)
    except TerrariumError as error:  # it cannot even be read
        return [f"{structure.name}: {error.__cause__ or error}."]


async def _external_changes(database: Database) -> list[Fact]:
    try:
        async with database.writing() as writer:
            return [
                Fact("other programs", change, wrong=True)
                for change in await external_changes(writer)
            ]
    except TerrariumError:  # the index is too damaged to say, which is reported already
        return []
