"""A bell wakes the tasks that wait for it, and a ring is never lost."""

import anyio
import pytest

from terrarium_mcp.bell import Bell
from tests.patience import PATIENCE


async def was_rung(bell: Bell) -> bool:
    """Whether a task that waits now is woken without another ring."""
    woken = False

    async def sleeper() -> None:
        nonlocal woken
        await bell.wait()
        woken = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sleeper)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    return woken


async def test_one_ring_wakes_every_waiting_task_and_is_then_used_up() -> None:
    bell = Bell()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(bell.wait)
            await anyio.wait_all_tasks_blocked()
            bell.ring()
    assert not await was_rung(bell)


async def test_rings_without_a_waiting_task_wake_the_next_one_once() -> None:
    bell = Bell()
    bell.ring()
    bell.ring()
    assert await was_rung(bell)
    assert not await was_rung(bell)


async def test_a_ring_while_the_woken_task_is_busy_wakes_it_again() -> None:
    bell, busy = Bell(), anyio.Event()
    woken = 0

    async def worker() -> None:
        nonlocal woken
        for _ in range(2):
            await bell.wait()
            woken += 1
            await busy.wait()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(worker)
            bell.ring()
            await anyio.wait_all_tasks_blocked()
            assert woken == 1
            bell.ring()
            busy.set()
    assert woken == 2


async def test_a_cancelled_wait_leaves_the_ring_for_the_next() -> None:
    bell = Bell()
    bell.ring()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await bell.wait()
        pytest.fail("a cancelled wait returned")
    assert await was_rung(bell)
