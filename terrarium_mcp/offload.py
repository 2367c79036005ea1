"""Heavy thinking beside the event loop: pure functions that may take longer than 20 ms of CPU.

They run in one worker thread, one after the other. More threads would finish no sooner, since they
share the interpreter's lock, and the event loop would have to wait for each of them in turn.
"""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

Computed = TypeVar("Computed")

_worker: RunVar[CapacityLimiter] = RunVar("terrarium_mcp.offload worker")


async def offload(think: Callable[[], Computed]) -> Computed:
    """The result of `think`, computed in the worker thread; the event loop stays free meanwhile.

    A hop there and back takes a tenth of a millisecond: not worth it for what is always short.
    """
    return await to_thread.run_sync(think, limiter=_limiter())


def _limiter() -> CapacityLimiter:
    """The one place in the worker, of this event loop."""
    try:
        return _worker.get()
    except LookupError:
        limiter = CapacityLimiter(1)
        _worker.set(limiter)
        return limiter
