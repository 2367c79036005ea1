"""In one place one reply of several lines is said at a time, whatever becomes of the others."""

from functools import partial

import anyio
import pytest
from anyio.lowlevel import checkpoint

from terrarium_mcp.irc_bridge.ask.floors import Floors
from tests.patience import PATIENCE


async def speak(floors: Floors, said: list[str], name: str, asked_at: float) -> None:
    """A reply of three lines, each of which takes a moment to leave."""
    async with floors.floor("#tea", asked_at):
        for number in range(3):
            said.append(f"{name}{number}")
            await checkpoint()


async def test_replies_follow_each_other_in_the_order_of_asking() -> None:
    floors, said = Floors(), list[str]()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks, floors.floor("#tea", 5.0):
            for name, asked_at in (("b", 2.0), ("d", 4.0), ("a", 1.0), ("c", 3.0)):
                tasks.start_soon(speak, floors, said, name, asked_at)
            await anyio.wait_all_tasks_blocked()
            assert said == []
    assert said == [f"{name}{number}" for name in "abcd" for number in range(3)]


async def test_places_do_not_wait_for_each_other() -> None:
    floors = Floors()
    with anyio.fail_after(PATIENCE):
        async with floors.floor("#tea", 1.0), floors.floor("#mate", 2.0), floors.floor("ada", 3.0):
            pass


@pytest.mark.parametrize("stopped", ["speaking", "waiting", "granted"])
async def test_whoever_is_stopped_leaves_the_floor_to_the_next(stopped: str) -> None:
    floors, said = Floors(), list[str]()
    first, second = anyio.CancelScope(), anyio.CancelScope()

    async def hold(scope: anyio.CancelScope, asked_at: float) -> None:
        with scope:
            async with floors.floor("#tea", asked_at):
                await anyio.sleep_forever()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hold, first, 1.0)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(hold, second, 2.0)
            tasks.start_soon(partial(speak, floors, said, "c", 3.0))
            await anyio.wait_all_tasks_blocked()
            assert said == []
            if stopped == "speaking":
                first.cancel()
                await anyio.wait_all_tasks_blocked()
                assert said == []  # it is the second's turn
                second.cancel()
            elif stopped == "waiting":
                second.cancel()
                await anyio.wait_all_tasks_blocked()
                assert said == []
                first.cancel()
            else:  # the second has the floor, and is stopped before it could know
                first.cancel()
                second.cancel()
    assert said == ["c0", "c1", "c2"]
    with anyio.fail_after(PATIENCE):
        async with floors.floor("#tea", 4.0):
            said.append("free again")
