"""Which line leaves next: nobody's lines keep another's waiting for long."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.network.outgoing import PRIVATE, Lane, OutgoingQueue


def put(
    queue: OutgoingQueue[str], target: str, *lines: str, lane: Lane = Lane.ANSWER
) -> OutgoingQueue[str]:
    flow = target if target.startswith("#") else PRIVATE
    for line in lines:
        queue.put(line, flow=flow, target=target, lane=lane)
    return queue


def drained(queue: OutgoingQueue[str]) -> list[str]:
    lines = []
    while (line := queue.next()) is not None:
        lines.append(line)
    return lines


def test_flows_take_turns_a_line_each() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    put(queue, "#tea", "t1", "t2", "t3")
    put(queue, "#mate", "m1", "m2")
    assert drained(queue) == ["t1", "m1", "t2", "m2", "t3"]
    assert len(queue) == 0


def test_sixty_private_chats_are_one_flow_and_take_turns_in_it() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    for n in range(60):
        put(queue, f"p{n}", f"p{n}-1", f"p{n}-2")
    put(queue, "#tea", "t1", "t2")
    assert drained(queue)[:5] == ["p0-1", "t1", "p1-1", "t2", "p2-1"]


def test_a_ping_goes_before_an_answer_and_an_answer_waits_for_two_pings() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    put(queue, "#tea", "a1", "a2", "a3")
    assert queue.next() == "a1"
    put(queue, "#tea", "pong 1", "pong 2", "pong 3", lane=Lane.COMMAND)
    assert drained(queue) == ["pong 1", "pong 2", "a2", "pong 3", "a3"]


def test_pings_one_after_the_other_wait_for_every_other_flow_and_one_line_of_their_own() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    for flow in ("#tea", "#mate", "ada"):
        put(queue, flow, *[f"answer in {flow}"] * 50)
    waits = []
    for _ in range(9):
        put(queue, "#tea", "pong", lane=Lane.COMMAND)
        waits.append(1)
        while queue.next() != "pong":
            waits[-1] += 1
    assert max(waits) <= 2 * 3
    assert sum(waits) / len(waits) <= 4.5


def test_refusals_leave_when_nothing_else_waits() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    put(queue, "#tea", "no", "no!", lane=Lane.LAST)
    put(queue, "#mate", "never", lane=Lane.LAST)
    put(queue, "#tea", "a1")
    put(queue, "ada", "pong", lane=Lane.COMMAND)
    assert drained(queue) == ["a1", "pong", "no", "never", "no!"]


def test_what_is_no_longer_wanted_goes_from_every_lane_and_leaves_no_flow_behind() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    put(queue, "#tea", "x1", "kept")
    put(queue, "#mate", "x2", lane=Lane.LAST)
    put(queue, "ada", "x3", lane=Lane.COMMAND)
    assert sorted(queue.remove(lambda line: line.startswith("x"))) == ["x1", "x2", "x3"]
    assert len(queue) == 1
    assert drained(queue) == ["kept"]


def test_an_emptied_queue_goes_on_as_a_new_one() -> None:
    queue: OutgoingQueue[str] = OutgoingQueue()
    assert queue.next() is None
    assert drained(put(queue, "#tea", "one")) == ["one"]
    assert drained(put(queue, "#tea", "two")) == ["two"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["#tea", "#mate", "ada", "bo", "cy"]), st.sampled_from(list(Lane))
        )
    )
)
def test_no_line_is_lost_and_those_of_a_lane_keep_their_order(
    posted: list[tuple[str, Lane]],
) -> None:
    queue: OutgoingQueue[tuple[int, str, Lane]] = OutgoingQueue()
    for number, (target, lane) in enumerate(posted):
        flow = target if target.startswith("#") else PRIVATE
        queue.put((number, target, lane), flow=flow, target=target, lane=lane)
    left = []
    while (item := queue.next()) is not None:
        left.append(item)
    assert Counter(left) == Counter((n, *what) for n, what in enumerate(posted))
    for target, lane in set(posted):
        numbers = [n for n, *what in left if what == [target, lane]]
        assert numbers == sorted(numbers)
    refused = [lane in (Lane.LAST, Lane.TYPING) for _, _, lane in left]
    assert refused == sorted(refused)
