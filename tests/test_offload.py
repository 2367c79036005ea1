"""What is offloaded leaves the event loop free, and runs one after the other."""

import threading
import time

import anyio
import pytest

from terrarium_mcp.offload import offload
from tests.patience import PATIENCE


async def test_the_result_comes_from_another_thread() -> None:
    assert await offload(threading.get_ident) != threading.get_ident()


async def test_an_error_is_raised_where_it_is_awaited() -> None:
    with pytest.raises(ZeroDivisionError):
        await offload(lambda: 1 // 0)


async def test_the_event_loop_goes_on_meanwhile() -> None:
    may_end = threading.Event()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(offload, may_end.wait)
            await anyio.wait_all_tasks_blocked()
            may_end.set()


async def test_two_never_run_at_the_same_time() -> None:
    running, most = 0, 0

    def think() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.01)
        running -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(offload, think)
    assert most == 1
