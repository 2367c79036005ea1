"""The toolbox stays connected, under every view, and never dies of its server."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from terrarium_mcp.irc_bridge.toolbox import (
    McpServerUnavailable,
    Target,
    Toolbox,
    connection,
    stdio_server,
)
from terrarium_mcp.server import build_server, published_tools
from terrarium_mcp.settings import Settings
from terrarium_mcp.settings.tool_choice import CORE_TOOLS
from terrarium_mcp.store import open_store
from tests.irc_bridge.ask.desk import Desk, report
from tests.irc_bridge.house import said
from tests.irc_bridge.processes import children
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.forked import forked
from tests.servers.ircd import free_port

HTTP = """
import anyio, sys
from mcp.server import MCPServer
server = MCPServer("small")
@server.tool()
async def echo(text: str) -> str:
    return text
server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
"""

SEARCHING_THE_WEB = Settings(search_api_url="http://127.0.0.1:9/")


@asynccontextmanager
async def open_toolbox(target: Callable[[], Target], **more: Any) -> AsyncIterator[Toolbox]:
    """A toolbox that stays connected inside the block."""
    toolbox = Toolbox(target, backoff=(0.05,), **more)
    async with beside(toolbox.run):
        yield toolbox


def small_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("small")

    @server.tool()
    async def echo(text: str) -> str:
        return text

    @server.tool()
    async def fail() -> str:
        raise RuntimeError("out of tea")

    @server.tool()
    async def wait_for_ever() -> None:
        await anyio.sleep_forever()

    @server.tool()
    async def view(ctx: Context[Any]) -> str:
        return str((ctx.request_context.meta or {}).get("terrarium-mcp/view"))

    return server


async def answers(toolbox: Toolbox, text: str = "hello") -> None:
    """Return once the toolbox has answered, however often it had to be asked."""
    while True:
        try:
            answer = await toolbox.call("echo", {"text": text}, {})
        except McpServerUnavailable:
            continue
        assert answer.text == text
        return


async def test_a_call_carries_its_view_and_brings_text_and_facts() -> None:
    async with open_toolbox(small_server) as toolbox:
        assert (await toolbox.call("echo", {"text": "hi"}, {})).text == "hi"
        assert "'channel': '#tea'" in (await toolbox.call("view", {}, {"channel": "#tea"})).text
        assert [tool.name for tool in toolbox.menu] == ["echo", "fail", "wait_for_ever", "view"]


@pytest.mark.parametrize("offered", ["core", "all", "search_web"])
async def test_the_web_is_searched_by_a_model_only_where_a_search_service_is_set(
    tmp_path: Path, offered: str
) -> None:
    async with open_store(tmp_path / "irc_logs.db", Settings()) as store:
        for address, is_offered in (("", False), ("http://127.0.0.1:9/search", True)):
            settings = Settings(search_api_url=address)
            async with open_toolbox(partial(build_server, store, settings), offered=offered) as box:
                published = await box.call("search_web", {"query": ""}, {})
                assert published.text == "search_web needs search terms in `query`."
                assert ("search_web" in [tool.name for tool in box.menu]) is is_offered
                assert box.offers("search_web") is is_offered


async def test_a_server_of_another_database_is_the_operators_to_set_right(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_store(tmp_path / "other.db", Settings()) as store:
        await store.messages.append([said("hello")])
        async with open_toolbox(partial(build_server, store, Settings())) as toolbox:
            for number in range(2):
                with pytest.raises(McpServerUnavailable, match="can find the reason"):
                    await toolbox.call(
                        "get_recent_irc_messages", {"limit": number + 1}, {"as_of": "38"}
                    )
    told = [record.message for record in caplog.records if "another database" in record.message]
    assert len(told) == 1
    assert "does not know message 38, which was recorded here" in told[0]


async def test_what_a_tool_says_went_wrong_is_an_answer() -> None:
    async with open_toolbox(small_server) as toolbox:
        failed = await toolbox.call("fail", {}, {})
        assert failed.failed
        unknown = await toolbox.call("brew", {}, {})
        assert unknown.failed
        assert (await toolbox.call("echo", {"text": "still here"}, {})).text == "still here"


async def test_a_tool_that_takes_too_long_is_given_up_and_the_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_toolbox(small_server) as toolbox:
        await answers(toolbox)
        monkeypatch.setattr(connection, "CALL_SECONDS", 0.05)
        with (
            anyio.fail_after(PATIENCE),
            pytest.raises(McpServerUnavailable, match="did not answer"),
        ):
            await toolbox.call("wait_for_ever", {}, {})
        monkeypatch.setattr(connection, "CALL_SECONDS", PATIENCE)
        assert (await toolbox.call("echo", {"text": "quick"}, {})).text == "quick"


async def test_arguments_no_wire_can_carry_fail_alone(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append([said("hello")])
        database = tmp_path / "irc_logs.db"
        async with open_toolbox(lambda: stdio_server(database, os.environ)) as toolbox:
            with anyio.fail_after(PATIENCE):
                found = await toolbox.call("search_irc_history", {"query": "\ud800 hello"}, {})
                assert "hello" in found.text
                assert not toolbox.trouble


async def test_only_the_tools_of_the_setting_are_offered(caplog: pytest.LogCaptureFixture) -> None:
    async with open_toolbox(small_server, offered="echo, brew") as toolbox:
        await answers(toolbox)
        assert [tool.name for tool in toolbox.menu] == ["echo"]
        assert toolbox.offers("echo")
        assert not toolbox.offers("view")
        assert toolbox.unknown("ecko") == "No tool ecko. Did you mean echo? Tools: echo."
    assert "has no tool called brew" in caplog.text


@pytest.mark.parametrize(
    ("offered", "names"),
    [
        ("core", CORE_TOOLS),
        ("core,catch_up", CORE_TOOLS | {"catch_up"}),
        ("all", {tool.function.__name__ for tool in published_tools(SEARCHING_THE_WEB)}),
    ],
)
async def test_the_core_is_offered_without_the_tools_beyond_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, offered: str, names: set[str]
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        server = build_server(store, SEARCHING_THE_WEB)
        async with open_toolbox(lambda: server, offered=offered) as toolbox:
            await toolbox.call("get_channel_stats", {}, {})
            assert {tool.name for tool in toolbox.menu} == names
            found = await toolbox.call("lookup_nick", {"nick": ""}, {})  # what a command needs
            assert found.text.startswith("Name a nick.")
    assert "has no tool" not in caplog.text


async def test_a_server_that_cannot_be_started_is_named_and_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "BROKEN_SECONDS", 0.2)
    targets: list[Target] = [StdioServerParameters(command="/nowhere/terrarium")] * 3
    async with open_toolbox(lambda: targets.pop() if targets else small_server()) as toolbox:
        with anyio.fail_after(PATIENCE):
            assert toolbox.menu == ()
            await answers(toolbox)
            assert toolbox.trouble == ""


async def test_whoever_waits_for_a_first_connection_gets_it_when_it_comes_at_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for wait in ("CALL_SECONDS", "BROKEN_SECONDS"):  # it is no deadline that ends the wait
        monkeypatch.setattr(connection, wait, 3600)
    targets: list[Target] = [StdioServerParameters(command="/nowhere/terrarium")] * 3
    async with open_toolbox(lambda: targets.pop() if targets else small_server()) as toolbox:
        with anyio.fail_after(PATIENCE):
            assert (await toolbox.call("echo", {"text": "at last"}, {})).text == "at last"


async def test_a_server_that_never_answers_at_the_start_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "CALL_SECONDS", 0.3)
    mute = StdioServerParameters(
        command=sys.executable, args=["-c", "import sys; sys.stdin.read()"]
    )
    targets: list[Target] = [mute]
    async with open_toolbox(lambda: targets.pop() if targets else small_server()) as toolbox:
        with anyio.fail_after(PATIENCE):
            await answers(toolbox)
            assert not targets


async def test_a_killed_stdio_server_is_replaced_without_being_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="terrarium_mcp.irc_bridge.toolbox")
    others = children()
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append([said("the gate is fixed")])
        database = tmp_path / "irc_logs.db"
        async with open_toolbox(lambda: stdio_server(database, os.environ)) as toolbox:
            with anyio.fail_after(PATIENCE):
                await toolbox.call("search_irc_history", {"query": "gate"}, {})
                (server,) = children() - others
                os.kill(server, signal.SIGKILL)
                while not toolbox.trouble:
                    await anyio.lowlevel.checkpoint()
                assert toolbox.menu == ()
                assert toolbox.offers("search_irc_history")
                while toolbox.trouble:
                    await anyio.lowlevel.checkpoint()
                found = await toolbox.call("search_irc_history", {"query": "gate"}, {})
                assert "the gate is fixed" in found.text
                assert children() - others != {server}
    assert children() == others
    told = [one.getMessage() for one in caplog.records if one.name == connection.__name__]
    assert told == [
        "the MCP server is unavailable: the connection was lost",
        "the MCP server is available now",
    ]


async def test_a_call_in_the_middle_of_which_the_server_dies_fails_under_an_id_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = (
        "from mcp.server import MCPServer; import os, signal\n"
        "s = MCPServer('doomed')\n"
        "@s.tool()\n"
        "async def die() -> None: os.kill(os.getpid(), signal.SIGKILL)\n"
        "s.run()"
    )
    program, *arguments = forked("-c", server)
    doomed = StdioServerParameters(command=program, args=arguments)
    targets: list[Target] = [doomed]
    async with open_toolbox(lambda: targets.pop() if targets else small_server()) as toolbox:
        with anyio.fail_after(PATIENCE):
            with pytest.raises(McpServerUnavailable, match=r"^die did not answer\.$") as failed:
                await toolbox.call("die", {}, {})
            await answers(toolbox)
    (error_id,) = re.findall(r"error (\w{6}): the MCP server: die failed: Conn", caplog.text)
    where = f"(error {error_id} in the log)"
    assert failed.value.public == f"The history did not answer {where}. Ask again in a moment."


async def test_a_restarted_http_server_is_found_again() -> None:
    port = free_port()
    async with open_toolbox(lambda: f"http://127.0.0.1:{port}/mcp") as toolbox:
        with anyio.fail_after(PATIENCE):
            for text in ("before", "after"):
                async with await anyio.open_process(
                    forked("-c", HTTP, port), stderr=subprocess.DEVNULL
                ) as server:
                    await answers(toolbox, text)
                    server.kill()


async def test_a_changed_menu_is_read_again() -> None:
    server = small_server()

    @server.tool()
    async def grow(ctx: Context[Any]) -> str:
        server.add_tool(extra, name="extra")
        await ctx.notify_tools_changed()
        return "grown"

    async def extra() -> str:
        return "more"

    async with open_toolbox(lambda: server) as toolbox:
        with anyio.fail_after(PATIENCE):
            await toolbox.call("grow", {}, {})
            while not toolbox.offers("extra"):
                await anyio.lowlevel.checkpoint()


async def test_cancelling_leaves_no_server_behind(tmp_path: Path) -> None:
    others = children()
    async with open_store(tmp_path / "irc_logs.db"):
        for pause in (0.0, 0.02, 0.6):
            toolbox = Toolbox(lambda: stdio_server(tmp_path / "irc_logs.db", os.environ))
            with anyio.move_on_after(pause):
                await toolbox.run()
            with anyio.fail_after(PATIENCE):
                while children() != others:  # one killed while it started takes a moment to die
                    await anyio.lowlevel.checkpoint()


async def test_why_the_server_is_away_is_for_the_log_and_not_for_the_channel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "BROKEN_SECONDS", 0.1)
    away_at = "http://127.0.0.1:9/mcp"
    async with (
        open_toolbox(lambda: away_at) as toolbox,
        open_store(tmp_path / "irc_logs.db") as store,
    ):
        with anyio.fail_after(PATIENCE), pytest.raises(McpServerUnavailable) as away:
            await toolbox.call("echo", {}, {})
        (pong,) = await Desk(toolbox, Settings(), store, report()).asks("!ping")
    assert str(away.value) == "The history is unavailable at the moment."
    assert pong == "pong, but the history is unavailable at the moment"
    assert "the MCP server is unavailable: " in caplog.text
