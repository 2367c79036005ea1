"""What is tried again, when, and what is not."""

import gzip
from datetime import UTC, datetime

import anyio
import pytest
from tenacity import wait_fixed

from terrarium_mcp.irc_bridge.model.chat_types import ChatMessage
from terrarium_mcp.irc_bridge.model.client import ModelUnavailable
from terrarium_mcp.irc_bridge.model.retries import LONGEST_PAUSE, asked_seconds
from tests.irc_bridge.model.endpoint_scene import Clock, llm_for
from tests.passing_time import time_passes
from tests.servers.beside import beside
from tests.servers.endpoints.faults import (
    closed,
    cut_off,
    endless,
    html,
    retry_after,
    trickling,
)
from tests.servers.endpoints.http import Answer
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import Said, StandIn, standing_in

TALK = [ChatMessage("user", "who fixed the gate?")]
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("Mon, 04 May 2026 12:00:07 GMT", 7.0),
        ("Mon, 04 May 2026 11:00:00 GMT", 0.0),
        ("Mon, 04 May 2026 12:00:07", None),
        ("", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("9" * 400, None),
        ("soon", None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(header: str, seconds: float | None) -> None:
    assert asked_seconds(header, NOW) == seconds


async def slept_after(answer: Answer, *, within: float = 60) -> tuple[list[float], int]:
    """The pauses after an answer that is given again and again, and the number of requests."""
    clock = Clock()
    async with standing_in(OpenAI(listed=["glm"])) as endpoint:
        endpoint.will(*[answer] * 3)
        ours = llm_for(
            endpoint.url, clock=clock, sleep=clock.sleep, wait=wait_fixed(1), timeout=within
        )
        async with ours as llm:
            with pytest.raises(ModelUnavailable):
                await llm.next_message(TALK, [])
    return clock.slept, len(endpoint.requests)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_endpoint_is_left_in_peace_for_as_long_as_it_asks(status: int) -> None:
    busy = OpenAI().error(status, "busy")
    assert await slept_after(busy) == ([1, 1], 3)
    assert await slept_after(retry_after("7", busy)) == ([7, 7], 3)


async def test_no_question_waits_longer_than_it_may() -> None:
    busy = OpenAI().error(503, "busy")
    assert await slept_after(retry_after(f"{LONGEST_PAUSE:g}", busy), within=60) == ([20, 20], 3)
    assert await slept_after(retry_after(f"{LONGEST_PAUSE + 1:g}", busy)) == ([], 1)
    assert await slept_after(retry_after("7", busy), within=5) == ([], 1)


async def test_the_next_question_keeps_to_the_pause_that_was_asked_for() -> None:
    clock = Clock()
    async with standing_in(OpenAI(listed=["glm"])) as endpoint:
        endpoint.will(retry_after("300", OpenAI().error(429, "Rate limit reached")), "Ada did.")
        async with llm_for(endpoint.url, clock=clock, sleep=clock.sleep) as llm:
            with pytest.raises(ModelUnavailable) as first:
                await llm.next_message(TALK, [])
            with pytest.raises(ModelUnavailable) as second:
                await llm.next_message(TALK, [])
            assert len(endpoint.requests) == 1
            assert str(first.value).endswith("It asked for a pause: try again in 300 s.")
            assert "asked for a pause. It gets no requests for 300 s more" in str(second.value)
            assert second.value.public == (
                f"The model is not answering at the moment (error {first.value.error_id} in the"
                " log)."
            )
            await clock.sleep(300)
            said = await llm.next_message(TALK, [])
    assert said.text == "Ada did."


@pytest.mark.parametrize(
    "answer",
    [
        OpenAI().error(500, "boom"),
        OpenAI().out_of_credit(),
        OpenAI().unauthorized(),
        closed(),
        cut_off(OpenAI().completion(Said("Ada did."))),
        endless(),
        html(),
    ],
)
async def test_what_the_model_may_have_begun_or_will_always_refuse_is_asked_once(
    answer: Answer,
) -> None:
    assert await slept_after(answer) == ([], 1)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (OpenAI().out_of_credit(), "Check the credit of the account behind AGENT_API_KEY."),
        (Answer(307, headers=(("location", "http://127.0.0.1:9/"),)), "It redirects: set AGENT"),
        (cut_off(OpenAI().completion(Said("Ada did."))), "without sending complete message body"),
        (closed(), "without sending a response"),
        (endless(), "more than 4,000,000 bytes"),
        (Answer(body=b"\x1f\x8bgarbage", headers=(("content-encoding", "gzip"),)), "decompress"),
        (Answer(wire=b"SSH-2.0-OpenSSH_9.9\r\n"), "is not answering ("),
    ],
)
async def test_the_operator_is_told_what_happened(answer: Answer, told: str) -> None:
    async with standing_in(OpenAI(listed=["glm"])) as endpoint, llm_for(endpoint.url) as llm:
        endpoint.will(answer)
        with pytest.raises(ModelUnavailable) as error:
            await llm.next_message(TALK, [])
    assert told in str(error.value)


async def lose_patience(endpoint: StandIn) -> None:
    """Let 20 seconds pass while the answer trickles."""
    while not endpoint.requests:  # noqa: ASYNC110 -- a stand-in tells nobody
        await anyio.sleep(0.01)
    await anyio.sleep(0.1)
    time_passes(20)


async def test_a_body_that_trickles_holds_no_question_beyond_its_deadline() -> None:
    async with standing_in(OpenAI(listed=["glm"])) as endpoint:
        endpoint.will(trickling())
        async with llm_for(endpoint.url, timeout=20) as llm, beside(lose_patience, endpoint):
            with pytest.raises(ModelUnavailable, match="did not answer within 20 s"):
                await llm.next_message(TALK, [])
    assert len(endpoint.requests) == 1


async def test_a_host_that_does_not_exist_is_told_by_the_resolver() -> None:
    clock = Clock()
    async with llm_for("http://endpoint.invalid", sleep=clock.sleep, wait=wait_fixed(1)) as llm:
        with pytest.raises(
            ModelUnavailable, match=r"endpoint\.invalid is not answering \(.*[Nn]ame"
        ):
            await llm.next_message(TALK, [])
    assert clock.slept == [1, 1]


@pytest.mark.parametrize(
    ("layers", "told"),
    [(1, "more than 4,000,000 bytes"), (2, "compressed as gzip, gzip, which is not read")],
)
async def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked(
    layers: int, told: str
) -> None:
    packed = b" " * 20_000_000
    for _ in range(layers):
        packed = gzip.compress(packed)
    bomb = Answer(body=packed, headers=(("content-encoding", ", ".join(["gzip"] * layers)),))
    async with standing_in(OpenAI(listed=["glm"])) as endpoint, llm_for(endpoint.url) as llm:
        endpoint.will(bomb)
        with pytest.raises(ModelUnavailable, match=told):
            await llm.next_message(TALK, [])
