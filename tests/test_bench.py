"""`python -m bench`, in a small form: it measures whatever the goals are set for, and says so."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LINES = "3000"


def bench(
    *arguments: str | Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *map(str, arguments)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


def recorded(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return told


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path]:
    """The table and the record of a run, and the databases that it left."""
    folder = tmp_path_factory.mktemp("bench")
    kept, record = folder / "kept", folder / "record.json"
    done = bench(LINES, "--rounds", "2", "--keep", kept, "--record", record)
    assert not done.returncode, done.stderr
    return done.stdout, record, kept


def test_every_row_stands_in_the_table_and_in_the_record(run: tuple[str, Path, Path]) -> None:
    table, record, _ = run
    names = [row["name"] for row in recorded(record)["rows"]]
    assert len(names) == len(set(names))
    assert [line.split("  ")[0] for line in table.splitlines()[1:]] == names


def test_every_goal_has_a_row(run: tuple[str, Path, Path]) -> None:
    _, record, _ = run
    goals = {row["name"] for row in recorded(record)["rows"] if row["goal"]}
    assert goals >= {
        "recent 50",
        "context of 21 lines",
        "a page anywhere",
        "a page back over the seam",
        "a page onward over the seam",
        "stats of the biggest channel",
        "recent 50 beside a scan of all lines (wall)",
        "a rare word",
        "a phrase",
        "a word in a channel",
        "derived, without the words",
        "derived: words",
        "opening: more than empty (wall)",
        "a reader's memory",
        "rebuild of all that is derived (CPU)",
        "bulk append, no pauses (CPU)",
        "bulk append, with its pauses (wall)",
        "durable recording (wall)",
    }


def test_a_record_names_its_circumstances_and_no_machine(run: tuple[str, Path, Path]) -> None:
    _, record, kept = run
    told = recorded(record)
    assert told.keys() == {
        *("lines", "seed", "rounds", "date", "python", "sqlite", "cpus"),
        *("load before", "load after", "rows"),
    }
    assert (told["lines"], told["python"]) == (3000, platform.python_version())
    assert not [place for place in (ROOT, kept) if str(place) in f"{told}"]


def test_databases_that_were_kept_are_used_again(run: tuple[str, Path, Path]) -> None:
    kept = run[2]
    filled = (kept / "filled.json").stat().st_mtime_ns
    done = bench(LINES, "--rounds", "2", "--keep", kept, "--only", "size")
    assert not done.returncode, done.stderr
    assert (kept / "filled.json").stat().st_mtime_ns == filled


def test_databases_of_another_size_are_refused(run: tuple[str, Path, Path]) -> None:
    kept = run[2]
    done = bench("2000", "--keep", kept)
    assert done.returncode == 2
    assert f"{kept} holds 3,000 lines" in done.stderr


def test_without_a_folder_nothing_is_left(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = bench("1000", "--rounds", "2", "--only", "size", env=environment)
    assert not done.returncode, done.stderr
    assert not [*tmp_path.iterdir()]
