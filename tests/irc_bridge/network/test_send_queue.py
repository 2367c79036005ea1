"""Which line goes first, and how many may wait."""

import anyio
import pytest

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.errors import SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import PRIVATE, Lane
from terrarium_mcp.irc_bridge.network.send_queue import SendQueue
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from tests.passing_time import time_passes
from tests.patience import PATIENCE

URGENT = [
    *("AUTHENTICATE", "CAP", "MODE", "NICK", "PASS", "PING", "PONG", "PROTOCTL", "QUIT", "USER"),
    "USERHOST",
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
    with anyio.fail_after(PATIENCE):
        assert await queue.next_urgent() == line(command)
        assert (await queue.next_paced()).line == line("JOIN")


async def test_speech_goes_before_questions_to_the_server() -> None:
    queue = new_queue()
    queue.post_low_priority(line("CHATHISTORY"))
    queue.post_who(line("WHO"))
    queue.post_speech(said("one"), "#tea", Lane.ANSWER)
    with anyio.fail_after(PATIENCE):
        order = [(await queue.next_paced()).line.command for _ in range(3)]
    assert order == ["PRIVMSG", "WHO", "CHATHISTORY"]


async def test_a_who_leaves_after_each_line_that_is_said() -> None:
    """So ten channels are known 20 lines after a reconnect: half a minute at the default pace."""
    queue = new_queue()
    queue.post(line("JOIN"))
    for number in range(10):
        queue.post_who(line("WHO", f"#{number}"))
    queue.post_low_priority(line("CHATHISTORY"))
    queue.post_speech(said(*map(str, range(11))), "#tea", Lane.ANSWER)
    with anyio.fail_after(PATIENCE):
        order = [(await queue.next_paced()).line for _ in range(23)]
    assert [one.params[0] for one in order if one.command == "WHO"] == [f"#{n}" for n in range(10)]
    assert [one.command for one in order] == [
        *("JOIN", "WHO"),
        *("PRIVMSG", "WHO") * 9,
        *("PRIVMSG",) * 2,
        "CHATHISTORY",
    ]


async def test_a_line_that_comes_later_wakes_the_right_sender() -> None:
    queue = new_queue()
    sent: list[str] = []

    async def send_urgent() -> None:
        sent.append((await queue.next_urgent()).command)

    async def send_paced() -> None:
        sent.append((await queue.next_paced()).line.command)
        sent.append((await queue.next_paced()).line.command)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send_urgent)
            tasks.start_soon(send_paced)
            await anyio.wait_all_tasks_blocked()
            queue.post_who(line("WHO"))
            await anyio.wait_all_tasks_blocked()
            queue.post_speech(said("one"), "#tea", Lane.ANSWER)
            await anyio.wait_all_tasks_blocked()
            queue.post(line("PING"))
    assert sent == ["WHO", "PRIVMSG", "PING"]


def test_the_queue_takes_exactly_its_capacity_and_then_nothing() -> None:
    queue = new_queue(capacity=3)
    queue.post_speech(said("1", "2"), "#tea", Lane.ANSWER)
    with pytest.raises(SendQueueFull, match="2 lines are waiting to be sent"):
        queue.post_speech(said("3", "4"), "#tea", Lane.ANSWER)
    queue.post_speech(said("3"), "#tea", Lane.ANSWER)
    with pytest.raises(SendQueueFull, match="3 lines are waiting to be sent"):
        queue.post_speech(said("4"), "#tea", Lane.ANSWER)


async def test_a_line_that_cannot_be_sent_is_refused_where_it_is_posted() -> None:
    queue = new_queue()
    with pytest.raises(ValueError, match="PING"):
        queue.post(line("PING", "a b", "c"))
    with pytest.raises(ValueError, match="PRIVMSG"):
        queue.post_speech([*said("fine"), line("PRIVMSG", "#tea #mate", "x")], "#tea", Lane.ANSWER)
    queue.post_speech(said("next"), "#tea", Lane.ANSWER)
    with anyio.fail_after(PATIENCE):
        assert (await queue.next_paced()).line.params[-1] == "next"


async def test_what_is_withdrawn_is_not_sent_and_what_is_closed_has_ended() -> None:
    queue = new_queue()
    one, two, three = queue.post_speech(said("1", "2", "3"), "#tea", Lane.ANSWER)
    queue.withdraw([two])
    with anyio.fail_after(PATIENCE):
        assert await queue.next_paced() is one
        queue.close()
        await three.ended.wait()
    assert three.is_lost
    assert not two.ended.is_set()


async def test_a_line_withdrawn_while_it_waits_for_the_pace_lets_the_next_one_go() -> None:
    queue = SendQueue(Timeouts(burst=1, per_line=20))
    sent: list[str] = []

    async def send() -> None:
        sent.extend([(await queue.next_paced()).line.params[-1] for _ in range(2)])

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            (_, two) = queue.post_speech(said("1", "2"), "#tea", Lane.ANSWER)
            tasks.start_soon(send)
            await anyio.wait_all_tasks_blocked()  # "1" is out, and the pace holds "2" back
            queue.withdraw([two])
            time_passes(20)
            await anyio.wait_all_tasks_blocked()  # the pace lets one go, and there is none
            queue.post_speech(said("3"), "#tea", Lane.ANSWER)
            time_passes(20)
    assert sent == ["1", "3"]


async def test_a_refusal_leaves_only_when_an_answer_could_leave_at_once_after_it() -> None:
    queue = SendQueue(Timeouts(burst=3, per_line=0.1))
    with anyio.fail_after(PATIENCE):
        queue.post_last("#tea", "#tea", lambda _: "no")
        queue.post_last("#tea", "#tea", lambda _: "never")
        queue.post_speech(said("1", "2", "3"), "#tea", Lane.ANSWER)
        order = []
        for _ in range(5):
            order.append((await queue.next_paced()).line.params[-1])
            if order[-1] in ("no", "never"):
                assert queue._bucket.has_capacity()  # noqa: SLF001 -- the pace it leaves to others
    assert order == ["1", "2", "3", "no", "never"]


async def test_an_answer_that_comes_while_refusals_wait_for_the_pace_goes_first() -> None:
    queue = SendQueue(Timeouts(burst=2, per_line=10))
    sent: list[str] = []

    async def send() -> None:
        sent.extend([(await queue.next_paced()).line.params[-1] for _ in range(4)])

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            queue.post_speech(said("1", "2"), "#tea", Lane.ANSWER)
            queue.post_last("#tea", "#tea", lambda _: "no")
            tasks.start_soon(send)
            await anyio.wait_all_tasks_blocked()  # both answers are out, the refusal is held back
            queue.post_speech(said("3"), "#tea", Lane.ANSWER)
            time_passes(10)
            await anyio.wait_all_tasks_blocked()
            time_passes(20)
    assert sent == ["1", "2", "3", "no"]


async def test_refusals_leave_after_questions_to_the_server() -> None:
    queue = new_queue()
    queue.post_last("#tea", "#tea", lambda _: "no")
    queue.post(line("WHO"))
    with anyio.fail_after(PATIENCE):
        order = [(await queue.next_paced()).line.command for _ in range(2)]
    assert order == ["WHO", "PRIVMSG"]


async def test_a_refusal_leaves_also_where_one_line_at_a_time_may() -> None:
    queue = SendQueue(Timeouts(burst=1, per_line=0.001))
    queue.post_last("#tea", "#tea", lambda _: "no")
    with anyio.fail_after(PATIENCE):
        assert (await queue.next_paced()).line.params[-1] == "no"


async def test_a_refusal_is_written_when_it_leaves_and_one_that_is_not_due_costs_no_pace() -> None:
    queue = SendQueue(Timeouts(burst=2, per_line=60))
    true = {"#tea": "ada waits", "#mate": "bo waits"}
    dropped = queue.post_last("#tea", "#tea", lambda target: true[target])
    told = queue.post_last("#mate", "#mate", lambda target: true[target])
    true |= {"#tea": "", "#mate": "nobody waits"}
    with anyio.fail_after(PATIENCE):
        assert (await queue.next_paced()) is told
    assert told.line == line("PRIVMSG", "#mate", "nobody waits")
    assert dropped.ended.is_set()
    assert not dropped.is_lost


async def test_what_waits_for_somebody_follows_them_to_another_nick_in_its_lane() -> None:
    queue = new_queue()
    queue.post_last("bo", PRIVATE, lambda target: f"no, {target}")
    queue.post_speech([line("PRIVMSG", "Bo", text) for text in "12"], PRIVATE, Lane.ANSWER)
    queue.post(line("NOTICE", "bo", "psst"))
    queue.post_speech([line("PRIVMSG", "eve", "hers")], PRIVATE, Lane.COMMAND)
    queue.post(line("JOIN", "bo"))
    queue.readdress(lambda nick: nick.lower() == "bo", "bo2")
    with anyio.fail_after(PATIENCE):
        left = [(await queue.next_paced()).line.params for _ in range(6)]
    assert [params for params in left if params != ("bo",)] == [
        ("eve", "hers"),
        ("bo2", "psst"),
        ("bo2", "1"),
        ("bo2", "2"),
        ("bo2", "no, bo2"),
    ]


async def test_what_waits_for_somebody_who_is_gone_is_not_sent_and_nobody_waits_for_it() -> None:
    queue = new_queue()
    answer = queue.post_speech([line("PRIVMSG", "bo", "1")], PRIVATE, Lane.ANSWER)
    dropped = [*answer, queue.post_last("bo", PRIVATE, lambda _: "no")]
    queue.post_speech(said("2"), "#tea", Lane.ANSWER)
    queue.drop(lambda nick: nick == "bo")
    with anyio.fail_after(PATIENCE):
        assert (await queue.next_paced()).line.params == ("#tea", "2")
        for one in dropped:
            await one.ended.wait()
    assert not any(one.is_lost for one in dropped)


async def test_refusals_too_are_bounded() -> None:
    queue = SendQueue(Timeouts(queue=1))
    queue.post_last("ada", "", lambda _: "no")
    with pytest.raises(SendQueueFull):
        queue.post_last("bo", "", lambda _: "no")
