"""How a command that serves is run, and how it ends."""

from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeVarTuple, Unpack

Arguments = TypeVarTuple("Arguments")


def run(job: Callable[[Unpack[Arguments]], Awaitable[object]], *arguments: *Arguments) -> NoReturn:
    """Run `job`, which ends with everything closed, and leave at once.

    Python's own farewell would take half a second more, for all that mcp imports.
    """
    import anyio

    from terrarium_mcp.serving.stdio import leave

    anyio.run(job, *arguments)
    leave(0)
