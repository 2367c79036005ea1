"""A file to which only the test commits."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine.database import Database
from tests.store.beginnings import begin
from tests.store.scene import SETTINGS


@pytest.fixture
async def database(file: Path) -> AsyncIterator[Database]:
    """A file to which nothing is committed but by the test: it has no keeper."""
    begin(file)
    async with open_store(file, SETTINGS):
        pass
    database = Database(file)
    await database.open()
    yield database
    await database.aclose()
