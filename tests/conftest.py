"""What every test has: one event loop, and the servers on request."""

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.patience import WAITS_OF_THE_PRODUCT

pytest_plugins = ["tests.servers.fixtures"]

EXAMPLES = int(os.environ.get("EXAMPLES", "25"))
"""How many examples a property is tried with that names no number itself; 1,000 in `make soak`."""

STORIES = max(8, EXAMPLES // 5)
"""The same for a property that opens a store for each, 50 to 300 ms of CPU: 200 in `make soak`."""

# No test is timed: under load an example may take any time.
settings.register_profile("untimed", parent=settings.default, deadline=None, max_examples=EXAMPLES)
settings.load_profile("untimed")

for _name, _wait in WAITS_OF_THE_PRODUCT.items():
    pytest.MonkeyPatch().setattr(f"terrarium_mcp.{_name}", _wait)

MEMORY = Path("/dev/shm")  # noqa: S108 -- where Linux has it, a file system in memory
ROOM = 2**30
"""Bytes that must be free there; what lies there at a time is a quarter of it."""


def pytest_configure() -> None:
    """Let what the tests write lie in memory: on a slow disk stores wait for nothing but its fsync.

    SQLite is as real there. What an fsync is for, a power cut, happens in no test: processes are
    killed, and what they wrote outlives them in either place. TMPDIR chooses another.
    """
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and _has_room(MEMORY):
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # ask again where it is


def _has_room(place: Path) -> bool:
    """Whether there is room, for programs as well: a container may have neither."""
    runs_programs = not os.statvfs(place).f_flag & os.ST_NOEXEC
    return runs_programs and shutil.disk_usage(place).free >= ROOM


def pytest_collection_finish() -> None:
    """Let no later collection of garbage walk through eleven thousand tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # `make mutants` runs without xdist
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: twice as many as there are cores, since scenes mostly wait for servers."""
    return 2 * (os.cpu_count() or 2)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Only asyncio: aiosqlite and pydle know no other loop. Of a session, so any fixture may."""
    return "asyncio"
