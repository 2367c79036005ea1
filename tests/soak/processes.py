"""Several processes for minutes: the long form of tests/store/sqlite/test_processes.py.

MINUTES and LINES in the environment set how long.
"""

import os
from pathlib import Path

from tests.store.traffic import read_beside_a_writer, recorded_beside_an_import

MINUTES = float(os.environ.get("MINUTES", "10"))
LINES = int(os.environ.get("LINES", "1_000_000"))


def verdict(*, well: bool) -> str:
    return f"{'as it should be' if well else 'NOT as it should be'}, load {os.getloadavg()}"


async def test_eight_readers_beside_a_writer(tmp_path: Path) -> None:
    file, seconds = tmp_path / "irc_logs.db", round(60 * MINUTES)
    alone, beside, written = await read_beside_a_writer(file, 8, seconds)
    ratio = beside.worst_of(99) / alone.worst_of(99)
    print(f"\nalone  {alone}\nbeside {beside}, {written:.0f} lines a second")  # noqa: T201
    print(f"p99 {ratio:.1f} times, at most 3: {verdict(well=ratio <= 3)}")  # noqa: T201


async def test_a_recorder_beside_an_import(tmp_path: Path) -> None:
    waits = await recorded_beside_an_import(tmp_path / "irc_logs.db", LINES, 3_600)
    most = max(waits.each)
    print(f"\n{LINES} lines imported beside a recorder: {waits}")  # noqa: T201 -- the verdict
    print(f"most {most:.0f} ms, at most 250: {verdict(well=most <= 250)}")  # noqa: T201
