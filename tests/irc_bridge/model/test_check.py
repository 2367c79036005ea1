"""What is wrong with the model's endpoint is in the operator's log: once, until it changes."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tenacity import wait_none

from terrarium_mcp.irc_bridge.model.chat_types import ChatMessage
from terrarium_mcp.irc_bridge.model.check import check_endpoint
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.settings import Settings
from tests.irc_bridge.house import NOBODY, said, study
from tests.servers.agent import context_error, fails, strict_agent
from tests.servers.endpoints.http import Answer
from tests.servers.endpoints.kinds import KINDS
from tests.servers.endpoints.llama_cpp import LlamaCpp
from tests.servers.endpoints.lm_studio import LmStudio
from tests.servers.endpoints.ollama import Ollama
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import Said, StandIn, standing_in
from tests.servers.endpoints.terrarium_agent import TerrariumAgent
from tests.servers.endpoints.vllm import Vllm

TALK = [ChatMessage("user", "who?")]


class Mute(OpenAI):
    """An endpoint whose model never says a word."""

    def completion(self, said: Said) -> Answer:
        return super().completion(replace(said, text=""))


@dataclass
class OwnHealth(OpenAI):
    """An endpoint with another answer to /health."""

    status: int = 404
    report: bytes = b"no such thing"

    def health(self) -> Answer:
        return Answer(self.status, self.report)


@asynccontextmanager
async def model(url: str, **settings: str) -> AsyncIterator[LLM]:
    given = {"agent_api_url": url, "agent_model": "glm-air-4.5", **settings}
    llm = LLM.from_settings(Settings.model_validate(given), wait=wait_none())
    yield llm
    await llm.aclose()


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level("INFO", "terrarium_mcp")
    return caplog


def lines(log: pytest.LogCaptureFixture) -> list[str]:
    """What was logged since this was last asked."""
    told = [record.getMessage() for record in log.records]
    log.clear()
    return told


async def test_an_endpoint_that_is_well_is_asked_for_one_word(
    log: pytest.LogCaptureFixture,
) -> None:
    async with strict_agent() as agent, model(agent.url) as llm:
        await check_endpoint(llm)
    assert agent.checks == 1
    assert lines(log) == ["the model glm-air-4.5 answers"]


async def test_an_endpoint_that_says_nothing_is_not_said_to_answer(
    log: pytest.LogCaptureFixture,
) -> None:
    async with (
        standing_in(Mute()) as endpoint,
        model(endpoint.url, agent_model=endpoint.model) as llm,
    ):
        await check_endpoint(llm)
    (told,) = lines(log)
    assert "gave no answer: it said nothing (finish reason: stop)" in told


async def test_a_wrong_key_is_told_at_the_start_and_when_it_is_right(
    log: pytest.LogCaptureFixture,
) -> None:
    async with strict_agent() as agent, model(agent.url) as llm:
        agent.key = "secret"
        await check_endpoint(llm)
        (told,) = lines(log)
        assert told == (
            f"error {llm.condition.error_id}:"
            f" The model at {agent.url} gave no answer (status 401: Incorrect API key provided)."
            " Check AGENT_API_KEY. Until then, questions are answered with search results."
        )
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                await llm.next_message(TALK, [])
        assert lines(log) == []
        agent.key = ""
        agent.will("ada")
        await llm.next_message(TALK, [])
        assert lines(log) == ["the model answers again"]


async def test_a_model_that_is_not_listed_is_told_with_the_nearest(
    log: pytest.LogCaptureFixture,
) -> None:
    async with strict_agent() as agent, model(agent.url, agent_model="glm-air-45") as llm:
        agent.models = ["glm-air-4.5", "glm-4"]
        await check_endpoint(llm)
    assert lines(log)[0] == (
        "AGENT_MODEL=glm-air-45 is not among the models that the endpoint lists."
        " Did you mean glm-air-4.5? It lists: glm-air-4.5, glm-4."
    )


async def test_of_a_health_report_one_readable_line_is_told(log: pytest.LogCaptureFixture) -> None:
    report = json.dumps({"status": f"loading\x1b[2J\n{'x' * 1_000}"}).encode()
    async with (
        standing_in(OwnHealth(status=200, report=report)) as endpoint,
        model(endpoint.url, agent_model=endpoint.model) as llm,
    ):
        await check_endpoint(llm)
    (told,) = lines(log)
    assert "unhealthy (loading[2J xxx" in told
    assert told.isprintable()
    assert len(told) < 400


@pytest.mark.parametrize("status", [302, 404, 405, 500])
async def test_an_endpoint_without_a_health_report_is_asked_all_the_same(
    log: pytest.LogCaptureFixture, status: int
) -> None:
    async with (
        standing_in(OwnHealth(status=status)) as endpoint,
        model(endpoint.url, agent_model=endpoint.model) as llm,
    ):
        assert (await llm.health()).ok
        await check_endpoint(llm)
        assert llm.condition.trouble == ""
    assert lines(log) == [f"the model {endpoint.model} answers"]


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_of_endpoint_is_checked_at_the_start(
    log: pytest.LogCaptureFixture, kind: type[StandIn]
) -> None:
    async with standing_in(kind()) as endpoint:
        async with model(endpoint.url, agent_model=endpoint.model) as llm:
            await check_endpoint(llm)
        assert lines(log) == [f"the model {endpoint.model} answers"]
        async with model(endpoint.url, agent_model="no-such-model") as llm:
            await check_endpoint(llm)
    assert lines(log)[0] == (
        "AGENT_MODEL=no-such-model is not among the models that the endpoint lists."
        f" It lists: {endpoint.model}."
    )


@pytest.mark.parametrize(
    ("endpoint", "told"),
    [
        (TerrariumAgent(degraded=True), "model endpoint unhealthy (degraded)."),
        (LlamaCpp(loading=True), "model endpoint unhealthy (Loading model)."),
        (OpenAI(key="sk-right"), "(status 401: Incorrect API key provided: sk-12**34."),
        (Vllm(key="right"), "(status 401: Unauthorized). Check AGENT_API_KEY."),
        (LmStudio(template_refuses=("system",)), "the model qwen2.5-7b-instruct answers"),
        (Ollama(takes_tools=False), "refuses tools (registry.ollama.ai/library/llama3.2:3b does"),
    ],
)
async def test_each_kind_of_endpoint_says_in_its_own_way_what_it_lacks(
    log: pytest.LogCaptureFixture, endpoint: StandIn, told: str
) -> None:
    async with standing_in(endpoint), model(endpoint.url, agent_model=endpoint.model) as llm:
        await check_endpoint(llm)
    assert told in lines(log)[0]


async def test_refused_tools_are_told_at_the_start_with_the_way_out_and_not_again(
    log: pytest.LogCaptureFixture,
) -> None:
    async with strict_agent() as agent, model(agent.url) as llm:
        agent.takes_tools = False
        await check_endpoint(llm)
        told = lines(log)[0]
        assert f"The endpoint at {agent.url} refuses tools (" in told
        assert told.endswith(
            "vLLM needs --enable-auto-tool-choice and --tool-call-parser, llama.cpp --jinja."
        )
        assert not llm.takes_tools
        agent.will("ada", "bo")
        await llm.next_message(TALK, [])
        await llm.next_message(TALK, [])
        assert lines(log) == []


async def test_a_context_that_is_too_small_is_told_once(log: pytest.LogCaptureFixture) -> None:
    async with strict_agent() as agent, model(agent.url) as llm:
        agent.will(context_error(), context_error())
        for _ in range(2):
            with pytest.raises(TalkTooLong):
                await llm.next_message(TALK, [])
    (told,) = lines(log)
    assert told.startswith("The talk is too long for the model: Failed to generate response")
    assert told.endswith("Half of it is tried.")


async def test_a_change_of_the_trouble_is_told(log: pytest.LogCaptureFixture) -> None:
    async with strict_agent() as agent, model(agent.url) as llm:
        agent.will(fails(500), fails(500), fails(404), "well", fails(500))
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                await llm.next_message(TALK, [])
        first, second = lines(log)
        assert "status 500" in first
        assert "status 404" in second
        assert "Check AGENT_API_URL and AGENT_MODEL." in second
        await llm.next_message(TALK, [])
        with pytest.raises(ModelUnavailable):
            await llm.next_message(TALK, [])
        back, again = lines(log)
        assert back == "the model answers again"
        assert "status 500" in again


async def test_another_cause_with_the_same_status_has_its_own_id_in_the_log(
    log: pytest.LogCaptureFixture,
) -> None:
    causes = [
        "API key not valid. Please pass a valid API key.",
        "The model has been decommissioned. Request id: req_1a2b.",
        "The model has been decommissioned. Request id: req_3c4d.",
    ]
    ids = []
    async with strict_agent() as agent, model(agent.url) as llm:
        agent.will(*[fails(400, {"error": {"message": cause}}) for cause in causes])
        for _ in causes:
            with pytest.raises(ModelUnavailable) as told:
                await llm.next_message(TALK, [])
            ids.append(told.value.error_id)
    key, gone = lines(log)
    assert key.startswith(f"error {ids[0]}: ")
    assert "Check AGENT_API_KEY." in key
    assert gone.startswith(f"error {ids[1]}: ")
    assert "Check AGENT_MODEL." in gone
    assert ids[0] != ids[1] == ids[2]


async def test_the_channel_gets_the_id_under_which_the_log_has_the_trouble_while_it_lasts(
    log: pytest.LogCaptureFixture,
) -> None:
    async with strict_agent() as agent, model(agent.url) as llm:
        agent.will(*[fails(500)] * 5)
        in_channel = []
        for _ in range(6):  # the sixth is the breaker's
            with pytest.raises(ModelUnavailable) as told:
                await llm.next_message(TALK, [])
            in_channel.append(told.value.public)
    (logged,) = lines(log)
    error_id = logged.partition(":")[0]
    assert in_channel == [
        *[f"The model gave no answer ({error_id} in the log)."] * 5,
        f"The model is not answering at the moment ({error_id} in the log).",
    ]


async def test_an_endpoint_out_of_reach_is_told_once(log: pytest.LogCaptureFixture) -> None:
    async with model(NOBODY) as llm:
        await check_endpoint(llm)
        with pytest.raises(ModelUnavailable):
            await llm.next_message(TALK, [])
    (told,) = lines(log)
    assert f": The model at {NOBODY} is not answering (connection refused)." in told


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_the_channel_hears_no_address_and_no_setting(tmp_path: Path, status: int) -> None:
    async with strict_agent() as agent, study(tmp_path, agent, [said("a gate")]) as scene:
        error = {"error": {"message": f"see {agent.url}/docs or https://example.org/keys"}}
        agent.will(fails(status, error))
        found = await scene.asks("who fixed the gate?")
        error_id = scene.llm.condition.error_id
    assert found.lines[0] == f"The model gave no answer (error {error_id} in the log)."
    assert "a gate" in found.lines[-1]
    for line in found.lines:
        assert "http" not in line
        assert "AGENT_" not in line


async def test_nor_that_of_a_model_or_a_server_out_of_reach(tmp_path: Path) -> None:
    async with study(tmp_path, NOBODY, [said("a gate")]) as scene:
        found = await scene.asks("who fixed the gate?")
        error_id = scene.llm.condition.error_id
    assert found.lines[0] == f"The model is not answering (error {error_id} in the log)."
    assert not [line for line in found.lines if "127.0.0.1" in line]


async def test_a_bug_in_the_check_ends_nothing(
    log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("terrarium_mcp.irc_bridge.model.check.did_you_mean")
    async with strict_agent() as agent, model(agent.url, agent_model="gml") as llm:
        await check_endpoint(llm)
    assert lines(log) == ["the check of the model's endpoint failed"]
