"""What the first calls of a server would load on its event loop is loaded beside it instead."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from anyio import to_thread

from terrarium_mcp.store import load_search

LATER: tuple[Callable[[], object], ...] = (
    load_search,
    partial(import_module, "regex"),
    partial(import_module, "terrarium_mcp.chat.disentanglement"),
)
"""Load what is needed by the first search, the first line that is not ASCII and the first
conversation: 34, 9 and 11 ms of CPU, in this order behind the server. A start does without;
everyday dates are read in a thread anyway."""


async def load_what_calls_need() -> None:
    """Load it in a thread; called once clients can connect."""
    for load in LATER:
        await to_thread.run_sync(load, abandon_on_cancel=True)
