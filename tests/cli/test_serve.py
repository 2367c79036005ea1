"""`terrarium-mcp serve`, as real processes: every transport, both eras, and a good end."""

import json
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

from tests.cli.conftest import SAID
from tests.cli.programs import Program, environment, quick_words, running, without_progress
from tests.patience import PATIENCE
from tests.serving.processes import INITIALIZE

ERAS = ("legacy", "auto")


async def finds_it(client: Client) -> bool:
    """Whether a client is told of the tools, and finds what was said."""
    tools = [tool.name for tool in (await client.list_tools()).tools]
    answer = await client.call_tool("search_irc_history", {"query": "garden gate"})
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return "search_irc_history" in tools and f"<ada> {SAID}" in content.text


@pytest.mark.parametrize("mode", ERAS)
async def test_stdio_answers_clients_of_both_eras(history: Path, mode: str) -> None:
    command = "terrarium-mcp serve --db /path/to/irc_logs.db"
    program, *arguments = quick_words(command.replace("/path/to/irc_logs.db", str(history)))
    server = StdioServerParameters(
        command=program, args=arguments, env=environment(), cwd=history.parent
    )
    with anyio.fail_after(PATIENCE):
        async with Client(server, mode=mode) as client:
            assert await finds_it(client)


@pytest.mark.parametrize("command", ["terrarium-mcp serve --http", "terrarium-mcp serve --sse"])
async def test_http_answers_clients_of_both_eras(history: Path, command: str) -> None:
    async with serving(command, history) as (server, url):
        with anyio.fail_after(PATIENCE):
            for mode in ERAS:
                async with Client(
                    sse_client(url) if url.endswith("/sse") else url, mode=mode
                ) as one:
                    assert await finds_it(one)
        await server.stop()
    assert server.ended_well()


async def test_one_port_has_both_transports_and_tells_of_its_health(ours: Path) -> None:
    async with serving("terrarium-mcp serve --http", ours) as (_, url):
        with anyio.fail_after(PATIENCE):
            async with Client(sse_client(url.replace("/mcp", "/sse"))) as client:
                assert await finds_it(client)
            async with httpx2.AsyncClient(timeout=PATIENCE) as web:
                health = (await web.get(url.replace("/mcp", "/healthz"))).json()
    assert health["ok"] is True


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("mode", ERAS)
async def test_sse_ends_though_a_client_listens(ours: Path, mode: str, how: signal.Signals) -> None:
    async with serving("terrarium-mcp serve --sse", ours) as (server, url):
        with anyio.fail_after(PATIENCE):
            try:
                async with Client(sse_client(url), mode=mode) as client:
                    assert await finds_it(client)
                    await server.stop(how)
            except* (httpx2.TransportError, anyio.BrokenResourceError, OSError):
                pass  # how a client takes the end is its own affair
    assert server.ended_well()


def hang_up(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    server.stdin.close()


def interrupt(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGINT)


def terminate(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("event", [hang_up, interrupt, terminate])
def test_stdio_ends_when_it_is_told_to(
    tmp_path: Path, event: Callable[[subprocess.Popen[bytes]], None]
) -> None:
    with greeted("terrarium-mcp serve", tmp_path) as server:
        event(server)
        assert server.wait(PATIENCE) == 0
        assert server.stderr is not None
        said = without_progress(server.stderr.read().decode().splitlines())
        # Why the tools find nothing; it may have been stopped before it had looked.
        assert all("Z INFO Nothing is recorded yet in " in line for line in said)


def test_the_database_lies_where_the_settings_file_says(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "settings.env").write_text("DB_PATH=tea.db\nTERRARIUM_WRITE_TOOLS=off\n")
    with greeted("terrarium-mcp serve --env-file etc/settings.env", tmp_path):
        assert (tmp_path / "etc" / "tea.db").is_file()


@asynccontextmanager
async def serving(command: str, history: Path) -> AsyncIterator[tuple[Program, str]]:
    """A server over HTTP, on any free port, and the address it printed."""
    async with running(command, "--port", 0, "--db", history, at=history.parent) as server:
        yield server, await server.says("http://127.0.0.1:")


@contextmanager
def greeted(command: str, at: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server over stdio that has answered a client of the older era."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        quick_words(command), cwd=at, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe
    ) as server:
        try:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write((json.dumps(INITIALIZE) + "\n").encode())
            server.stdin.flush()
            assert b'"serverInfo"' in server.stdout.readline()
            yield server
        finally:
            server.kill()
