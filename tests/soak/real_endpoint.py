"""A real endpoint: llama-cpp-python's server on llama.cpp, with a toy model of random weights.

Not part of the ordinary suite, since llama.cpp is compiled for it: `make real-endpoint`.
"""

import os
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import httpx2
import pytest

from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.check import check_endpoint
from terrarium_mcp.irc_bridge.model.client import TalkTooLong
from tests.irc_bridge.house import said, study
from tests.irc_bridge.model.endpoint_scene import llm_for

PYTHON = os.environ["ENDPOINT_PYTHON"]
TOY_MODEL = Path(__file__).parents[1] / "servers" / "endpoints" / "toy_model.py"
SEARCH = ToolSchema("search", "Find lines.", {"type": "object", "properties": {}})


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    """A running server."""
    model = tmp_path / "toy.gguf"
    await anyio.run_process([PYTHON, str(TOY_MODEL), str(model)])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYTHON, "-m", "llama_cpp.server", "--model", str(model), "--model_alias", "toy"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "32768"]
    quiet = subprocess.DEVNULL
    async with await anyio.open_process(command, stdout=quiet, stderr=quiet) as server:
        address = f"http://127.0.0.1:{port}"
        async with httpx2.AsyncClient(base_url=address) as client:
            with anyio.fail_after(60):
                while not await _is_up(client):  # noqa: ASYNC110 -- another process
                    await anyio.sleep(0.2)
        yield address
        server.terminate()


async def _is_up(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/v1/models")).status_code == 200
    except httpx2.ConnectError:
        return False


async def test_it_is_checked_at_the_start(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "terrarium_mcp")
    async with llm_for(url, model="toy") as llm:
        await check_endpoint(llm)
    assert caplog.messages == ["the model toy answers"]


async def test_calls_and_results_are_taken_and_tokens_are_counted(url: str) -> None:
    call = ToolCall("c1", "search", '{"query": "gate"}')
    talk: list[TalkMessage] = [
        ChatMessage("system", "You are Terra."),
        ChatMessage("user", "who fixed the gate?"),
        AssistantToolCalls(ModelMessage("", (call,))),
        ToolResult("c1", "search", "<ada> I did"),
    ]
    async with llm_for(url, model="toy") as llm:
        message = await llm.next_message(talk, [SEARCH], max_tokens=16)
    print(f"\n{message.text!r} {message.usage}")  # noqa: T201 -- the verdict
    assert not message.usage.estimated
    assert message.usage.prompt > 60
    assert 0 < message.usage.completion <= 16


async def test_its_refusal_of_a_long_talk_is_recognised(url: str) -> None:
    async with llm_for(url, model="toy") as llm:
        with pytest.raises(TalkTooLong, match="maximum context length is 32768 tokens"):
            await llm.next_message([ChatMessage("user", "tea " * 10_000)], [])


async def test_a_question_is_answered(url: str, tmp_path: Path) -> None:
    settings = {"agent_model": "toy", "agent_max_tokens": 64, "agent_timeout": 120}
    async with study(tmp_path, url, [said("I fixed the gate")], **settings) as scene:
        found = await scene.asks("who fixed the gate?")
    print(f"\n{found}")  # noqa: T201 -- the verdict
    assert found.by_model
