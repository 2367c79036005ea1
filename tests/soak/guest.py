"""A guest for a long time: behind ZNC, and on a network that flaps for five minutes.

The long form of scenes that tests/irc_bridge/hostile plays without pauses.
"""

import os
from pathlib import Path

from tests.irc_bridge.behind_znc import weathered
from tests.irc_bridge.flapping import one_of_three_flaps
from tests.servers.ircd import Ircd

ROUNDS = round(60 * float(os.environ.get("MINUTES", "15")) / 3)
"""Misfortunes, one every three seconds or somewhat more."""


async def test_behind_znc_everything_is_there_once_and_nothing_is_answered(
    ngircd: Ircd, tmp_path: Path
) -> None:
    outcome = await weathered(ngircd, tmp_path, ROUNDS, pause=3.0)
    print(f"\n{outcome}, load {os.getloadavg()}")  # noqa: T201 -- the verdict
    outcome.check()


async def test_a_network_that_flaps_for_five_minutes_takes_nothing_from_the_others(
    ircds: list[Ircd], tmp_path: Path
) -> None:
    await one_of_three_flaps(ircds, tmp_path, 60, pause=5.0)
    print(f"\n60 cuts in 5 minutes: nothing lost or mixed, load {os.getloadavg()}")  # noqa: T201 -- the verdict
