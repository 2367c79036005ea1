"""The stand-in is as strict as the endpoint it stands for."""

from typing import Any

import anyio
import httpx2
import pytest

from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, calls, fails, garbage, hangs, html, strict_agent

LINE = "x" * 4000  # a thousand estimated tokens


async def post(agent: StrictAgent, *messages: dict[str, Any], **more: Any) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=agent.url, timeout=None) as client:
        body = {"model": "m", "messages": messages, **more}
        return await client.post("/v1/chat/completions", json=body)


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


async def test_it_says_what_it_was_told_in_order_and_counts_no_tokens() -> None:
    async with strict_agent() as agent:
        agent.will("one", calls("search", query="gate"))
        first = (await post(agent, user("hi"))).json()
        second = (await post(agent, user("hi"))).json()
    assert first["choices"][0]["message"]["content"] == "one"
    assert second["choices"][0]["message"]["content"] is None
    assert second["choices"][0]["message"]["tool_calls"][0]["function"] == {
        "name": "search",
        "arguments": '{"query": "gate"}',
    }
    assert set(first["usage"].values()) == {0}


@pytest.mark.parametrize("content", [None, [{"type": "text", "text": "hi"}]], ids=["null", "parts"])
async def test_content_that_is_no_string_is_refused_and_fails_the_test(content: Any) -> None:
    async def scene() -> None:
        async with strict_agent() as agent:
            agent.will("never said")
            refusal = await post(agent, user("hi"), {"role": "assistant", "content": content})
            assert refusal.status_code == 422
            assert refusal.json()["detail"][0]["loc"] == ["body", "messages", 1, "content"]

    with pytest.raises(AssertionError, match=r"422 for .*'content'"):
        await scene()


async def test_a_request_beyond_the_script_fails_the_test() -> None:
    async def scene() -> None:
        async with strict_agent() as agent:
            assert (await post(agent, user("hi"))).status_code == 500

    with pytest.raises(AssertionError, match="request 1 is beyond the script"):
        await scene()


async def test_a_failing_test_is_not_hidden_by_complaints() -> None:
    async def scene() -> None:
        async with strict_agent() as agent:
            await post(agent, user("hi"))
            raise KeyError

    with pytest.raises(KeyError):
        await scene()


async def test_tool_calls_of_the_history_do_not_reach_the_model() -> None:
    said = {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}
    result = {"role": "tool", "tool_call_id": "1", "name": "search", "content": "found"}
    async with strict_agent() as agent:
        agent.will("done")
        await post(agent, user("hi"), said, result)
    assert agent.requests[0]["messages"][1]["tool_calls"] == [{"id": "1"}]
    assert agent.forwarded[0] == [user("hi"), {"role": "assistant", "content": ""}, result]


async def test_old_messages_vanish_silently_except_the_first_system_message() -> None:
    talk = [system("persona"), system("summary"), *(user(f"{n} {LINE}") for n in range(5))]
    async with strict_agent() as agent:
        agent.will("ok", "ok", "ok")
        answers = [await post(agent, *talk, max_tokens=limit) for limit in (512, 4096, 6000)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    kept = [[message["content"][:7] for message in messages] for messages in agent.forwarded]
    assert kept[0] == ["persona", "summary", *(f"{n} xxxxx" for n in range(5))]
    assert kept[1] == ["persona", "4 xxxxx"]
    assert kept[2] == ["persona"]


async def test_degraded_is_said_with_status_200() -> None:
    async with (
        strict_agent() as agent,
        httpx2.AsyncClient(base_url=agent.url, timeout=PATIENCE) as client,
    ):
        well = await client.get("/health")
        agent.degraded = True
        ill = await client.get("/health")
        models = await client.get("/v1/models")
    assert (well.status_code, well.json()["status"]) == (200, "healthy")
    assert (ill.status_code, ill.json()["status"]) == (200, "degraded")
    assert [model["id"] for model in models.json()["data"]] == agent.models


async def test_without_a_tool_parser_a_request_with_tools_is_a_500_that_costs_no_reply() -> None:
    async with strict_agent() as agent:
        agent.takes_tools = False
        agent.will("without")
        refused = await post(agent, user("hi"), tools=[{"type": "function"}])
        taken = await post(agent, user("hi"))
    assert refused.status_code == 500
    assert "enable-auto-tool-choice" in refused.text
    assert taken.json()["choices"][0]["message"]["content"] == "without"


async def test_a_hanging_answer_waits_for_its_release() -> None:
    answers = []

    async def ask() -> None:
        answers.append(await post(agent, user("hi")))

    with anyio.fail_after(PATIENCE):
        async with strict_agent() as agent, anyio.create_task_group() as tasks:
            agent.will(hangs())
            tasks.start_soon(ask)
            await agent.asked(1)
            assert not answers
            agent.release()
    assert answers[0].status_code == 200


async def test_an_unreleased_answer_does_not_hold_up_the_end() -> None:
    with anyio.fail_after(PATIENCE):
        async with strict_agent() as agent, anyio.create_task_group() as tasks:
            agent.will(hangs())
            tasks.start_soon(post, agent, user("hi"))
            await agent.asked(1)
            tasks.cancel_scope.cancel()


async def test_it_can_fail_and_talk_nonsense() -> None:
    async with strict_agent() as agent:
        agent.will(fails(503), html(), garbage())
        answers = [await post(agent, user("hi")) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [503, 200, 200]
    assert answers[1].headers["content-type"].startswith("text/html")
    with pytest.raises(ValueError, match=r"."):
        answers[2].json()
