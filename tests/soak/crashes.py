"""A hundred kills: the scenes of tests/store/sqlite/test_crashes.py in their long form.

And 25 kills of a bridge, each in a burst of 20,000 lines.
"""

import os
from pathlib import Path

import pytest

from tests.irc_bridge.crashing import DURABLE, LINES, while_blasted
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


async def test_a_bridge_killed_in_a_burst_loses_nothing_that_it_had_for_a_tenth_of_a_second(
    tmp_path: Path,
) -> None:
    kills = await while_blasted(tmp_path, 25)
    worst = max(killed.lag for killed in kills)
    lags = sorted(killed.lag for killed in kills)
    heard, kept = sum(killed.heard for killed in kills), sum(killed.kept for killed in kills)
    verdict = "as it should be" if worst <= DURABLE else "NOT as it should be"
    print(  # noqa: T201 -- the verdict
        f"\n25 kills in bursts of {LINES:,}: {heard:,} lines received before, {kept:,} on disk;"
        f"\nthe oldest that is lost was received {1000 * worst:.0f} ms before its kill, in the"
        f" median scene {1000 * lags[12]:.0f} ms: {verdict}, load {os.getloadavg()}"
    )
