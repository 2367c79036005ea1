"""Histories to serve: one of our own, and one of terrarium-irc."""

import shutil
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from tests.samples.terrarium_irc import make
from tests.store.scene import chat

SAID = "bo mended the latch of the garden gate"


@pytest.fixture(scope="session")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database in which SAID was said, once; to be copied."""
    folder = tmp_path_factory.mktemp("ours")
    anyio.run(_remember, folder / "ours.db")
    return folder


@pytest.fixture
def ours(remembered: Path, tmp_path: Path) -> Path:
    """That database for a test alone."""
    shutil.copytree(remembered, tmp_path, dirs_exist_ok=True)
    return tmp_path / "ours.db"


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The same, as terrarium-irc left it."""
    said = ("2025-11-05 14:23:00.123456", "#tea", "ada", "~ada", "host.example", SAID, "PRIVMSG")
    return make(tmp_path / "theirs.db", [said])


@pytest.fixture(params=["ours", "theirs"])
def history(request: pytest.FixtureRequest) -> Path:
    """Each of them in turn."""
    file: Path = request.getfixturevalue(request.param)
    return file


async def _remember(file: Path) -> None:
    async with open_store(file, Settings()) as store:
        await store.messages.append(chat(f"<ada> {SAID}"))
        await store.differences([])  # nothing waits for its group
