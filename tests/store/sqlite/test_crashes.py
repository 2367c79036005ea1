"""A process that is killed at any moment loses nothing that it reported, and leaves a whole file.

Each scene is short here; `make soak` runs the same with a hundred kills.
"""

import os
from pathlib import Path

import anyio

from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.append import Appender
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from tests.store import crashing
from tests.store.scene import SETTINGS, chat, rows_of


async def test_a_killed_recorder_loses_no_line_that_was_saved(file: Path) -> None:
    await crashing.while_recording(file, 2)


async def test_a_killed_bulk_append_leaves_whole_groups(file: Path) -> None:
    await crashing.while_bringing(file, 2)


async def test_a_killed_purge_leaves_everybody_elses_lines(file: Path) -> None:
    await crashing.while_purging(file, 1)


async def test_a_killed_rebuild_is_made_up_for_at_the_next_opening(file: Path) -> None:
    await crashing.while_rebuilding(file, 1)


async def test_a_killed_migration_leaves_the_old_file_or_the_new_one(file: Path) -> None:
    await crashing.while_migrating(file, 1)


async def test_a_power_cut_takes_back_what_is_indexed_and_no_line(file: Path) -> None:
    """What was not synced is there up to some byte: indexing need not be, lines are."""
    said = ["the badger sleeps", "https://example.org/badger"]
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<bo> hello"))
    database = Database(file)
    await database.open()
    try:
        indexer = Indexer(database, "net")
        await Appender(database, indexer, OptOutReader()).append(
            chat("\n".join(f"<ada> {line}" for line in said))
        )
        synced = database.wal_bytes()
        await indexer.catch_up()
        written = database.wal_bytes()
        assert written > synced
        cuts = [synced, synced + 5_000, (synced + written) // 2, written - 1, written]
        for cut in cuts:  # by another process: a file closed here would take SQLite's locks along
            for end in ("", "-wal"):
                await anyio.run_process(["cp", f"{file}{end}", f"{file}.{cut}{end}"])
    finally:
        await database.aclose()
    for cut in cuts:
        left = Path(f"{file}.{cut}")
        os.truncate(f"{left}-wal", cut)
        texts = [text for (text,) in rows_of(left, "SELECT message FROM messages ORDER BY id")]
        assert texts[-2:] == said
        await crashing.check_whole(left)
