"""The model looks things up within its view and its budget, and there is always an answer."""

import gc
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.answer.budget import HARD_LIMIT
from terrarium_mcp.irc_bridge.answer.context import OLDER_LINES
from terrarium_mcp.irc_bridge.answer.loop import ROUNDS, Answer
from terrarium_mcp.irc_bridge.answer.model_request import LONGEST_ARGUMENTS, short_arguments
from terrarium_mcp.irc_bridge.answer.tool_calls import SAME_CALL
from terrarium_mcp.irc_bridge.model.chat_types import ToolSchema
from terrarium_mcp.irc_bridge.model.check import check_endpoint
from terrarium_mcp.irc_bridge.toolbox import ToolAnswer, Toolbox, connection
from terrarium_mcp.offload import offload
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import StoredDialogue, ToolStep
from tests.conftest import STORIES
from tests.irc_bridge.dialogue.test_turns import questions, turn
from tests.irc_bridge.house import NOBODY, Study, came, model_of, said, study
from tests.patience import PATIENCE
from tests.servers import agent as agents
from tests.servers.agent import StrictAgent, calls, calls_all, says, strict_agent
from tests.servers.beside import beside
from tests.servers.endpoints.http import Answer as HttpAnswer
from tests.servers.endpoints.stand_in import Said, called, standing_in
from tests.servers.endpoints.vllm import Vllm

GATE = said("I fixed the garden gate on Tuesday")
ELSEWHERE = "the vault code is xyzzy"


def results(request: dict[str, Any]) -> list[str]:
    """What the tools said, as the model was shown it."""
    return [one["content"] for one in request["messages"] if one["role"] == "tool"]


def everything(agent: StrictAgent) -> str:
    return json.dumps(agent.requests, ensure_ascii=False)


async def test_the_answer_is_the_models_own_in_lines(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(
            calls("search_irc_history", query="gate fixed"),
            says("<think>hm</think>**bo** fixed it.\n\nOn Tuesday."),
        )
        found = await scene.asks("who fixed the gate?")
    assert (found.lines, found.by_model) == (["bo fixed it.", "On Tuesday."], True)
    first, second = agent.requests
    assert "search_irc_history" in {tool["function"]["name"] for tool in first["tools"]}
    assert results(first) == []
    assert "I fixed the garden gate on Tuesday" in results(second)[0]


@pytest.mark.parametrize(("words", "hops"), [("bo did", 0), ("bo did " * 1_000, 2)])
async def test_only_a_long_answer_is_read_and_cleaned_in_another_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, hops: int
) -> None:
    thought = list[Callable[[], Any]]()

    async def counted(think: Callable[[], Any]) -> Any:
        thought.append(think)
        return await offload(think)

    monkeypatch.setattr("terrarium_mcp.irc_bridge.answer.loop.offload", counted)
    monkeypatch.setattr("terrarium_mcp.irc_bridge.model.client.offload", counted)
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        agent.will(says(words))
        found = await scene.asks("who fixed the gate?")
    assert found.lines == [words.strip()]
    assert len(thought) == hops


async def test_the_question_stands_in_the_request_once_with_its_asker(tmp_path: Path) -> None:
    question = "who fixed the gate, and when?"
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(calls("get_current_users"), says("bo"))
        await scene.asks(question)
    for request in agent.requests:
        words = [message["content"] for message in request["messages"]]
        assert "\n".join(words).count(question) == 1
        assert words[1].endswith(f'<question from="ada">{question}</question>')
        assert [message["role"] for message in request["messages"][:2]] == ["system", "user"]


async def test_joins_are_among_the_lines_that_the_model_is_shown(tmp_path: Path) -> None:
    lines = [GATE, came("cy"), came("dee"), said("hello cy", nick="ada")]
    async with strict_agent() as agent, study(tmp_path, agent, lines) as scene:
        agent.will(says("cy and dee"))
        await scene.asks("who came in?")
    (request,) = agent.requests
    shown = request["messages"][1]["content"].splitlines()
    (joined,) = [at for at, line in enumerate(shown) if line.endswith("* cy, dee joined")]
    assert "I fixed the garden gate" in shown[joined - 1]
    assert shown[joined + 1].endswith("<ada> hello cy")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_irc_history", {"query": "vault in:#mate"}),
        ("search_irc_history", {"query": "vault", "channel": "#mate"}),
        ("search_irc_history", {"query": "vault", "channel": "local/#mate"}),
        ("search_irc_history", {"query": "from:spy"}),
        ("search_irc_history", {"query": ""}),
        ("search_chat_logs", {"query": "vault", "user": "spy"}),
        ("get_recent_irc_messages", {"channel": "#mate", "limit": 500, "include_events": True}),
        ("get_recent_irc_messages", {"after_id": "ID"}),
        ("get_recent_irc_messages", {"before_id": "ID"}),
        ("get_message_context", {"message_id": "ID"}),
        ("get_message_context", {"message_id": "terrarium://message/ID"}),
        ("get_channel_stats", {"channel": "#mate"}),
        ("get_channel_stats", {}),
        ("get_current_users", {"channel": "#mate"}),
        ("get_current_users", {}),
        ("create_enhancement_request", {"title": "spy's idea", "summary": "from #mate"}),
        ("list_enhancement_requests", {}),
    ],
)
async def test_no_tool_shows_the_model_anything_of_another_channel(
    tmp_path: Path, name: str, arguments: dict[str, Any]
) -> None:
    secrets = [
        said(ELSEWHERE, nick="spy", channel="#mate"),
        said("more", nick="spy", channel="#mate"),
    ]
    async with strict_agent() as agent, study(tmp_path, agent, [GATE, *secrets]) as scene:
        (room,) = [room for room in await scene.store.rooms.all() if room.channel == "#mate"]
        page = await scene.store.messages.newest([room], 1)
        given_id = str(page.messages[0].id)
        asked = {
            key: value.replace("ID", given_id) if isinstance(value, str) else value
            for key, value in arguments.items()
        }
        agent.will(calls(name, **asked), says("done"))
        await scene.asks("what do they say elsewhere?")
    shown = "\n".join(results(agent.requests[1]))
    assert shown
    assert "vault code" not in everything(agent)
    assert "xyzzy" not in everything(agent)
    assert "<spy>" not in everything(agent)
    assert "spy 2" not in shown


async def test_a_model_is_told_what_it_did_wrong_and_the_way_out(tmp_path: Path) -> None:
    wrong = [
        ("search_irc_history", "{query: gate}"),
        ("search_irc_history", '["gate"]'),
        ("search_irc_histry", '{"query": "gate"}'),
        ("search_irc_history", '{"qeury": "gate"}'),
        ("get_message_context", '{"message_id": "999999"}'),
        ("get_message_context", ""),
        ("search_irc_history", "[" * 2_000),
    ]
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(calls_all(*wrong), says("sorry"))
        found = await scene.asks("who?")
    assert found.lines == ["sorry"]
    said_back = results(agent.requests[1])
    assert "are not JSON" in said_back[0]
    assert "must be one JSON object" in said_back[1]
    assert "Did you mean search_irc_history?" in said_back[2]
    assert "Did you mean query?" in said_back[3]
    assert "No message 999999" in said_back[4]
    assert "message_id" in said_back[5]
    assert "are not JSON" in said_back[6]


async def test_a_model_is_told_of_arguments_that_are_too_long(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        huge = {"query": "gate " * 5_000}
        agent.will(calls("search_irc_history", **huge), calls("search_irc_history"), says("sorry"))
        found = await scene.asks("who?")
    assert found.lines == ["sorry"]
    (told,) = results(agent.requests[1])
    assert "The arguments of search_irc_history have more than 20,000 characters" in told
    assert "query" in results(agent.requests[2])[1]  # this one was called, and lacks its query
    assert len(str(agent.requests[1]["messages"])) < 20_000
    assert [step.arguments for step in found.steps] == ["", "{}"]


async def test_of_long_arguments_the_beginning_is_kept_for_later_turns(tmp_path: Path) -> None:
    watch = Watch()
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        agent.will(calls("look", at="x" * 10_000), says("done"))
        found = await asks_with(watch, scene)
    assert watch.called == [("look", {"at": "x" * 10_000})]
    (step,) = found.steps
    assert len(step.arguments) == LONGEST_ARGUMENTS + 1
    assert short_arguments(step.arguments) == "{}"


class Watch:
    """Stands in for the toolbox where a scene is about when calls happen, not what they find."""

    trouble = ""

    def __init__(self, *, text: str = "found nothing", together: int = 1) -> None:
        self.called: list[tuple[str, object]] = []
        self.menu = (ToolSchema("look", "Look.", {"type": "object"}),)
        self._text = text
        self._together = together
        self._all_here = anyio.Event()

    def offers(self, name: str, *, only_reads: bool = False) -> bool:
        return name == "look" and not only_reads

    def unknown(self, name: str) -> str:
        return f"No tool {name}."

    async def call(self, name: str, arguments: object, _: object) -> ToolAnswer:
        if name != "look":
            return ToolAnswer("")
        self.called.append((name, arguments))
        if len(self.called) >= self._together:
            self._all_here.set()
        await self._all_here.wait()
        return ToolAnswer(self._text)


async def asks_with(watch: Watch, scene: Study, text: str = "who?") -> Answer:
    toolbox: Any = watch
    return await Study(scene.store, toolbox, scene.settings, scene.llm).asks(text)


async def test_the_calls_of_one_round_run_side_by_side_and_answer_in_their_order(
    tmp_path: Path,
) -> None:
    watch = Watch(together=3)
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        agent.will(calls_all(*(("look", f'{{"at": {n}}}') for n in range(3))), says("done"))
        with anyio.fail_after(PATIENCE):
            await asks_with(watch, scene)
    tool_messages = [one for one in agent.requests[1]["messages"] if one["role"] == "tool"]
    assert [one["tool_call_id"] for one in tool_messages] == ["call_1", "call_2", "call_3"]
    assert len(watch.called) == 3


async def test_the_same_call_is_answered_from_memory_and_the_third_time_ends_the_looking_up(
    tmp_path: Path,
) -> None:
    watch = Watch(text="the gate is green")
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        agent.will(
            calls_all(("look", '{"at": 1, "by": 2}'), ("look", '{"by":2,"at":1}')),
            calls("look", at=1, by=2),
            calls("look", by=2, at=1),
            says("enough"),
        )
        found = await asks_with(watch, scene)
    assert found.lines == ["enough"]
    assert len(watch.called) == 1
    assert "asked before" in results(agent.requests[2])[2]
    assert "the gate is green" in results(agent.requests[2])[2]
    assert "tools" in agent.requests[2]
    assert "tools" not in agent.requests[3]


async def test_after_eight_rounds_the_model_has_to_speak(tmp_path: Path) -> None:
    watch = Watch()
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        agent.will(*(calls("look", at=n) for n in range(ROUNDS)), says("at last"))
        found = await asks_with(watch, scene)
    assert found.lines == ["at last"]
    assert len(watch.called) == len(agent.requests) - 1 == ROUNDS
    assert "tools" not in agent.requests[-1]


async def test_a_model_that_calls_to_the_end_still_leaves_an_answer(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(
            *(calls("search_irc_history", query=f"gate {n}") for n in range(ROUNDS)),
            says('{"name": "search_irc_history", "arguments": {"query": "gate"}}'),
        )
        found = await scene.asks("who fixed the garden gate?")
        assert "it kept calling tools" in scene.llm.condition.trouble
    assert not found.by_model
    assert found.lines[0].startswith("The model gave no answer (error ")
    assert "I fixed the garden gate on Tuesday" in found.lines[2]


@pytest.mark.parametrize(
    ("said_instead", "cause"),
    [
        ({"content": ""}, "it said nothing (finish reason: stop)"),
        ({"content": " \n"}, "it said nothing (finish reason: stop)"),
        ({"content": []}, "it said nothing (finish reason: stop)"),
        ({"content": "\u200b\u2060"}, "it said nothing (finish reason: stop)"),
        ({"content": "\u2800\n\u2800"}, "it said nothing (finish reason: stop)"),
        ({"content": "\u3164"}, "it said nothing (finish reason: stop)"),
        ({"content": "---"}, "it said nothing (finish reason: stop)"),
        ({"content": "```\n```"}, "it said nothing (finish reason: stop)"),
        ({"content": "```python\n```"}, "nothing of what it said can be shown"),
        ({"content": "", "thinking": "Hm."}, "it only reasoned"),
        ({"content": "", "reasoning_details": [{"text": "Hm."}]}, "it only reasoned"),
    ],
)
async def test_what_is_no_answer_is_a_trouble_with_an_id_until_the_model_answers(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    said_instead: dict[str, Any],
    cause: str,
) -> None:
    caplog.set_level("INFO", "terrarium_mcp")
    choice = {"message": said_instead, "finish_reason": "stop"}
    nothing = agents.sends(json.dumps({"choices": [choice]}))
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(*[nothing] * (2 if "reasoned" in cause else 1), says("bo"))
        found = await scene.asks("who fixed the garden gate?")
        error_id = scene.llm.condition.error_id
        assert cause in scene.llm.condition.trouble
        assert found.lines[0] == f"The model gave no answer (error {error_id} in the log)."
        (logged,) = [one for one in caplog.messages if one.startswith("error")]
        assert logged.startswith(f"error {error_id}: The model at {agent.url} gave no answer")
        assert (await scene.asks("who?")).lines == ["bo"]
        assert scene.llm.condition.trouble == ""


async def test_after_five_questions_without_an_answer_the_endpoint_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        for number in range(5):
            assert not scene.llm.is_paused
            agent.will(calls("search_irc_history", query=f"gate {number}"), says(""))
            await scene.asks("who fixed the garden gate?")
        assert scene.llm.is_paused
    (logged,) = [one for one in caplog.messages if one.startswith("error")]
    assert "it said nothing" in logged


async def test_a_model_that_only_reasons_is_asked_once_more_with_more_room(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(agents.reasons(), says("bo did"))
        found = await scene.asks("who?")
    assert found.lines == ["bo did"]
    assert [request["max_tokens"] for request in agent.requests] == [512, 2_048]
    assert all('<question from="ada">' in str(one) for one in agent.forwarded)


@pytest.mark.parametrize("counts_tokens", [True, False])
async def test_no_endpoint_is_asked_for_more_than_it_may_have_because_a_model_only_reasoned(
    tmp_path: Path, counts_tokens: bool
) -> None:
    reasons = Said("", more={"reasoning_content": "Hm."}, finish="length")
    async with standing_in(Vllm()) as vllm:
        vllm.will(reasons, Said("ada did, on Tuesday"))
        more = {"agent_max_tokens": 4_000, "agent_model": vllm.model}
        async with study(tmp_path, vllm.url, [GATE], **more) as scene:
            if counts_tokens:
                await check_endpoint(scene.llm)
            found = await scene.asks("who fixed the garden gate?")
    first, second = [request["max_tokens"] for request in vllm.requests]
    assert (first, second) == (4_000 if counts_tokens else 3_500, 4_000)
    assert found.lines == ["ada did, on Tuesday"]


async def test_with_a_longer_answer_the_agent_still_sees_the_question(tmp_path: Path) -> None:
    lines = [said(f"{n} " + "blah " * 80) for n in range(60)]
    more = {"agent_max_tokens": 2_000, "max_context_messages": 60}
    async with strict_agent() as agent, study(tmp_path, agent, lines, **more) as scene:
        agent.will(
            calls("get_recent_irc_messages", limit=100),
            agents.reasons(),
            says("here"),
        )
        await scene.asks("what is blah?")
    assert len(agent.forwarded) == 3
    assert all("what is blah?" in str(one) for one in agent.forwarded)


def before_the_question() -> StoredDialogue:
    turns = tuple(turn(n, f"fact {n}?", "an answer of some words " * 34) for n in range(1, 5))
    return StoredDialogue(1, 4, None, turns)


def shown(request: dict[str, Any]) -> tuple[int, int]:
    """How many past turns and how many of the newest lines a request shows."""
    last = next(one for one in reversed(request["messages"]) if one["role"] == "user")["content"]
    newest = last.partition("<irc_logs-")[2].partition("</irc_logs-")[0]
    return len(questions(request)) - 1, newest.count("<bo>")


async def looks_twice(endpoint: StrictAgent | Vllm, folder: Path, **more: Any) -> list[int]:
    """Ask for more than there is room for; returns the tokens of both newest results.

    All past turns and the newest lines must be in every request.
    """
    lines = [said(f"tea number {n} {'leaf ' * 28}") for n in range(400)]
    async with study(folder, endpoint.url, lines, **more) as scene:
        await check_endpoint(scene.llm)
        await scene.asks("which leaf is it?", dialogue=before_the_question())
    assert [shown(request) for request in endpoint.requests] == [(4, 20)] * 3
    return [estimated_tokens(results(request)[-1]) for request in endpoint.requests[1:]]


LOOKS = [{"limit": 500}, {"limit": 499}]


@pytest.mark.parametrize(("answer", "least"), [(512, 2_000), (1_000, 2_000), (2_000, 1_000)])
async def test_a_longer_answer_costs_the_newest_result_and_neither_turns_nor_lines(
    tmp_path: Path, answer: int, least: int
) -> None:
    async with strict_agent() as agent:
        agent.will(*(calls("get_recent_irc_messages", **look) for look in LOOKS), "the green one")
        found = await looks_twice(agent, tmp_path, agent_max_tokens=answer)
        assert all('<question from="ada">' in str(one) for one in agent.forwarded)
    assert min(found) > least


@pytest.mark.parametrize("answer", [512, 2_000, 4_096, 16_000])
async def test_at_an_endpoint_that_counts_tokens_a_longer_answer_costs_nothing(
    tmp_path: Path, answer: int
) -> None:
    async with standing_in(Vllm()) as vllm:
        vllm.will(*(called("get_recent_irc_messages", **look) for look in LOOKS), "the green one")
        more = {"agent_max_tokens": answer, "agent_model": vllm.model}
        found = await looks_twice(vllm, tmp_path, **more)
    assert min(found) > 2_000
    assert [request["max_tokens"] for request in vllm.requests] == [answer] * 3


class Thinking(Vllm):
    """An endpoint that refuses a call without its reasoning, as DeepSeek's thinking mode does."""

    def refusal(self, body: dict[str, Any]) -> HttpAnswer | None:
        """In DeepSeek's words."""
        called = [one for one in body["messages"] if "tool_calls" in one]
        if all("reasoning_content" in one for one in called):
            return None
        return self.error(
            400, "The `reasoning_content` in the thinking mode must be passed back to the API."
        )


def thought(words: str, **arguments: Any) -> Said:
    looks = called("search_irc_history", **arguments)
    return replace(looks, more={"reasoning_content": words})


def reasoning_in(request: dict[str, Any]) -> list[str]:
    """The reasoning of each call in a request."""
    return [one["reasoning_content"] for one in request["messages"] if "tool_calls" in one]


async def test_an_endpoint_gets_the_reasoning_of_this_questions_calls_and_none_of_earlier_ones(
    tmp_path: Path,
) -> None:
    async with standing_in(Thinking()) as endpoint:
        endpoint.will(thought("Hm.", query="gate"), thought("Aha.", query="green"), "bo", "bo")
        more = {"agent_model": endpoint.model}
        async with study(tmp_path, endpoint.url, [GATE], **more) as scene:
            await scene.asks("who fixed the gate?")
            assert len(endpoint.requests) == 3
            step = ToolStep(1, "search_irc_history", "{}", "found")
            looked_up = replace(turn(1, "fact?"), steps=(step,))
            await scene.asks("and then?", dialogue=StoredDialogue(1, 1, None, (looked_up,)))
    assert reasoning_in(endpoint.requests[1]) == ["Hm."]
    assert reasoning_in(endpoint.requests[2]) == ["Hm.", "Aha."]
    assert len(results(endpoint.requests[2])) == 2
    refused, taken = endpoint.requests[3:]
    assert results(refused)
    assert not results(taken)
    assert "[called " in json.dumps(taken)


@pytest.mark.parametrize(
    "trouble",
    [
        agents.reasons(),
        says(""),
        says("   \n"),
        says("***"),
        agents.html(),
        agents.garbage(),
        agents.empty(),
        agents.fails(500),
        agents.fails(400, {"error": "no"}),
    ],
    ids=["reasons", "nothing", "spaces", "rule", "html", "garbage", "empty", "500", "400"],
)
async def test_whatever_the_model_says_the_best_lines_are_found(
    tmp_path: Path, trouble: agents.Answer
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(trouble, trouble)
        found = await scene.asks("who fixed the garden gate?")
    assert not found.by_model
    assert "I fixed the garden gate on Tuesday" in found.lines[-1]
    assert "Traceback" not in str(found.lines)


async def test_while_the_endpoint_is_down_the_best_lines_are_found(tmp_path: Path) -> None:
    async with study(tmp_path, NOBODY, [GATE]) as scene:
        found = await scene.asks("who fixed the garden gate?")
        nothing = await scene.asks("xyzzy?")
    assert "not answering" in found.lines[0]
    assert "I fixed the garden gate on Tuesday" in found.lines[-1]
    assert nothing.lines[-1] == "I found no line about it."


async def test_the_best_lines_hold_what_reached_the_disk_after_the_first_look(
    tmp_path: Path,
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        agent.will(agents.hangs(agents.fails(400, {"error": "no"})))

        async def write_and_release() -> None:
            await agent.asked(1)
            await scene.store.messages.append([GATE])
            agent.release()

        async with beside(write_and_release):
            found = await scene.asks("who fixed the garden gate?")
    assert not found.by_model
    assert "I fixed the garden gate on Tuesday" in found.lines[-1]


@pytest.mark.parametrize(
    "endless", ["![" * 100_000, "<" * 200_000, "a\n" * 100_000, "[](" * 66_000]
)
async def test_an_endless_answer_does_not_hold_the_event_loop(tmp_path: Path, endless: str) -> None:
    # CPU of the loop's thread between two beats: what other processes do makes no difference.
    beats: list[float] = []

    async def beat() -> None:
        while True:
            began = time.thread_time()
            await anyio.sleep(0.001)
            beats.append(time.thread_time() - began)

    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(says("warm"), says(endless))
        await scene.asks("who?")
        gc.collect()
        gc.freeze()  # what earlier tests left, whose collection would take long for one beat
        async with beside(beat):
            found = await scene.asks("who fixed the gate?")
    assert found.lines[-1].startswith("(cut here: ")
    assert max(beats) < 0.05  # 20 ms is the goal; parsing "![" without end takes 220


async def test_best_lines_have_permalinks_where_there_is_a_viewer(tmp_path: Path) -> None:
    viewer = "https://logs.example/irc/"
    async with study(tmp_path, NOBODY, [GATE], viewer_url=viewer) as scene:
        found = await scene.asks("who fixed the garden gate?")
    assert found.lines[-1].endswith("on Tuesday (1) https://logs.example/irc/message/1")


async def test_what_a_model_reads_has_no_permalinks(tmp_path: Path) -> None:
    viewer = "https://logs.example/"
    async with (
        strict_agent() as agent,
        study(tmp_path, agent, [GATE], viewer_url=viewer) as scene,
    ):
        agent.takes_tools = False
        agent.will(says("never heard"), says("bo did"))
        await scene.asks("who fixed the garden gate?")
    assert "I fixed the garden gate on Tuesday" in everything(agent)
    assert "logs.example" not in everything(agent)


async def test_a_context_error_is_met_once_with_half_the_talk(tmp_path: Path) -> None:
    lines = [said(f"{n} " + "blah " * 40) for n in range(20)]
    async with strict_agent() as agent, study(tmp_path, agent, lines) as scene:
        agent.will(agents.context_error(), calls("get_current_users"), says("it fits"))
        found = await scene.asks("what is blah?")
    assert found.lines == ["it fits"]
    sizes = [tokens(request) for request in agent.requests]
    assert sizes[1] <= sizes[0] // 2 + 10
    assert sizes[2] <= sizes[0] // 2 + 10
    assert "what is blah?" in agent.requests[1]["messages"][-1]["content"]


async def test_a_second_context_error_ends_in_the_best_lines(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(agents.context_error(), agents.context_error())
        found = await scene.asks("who fixed the garden gate?")
    assert "too long" in found.lines[0]
    assert "I fixed the garden gate on Tuesday" in found.lines[-1]


async def test_an_endpoint_that_rejects_tools_gets_a_search_beside_the_logs(tmp_path: Path) -> None:
    gates = [said(f"I fixed garden gate number {n}") for n in range(6)]
    lines = [*gates, *(said(f"nice weather {n}") for n in range(25))]
    async with strict_agent() as agent, study(tmp_path, agent, lines) as scene:
        agent.takes_tools = False
        agent.will(says("never heard"), says("bo did"), says("bo did, as I said"))
        found = await scene.asks("who fixed the garden gate?")
        again = await scene.asks("who fixed the garden gate?")
    assert (found.lines, again.lines) == (["bo did"], ["bo did, as I said"])
    refused, plain, helped, at_once = agent.requests
    assert "tools" in refused
    assert "tools" not in plain
    for request in (helped, at_once):
        assert "tools" not in request
        assert all(gate.text in request["messages"][1]["content"] for gate in gates)
    shown = [gate.text in plain["messages"][1]["content"] for gate in gates]
    assert sum(shown) == OLDER_LINES


async def test_an_endpoint_that_rejects_tools_is_not_asked_twice_the_same(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.takes_tools = False
        agent.will("bo did")
        found = await scene.asks("who fixed the garden gate?")
    assert found.lines == ["bo did"]
    refused, plain = agent.requests
    assert refused["messages"] == plain["messages"]


async def test_calls_written_as_text_are_made_also_by_their_older_name(tmp_path: Path) -> None:
    lines = [GATE, said("the gate squeaks", nick="eve")]
    async with strict_agent() as agent, study(tmp_path, agent, lines) as scene:
        agent.will(
            says('{"name": "search_irc_history", "arguments": {"query": "squeaks"}}'),
            says('search_chat_logs(query="gate", user="bo")'),
            says("bo did"),
        )
        await scene.asks("who?")
    first, second = results(agent.requests[2])
    assert "the gate squeaks" in first
    assert "I fixed the garden gate" in second
    assert "squeaks" not in second.partition("[irc")[2]


UNREADABLE = '<tool_call>{"name": "search_irc_history", "arguments": {"query": "gate"}</tool_call>'


async def test_of_a_call_in_tags_that_cannot_be_read_the_model_is_told_and_goes_on(
    tmp_path: Path,
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(says(UNREADABLE), says("bo did"))
        found = await scene.asks("who?")
    assert found.lines == ["bo did"]
    (told,) = results(agent.requests[1])
    assert told.startswith("No tool unnamed. ")
    assert "search_irc_history" in told


async def test_nothing_of_it_is_said_by_a_model_that_writes_no_other(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(*[says(UNREADABLE)] * (SAME_CALL + 1))
        found = await scene.asks("who fixed the garden gate?")
        assert "it kept calling tools" in scene.llm.condition.trouble
    assert len(agent.requests) == SAME_CALL + 1
    assert found.lines[0].startswith("The model gave no answer (error ")
    assert not any("tool_call" in line for line in found.lines)


CALL_ALONE = '<tool_call>{"name": "search_irc_history", "arguments": {"query": "gate"}}</tool_call>'
CALL_BEHIND_WORDS = f"Let me look that up.\n\n{CALL_ALONE}"


async def test_a_call_behind_words_is_made_once_the_model_writes_it_alone(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(says(CALL_BEHIND_WORDS), says(CALL_ALONE), says("bo did"))
        found = await scene.asks("who fixed it?")
    assert found.lines == ["bo did"]
    (told,) = results(agent.requests[1])
    assert told == "Not called: it was behind words. Write the call alone, or answer without one."
    assert "Let me look that up." in agent.requests[1]["messages"][-2]["content"]
    assert "I fixed the garden gate on Tuesday" in results(agent.requests[2])[1]


async def test_of_a_model_that_writes_words_before_its_call_again_they_are_the_answer(
    tmp_path: Path,
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(says(CALL_BEHIND_WORDS), says(CALL_BEHIND_WORDS))
        found = await scene.asks("who fixed it?")
    assert found.lines == ["Let me look that up."]
    assert len(agent.requests) == 2


async def test_so_they_are_where_no_tools_are_offered(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(*[calls("get_current_users")] * SAME_CALL, says(CALL_BEHIND_WORDS))
        found = await scene.asks("who fixed it?")
    assert "tools" not in agent.requests[-1]
    assert found.lines == ["Let me look that up."]


@pytest.mark.parametrize("words", ["exit()", '{"name": "ada", "parameters": {"age": 5}}'])
async def test_an_answer_that_only_looks_like_a_call_is_the_answer(
    tmp_path: Path, words: str
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(words, calls("search_irc_history", query="gate"), words)
        assert (await scene.asks("how do I leave the python prompt?")).lines == [words]
        assert (await scene.asks("and how once more?")).lines == [words]
    assert len(agent.requests) == 3


async def test_in_the_last_request_too_it_is_the_answer(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will(*(calls("get_current_users") for _ in range(SAME_CALL)), "exit()")
        found = await scene.asks("how do I leave the python prompt?")
    assert "tools" not in agent.requests[-1]
    assert found.lines == ["exit()"]


async def test_a_call_inside_a_sentence_is_a_sentence(tmp_path: Path) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [GATE]) as scene:
        agent.will('I could call search_chat_logs(query="x") but I will not.')
        found = await scene.asks("who?")
    assert found.by_model
    assert len(agent.requests) == 1


async def test_while_the_toolbox_is_away_the_question_is_still_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with strict_agent() as agent, study(tmp_path, agent) as scene:
        monkeypatch.setattr(connection, "BROKEN_SECONDS", 0.05)
        away = Toolbox(lambda: "http://127.0.0.1:9/mcp", backoff=(30.0,))
        lonely = Study(scene.store, away, scene.settings, scene.llm)
        agent.will(says("I know that by heart"), calls("search_irc_history", query="x"), says("ok"))
        async with beside(away.run):
            by_heart = await lonely.asks("what is 2 + 2?")
            assert by_heart.lines == ["I know that by heart"]
            await lonely.asks("who?")
    assert "tools" not in agent.requests[0]
    assert "The history is unavailable" in results(agent.requests[2])[0]


def tokens(request: dict[str, Any]) -> int:
    """What a request costs as it stands on the wire, tool schemas apart."""
    total = 0
    for message in request["messages"]:
        total += 4 + estimated_tokens(message["content"])
        total += sum(
            estimated_tokens(call["function"]["name"] + call["function"]["arguments"])
            for call in message.get("tool_calls", ())
        )
    return total


@trying(max_examples=STORIES, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.lists(st.text(max_size=30) | st.just("x" * 3_000), min_size=1, max_size=5),
        min_size=8,
        max_size=8,
    ),
    st.sampled_from(["word " * 30_000, "\u8336" * 9_000, "short", "line\n" * 9_000]),
)
def test_no_request_of_eight_rounds_exceeds_the_budget(rounds: list[list[str]], huge: str) -> None:
    async def scene() -> None:
        async with strict_agent() as agent:
            agent.will(
                *(
                    calls_all(*(("look", json.dumps({"at": at, "n": n})) for at in round_))
                    for n, round_ in enumerate(rounds)
                ),
                says("done"),
            )
            settings = Settings(agent_api_url=agent.url, agent_model="m")
            llm = model_of(settings)
            toolbox: Any = Watch(text=huge)
            store: Any = None
            found = await Study(store, toolbox, settings, llm).asks("who?")
            await llm.aclose()
            assert found.lines == ["done"]
            assert max(map(tokens, agent.requests)) <= HARD_LIMIT
            assert all("who?" in str(one) for one in agent.forwarded)

    anyio.run(scene)
