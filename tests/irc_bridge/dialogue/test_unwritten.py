"""What waits to be written: all of it while the disk is only slow, the newest when it fails."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.dialogue import unwritten
from terrarium_mcp.irc_bridge.dialogue.unwritten import UnwrittenState
from terrarium_mcp.store import DialoguePlace
from tests.patience import PATIENCE

TEA = DialoguePlace("net", "#tea")
MANY = 3 * unwritten.MOST_FAILED


class Disk:
    """A disk that first hangs, then writes or fails."""

    def __init__(self) -> None:
        self.written: list[int] = []
        self.is_full = False
        self.answers = anyio.Event()

    def writes(self, number: int) -> Callable[[], Awaitable[None]]:
        async def write() -> None:
            await self.answers.wait()
            if self.is_full:
                raise TerrariumError("no room")
            self.written.append(number)

        return write


async def test_everything_is_written_however_much_waits_for_a_slow_disk() -> None:
    disk, state = Disk(), UnwrittenState()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(state.run)
            for number in range(MANY):
                state.put((TEA, number), "a turn", disk.writes(number))
            assert len(list(state.waiting(TEA))) == MANY
            disk.answers.set()
            state.finish()
    assert disk.written == [*range(MANY)]


async def test_of_failed_writes_the_newest_are_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk, state = Disk(), UnwrittenState()
    disk.is_full = True
    disk.answers.set()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(state.run)
            for number in range(MANY):
                state.put((TEA, number), "a turn", disk.writes(number))
            await anyio.wait_all_tasks_blocked()
            kept = [number for number, _ in state.waiting(TEA)]
            disk.is_full = False
            state.finish()
    assert kept == disk.written == [*range(MANY)][-unwritten.MOST_FAILED :]
    assert caplog.text.count("will be forgotten") == MANY - unwritten.MOST_FAILED


async def test_a_turn_whose_writing_meets_a_bug_is_given_up_and_those_behind_it_are_written(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk, state = Disk(), UnwrittenState()
    disk.answers.set()

    async def fails() -> None:
        raise KeyError("a bug of ours")

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(state.run)
            state.put((TEA, 1), "a turn", fails)
            state.put((TEA, 2), "a turn", disk.writes(2))
            await anyio.wait_all_tasks_blocked()
            assert not list(state.waiting(TEA))
            state.finish()
    assert disk.written == [2]
    assert "KeyError: 'a bug of ours'" in caplog.text
    assert "will be forgotten" in caplog.text


async def test_a_disk_that_fails_is_told_once_until_it_works_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk, state = Disk(), UnwrittenState()
    disk.answers.set()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(state.run)
            for _ in range(2):
                disk.is_full = True
                for number in range(3):
                    state.put((TEA, number), "a turn", disk.writes(number))
                    await anyio.wait_all_tasks_blocked()
                disk.is_full = False
                state.retry_now()
                await anyio.wait_all_tasks_blocked()
            state.finish()
    assert disk.written == [*range(3)] * 2
    assert caplog.text.count("could not store") == 2
