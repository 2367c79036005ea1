"""The history as a command uses it: open, however long that takes."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store

_UNTIL_OPEN = math.inf
"""Seconds. Nobody waits for a command's answer as for a server's, and the migration may be its own:
if it gave up, that would be rolled back, and begin again with the next attempt. How far it is, and
what it waits for, is in the log meanwhile."""


@asynccontextmanager
async def opened_history(
    path: Path, settings: Settings, *, adopt: bool = False
) -> AsyncIterator[Store]:
    """The store of `path`, once it is open.

    Raises:
        TerrariumError: the reason why it cannot be opened.
    """
    async with open_store(path, settings, adopt=adopt) as store:
        await store.opening.wait(_UNTIL_OPEN)
        yield store
