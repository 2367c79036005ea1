"""A hundred kills: the scenes of tests/store/sqlite/test_crashes.py in their long form."""

from pathlib import Path

import pytest

from tests.store import crashing

KILLS = 20
"""Of each kind."""


@pytest.mark.parametrize(
    "scene",
    [
        crashing.while_recording,
        crashing.while_bringing,
        crashing.while_purging,
        crashing.while_rebuilding,
        crashing.while_merging,
        crashing.while_migrating,
    ],
    ids=lambda scene: str(scene.__name__),
)
async def test_nothing_is_lost(tmp_path: Path, scene: crashing.Scene) -> None:
    await scene(tmp_path / "irc_logs.db", KILLS)
    print(f"{KILLS} kills {scene.__name__}: nothing lost")  # noqa: T201 -- the verdict
