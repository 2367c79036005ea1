"""Where SQLite has its temporary files."""

import subprocess
import sys
from pathlib import Path

import pytest

SPILLING = """
import os, sqlite3
from pathlib import Path
from terrarium_mcp.store.sqlite.engine.files import temporary_folder
db = sqlite3.connect("")
db.execute("PRAGMA cache_size=1")
db.execute("CREATE TABLE t AS SELECT zeroblob(1000000)")
opened = (os.readlink(one) for one in Path("/proc/self/fd").iterdir() if one.exists())
print(next(Path(one).parent for one in opened if "etilqs" in one))
print(temporary_folder())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files so")
@pytest.mark.parametrize(
    ("named", "place"),
    [
        ({"SQLITE_TMPDIR": "one", "TMPDIR": "two"}, "one"),
        ({"SQLITE_TMPDIR": "missing", "TMPDIR": "two"}, "two"),
        ({"SQLITE_TMPDIR": "", "TMPDIR": "a-file"}, "/var/tmp"),  # noqa: S108 -- where SQLite looks
        ({}, "/var/tmp"),  # noqa: S108 -- as above
    ],
)
def test_the_temporary_folder_is_the_one_in_which_sqlite_has_its_files(
    named: dict[str, str], place: str, tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    (tmp_path / "a-file").touch()
    done = subprocess.run(
        [sys.executable, "-c", SPILLING],
        env={key: str(tmp_path / name) if name else "" for key, name in named.items()},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.splitlines() == [str(tmp_path / place)] * 2
