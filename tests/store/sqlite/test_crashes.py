"""A process that is killed at any moment loses nothing that it reported, and leaves a whole file.

Each scene is short here; `make soak` runs the same with a hundred kills.
"""

from pathlib import Path

from tests.store import crashing


async def test_a_killed_recorder_loses_no_line_that_was_saved(file: Path) -> None:
    await crashing.while_recording(file, 2)


async def test_a_killed_bulk_append_leaves_whole_groups(file: Path) -> None:
    await crashing.while_bringing(file, 2)


async def test_a_killed_purge_leaves_everybody_elses_lines(file: Path) -> None:
    await crashing.while_purging(file, 2)


async def test_a_killed_rebuild_is_made_up_for_at_the_next_opening(file: Path) -> None:
    await crashing.while_rebuilding(file, 2)


async def test_a_killed_migration_leaves_the_old_file_or_the_new_one(file: Path) -> None:
    await crashing.while_migrating(file, 2)
