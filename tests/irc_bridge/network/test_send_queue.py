"""Which line goes first, and how many may wait."""

import anyio
import pytest

from terrarium_mcp.irc_bridge.network.errors import SendQueueFull
from terrarium_mcp.irc_bridge.network.message import IrcMessage
from terrarium_mcp.irc_bridge.network.sender import SendQueue
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

URGENT = [
    *("AUTHENTICATE", "CAP", "MODE", "NICK", "PASS", "PING", "PONG", "PROTOCTL", "QUIT", "USER"),
]


def line(command: str, *params: str) -> IrcMessage:
    return IrcMessage(command, params or ("x",))


def said(*texts: str) -> list[IrcMessage]:
    return [line("PRIVMSG", "#tea", text) for text in texts]


def new_queue(capacity: int = 200) -> SendQueue:
    return SendQueue(Timeouts(burst=100, per_line=0.001, queue=capacity))


@pytest.mark.parametrize("command", URGENT)
async def test_what_keeps_the_connection_alive_does_not_wait(command: str) -> None:
    queue = new_queue()
    queue.post(line("JOIN"))
    queue.post(line(command))
    with anyio.fail_after(5):
        assert await queue.next_urgent() == line(command)
        assert await queue.next_paced() == line("JOIN")


async def test_speech_goes_before_questions_to_the_server() -> None:
    queue = new_queue()
    queue.post(line("WHO"))
    queue.post(line("CHATHISTORY"))
    queue.post_speech(said("one"))
    queue.post(line("JOIN"))
    with anyio.fail_after(5):
        order = [(await queue.next_paced()).command for _ in range(4)]
    assert order == ["PRIVMSG", "JOIN", "WHO", "CHATHISTORY"]


async def test_a_line_that_comes_later_wakes_the_right_sender() -> None:
    queue = new_queue()
    sent: list[str] = []

    async def send_urgent() -> None:
        sent.append((await queue.next_urgent()).command)

    async def send_paced() -> None:
        sent.append((await queue.next_paced()).command)
        sent.append((await queue.next_paced()).command)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send_urgent)
            tasks.start_soon(send_paced)
            await anyio.wait_all_tasks_blocked()
            queue.post(line("WHO"))
            await anyio.wait_all_tasks_blocked()
            queue.post_speech(said("one"))
            await anyio.wait_all_tasks_blocked()
            queue.post(line("PING"))
    assert sent == ["WHO", "PRIVMSG", "PING"]


def test_the_queue_takes_exactly_its_capacity_and_then_nothing() -> None:
    queue = new_queue(capacity=3)
    queue.post_speech(said("1", "2"))
    with pytest.raises(SendQueueFull, match="2 lines are waiting to be sent"):
        queue.post_speech(said("3", "4"))
    queue.post_speech(said("3"))
    with pytest.raises(SendQueueFull, match="3 lines are waiting to be sent"):
        queue.post_speech(said("4"))


async def test_a_line_that_cannot_be_sent_is_refused_where_it_is_posted() -> None:
    queue = new_queue()
    with pytest.raises(ValueError, match="PING"):
        queue.post(line("PING", "a b", "c"))
    with pytest.raises(ValueError, match="PRIVMSG"):
        queue.post_speech([*said("fine"), line("PRIVMSG", "#tea #mate", "x")])
    queue.post_speech(said("next"))
    with anyio.fail_after(5):
        assert (await queue.next_paced()).params[-1] == "next"
