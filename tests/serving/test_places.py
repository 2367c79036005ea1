"""Whoever asks for much waits for itself, and a place is never lost."""

import anyio
import pytest

from terrarium_mcp.serving.places import Places


class Queue:
    """Calls that wait for a place, and the order in which they found one."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.served: list[str] = []

    async def call(self, client: str) -> None:
        await self.places.take(client)
        self.served.append(client)


async def test_a_client_has_so_many_places_and_all_clients_together() -> None:
    places = Places(each=2, in_all=3)
    assert places.take_nowait("ada")
    assert places.take_nowait("ada")
    assert not places.take_nowait("ada")
    assert places.take_nowait("bo")
    assert not places.take_nowait("cy")
    places.give_back("ada")
    assert places.take_nowait("cy")


async def test_a_free_place_goes_to_the_client_that_holds_the_fewest() -> None:
    queue = Queue(Places(each=3, in_all=3))
    for _ in range(3):
        assert queue.places.take_nowait("greedy")
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for client in ("greedy", "greedy", "polite"):
                tasks.start_soon(queue.call, client)
                await anyio.wait_all_tasks_blocked()
            queue.places.give_back("greedy")
            await anyio.wait_all_tasks_blocked()
            assert queue.served == ["polite"]
            queue.places.give_back("polite")
            queue.places.give_back("greedy")
    assert queue.served == ["polite", "greedy", "greedy"]


async def test_calls_of_one_client_are_served_in_the_order_of_their_arrival() -> None:
    places = Places(each=1, in_all=1)
    served = list[int]()

    async def call(number: int) -> None:
        await places.take("ada")
        served.append(number)
        places.give_back("ada")

    assert places.take_nowait("bo")
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(call, number)
                await anyio.wait_all_tasks_blocked()
            places.give_back("bo")
    assert served == [0, 1, 2]


@pytest.mark.parametrize("called", [False, True])
async def test_a_call_that_is_cancelled_while_it_waits_keeps_no_place(*, called: bool) -> None:
    places = Places(each=1, in_all=1)
    assert places.take_nowait("ada")

    async def call() -> None:
        await places.take("bo")
        places.give_back("bo")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.wait_all_tasks_blocked()
            if called:
                places.give_back("ada")  # bo is called, and cancelled before it goes on
            tasks.cancel_scope.cancel()
    if not called:
        places.give_back("ada")
    assert places.take_nowait("cy")


async def test_a_call_that_has_begun_is_counted_although_there_is_no_place() -> None:
    places = Places(each=1, in_all=1)
    places.overbook("ada")
    places.overbook("ada")
    places.give_back("ada")
    assert not places.take_nowait("bo")
    places.give_back("ada")
    assert places.take_nowait("bo")
