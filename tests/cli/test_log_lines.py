"""What a service writes to stderr can be read months later, wherever its lines end up."""

import os
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.programs import environment, quick_words, ran, running
from tests.patience import PATIENCE

AWAY = {"IRC_SERVER": "127.0.0.1:1", "IRC_USE_SSL": "off", "IRC_CHANNELS": "tea"}
AWAY["AGENT_API_URL"] = "none"

DATED = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)Z (?:INFO|WARNING) ")


async def test_each_line_of_a_service_has_its_time(tmp_path: Path) -> None:
    async with running("terrarium-mcp bridge", at=tmp_path, IRC_NIK="Fern", **AWAY) as program:
        await program.says("IRC_NIK in the environment is not a setting")
        await program.says("nothing is listening at 127.0.0.1:1")
        await program.stop()
    for line in program.said:
        written = DATED.match(line)
        assert written, line
        said_at = datetime.fromisoformat(f"{written[1]}+00:00")
        assert abs(datetime.now(UTC) - said_at) < timedelta(seconds=PATIENCE)


@pytest.mark.parametrize("is_journal", [True, False])
def test_the_journal_has_times_of_its_own(tmp_path: Path, *, is_journal: bool) -> None:
    reading, writing = os.pipe()
    pipe = os.fstat(writing)
    stream = f"{pipe.st_dev}:{pipe.st_ino if is_journal else pipe.st_ino + 1}"
    with (
        os.fdopen(reading, encoding="utf-8") as said,
        subprocess.Popen(
            quick_words("terrarium-mcp serve"),
            cwd=tmp_path,
            env=environment(JOURNAL_STREAM=stream),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=writing,
        ) as server,
    ):
        os.close(writing)
        assert server.wait(PATIENCE) == 0
        (line,) = said
    assert line.startswith("INFO Nothing is recorded yet in ") == is_journal
    assert bool(DATED.match(line)) != is_journal


def test_a_command_for_a_person_has_none(tmp_path: Path) -> None:
    (line,) = ran("terrarium-mcp doctor", at=tmp_path, IRC_NIK="Fern").stderr.splitlines()
    assert line.startswith("WARNING IRC_NIK ")
