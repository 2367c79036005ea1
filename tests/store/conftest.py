"""A store of its own for each test: a real file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from terrarium_mcp.store import Store, open_store
from tests.store.beginnings import begin
from tests.store.scene import SETTINGS


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "irc_logs.db"


@pytest.fixture
async def store(file: Path) -> AsyncIterator[Store]:
    begin(file)
    async with open_store(file, SETTINGS) as store:
        yield store


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line waits for its group: for tests that look at what is derived right after an append."""
    monkeypatch.setattr("terrarium_mcp.store.sqlite.ingest.append.SEVERAL", 1)
