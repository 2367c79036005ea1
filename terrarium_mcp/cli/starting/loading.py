"""What the first calls of a server would load on its event loop is loaded beside it instead."""

from importlib import import_module

from anyio import to_thread

LATER = (
    "terrarium_mcp.store.sqlite.search.message_search",
    "regex",
    "terrarium_mcp.chat.disentanglement",
)
"""Needed by the first search, the first line that is not ASCII and the first conversation: each
takes 20 to 30 ms of CPU. A start does without; everyday dates are read in a thread anyway."""


async def load_what_calls_need() -> None:
    """Load it in a thread; called once clients can connect."""
    for name in LATER:
        await to_thread.run_sync(import_module, name, abandon_on_cancel=True)
