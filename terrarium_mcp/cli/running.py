"""How a command that serves is run, and how it ends."""

import gc
from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeVarTuple, Unpack

Arguments = TypeVarTuple("Arguments")


def run(job: Callable[[Unpack[Arguments]], Awaitable[object]], *arguments: *Arguments) -> NoReturn:
    """Run `job`, which ends with everything closed, and leave at once.

    Python's own farewell would take half a second more, for all that mcp imports.
    """
    import anyio

    from terrarium_mcp.serving.stdio import leave

    keep_imports()
    anyio.run(job, *arguments)
    leave(0)


def keep_imports() -> None:
    """Let Python's garbage collector pass over what is imported by now, since it stays.

    A full collection that looks through it holds up an answer for 60 ms (measured on reads of 9 ms,
    one in sixty of which met it).
    """
    gc.freeze()
