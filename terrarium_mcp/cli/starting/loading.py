"""What the first calls of a server would load on its event loop is loaded beside it instead."""

from importlib import import_module

from anyio import to_thread

LATER = ("regex", "terrarium_mcp.chat.disentanglement")
"""Needed by the first line that is not ASCII, and by the first conversation: 30 and 20 ms of CPU.
A start does without them; dates in everyday form are read in a thread anyway."""


async def load_what_calls_need() -> None:
    """Load it in a thread; called once clients can connect."""
    for name in LATER:
        await to_thread.run_sync(import_module, name, abandon_on_cancel=True)
