"""What is asked is served in its order, one after the other in each channel."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.irc_bridge.ask.command_queue import CommandQueue, PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from tests.servers.beside import beside


class Kitchen:
    """Serves when it is let; remembers what was begun and what was done."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.done: list[str] = []
        self.open = anyio.Event()

    async def serve(self, pending: PendingCommand) -> None:
        self.begun.append(pending.command.rest)
        await self.open.wait()
        self.done.append(pending.command.rest)


@asynccontextmanager
async def queue_of(kitchen: Kitchen) -> AsyncIterator[CommandQueue]:
    queue = CommandQueue(kitchen.serve)
    async with beside(queue.run):
        yield queue


def pending(
    what: str, *, name: str = "ask", channel: str = "#tea", asker: str = "ada"
) -> PendingCommand:
    return PendingCommand(Command(name, what, Source(asker), "", channel), None, channel)


async def test_one_after_the_other_in_a_channel_and_channels_side_by_side() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        for what in ("1", "2", "3"):
            assert queue.put(pending(what))
        assert queue.put(pending("other", channel="#mate"))
        assert queue.put(pending("private", channel=""))
        await anyio.wait_all_tasks_blocked()
        assert kitchen.begun == ["1", "other", "private"]
        kitchen.open.set()
        await anyio.wait_all_tasks_blocked()
    assert [what for what in kitchen.done if what.isdigit()] == ["1", "2", "3"]


async def test_what_needs_no_model_does_not_wait_for_it() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        queue.put(pending("question"))
        queue.put(pending("chore", name="ping"))
        await anyio.wait_all_tasks_blocked()
        assert kitchen.begun == ["question", "chore"]


async def test_five_may_stand_in_a_line_and_the_sixth_is_refused_until_it_moves() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        assert [queue.put(pending(str(n))) for n in range(6)] == [True] * 5 + [False]
        await anyio.wait_all_tasks_blocked()
        assert not queue.put(pending("still full"))
        kitchen.open.set()
        await anyio.wait_all_tasks_blocked()
        assert queue.put(pending("again"))
        await anyio.wait_all_tasks_blocked()
    assert kitchen.done == ["0", "1", "2", "3", "4", "again"]


async def test_short_commands_of_a_channel_do_not_wait_for_each_other() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        assert [queue.put(pending(str(n), name="ping")) for n in range(6)] == [True] * 5 + [False]
        await anyio.wait_all_tasks_blocked()
        assert kitchen.begun == ["0", "1", "2", "3", "4"]


async def test_a_thousand_who_ask_in_private_are_one_line_and_leave_nothing_behind() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        taken = [queue.put(pending(str(n), channel="", asker=f"ada{n}")) for n in range(1_000)]
        assert sum(taken) == 5
        await anyio.wait_all_tasks_blocked()
        assert kitchen.begun == ["0"]
        kitchen.open.set()
        await anyio.wait_all_tasks_blocked()
        assert kitchen.done == ["0", "1", "2", "3", "4"]
        assert list(queue) == []
        assert not queue._queues  # noqa: SLF001 -- what is left behind shows nowhere else


async def test_what_is_stopped_is_served_no_further_and_the_next_one_begins() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        for what in ("1", "2", "3"):
            queue.put(pending(what))
        await anyio.wait_all_tasks_blocked()
        stopped = queue.stop(lambda one: one.command.rest in "12")
        assert [one.command.rest for one in stopped] == ["1", "2"]
        await anyio.wait_all_tasks_blocked()
        assert kitchen.begun == ["1", "3"]
        kitchen.open.set()
        await anyio.wait_all_tasks_blocked()
    assert kitchen.done == ["3"]


async def test_who_asks_is_told_apart_by_host_and_whether_they_wait() -> None:
    kitchen = Kitchen()
    async with queue_of(kitchen) as queue:
        first, second, other = pending("1"), pending("2"), pending("3", name="ping")
        for one in (first, second, other):
            queue.put(one)
        await anyio.wait_all_tasks_blocked()
        assert queue.pending(first.command.person, questions=True) == [first, second]
        assert queue.pending(first.command.person, questions=False) == [other]
        assert queue.pending(("account", "eve"), questions=True) == []
        assert [queue.waits(one) for one in (first, second, other)] == [False, True, False]
