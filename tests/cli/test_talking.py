"""`bridge` and `up`, as real processes, on a real network, with a strict model."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.types import TextContent

from tests.cli.programs import Program, running
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, calls, says, strict_agent
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person

SAID = "bo mended the latch of the garden gate"
SIGNALS = pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])


def settings_for(ircd: Ircd, agent: StrictAgent) -> dict[str, object]:
    return {
        "IRC_SERVER": "127.0.0.1",
        "IRC_PORT": ircd.port,
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": "tea",
        "AGENT_API_URL": agent.url,
    }


@asynccontextmanager
async def scene(ircd: Ircd) -> AsyncIterator[tuple[Person, StrictAgent]]:
    """Ada sits in #tea, and there is a model that looks a thing up and then speaks."""
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        agent.will(
            calls("search_irc_history", query="garden gate"),
            says("It was bo, who mended the latch."),
        )
        with anyio.fail_after(PATIENCE):
            await ada.joins("#tea")
        yield ada, agent


async def is_answered(program: Program, ada: Person, agent: StrictAgent) -> None:
    """A line is recorded, found by the model through MCP, and an answer is said."""
    with anyio.fail_after(PATIENCE):
        await program.says("recording local/#tea")
        await ada.types(f"PRIVMSG #tea :{SAID}", "PRIVMSG #tea :!search latch")
        await ada.sees("PRIVMSG #tea :ada: ", SAID)
        await ada.types("PRIVMSG #tea :!terrarium who mended the gate?")
        await ada.sees("PRIVMSG #tea :ada: [LLM] It was bo, who mended the latch.")
    _, asked_again = agent.requests
    assert SAID in asked_again["messages"][-1]["content"]


async def ends_well(program: Program, how: signal.Signals) -> None:
    await program.stop(how)
    assert program.ended_well()


@SIGNALS
async def test_bridge_answers_with_a_server_of_its_own(
    ngircd: Ircd, tmp_path: Path, how: signal.Signals
) -> None:
    async with scene(ngircd) as (ada, agent):
        settings = settings_for(ngircd, agent)
        async with running("terrarium-mcp bridge", at=tmp_path, **settings) as bridge:
            await is_answered(bridge, ada, agent)
            await ends_well(bridge, how)
    assert (tmp_path / "data" / "irc_logs.db").is_file()


async def test_bridge_and_its_server_read_the_settings_file(ngircd: Ircd, tmp_path: Path) -> None:
    async with scene(ngircd) as (ada, agent):
        file = tmp_path / "settings.env"
        more = {"DB_PATH": "tea.db", "TERRARIUM_WRITE_TOOLS": "off"}
        lines = {**settings_for(ngircd, agent), **more}
        file.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        command = "terrarium-mcp bridge --env-file /path/to/settings.env"
        async with running(
            command.replace("/path/to/settings.env", file.name), at=tmp_path
        ) as bridge:
            await is_answered(bridge, ada, agent)
            await ends_well(bridge, signal.SIGTERM)
    offered = [tool["function"]["name"] for tool in agent.requests[0]["tools"]]
    assert "search_irc_history" in offered
    assert "create_enhancement_request" not in offered
    assert (tmp_path / "tea.db").is_file()


async def test_bridge_answers_with_a_server_that_runs_already(ngircd: Ircd, tmp_path: Path) -> None:
    async with (
        scene(ngircd) as (ada, agent),
        running("terrarium-mcp serve --http", "--port", 0, at=tmp_path) as server,
    ):
        url = await server.says("http://127.0.0.1:")
        command = "terrarium-mcp bridge --mcp http://127.0.0.1:8765/mcp"
        command = command.replace("http://127.0.0.1:8765/mcp", url)
        async with running(command, at=tmp_path, **settings_for(ngircd, agent)) as bridge:
            await is_answered(bridge, ada, agent)
            await ends_well(bridge, signal.SIGTERM)
        await ends_well(server, signal.SIGTERM)


@SIGNALS
async def test_up_answers_in_the_channel_and_over_http(
    ngircd: Ircd, tmp_path: Path, how: signal.Signals
) -> None:
    async with scene(ngircd) as (ada, agent):
        settings = settings_for(ngircd, agent)
        async with running("terrarium-mcp up", "--port", 0, at=tmp_path, **settings) as both:
            await is_answered(both, ada, agent)
            url = await both.says("http://127.0.0.1:")
            with anyio.fail_after(PATIENCE):
                async with Client(url) as client:
                    found = await client.call_tool("search_irc_history", {"query": "latch"})
            (content,) = found.content
            assert isinstance(content, TextContent)
            assert f"<ada> {SAID}" in content.text
            await ends_well(both, how)


async def test_bridge_records_while_the_model_is_away(ngircd: Ircd, tmp_path: Path) -> None:
    async with scene(ngircd) as (ada, agent):
        away = {**settings_for(ngircd, agent), "AGENT_API_URL": "http://127.0.0.1:9"}
        async with running("terrarium-mcp bridge", at=tmp_path, **away) as bridge:
            with anyio.fail_after(PATIENCE):
                await bridge.says("recording local/#tea")
                await ada.types(f"PRIVMSG #tea :{SAID}", "PRIVMSG #tea :!terrarium garden gate?")
                await ada.sees("PRIVMSG #tea :ada: The model", "is not answering")
                await ada.sees("Terra", "PRIVMSG #tea :", f"<ada> {SAID}")
            await ends_well(bridge, signal.SIGTERM)
