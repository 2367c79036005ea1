"""Histories to serve: one of our own, and one of terrarium-irc."""

from pathlib import Path

import anyio
import pytest

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from tests.samples.terrarium_irc import make
from tests.store.scene import chat

SAID = "bo mended the latch of the garden gate"


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A database in which SAID was said, once."""
    file = tmp_path / "ours.db"
    anyio.run(_remember, file)
    return file


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
