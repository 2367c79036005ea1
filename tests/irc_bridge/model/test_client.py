"""The client of the endpoint, against a stand-in as strict as the real one, over real HTTP."""

import json
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import anyio
import pytest
from tenacity import RetryCallState
from tenacity.wait import wait_base

from terrarium_mcp.irc_bridge.model.breaker import Breaker
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.settings import Settings
from tests.irc_bridge.model.endpoint_scene import Clock, llm_for
from tests.passing_time import time_passes
from tests.servers.agent import (
    Answer,
    StrictAgent,
    calls_all,
    context_error,
    empty,
    fails,
    garbage,
    hangs,
    html,
    reasons,
    says,
    sends,
    strict_agent,
    tools_error,
)
from tests.servers.beside import beside
from tests.servers.endpoints.faults import retry_after
from tests.servers.endpoints.http import HttpRequest, serving

TALK = [ChatMessage("system", "You are Terra."), ChatMessage("user", "who fixed the gate?")]
SEARCH = ToolSchema("search", "Find lines.", {"type": "object", "properties": {}})


@pytest.fixture
async def agent() -> AsyncIterator[StrictAgent]:
    async with strict_agent() as agent:
        yield agent


@pytest.fixture
async def llm(agent: StrictAgent) -> AsyncIterator[LLM]:
    async with llm_for(agent.url) as llm:
        yield llm


@pytest.fixture
def closed_url() -> Iterator[str]:
    """An address that refuses: its port is taken, and nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


async def test_a_question_goes_out_with_the_settings_and_comes_back_as_words(
    agent: StrictAgent, llm: LLM
) -> None:
    agent.will("Ada did.")
    assert await llm.next_message(TALK, []) == ModelMessage("Ada did.")
    assert agent.requests == [
        {
            "model": "glm",
            "temperature": 0.8,
            "max_tokens": 512,
            "messages": [
                {"role": "system", "content": "You are Terra."},
                {"role": "user", "content": "who fixed the gate?"},
            ],
        }
    ]


async def test_one_turn_may_have_another_limit(agent: StrictAgent, llm: LLM) -> None:
    agent.will("Ada did.")
    await llm.next_message(TALK, [], max_tokens=1024)
    assert agent.requests[0]["max_tokens"] == 1024


async def test_tools_are_offered_without_strict_and_calls_come_back_as_written(
    agent: StrictAgent, llm: LLM
) -> None:
    agent.will(calls_all(("search", '{"query": "gate"}'), ("search", "{broken")))
    said = await llm.next_message(TALK, [SEARCH])
    assert agent.requests[0]["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "search",
                "description": "Find lines.",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]
    assert said == ModelMessage(
        "",
        (
            ToolCall("call_1", "search", '{"query": "gate"}'),
            ToolCall("call_2", "search", "{broken"),
        ),
    )


@pytest.mark.parametrize("text", ["", "Let me see."])
async def test_calls_and_results_reach_the_model_although_the_agent_drops_tool_calls(
    agent: StrictAgent, llm: LLM, text: str
) -> None:
    said = ModelMessage(text, (ToolCall("c1", "search", '{"query":\n "gate"}'),))
    agent.will("Ada did.")
    await llm.next_message(
        [*TALK, AssistantToolCalls(said), ToolResult("c1", "search", "<ada> fixed")], [SEARCH]
    )
    assert agent.requests[0]["messages"][2]["tool_calls"] == [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "search", "arguments": '{"query":\n "gate"}'},
        }
    ]
    assert agent.forwarded[0][2:] == [
        {"role": "assistant", "content": f'{text}\n[called search {{"query": "gate"}}]'.strip()},
        {"role": "tool", "tool_call_id": "c1", "name": "search", "content": "<ada> fixed"},
    ]


async def test_broken_arguments_go_back_as_an_empty_object_that_templates_can_parse(
    agent: StrictAgent, llm: LLM
) -> None:
    said = ModelMessage("", (ToolCall("c1", "search", "{broken"),))
    agent.will("Ada did.")
    await llm.next_message(
        [*TALK, AssistantToolCalls(said), ToolResult("c1", "search", "bad JSON")], [SEARCH]
    )
    said = agent.requests[0]["messages"][2]
    assert said["tool_calls"][0]["function"]["arguments"] == "{}"
    assert said["content"] == "[called search {broken]"


async def test_a_call_written_as_text_is_a_call_with_an_id(agent: StrictAgent, llm: LLM) -> None:
    agent.will('<think>hm</think>\nsearch_chat_logs(query="a, b", user="x")')
    said = await llm.next_message(TALK, [replace(SEARCH, name="search_irc_history")])
    (call,) = said.calls
    assert said.text == ""
    assert call.id
    assert (call.name, json.loads(call.arguments)) == (
        "search_chat_logs",
        {"query": "a, b", "user": "x"},
    )


@pytest.mark.parametrize(("sent", "kept"), [("x" * 64, True), ("x" * 65, False), ("", False)])
async def test_an_id_that_is_too_long_to_be_sent_back_is_replaced(
    agent: StrictAgent, llm: LLM, sent: str, kept: bool
) -> None:
    call = {"id": sent, "type": "function", "function": {"name": "search", "arguments": "{}"}}
    agent.will(sends(json.dumps({"choices": [{"message": {"tool_calls": [call]}}]})))
    (found,) = (await llm.next_message(TALK, [SEARCH])).calls
    assert (found.id == sent) is kept
    assert 0 < len(found.id) <= 64


async def test_a_call_inside_a_sentence_is_words(agent: StrictAgent, llm: LLM) -> None:
    agent.will('I could call search(query="x") but I will not.')
    said = await llm.next_message(TALK, [SEARCH])
    assert said == ModelMessage('I could call search(query="x") but I will not.')


@pytest.mark.parametrize(
    "answer",
    [
        reasons(),
        says("<think>and on and on", finish="length"),
        says("", finish="length"),
        says("<think>all of it</think>"),
    ],
)
async def test_nothing_but_reasoning_is_told_apart_from_an_answer(
    agent: StrictAgent, llm: LLM, answer: Answer
) -> None:
    agent.will(answer, says(""))
    assert await llm.next_message(TALK, []) == ModelMessage("", only_reasoned=True)
    assert await llm.next_message(TALK, []) == ModelMessage("")


async def test_content_in_parts_and_arguments_as_an_object_are_understood(
    agent: StrictAgent, llm: LLM
) -> None:
    function = {"name": "search", "arguments": {"query": "gate"}}
    message = {"content": [{"type": "text", "text": "Hm."}], "tool_calls": [{"function": function}]}
    agent.will(sends(json.dumps({"choices": [{"message": message}]})))
    said = await llm.next_message(TALK, [SEARCH])
    assert said.text == "Hm."
    assert json.loads(said.calls[0].arguments) == {"query": "gate"}


async def test_without_a_model_the_endpoints_first_is_asked_for_once(agent: StrictAgent) -> None:
    agent.models = ["glm-air", "other"]
    agent.will("one", "two")
    async with llm_for(agent.url, model="") as llm:
        await llm.next_message(TALK, [])
        await llm.next_message(TALK, [])
    assert [request["model"] for request in agent.requests] == ["glm-air", "glm-air"]
    assert agent.models_asked == 1


async def test_without_a_model_the_endpoint_may_load_another_one_meanwhile(
    agent: StrictAgent,
) -> None:
    agent.models = ["glm-air"]
    agent.will("one", fails(404, {"detail": "The model `glm-air` does not exist."}), "two")
    async with llm_for(agent.url, model="") as llm:
        await llm.next_message(TALK, [])
        agent.models = ["qwen"]
        with pytest.raises(ModelUnavailable):
            await llm.next_message(TALK, [])
        await llm.next_message(TALK, [])
    assert [request["model"] for request in agent.requests] == ["glm-air", "glm-air", "qwen"]


async def test_a_request_in_work_ends_at_the_endpoint_where_it_began(agent: StrictAgent) -> None:
    agent.will(hangs(fails(400, {"detail": "temperature is not supported"})), "from the old one")
    answers = []

    async def ask(llm: LLM) -> None:
        answers.append(await llm.next_message(TALK, []))

    async with strict_agent() as other, llm_for(agent.url) as llm:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, llm)
            await agent.asked(1)
            llm.change_settings(
                Settings.model_validate({"agent_api_url": other.url, "agent_model": "glm"})
            )
            agent.release()
        other.will("from the new one")
        await ask(llm)
    assert [said.text for said in answers] == ["from the old one", "from the new one"]
    assert "temperature" in other.requests[0]


@pytest.mark.parametrize(
    "first", [{"id": ""}, {"id": 7}, {}, None, {"id": "\x1b[31mglm"}, {"id": "gl\u200bm\n"}]
)
async def test_of_a_list_of_models_those_without_a_readable_name_are_left_out(
    first: object,
) -> None:
    async def respond(_request: HttpRequest) -> Answer:
        return Answer(body=json.dumps({"data": [first, {"id": "glm"}]}).encode())

    async with serving(respond) as url, llm_for(url) as llm:
        assert await llm.models() == ["glm"]


async def test_an_endpoint_without_models_says_which_setting_helps(agent: StrictAgent) -> None:
    agent.models = []
    async with llm_for(agent.url, model="") as llm:
        with pytest.raises(ModelUnavailable, match="AGENT_MODEL"):
            await llm.next_message(TALK, [])


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
async def test_v1_is_appended_unless_it_is_there(agent: StrictAgent, end: str) -> None:
    agent.will("Ada did.")
    async with llm_for(agent.url + end) as llm:
        assert (await llm.next_message(TALK, [])).text == "Ada did."


@pytest.mark.parametrize(
    ("address", "root", "asked"),
    [
        ("", "", "/v1/chat/completions"),
        ("/v1/chat/completions", "", "/v1/chat/completions"),
        ("/v1/chat/completions/", "", "/v1/chat/completions"),
        ("/chat/completions", "", "/v1/chat/completions"),
        ("/v1beta/openai/", "", "/v1beta/openai/chat/completions"),
        ("/api/paas/v4", "/api/paas", "/api/paas/v4/chat/completions"),
        ("/api/v1", "/api", "/api/v1/chat/completions"),
        ("/openai", "/openai", "/openai/v1/chat/completions"),
        ("/v1proxy/tea", "/v1proxy/tea", "/v1proxy/tea/v1/chat/completions"),
    ],
)
async def test_a_version_in_the_address_is_kept_and_a_pasted_page_is_cut(
    address: str, root: str, asked: str
) -> None:
    paths = []

    async def respond(request: HttpRequest) -> Answer:
        paths.append(request.path)
        return Answer(404, b"{}")

    async with serving(respond) as url, llm_for(url + address) as llm:
        with pytest.raises(ModelUnavailable, match=rf"The model at {url}{root} gave"):
            await llm.next_message(TALK, [])
    assert paths == [asked]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_endpoint_is_asked_twice_more(
    agent: StrictAgent, llm: LLM, status: int
) -> None:
    agent.will(fails(status), fails(status), "Ada did.")
    assert (await llm.next_message(TALK, [])).text == "Ada did."
    assert len(agent.requests) == 3


async def test_after_three_attempts_it_is_over(agent: StrictAgent, llm: LLM) -> None:
    agent.will(fails(503), fails(503), fails(503))
    with pytest.raises(ModelUnavailable, match=r"status 503: scripted failure"):
        await llm.next_message(TALK, [])
    assert len(agent.requests) == 3


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (fails(500), "status 500: scripted failure"),
        (fails(400, {"detail": "no"}), "status 400: no"),
        (fails(401), "AGENT_API_KEY"),
        (fails(404), "AGENT_MODEL"),
        (html(), "an HTML page"),
        (garbage(), "OpenAI-compatible"),
        (empty(), "status 200: nothing"),
        (sends('{"choices": []}'), "choices"),
        (sends('{"error": {"message": "overloaded"}}'), "overloaded"),
        (sends("[]"), "OpenAI-compatible"),
    ],
)
async def test_any_other_refusal_or_nonsense_is_told_at_once(
    agent: StrictAgent, llm: LLM, answer: Answer, told: str
) -> None:
    agent.will(answer)
    with pytest.raises(ModelUnavailable, match=told):
        await llm.next_message(TALK, [])
    assert len(agent.requests) == 1


HALF_STREAM = 'data: {"choices": [{"delta": {"content": "Yes"}}]}\n\n'
BROKEN_OFF = {"message": {"content": "Yes"}, "error": {"message": "provider disconnected"}}


@pytest.mark.parametrize(
    ("answer", "way_out"),
    [
        (html(), "Check that AGENT_API_URL is an OpenAI-compatible endpoint."),
        (empty(), "Check that AGENT_API_URL is an OpenAI-compatible endpoint."),
        (sends('{"status": "ok"}'), "Check that AGENT_API_URL is an OpenAI-compatible endpoint."),
        (sends(json.dumps({"choices": [BROKEN_OFF]})), "Try again in a minute."),
        (sends('{"error": {"message": "overloaded"}}'), "Try again in a minute."),
        (sends('{"object": "error", "message": "overloaded"}'), "Try again in a minute."),
        (sends('{"error": "Insufficient credits"}'), "Check the credit of the account"),
        (sends('{"choices": []}'), "Try again in a minute."),
        (sends(HALF_STREAM), "Try again in a minute."),
    ],
)
async def test_the_address_is_doubted_only_where_no_endpoint_answers_so(
    agent: StrictAgent, llm: LLM, answer: Answer, way_out: str
) -> None:
    agent.will(answer)
    with pytest.raises(ModelUnavailable) as told:
        await llm.next_message(TALK, [])
    assert way_out in str(told.value)


async def test_the_log_has_the_error_of_a_stream_and_nothing_of_its_answer(
    agent: StrictAgent, llm: LLM, caplog: pytest.LogCaptureFixture
) -> None:
    delta = 'data: {"choices": [{"delta": {"content": "Yes, delete it"}}]}'
    error = 'data: {"error": {"message": "engine died"}}'
    agent.will(sends(f"{delta}\n\n{error}\n\ndata: [DONE]\n\n", content_type="text/event-stream"))
    with pytest.raises(ModelUnavailable, match=r"\(status 200: engine died\)"):
        await llm.next_message(TALK, [])
    assert "engine died" in caplog.text
    assert "delete" not in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        fails(400, {"error": {"message": "no tea \ud800"}}),
        fails(400, {"detail": [{"loc": ["tea"], "msg": "no tea \ud800"}]}),
        fails(400, {"unusual": "no tea \ud800"}),
        Answer(400, rb"no tea \ud800", "text/plain; charset=unicode_escape"),
        Answer(400, b"no tea \xed\xa0\x80", "text/plain"),
        Answer(400, b"no tea", "text/plain; charset=zlib"),
        fails(400, {"error": "no tea \ud800" * 100_000}),
        sends(r'{"choices": [{"message": {"content": 5}}], "error": "no tea \ud800"}'),
    ],
)
async def test_the_words_of_an_error_can_be_encoded(
    agent: StrictAgent, llm: LLM, answer: Answer
) -> None:
    agent.will(answer)
    with pytest.raises(ModelUnavailable, match="no tea") as told:
        await llm.next_message(TALK, [])
    assert str(told.value).encode()
    assert llm.condition.trouble.encode()


async def test_the_name_of_a_model_can_be_encoded(agent: StrictAgent) -> None:
    agent.models = ["glm \ud800"]
    async with llm_for(agent.url, model="") as llm:
        assert await llm.models() == ["glm ?"]
        assert (await llm.health()).ok


async def test_an_endpoint_that_quotes_our_key_brings_it_into_no_error(agent: StrictAgent) -> None:
    agent.will(fails(401, {"error": {"message": "Incorrect API key Bearer sk-1234567 given"}}))
    async with llm_for(agent.url, api_key="sk-1234567") as llm:
        with pytest.raises(
            ModelUnavailable, match=r"Incorrect API key Bearer \*\*\* given"
        ) as told:
            await llm.next_message(TALK, [])
    assert "sk-1234567" not in str(told.value)


async def test_an_address_with_a_password_brings_it_into_no_error(agent: StrictAgent) -> None:
    agent.will(
        fails(401, {"error": {"message": "Not the password hunter2: Basic YWRhOmh1bnRlcjI="}})
    )
    async with llm_for(agent.url.replace("//", "//ada:hunter2@")) as llm:
        with pytest.raises(ModelUnavailable) as told:
            await llm.next_message(TALK, [])
    assert f"The model at {agent.url} gave no answer (status 401: Not the password ***" in str(
        told.value
    )
    assert not {word for word in ("ada", "hunter2", "YWRh") if word in str(told.value)}


async def test_what_fails_is_noted_without_the_secrets_of_the_address(closed_url: str) -> None:
    secretive = f"{closed_url.replace('//', '//ada:hunter2@')}/v1?key=hunter3"
    async with llm_for(secretive) as llm:
        with pytest.raises(ModelUnavailable):
            await llm.next_message(TALK, [])
        assert f"The model at {closed_url}" in llm.condition.trouble
        assert "hunter" not in llm.condition.trouble


async def test_a_refused_connection_is_told_with_the_way_out(closed_url: str) -> None:
    async with llm_for(closed_url) as llm:
        with pytest.raises(ModelUnavailable) as told:
            await llm.next_message(TALK, [])
    assert str(told.value) == (
        f"The model at {closed_url} is not answering (connection refused). "
        "Check AGENT_API_URL, or try again in a minute."
    )


async def test_a_refused_connection_is_tried_three_times(closed_url: str) -> None:
    failed = []

    class NotedPause(wait_base):
        def __call__(self, retry_state: RetryCallState) -> float:
            failed.append(retry_state.attempt_number)
            return 0.0

    async with llm_for(closed_url, wait=NotedPause()) as llm:
        with pytest.raises(ModelUnavailable):
            await llm.next_message(TALK, [])
    assert failed == [1, 2, 3]


async def test_a_slow_answer_is_not_asked_for_again(agent: StrictAgent) -> None:
    async def lose_patience() -> None:
        await agent.asked(1)
        time_passes(20)

    agent.will(hangs())
    async with llm_for(agent.url, timeout=20) as llm, beside(lose_patience):
        with pytest.raises(ModelUnavailable, match="within 20 s"):
            await llm.next_message(TALK, [])
    assert len(agent.requests) == 1


async def test_a_password_in_the_address_is_not_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        async with llm_for(f"http://ada:secret@127.0.0.1:{port}") as llm:
            with pytest.raises(ModelUnavailable) as told:
                await llm.next_message(TALK, [])
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "answer",
    [
        context_error(),
        fails(400, {"error": {"code": "context_length_exceeded", "message": "prompt is too long"}}),
        fails(400, {"error": {"message": "the request exceeds the available context size"}}),
        fails(413, {"detail": "payload"}),
    ],
)
async def test_a_talk_that_does_not_fit_is_told_apart(
    agent: StrictAgent, llm: LLM, answer: Answer
) -> None:
    agent.will(answer)
    with pytest.raises(TalkTooLong, match="too long for the model"):
        await llm.next_message(TALK, [])
    assert len(agent.requests) == 1


@pytest.mark.parametrize(
    ("status", "words", "requests"),
    [
        (429, "Too many tokens, please wait before trying again.", 3),
        (429, "Rate limit reached for the context window of this model", 3),
        (500, "BedrockException - Too many tokens, please wait before trying again.", 1),
    ],
)
async def test_a_limit_per_minute_is_no_limit_of_the_context(
    agent: StrictAgent, status: int, words: str, requests: int
) -> None:
    refusal = retry_after("7", fails(status, {"message": words}))
    agent.will(*[refusal] * requests)
    clock = Clock()
    async with llm_for(agent.url, clock=clock, sleep=clock.sleep) as llm:
        with pytest.raises(ModelUnavailable, match=words) as told:
            await llm.next_message(TALK, [])
        assert told.value.pause == 7
        with pytest.raises(ModelUnavailable, match="asked for a pause"):
            await llm.next_message(TALK, [])
    assert len(agent.requests) == requests


@pytest.mark.parametrize(
    "refusal",
    [
        tools_error(),
        fails(400, {"error": {"message": '"auto" tool choice requires --enable-auto-tool-choice'}}),
        fails(422, {"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs not permitted"}]}),
        fails(400, {"error": {"message": "gemma3:4b does not support tools"}}),
        fails(500, {"error": {"message": "tools param requires --jinja flag"}}),
        fails(404, {"error": {"message": "No endpoints found that support tool use."}}),
        fails(400, {"error": {"message": "tools is not supported in this model"}}),
    ],
)
async def test_an_endpoint_that_rejects_tools_is_learned_at_once(
    agent: StrictAgent, llm: LLM, refusal: Answer
) -> None:
    agent.will(refusal, "Ada did.", "Still Ada.")
    assert llm.takes_tools
    assert (await llm.next_message(TALK, [SEARCH])).text == "Ada did."
    assert not llm.takes_tools
    assert (await llm.next_message(TALK, [SEARCH])).text == "Still Ada."
    assert ["tools" in request for request in agent.requests] == [True, False, False]


async def test_a_refusal_that_has_another_reason_teaches_nothing(
    agent: StrictAgent, llm: LLM
) -> None:
    agent.will(fails(400, {"detail": "tools: something odd"}), fails(400, {"detail": "odd"}))
    with pytest.raises(ModelUnavailable):
        await llm.next_message(TALK, [SEARCH])
    assert llm.takes_tools


async def test_our_own_words_in_a_422_are_not_taken_for_its_reason(
    agent: StrictAgent, llm: LLM
) -> None:
    echo = {"loc": ["body", "temperature"], "msg": "too hot", "input": {"tools": ["search"]}}
    agent.will(fails(422, {"detail": [echo]}))
    with pytest.raises(ModelUnavailable, match=r"body\.temperature: too hot"):
        await llm.next_message(TALK, [SEARCH])
    assert llm.takes_tools


async def test_an_endpoint_without_tools_is_shown_calls_and_results_as_words(
    agent: StrictAgent, llm: LLM
) -> None:
    agent.takes_tools = False
    agent.will('search(query="gate")', "Ada did.")
    said = await llm.next_message(TALK, [SEARCH])
    result = ToolResult(said.calls[0].id, "search", "<ada> fixed")
    await llm.next_message([*TALK, AssistantToolCalls(said), result], [SEARCH])
    assert agent.requests[-1]["messages"][2:] == [
        {"role": "assistant", "content": '[called search {"query": "gate"}]'},
        {"role": "user", "content": "[search answered]\n<ada> fixed"},
    ]


async def test_after_five_failures_the_endpoint_is_left_alone_for_a_minute(
    agent: StrictAgent,
) -> None:
    clock = Clock()
    agent.will(*[fails(500)] * 6, "Ada did.", fails(500), "Ada again.")
    async with llm_for(agent.url, clock=clock) as llm:

        async def fails_with(told: str) -> None:
            with pytest.raises(ModelUnavailable, match=told):
                await llm.next_message(TALK, [])

        for _ in range(5):
            await fails_with("status 500")
        clock.now += 20
        await fails_with(r"failed 5 times in a row. It gets no requests for 40 s")
        assert len(agent.requests) == 5
        clock.now += 40
        await fails_with("status 500")
        await fails_with("failed 6 times")
        clock.now += 60
        assert (await llm.next_message(TALK, [])).text == "Ada did."
        await fails_with("status 500")
        assert (await llm.next_message(TALK, [])).text == "Ada again."


async def test_a_talk_too_long_is_no_failure_of_the_endpoint(agent: StrictAgent, llm: LLM) -> None:
    agent.will(*[context_error()] * 6, "Ada did.")
    for _ in range(6):
        with pytest.raises(TalkTooLong):
            await llm.next_message(TALK, [])
    assert (await llm.next_message(TALK, [])).text == "Ada did."


def test_the_breaker_opens_at_the_fifth_failure_and_at_each_one_after_the_pause() -> None:
    breaker = Breaker()
    for _ in range(4):
        breaker = breaker.failed(100)
    assert breaker.seconds_open(100) == 0
    breaker = breaker.failed(100)
    assert (breaker.seconds_open(100), breaker.seconds_open(130)) == (60, 30)
    assert breaker.seconds_open(160) == 0
    assert breaker.failed(170).seconds_open(171) == 59


def test_a_pause_that_the_endpoint_asked_for_is_kept_as_long_as_it_is_sensible() -> None:
    once = Breaker().failed(100, pause=300)
    assert (once.seconds_open(100), once.seconds_open(399), once.seconds_open(400)) == (300, 1, 0)
    assert Breaker().failed(100, pause=10**9).seconds_open(100) == 900
    assert Breaker(4).failed(100, pause=7).seconds_open(100) == 60
    assert Breaker().failed(100, pause=0).seconds_open(100) == 0


async def test_a_cancelled_question_is_no_failure_and_ends_at_once(
    agent: StrictAgent, llm: LLM
) -> None:
    agent.will(*[hangs()] * 6, "Ada did.")
    for times in range(1, 7):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(llm.next_message, TALK, [])
            await agent.asked(times)
            tasks.cancel_scope.cancel()
    assert (await llm.next_message(TALK, [])).text == "Ada did."


async def test_degraded_with_status_200_is_not_healthy(agent: StrictAgent, llm: LLM) -> None:
    well = await llm.health()
    agent.degraded = True
    ill = await llm.health()
    assert (well.ok, well.text) == (True, "healthy")
    assert (ill.ok, ill.text) == (False, "degraded")


async def test_an_endpoint_out_of_reach_is_not_healthy(closed_url: str) -> None:
    async with llm_for(closed_url) as llm:
        health = await llm.health()
    assert not health.ok
    assert "connection refused" in health.text


async def test_where_nobody_knows_health_naming_a_model_is_enough(agent: StrictAgent) -> None:
    agent.speaks_of_health = False
    async with llm_for(agent.url) as llm:
        health = await llm.health()
    assert (health.ok, health.text) == (True, "serves glm-air-4.5")
