"""The deep check: everything derived against a recount, on a copy, so that nobody waits for it.

A recount takes minutes on a large database, and FTS5's own check takes the lock of a writer. The
copy is what one read transaction sees; other processes read and write all the while, and their
WAL only grows meanwhile. A damaged page is copied as it is.
"""

import sqlite3
from collections.abc import Callable
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio import from_thread, to_thread

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.message_index import MessageIndex
from terrarium_mcp.store.derived.structure import TO_BE_EMPTIED, Derived
from terrarium_mcp.store.disk import bytes_of, free_bytes, wal_of
from terrarium_mcp.store.health.findings import Fact
from terrarium_mcp.store.health.tampering import tampered
from terrarium_mcp.store.health.untouched import untouched
from terrarium_mcp.store.migrations import CURRENT, checked_version
from terrarium_mcp.store.upkeep import CHUNK, DERIVED, NORMALISED, Upkeep

PAGES = 4_000
"""Pages copied between two reports."""

UNHURRIED = 24 * 3600.0
"""Seconds that may pass until somebody who is patient has what they asked for."""

TOLD = 5
"""Faults of the file that are told; more say nothing new."""

Say = Callable[[str], None]
"""Hears what is being done, for people who wait."""


class NotChecked(TerrariumError):
    """The deep check cannot be made."""


@dataclass
class Deep:
    """What a deep check found; `wrong` are the derived structures to be made again."""

    facts: list[Fact] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


async def check_deeply(path: Path, settings: Settings, say: Say, temp: Path | None = None) -> Deep:
    """Compare the whole database at `path` with itself.

    Args:
        path: the database, which is not touched.
        settings: name the network of lines that came without one.
        say: hears how far it is.
        temp: the folder of the copy, which holds every line; beside the database by default.

    Raises:
        NotChecked: there is no room for the copy, or the database is not of our version.
        StoreFailed: it cannot be read at all.
    """
    folder = temp or path.parent
    _check_room(path, folder)
    try:
        temporary = TemporaryDirectory(prefix=f"{path.name}.check-", dir=folder)
    except OSError as why:
        raise NotChecked(f"No copy can be made in {folder}: {why}. Name a folder: --temp.") from why
    with temporary as place:
        copy = Path(place) / path.name
        await to_thread.run_sync(_copy, path, copy, say)
        async with aclosing(Database(copy)) as database:
            await database.open()
            return await _checked(database, settings.network_name, say)


def _check_room(path: Path, folder: Path) -> None:
    """See whether the copy fits; what is sorted for a recount takes memory, not room."""
    needed, free = path.stat().st_size + bytes_of(wal_of(path)), free_bytes(folder)
    if free < needed:
        raise NotChecked(
            f"A deep check works on a copy, which needs {needed / 1e6:,.0f} MB; {folder} has"
            f" {free / 1e6:,.0f} MB. Make room, or name another folder: --temp."
        )


def _copy(path: Path, copy: Path, say: Say) -> None:
    """Copy what one read transaction sees. Runs in a thread, and ends when it is cancelled."""
    with untouched(path) as source, closing(sqlite3.connect(copy)) as target:
        if checked_version(source, path) != CURRENT:
            raise NotChecked(f"{path} is not of the current version: start terrarium-mcp once.")
        target.execute("PRAGMA synchronous=OFF")  # a copy that a power cut spoils is made again
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on, one state

        def report(_: int, left: int, pages: int) -> None:
            from_thread.check_cancelled()
            say(f"copying, {1 - left / max(1, pages):.0%}")

        source.backup(target, pages=PAGES, progress=report)


async def _checked(database: Database, network: str, say: Say) -> Deep:
    deep = Deep()
    say("checking the file")
    faults = await _faults(database)
    deep.facts.append(Fact("file", "; ".join(faults) or "every page is in order", bool(faults)))
    upkeep = Upkeep(database, network)
    normalised = await upkeep.indexed_up_to()
    for one in DERIVED:
        say(f"checking {one.name}")
        began = anyio.current_time()
        upto = await upkeep.indexed_up_to(one.name)
        if upto == TO_BE_EMPTIED or normalised - upto > CHUNK:
            differences = [f"{one.name}: is being made again, or was when somebody was stopped."]
        else:
            differences = await _differences(database, upkeep, one)
        if differences:
            deep.wrong.append(one.name)
        equal = f"equal to a recount ({anyio.current_time() - began:.1f} s)"
        deep.facts.append(Fact(one.name, " ".join(differences) or equal, bool(differences)))
    if MessageIndex.name in deep.wrong:
        say("looking for what other programs changed")
        deep.facts += await _tampered(database)
    return deep


async def _faults(database: Database) -> list[str]:
    """What SQLite finds wrong with its own file."""
    try:
        rows = await database.rows(f"PRAGMA integrity_check({TOLD})", deadline=UNHURRIED)
    except TerrariumError as why:
        return [str(why)]
    said = [row[0] for row in rows if row[0] != "ok"]
    way = "Stop every program that uses it, and mend a copy: sqlite3 COPY .recover | sqlite3 NEW"
    return [*said, way] if said else []


async def _differences(database: Database, upkeep: Upkeep, one: Derived) -> list[str]:
    try:
        await upkeep.catch_up(names=(NORMALISED, one.name))
        async with database.writing() as writer:
            return await one.differences(writer)
    except TerrariumError as why:  # it cannot even be read
        return [f"{one.name}: {why.__cause__ or why}."]


async def _tampered(database: Database) -> list[Fact]:
    try:
        async with database.writing() as writer:
            return [Fact("other programs", told, wrong=True) for told in await tampered(writer)]
    except TerrariumError:  # nothing can be said, and the index itself was told of
        return []
