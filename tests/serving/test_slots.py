"""Whoever asks for much waits for itself, and a slot is never lost."""

import anyio
import pytest

from terrarium_mcp.serving.slots import CallSlots
from tests.patience import PATIENCE


class Queue:
    """Calls that wait for a slot, and the order in which they found one."""

    def __init__(self, slots: CallSlots) -> None:
        self.slots = slots
        self.served: list[str] = []

    async def call(self, client: str) -> None:
        await self.slots.take(client)
        self.served.append(client)


async def test_a_client_has_so_many_slots_and_all_clients_together() -> None:
    slots = CallSlots(each=2, in_all=3)
    assert slots.take_nowait("ada")
    assert slots.take_nowait("ada")
    assert not slots.take_nowait("ada")
    assert slots.take_nowait("bo")
    assert not slots.take_nowait("cy")
    slots.give_back("ada")
    assert slots.take_nowait("cy")


async def test_a_free_slot_goes_to_the_client_that_holds_the_fewest() -> None:
    queue = Queue(CallSlots(each=3, in_all=3))
    for _ in range(3):
        assert queue.slots.take_nowait("greedy")
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for client in ("greedy", "greedy", "polite"):
                tasks.start_soon(queue.call, client)
                await anyio.wait_all_tasks_blocked()
            queue.slots.give_back("greedy")
            await anyio.wait_all_tasks_blocked()
            assert queue.served == ["polite"]
            queue.slots.give_back("polite")
            queue.slots.give_back("greedy")
    assert queue.served == ["polite", "greedy", "greedy"]


async def test_calls_of_one_client_are_served_in_the_order_of_their_arrival() -> None:
    slots = CallSlots(each=1, in_all=1)
    served = list[int]()

    async def call(number: int) -> None:
        await slots.take("ada")
        served.append(number)
        slots.give_back("ada")

    assert slots.take_nowait("bo")
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(call, number)
                await anyio.wait_all_tasks_blocked()
            slots.give_back("bo")
    assert served == [0, 1, 2]


@pytest.mark.parametrize("called", [False, True])
async def test_a_call_that_is_cancelled_while_it_waits_keeps_no_slot(*, called: bool) -> None:
    slots = CallSlots(each=1, in_all=1)
    assert slots.take_nowait("ada")

    async def call() -> None:
        await slots.take("bo")
        slots.give_back("bo")

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.wait_all_tasks_blocked()
            if called:
                slots.give_back("ada")  # bo is called, and cancelled before it goes on
            tasks.cancel_scope.cancel()
    if not called:
        slots.give_back("ada")
    assert slots.take_nowait("cy")


async def test_a_call_that_has_begun_is_counted_although_there_is_no_slot() -> None:
    slots = CallSlots(each=1, in_all=1)
    slots.overbook("ada")
    slots.overbook("ada")
    slots.give_back("ada")
    assert not slots.take_nowait("bo")
    slots.give_back("ada")
    assert slots.take_nowait("bo")
