"""Runs something beside a block, which a failing test then leaves as itself."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio


@asynccontextmanager
async def beside(job: Callable[..., Coroutine[Any, Any, Any]], *args: Any) -> AsyncIterator[None]:
    """Run `job` until the block ends. What fails in the block is not wrapped in a group."""
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(job, *args)
        try:
            yield
        except Exception as error:  # noqa: BLE001 - raised again below, outside of the task group
            failure = error
        tasks.cancel_scope.cancel()
    if failure:
        raise failure
