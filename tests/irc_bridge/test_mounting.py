"""Other MCP servers in some channels: the tools that were allowed, told nothing but their calls."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from terrarium_mcp.settings import Mount
from tests.irc_bridge.house import House, living, settings_for
from tests.servers import notes
from tests.servers.agent import StrictAgent, calls, says, strict_agent
from tests.servers.ircd import Ircd, free_port
from tests.servers.person import person

OURS = "search_irc_history"
PATIENCE = 30.0


def notes_over_stdio(log: Path, *tools: str, **more: Any) -> Mount:
    """The notes in #tea, started by the bridge."""
    command = (sys.executable, str(notes.__file__), str(log))
    given = {"tools": tools or ("search", "add"), "channels": ("#tea",), **more}
    return Mount("notes", command=command, folder=log.parent, **given)


@asynccontextmanager
async def notes_over_http(log: Path, *tools: str) -> AsyncIterator[Mount]:
    """The notes in #tea, at an address."""
    port = free_port()
    command = [sys.executable, str(notes.__file__), str(log), str(port)]
    async with await anyio.open_process(command, stderr=subprocess.DEVNULL) as process:
        yield Mount(
            "notes",
            tools=tools or ("search", "add"),
            channels=("#tea",),
            url=f"http://127.0.0.1:{port}/mcp",
            headers={"Authorization": "Bearer s3cret"},
        )
        process.kill()


async def has_tools(house: House, *names: str, channel: str = "#tea") -> None:
    """Wait until the model would be offered these tools besides ours."""
    while names != tuple(foreign(tool.name for tool in menu(house, channel))):
        await anyio.lowlevel.checkpoint()


def menu(house: House, channel: str) -> Any:
    return house.toolbox.at_hand(
        house.settings.network_name, channel, "rfc1459", off_record=False
    ).menu


def foreign(names: Any) -> list[str]:
    return [name for name in names if "__" in name]


def offered(agent: StrictAgent, request: int) -> list[str]:
    """The names of the tools that a request to the model offers."""
    return [tool["function"]["name"] for tool in agent.requests[request].get("tools", ())]


async def plays_in_two_channels(ircd: Ircd, folder: Path, mount: Mount) -> StrictAgent:
    """Ada asks in #tea, where the notes are mounted, then in #mate and in private."""
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        agent.will(
            calls("notes__search", query="kettle"),
            calls("notes__erase"),
            says("On the second shelf."),
            calls("notes__search", query="gourd"),
            says("I cannot tell here."),
            says("Nor here."),
        )
        await ada.joins("#tea")
        await ada.joins("#mate")
        settings = settings_for(ircd, folder, agent.url, mcp_servers=(mount,))
        async with living(settings) as house:
            with anyio.fail_after(PATIENCE):
                await has_tools(house, "notes__search", "notes__add")
                await ada.types("PRIVMSG #mate :the gourd is a secret of ours")
                await ada.types("PRIVMSG #tea :the pot is nobody's business")
                await ada.types("PRIVMSG #tea :!ask where is the kettle?")
                await ada.sees("PRIVMSG #tea :ada: [LLM] On the second shelf.")
                await ada.types("PRIVMSG #mate :!ask where is the gourd?")
                await ada.sees("PRIVMSG #mate :ada: [LLM] I cannot tell here.")
                await ada.types("PRIVMSG Terra :where is the pot?")
                await ada.sees("PRIVMSG ada :[LLM] Nor here.")
    return agent


def check_what_the_model_saw(agent: StrictAgent) -> None:
    in_tea, in_mate, in_private = offered(agent, 0), offered(agent, 3), offered(agent, 5)
    assert foreign(in_tea) == ["notes__search", "notes__add"]
    assert OURS in in_tea
    assert OURS in in_mate
    assert foreign(in_mate) == foreign(in_private) == []
    (search,) = [
        tool["function"]
        for tool in agent.requests[0]["tools"]
        if tool["function"]["name"] == "notes__search"
    ]
    assert search["description"] == "From the MCP server notes: Search the notes."
    assert list(search["parameters"]["properties"]) == ["query"]
    results = [one["content"] for one in agent.requests[2]["messages"] if one["role"] == "tool"]
    assert results[0] == "One note about kettle: the kettle is on the second shelf."
    assert results[1].startswith("No tool notes__erase. Did you mean notes__add?")
    elsewhere = [one["content"] for one in agent.requests[4]["messages"] if one["role"] == "tool"]
    assert elsewhere[0].startswith("No tool notes__search.")


def check_what_the_server_saw(log: Path) -> None:
    told = log.read_text()
    assert '"name":"search","arguments":{"query":"kettle"}' in told.replace(" ", "")
    assert "terrarium" not in told  # the key of our view, the name of the bot's question command
    assert "progressToken" not in told
    for word in ("view", "#tea", "#mate", "ada", "gourd", "pot", "erase", "where is"):
        assert word not in told, word


async def test_the_model_sees_the_allowed_tools_and_their_server_nothing_but_the_calls(
    ircd: Ircd, tmp_path: Path
) -> None:
    log = tmp_path / "notes.log"
    agent = await plays_in_two_channels(ircd, tmp_path, notes_over_stdio(log))
    check_what_the_model_saw(agent)
    check_what_the_server_saw(log)


async def test_a_server_over_http_is_told_its_token_and_nothing_but_the_calls(
    ngircd: Ircd, tmp_path: Path
) -> None:
    log = tmp_path / "notes.log"
    async with notes_over_http(log) as mount:
        agent = await plays_in_two_channels(ngircd, tmp_path, mount)
    check_what_the_model_saw(agent)
    assert "Bearer s3cret" in log.read_text()
    check_what_the_server_saw(log)
