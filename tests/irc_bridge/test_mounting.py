"""Other MCP servers in some channels: the tools that were allowed, told nothing but their calls."""
# ruff: noqa: ASYNC110  # no event announces a list that was read, or a log that was written

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.irc_bridge.answer.budget import SOFT_LIMIT
from terrarium_mcp.irc_bridge.toolbox import connection
from terrarium_mcp.settings import Mount, changed
from tests.irc_bridge.house import House, living, settings_for
from tests.irc_bridge.processes import children
from tests.patience import PATIENCE
from tests.servers import notes, rude_tools
from tests.servers.agent import StrictAgent, calls, says, strict_agent
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.forked import forked
from tests.servers.ircd import Ircd, free_port
from tests.servers.person import person
from tests.settings.loaded import load_settings

OURS = "search_irc_history"
ADA = ":ada!ada@ada.example PRIVMSG"


def notes_over_stdio(log: Path, *tools: str, **more: Any) -> Mount:
    """The notes in #tea, started by the bridge."""
    command = tuple(forked(notes.__file__, log))
    given = {"tools": tools or ("search", "add"), "channels": ("#tea",), **more}
    return Mount("notes", command=command, folder=log.parent, **given)


@asynccontextmanager
async def notes_over_http(log: Path, *tools: str) -> AsyncIterator[Mount]:
    """The notes in #tea, at an address."""
    port = free_port()
    command = forked(notes.__file__, log, port)
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
        await anyio.sleep(0.01)


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
    found = results(agent, 2)
    assert found[0] == "One note about kettle: the kettle is on the second shelf."
    assert found[1].startswith("No tool notes__erase. Did you mean notes__add?")
    elsewhere = results(agent, 4)
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


def told_in(log: Path) -> str:
    """What a server has logged so far."""
    return log.read_text() if log.exists() else ""


async def logs(log: Path, text: str) -> None:
    """Wait until the server has logged a text."""
    with anyio.fail_after(PATIENCE):
        while text not in told_in(log):
            await anyio.sleep(0.01)


async def hears(ircd: FakeIrcd, text: str) -> None:
    """Wait until the bot has said a text."""
    with anyio.fail_after(PATIENCE):
        while not any(text in line for line in ircd.heard("PRIVMSG")):
            await ircd.news.wait()


async def test_stop_cancels_the_call_at_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CALL_SECONDS", 1000.0)  # it is not the deadline that ends it
    log = tmp_path / "notes.log"
    async with strict_agent() as agent, fake_ircd() as ircd:
        agent.will(calls("notes__wait"), says("Free again."))
        mount = notes_over_stdio(log, "wait")
        settings = settings_for(ircd.port, tmp_path, agent.url, mcp_servers=(mount,))
        async with living(settings) as house:
            await has_tools(house, "notes__wait")
            await ircd.says(f"{ADA} #tea :!ask wait for me")
            await logs(log, "waiting")
            await ircd.says(f"{ADA} #tea :!stop")
            await logs(log, "cancelled")
            await hears(ircd, "ada: Stopped.")
            await ircd.says(f"{ADA} #tea :!ask and now?")
            await hears(ircd, "ada: [LLM] Free again.")
    assert foreign(offered(agent, 1)) == ["notes__wait"]


async def test_a_question_off_the_record_is_told_to_no_mounted_server(tmp_path: Path) -> None:
    log = tmp_path / "notes.log"
    async with strict_agent() as agent, fake_ircd() as ircd:
        agent.will(calls("notes__search", query="whisper"), says("I may not look."))
        mount = notes_over_stdio(log)
        settings = settings_for(ircd.port, tmp_path, agent.url, mcp_servers=(mount,))
        async with living(settings) as house:
            await has_tools(house, "notes__search", "notes__add")
            await ircd.says(f"{ADA} #tea :!ask [off] where is the kettle?")
            await hears(ircd, "I may not look.")
            in_tea = house.settings.network_name, "#tea", "rfc1459"
            at_hand = house.toolbox.at_hand(*in_tea, off_record=True)
            assert OURS in [tool.name for tool in at_hand.menu]
            assert not at_hand.offers("notes__search")  # although it only reads
    assert OURS in offered(agent, 0)
    assert foreign(offered(agent, 0)) == []
    assert "whisper" not in log.read_text()


async def test_a_reload_mounts_elsewhere_and_ends_what_is_not_mounted_any_more(
    tmp_path: Path,
) -> None:
    log, others = tmp_path / "notes.log", children()
    async with fake_ircd() as ircd:
        first = notes_over_stdio(log)
        settings = settings_for(ircd.port, tmp_path, mcp_servers=(first,))
        async with living(settings) as house:
            await has_tools(house, "notes__search", "notes__add")
            (process,) = children() - others

            async def reloads(*mounts: Mount) -> None:
                new = house.settings.model_copy(update={"mcp_servers": mounts})
                house.bridges.change_settings(changed(house.settings, new).settings)

            with anyio.fail_after(PATIENCE):
                await reloads(replace(first, channels=("#mate",)))
                await has_tools(house, channel="#tea")
                assert foreign(tool.name for tool in menu(house, "#mate")) == [
                    "notes__search",
                    "notes__add",
                ]
                assert children() - others == {process}  # still connected
                await reloads(replace(first, tools=("erase",)))
                await has_tools(house, "notes__erase")
                while process in children():
                    await anyio.sleep(0.01)
                await reloads()
                await has_tools(house)
                while children() != others:
                    await anyio.sleep(0.01)


async def test_what_the_server_answers_is_cut_to_its_share_of_the_request(tmp_path: Path) -> None:
    async with strict_agent() as agent, fake_ircd() as ircd:
        agent.will(calls("rude__ten_megabytes"), calls("rude__die"), says("Much tea."))
        mount = rude("ten_megabytes", "die")
        settings = settings_for(ircd.port, tmp_path, agent.url, mcp_servers=(mount,))
        async with living(settings) as house:
            await has_tools(house, "rude__ten_megabytes", "rude__die")
            await ircd.says(f"{ADA} #tea :!ask how much tea?")
            await hears(ircd, "ada: [LLM] Much tea.")
    (much,) = results(agent, 1)
    assert much.startswith("tea tea")
    assert much.endswith("(cut: the rest did not fit)")
    assert len(much) < 4 * SOFT_LIMIT
    assert results(agent, 2)[1] == "die did not answer."


def blocks(page: str, language: str) -> list[str]:
    """The code of a page in a language."""
    return [part.partition("```")[0] for part in page.split(f"```{language}\n")[1:]]


async def test_the_example_of_the_documentation_does_what_the_page_says(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "mounting.md").read_text("utf-8")
    (program,), (toml,) = blocks(page, "python"), blocks(page, "toml")
    (tmp_path / "notes.py").write_text(program)
    (tmp_path / "terrarium.toml").write_text(
        toml.replace("/srv/terrarium/venv/bin/python", sys.executable)
    )
    mounts = load_settings(config=tmp_path / "terrarium.toml", environ={}).mcp_servers
    said = "According to the notes, on the second shelf."
    async with strict_agent() as agent, fake_ircd() as ircd:
        agent.will(calls("notes__search", word="kettle"), says(said))
        settings = settings_for(ircd.port, tmp_path, agent.url, mcp_servers=mounts)
        async with living(settings) as house:
            await has_tools(house, "notes__search")
            await ircd.says(f"{ADA} #tea :!ask where is the kettle?")
            await hears(ircd, f"ada: [LLM] {said}")
    assert results(agent, 1) == ["the kettle is on the second shelf"]
    assert f"<Terra> ada: [LLM] {said}" in page


def results(agent: StrictAgent, request: int) -> list[str]:
    """The results of tools in a request to the model."""
    messages = agent.requests[request]["messages"]
    return [str(one["content"]) for one in messages if one["role"] == "tool"]


def rude(*tools: str) -> Mount:
    """The rude server in #tea, with tools that are called what they do."""
    listed = json.dumps([{"name": name, "inputSchema": {"type": "object"}} for name in tools])
    command = tuple(forked(rude_tools.__file__, listed))
    return Mount("rude", tools=tools, channels=("#tea",), command=command, folder=Path("/"))
