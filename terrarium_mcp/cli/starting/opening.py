"""The history as a command uses it: open, however long that takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store


@asynccontextmanager
async def opened_history(
    path: Path, settings: Settings, *, adopt: bool = False
) -> AsyncIterator[Store]:
    """The store of `path`, once it is open.

    Nobody waits for a command's answer as for a server's, and a migration may be its own: if it
    gave up, that would be rolled back, and begin again with the next attempt. How far it is, is in
    the log meanwhile.

    Raises:
        TerrariumError: the reason why it cannot be opened, such as a process of an older version
            that has to be stopped first.
    """
    async with open_store(path, settings, adopt=adopt) as store:
        await store.opening.wait_to_the_end()
        yield store
