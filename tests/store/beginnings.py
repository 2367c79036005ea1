"""Histories in which nothing was said yet: most tests begin with one."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.private_files import create_private, create_private_folder
from terrarium_mcp.store.sqlite.schema.runner import migrate
from tests.store.scene import SETTINGS


def begin(file: Path) -> None:
    """Begin a history at `file`, unless one is there: the store opens it as one of yesterday.

    It is a copy, which takes half of the CPU that opening takes where the store makes the file, 13
    ms less. What that does is seen by the tests that do not begin so.
    """
    if not file.exists():
        create_private_folder(file.parent)
        create_private(file)
        file.write_bytes(_of_nobody())


@cache
def _of_nobody() -> bytes:
    """The file as a store makes it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc_logs.db"
        migrate(file, SETTINGS, lambda _: None, adopt=False)
        return file.read_bytes()


@asynccontextmanager
async def holding(file: Path, *groups: Sequence[NewMessage]) -> AsyncIterator[Store]:
    """A store at `file` in which these were said, group by group: one for tests that only ask."""
    begin(file)
    async with open_store(file, SETTINGS) as store:
        for lines in groups:
            await store.messages.append(lines)
        yield store
