"""The folder of an import goes with it, or with the next one if it was killed."""

import os
import time
from pathlib import Path

import pytest

from terrarium_mcp.cli.starting.scratch import scratch_folder
from tests.cli.programs import python


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this process and those that it starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def killed(at: Path) -> Path:
    """The folder of an import that was killed two minutes ago."""
    name = python(
        "import os; from terrarium_mcp.cli.starting.scratch import scratch_folder\n"
        "scratch = scratch_folder(); folder = scratch.__enter__()\n"
        "(folder / 'unpacked').write_bytes(b'tea')\n"
        "print(folder, flush=True); os._exit(0)",
        at,
    )
    folder = Path(name.strip())
    aged(folder)
    return folder


def aged(folder: Path) -> None:
    os.utime(folder / "in-use", times=(time.time() - 120,) * 2)


def test_the_folder_of_an_import_that_was_killed_goes_with_the_next(
    tmp_path: Path, temporary: Path
) -> None:
    left = killed(tmp_path)
    assert (left / "unpacked").exists()
    with scratch_folder() as folder:
        assert list(temporary.iterdir()) == [folder]
    assert list(temporary.iterdir()) == []


def test_the_folder_of_an_import_that_runs_stays() -> None:
    with scratch_folder() as running:
        aged(running)
        with scratch_folder():
            assert running.exists()
        assert running.exists()


def test_what_may_be_no_folder_of_ours_stays(tmp_path: Path, temporary: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "in-use").touch()
    aged(elsewhere)
    (temporary / "terrarium-import-link").symlink_to(elsewhere)
    (temporary / "terrarium-import-old").mkdir()
    (temporary / "terrarium-import-file").touch()
    with scratch_folder():
        pass
    assert len(list(temporary.iterdir())) == 3
    assert (elsewhere / "in-use").exists()


def test_the_folder_of_an_import_that_was_killed_before_it_had_a_lock_goes_after_a_day(
    temporary: Path,
) -> None:
    for name, hours in (("yesterday", 25), ("today", 23)):
        left = temporary / f"terrarium-import-{name}"
        left.mkdir()
        (left / "unpacked").touch()
        os.utime(left, times=(time.time() - hours * 3600,) * 2)
    with scratch_folder():
        pass
    assert [left.name for left in temporary.iterdir()] == ["terrarium-import-today"]


def test_a_folder_that_was_just_made_stays(tmp_path: Path) -> None:
    left = killed(tmp_path)
    (left / "in-use").touch()
    with scratch_folder():
        pass
    assert left.exists()
