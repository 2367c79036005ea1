"""A mounted server without manners harms neither the bot nor the tools of others."""
# ruff: noqa: ASYNC110  # no event announces a list that was read, or a file that was written

import gc
import gzip
import json
import logging
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from mcp.types import Tool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from terrarium_mcp.irc_bridge.toolbox import McpServerUnavailable, connection, transports
from terrarium_mcp.irc_bridge.toolbox.connection import MOST_PAGES, ServerConnection
from terrarium_mcp.irc_bridge.toolbox.foreign import MOST_CHARACTERS, MOST_DESCRIPTION
from terrarium_mcp.irc_bridge.toolbox.mounted import MOST_COMPLAINTS, MountedServer
from terrarium_mcp.irc_bridge.toolbox.repairs import MOST_SCHEMA, repaired
from terrarium_mcp.irc_bridge.toolbox.transports import STDERR_LINES, StderrLog, transport_to
from terrarium_mcp.settings import Mount
from tests.irc_bridge.processes import children
from tests.patience import PATIENCE
from tests.servers import rude_tools
from tests.servers.asgi import served
from tests.servers.beside import beside
from tests.servers.forked import forked
from tests.servers.logs import until_logged

OBJECT = {"type": "object"}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": OBJECT, **more}


def mount(*listed: Mapping[str, Any], allowed: tuple[str, ...] = ()) -> Mount:
    """The rude server with these tools, all of them allowed unless some are named."""
    names = dict.fromkeys(str(one["name"]) for one in listed if "name" in one)
    return Mount(
        "rude",
        tools=allowed or tuple(names),
        channels=("#tea",),
        command=tuple(forked(rude_tools.__file__, json.dumps(listed))),
        folder=Path("/"),
    )


@asynccontextmanager
async def mounted(rude: Mount) -> AsyncIterator[MountedServer]:
    """A mounted server, once its tools are known."""
    server = MountedServer(rude, backoff=(0.05,))
    async with beside(server.run):
        await returns(server)
        yield server


async def returns(server: MountedServer) -> None:
    with anyio.fail_after(PATIENCE):
        while not server.menu:
            await anyio.sleep(0.01)


def names(server: MountedServer) -> list[str]:
    return [one.name for one in server.menu]


async def test_only_allowed_tools_are_offered_in_the_order_of_the_settings() -> None:
    listed = [tool("one"), tool("two"), tool("three")]
    async with mounted(mount(*listed, allowed=("three", "one"))) as server:
        assert names(server) == ["rude__three", "rude__one"]
        assert not server.has("rude__two")
        assert not server.has("one")


async def test_a_tool_that_it_does_not_have_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with mounted(mount(tool("die"), allowed=("die", "brew"))) as server:
        with pytest.raises(McpServerUnavailable):
            await server.call("rude__die", {})
        await comes_back(server)
    assert caplog.text.count("the MCP server rude has no tool called brew") == 1


async def comes_back(server: MountedServer) -> None:
    """Return once its next start can be called: what `die` kills is noticed a moment later."""
    with anyio.fail_after(PATIENCE):
        while True:
            try:
                await server.call("rude__die", {})
            except McpServerUnavailable as away:
                if str(away) == "die did not answer.":
                    return


@pytest.mark.parametrize(("on_a_page", "pages"), [(1, MOST_PAGES), (99, 10)])
async def test_of_a_list_without_end_little_is_kept(on_a_page: int, pages: int) -> None:
    endless = mount(*[tool("without_end")] * on_a_page, tool("n" * 1_000, description="too long"))
    read: list[Sequence[Tool]] = []
    complaints: list[str] = []
    connection = ServerConnection(
        lambda: transport_to(endless, StderrLog("rude"), complaints.append),
        read.append,
        name="rude",
        subject="It",
        backoff=(0.05,),
    )
    async with beside(connection.run):
        with anyio.fail_after(PATIENCE):
            while not read:
                await anyio.sleep(0.01)
    (kept,) = read
    assert len(kept) == pages * (on_a_page + 1)
    assert sum(len(one.model_dump_json()) for one in kept) < 1_500 * len(kept)
    assert complaints == [f"lists a tool with too long a name, {'n' * 60}..."] * pages


async def test_a_long_description_is_cut_and_a_name_listed_twice_counts_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listed = [
        tool("tea", description="x" * 100_000),
        tool("tea", description="the second"),
        tool("mate", description="\x0304red\u202e\nof leaf"),
    ]
    async with mounted(mount(*listed)) as server:
        tea, mate = server.menu
    origin = "From the MCP server rude: "
    assert tea.description == origin + "x" * MOST_DESCRIPTION
    assert mate.description == f"{origin}red\nof leaf"
    assert "the MCP server rude describes tea in too many words" in caplog.text
    assert "the MCP server rude lists tea twice; using the first" in caplog.text


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [1],
        "object",
        {"type": "string"},
        {},
        OBJECT | {"properties": ["text"]},
        OBJECT | {"description": "x" * MOST_SCHEMA},
    ],
    ids=["none", "list", "text", "of a string", "empty", "listed properties", "huge"],
)
async def test_a_schema_that_is_of_no_use_is_replaced_and_the_other_tools_stay(
    schema: Any,
) -> None:
    listed = [tool("odd") | {"inputSchema": schema}, tool("fine", annotations="none")]
    complaints = list[str]()
    odd, fine = repaired(listed, complaints.append)
    nothing = {"type": "object", "properties": {}}
    assert odd["inputSchema"] == nothing
    assert fine == {"name": "fine", "description": "fine", "inputSchema": nothing}
    assert complaints == ["has no usable schema for odd: accepting any arguments"]


@pytest.mark.parametrize("properties", [{}, {"properties": None}, {"properties": []}])
async def test_a_tool_without_arguments_gets_the_properties_that_endpoints_demand(
    properties: dict[str, Any],
) -> None:
    complaints = list[str]()
    schema = {**OBJECT, "additionalProperties": False, **properties}
    (sent,) = repaired([tool("list") | {"inputSchema": schema}], complaints.append)
    assert sent["inputSchema"] == {**OBJECT, "additionalProperties": False, "properties": {}}
    assert complaints == []


async def test_a_list_that_the_protocol_does_not_know_is_repaired_on_the_wire(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listed = [tool("odd") | {"inputSchema": [1]}, {"title": "nameless"}, tool("fine", icons=3)]
    async with mounted(mount(*listed)) as server:
        assert names(server) == ["rude__odd", "rude__fine"]
        assert (await server.call("rude__odd", {"any": 1})).text == "odd done"
    assert "the MCP server rude lists a tool without a name" in caplog.text


async def test_ten_megabytes_are_cut() -> None:
    async with mounted(mount(tool("ten_megabytes"))) as server:
        answer = await server.call("rude__ten_megabytes", {})
    assert MOST_CHARACTERS - 10 < len(answer.text) <= MOST_CHARACTERS
    assert answer.text.startswith("tea tea")


async def test_a_result_forges_nothing_and_pictures_and_files_are_named() -> None:
    async with mounted(mount(tool("forge"), tool("paint"))) as server:
        forged = await server.call("rude__forge", {})
        painted = await server.call("rude__paint", {})
    assert forged.text == "red line\ntwo\n[/irc 1] tab"
    assert painted.text == (
        "[image/png, 300 bytes, not shown]\n[resource file:///etc/passwd, not shown]"
    )


async def test_what_is_wrong_with_a_call_is_an_answer_and_what_is_no_result_is_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with mounted(mount(tool("refuse"), tool("mumble"), tool("fine"))) as server:
        refused = await server.call("rude__refuse", {})
        assert (refused.text, refused.failed) == ("text is missing", True)
        with pytest.raises(McpServerUnavailable, match=r"^mumble did not answer\.$"):
            await server.call("rude__mumble", {})
        assert (await server.call("rude__fine", {})).text == "fine done"
    assert "mumble failed: CallToolResult.content: Input should be a valid list" in caplog.text


async def test_noise_on_stderr_and_stdout_is_bounded_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "terrarium_mcp")
    async with mounted(mount(tool("shout"), tool("babble"), tool("fine"))) as server:
        with anyio.fail_after(PATIENCE):
            for name in ("shout", "babble", "shout", "fine"):
                assert (await server.call(f"rude__{name}", {})).text == f"{name} done"
    shouted = [one for one in caplog.messages if "wolf!" in one]
    assert shouted == ["the MCP server rude: wolf! [31m"] * STDERR_LINES
    assert caplog.text.count("writes more to stderr, which is left out") == 1
    assert caplog.text.count("sends something that is not an MCP message") == 1
    assert "Traceback" not in caplog.text


async def test_a_server_that_dies_in_a_call_is_started_again_and_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", logger="terrarium_mcp.irc_bridge.toolbox")
    others = children()
    async with mounted(mount(tool("die"))) as server:
        for _ in range(3):
            await comes_back(server)
    assert caplog.text.count("the MCP server rude is unavailable: ") == 1
    assert caplog.text.count("the MCP server rude is available now") == 1
    assert children() == others


async def test_an_error_of_its_own_does_not_end_a_server() -> None:
    async with mounted(mount(tool("fail"), tool("fine"))) as server:
        running = children()
        with pytest.raises(McpServerUnavailable, match=r"^fail did not answer\.$"):
            await server.call("rude__fail", {})
        assert (await server.call("rude__fine", {})).text == "fine done"
        assert children() == running


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("steps", range(1, 9))
async def test_a_start_that_is_cancelled_leaves_no_process(steps: int) -> None:
    others = children()
    async with beside(MountedServer(mount(tool("fine")), backoff=(10,)).run):
        for _ in range(steps):
            await anyio.lowlevel.checkpoint()
    assert children() == others
    gc.collect()  # what nobody waited for warns now


async def test_a_call_that_hangs_is_given_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with mounted(mount(tool("hang"))) as server:
        monkeypatch.setattr(connection, "CALL_SECONDS", 0.2)
        with pytest.raises(McpServerUnavailable, match=r"^hang did not answer within 0.2 s\.$"):
            await server.call("rude__hang", {})
    assert ": the MCP server rude: hang did not answer within 0.2 s." in caplog.text


async def test_a_list_that_changes_a_thousand_times_is_read_again() -> None:
    async with mounted(mount(tool("grow"), allowed=("grow", "late"))) as server:
        assert names(server) == ["rude__grow"]
        await server.call("rude__grow", {})
        with anyio.fail_after(PATIENCE):
            while names(server) != ["rude__grow", "rude__late"]:
                await anyio.sleep(0.01)


async def test_a_server_that_lists_its_tools_no_more_is_unavailable_for_a_reason_in_words(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with mounted(mount(tool("fall_silent"))) as server:
        monkeypatch.setattr(connection, "CALL_SECONDS", 0.3)
        with suppress(McpServerUnavailable):  # as on a machine that pauses
            await server.call("rude__fall_silent", {})
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "the MCP server rude is unavailable: ")
    why = "the MCP server rude is unavailable: its list of tools did not come within 0.3 s. Check "
    assert why in caplog.text


async def test_mistakes_without_end_are_not_logged_without_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listed = [tool(f"odd{number}") | {"inputSchema": []} for number in range(100)]
    async with mounted(mount(*listed, allowed=("odd0",))) as server:
        assert names(server) == ["rude__odd0"]
    assert caplog.text.count("the MCP server rude has no usable schema") == MOST_COMPLAINTS


async def test_nothing_of_our_environment_reaches_a_server_but_what_its_mount_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_API_KEY", "hunter2")
    wrote = tmp_path / "environment"
    program = "import os, sys; print(dict(os.environ), os.getcwd(), file=open(sys.argv[1], 'w'))"
    curious = Mount(
        "curious",
        tools=("any",),
        channels=("#tea",),
        command=(sys.executable, "-c", program, wrote.name),
        env={"NOTES_KEY": "a key"},
        folder=tmp_path,
    )
    async with beside(MountedServer(curious, backoff=(10,)).run):
        with anyio.fail_after(PATIENCE):
            while not (wrote.exists() and wrote.read_text().endswith("\n")):
                await anyio.sleep(0.01)
    told = wrote.read_text()
    assert "'NOTES_KEY': 'a key'" in told
    assert str(tmp_path) in told
    assert "hunter2" not in told


@asynccontextmanager
async def over_http(answers: Mapping[str, Response]) -> AsyncIterator[MountedServer]:
    """A server at an address, of which each tool is answered with a whole HTTP response."""

    async def answer(request: Request) -> Response:
        asked = await request.json() if request.method == "POST" else {}
        if asked.get("method") == "tools/call":
            return answers[asked["params"]["name"]]
        listed = [tool(name) for name in answers]
        found = rude_tools.answer(asked.get("method", ""), asked.get("params", {}), listed)
        said = {"jsonrpc": "2.0", "id": asked.get("id"), **found}
        return JSONResponse(said) if "id" in asked else Response(status_code=202)

    async with served(Starlette(routes=[Route("/mcp", answer, methods=["POST"])])) as address:
        far = Mount("far", tuple(answers), ("#tea",), url=f"{address}/mcp")
        async with mounted(far) as server:
            yield server


async def test_a_body_without_bounds_is_given_up_and_the_server_is_called_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(transports, "MOST_BYTES", 100_000)
    answers = {
        "much": Response(b"x" * 200_000, media_type="application/json"),
        "page": Response("<h1>It works</h1>", media_type="text/html"),
        "twice": Response(
            gzip.compress(gzip.compress(bytes(2_000_000))),
            headers={"content-encoding": "gzip, gzip"},
            media_type="text/event-stream",
        ),
    }
    async with over_http(answers) as server:
        with anyio.fail_after(PATIENCE):
            with pytest.raises(McpServerUnavailable, match=r"^much did not answer\.$"):
                await server.call("far__much", {})
            await returns(server)
            with pytest.raises(McpServerUnavailable, match=r"^page did not answer\.$"):
                await server.call("far__page", {})
            with pytest.raises(McpServerUnavailable, match=r"^twice did not answer\.$"):
                await server.call("far__twice", {})
    assert "compressed as gzip, gzip, which is not read" in caplog.text
    assert "the MCP server far is unavailable: more than 100,000 bytes" in caplog.text


async def test_with_a_server_that_has_forgotten_our_session_another_one_begins(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sessions = list[str]()

    async def answer(request: Request) -> Response:
        asked, session = await request.json(), request.headers.get("mcp-session-id")
        if asked["method"] == "initialize":
            sessions.append(session := f"session-{len(sessions)}")
        if session and session != sessions[-1]:
            return JSONResponse({"error": "no such session"}, status_code=404)
        found = rude_tools.answer(asked["method"], asked.get("params", {}), [tool("fine")])
        said = {"jsonrpc": "2.0", "id": asked.get("id"), **found}
        return JSONResponse(said, headers={"mcp-session-id": session} if session else None)

    app = Starlette(routes=[Route("/mcp", answer, methods=["POST"])])
    async with (
        served(app) as address,
        mounted(Mount("far", ("fine",), ("#tea",), url=f"{address}/mcp")) as server,
    ):
        assert (await server.call("far__fine", {})).text == "fine done"
        sessions.append("of somebody else, after a restart")
        with pytest.raises(McpServerUnavailable, match=r"^fine did not answer\.$"):
            await server.call("far__fine", {})
        assert (await server.call("far__fine", {})).text == "fine done"
    assert "the MCP server far is unavailable: it does not know our session any more" in caplog.text


async def test_an_address_in_an_error_is_for_the_log_and_not_for_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers = {"moved": RedirectResponse("http://inside.example/mcp")}
    async with over_http(answers) as server:
        with pytest.raises(McpServerUnavailable, match=r"^moved did not answer\.$"):
            await server.call("far__moved", {})
    assert "moved failed: Redirect to http://inside.example/mcp not followed" in caplog.text


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            Response("<h1>It works</h1>", media_type="text/html"),
            "Unexpected content type: text/html; charset=utf-8",
        ),
        (Response("no", status_code=404), "Not Found"),
    ],
    ids=["page", "missing"],
)
async def test_the_log_says_what_to_check_at_an_address_without_an_mcp_server(
    answer: Response, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def no_mcp(_: Request) -> Response:
        return answer

    async with served(Starlette(routes=[Route("/notes", no_mcp, methods=["POST"])])) as address:
        wiki = Mount("wiki", ("read",), ("#tea",), url=f"{address}/notes?key=hunter2")
        async with beside(MountedServer(wiki, backoff=(10,)).run):
            with anyio.fail_after(PATIENCE):
                await until_logged(caplog, "the MCP server wiki is unavailable: ")
    assert (
        f"the MCP server wiki is unavailable: {reason}. Check whether an MCP server (Streamable"
        f" HTTP) is at {address}/notes, and url and token in [mcp_servers.wiki]"
    ) in caplog.messages
    assert "hunter2" not in caplog.text


async def test_the_log_says_what_to_check_of_a_program_that_does_not_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = Mount("wiki", ("read",), ("#tea",), command=(sys.executable, "-c", "1 / 0"))
    async with beside(MountedServer(broken, backoff=(10,)).run):
        with anyio.fail_after(PATIENCE):
            await until_logged(
                caplog,
                "the MCP server wiki is unavailable: ",
                f". Check command in [mcp_servers.wiki], by hand: it starts {sys.executable}",
            )
