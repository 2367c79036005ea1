"""A history that takes long to open keeps no client waiting."""

from pathlib import Path

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from terrarium_mcp.store.sqlite.keeper import Keeper
from tests.cli.programs import HANGS, environment, quick_words


async def test_a_client_is_greeted_before_the_history_is_open(theirs: Path, tmp_path: Path) -> None:
    program, *arguments = quick_words("terrarium-mcp serve", "--db", theirs)
    server = StdioServerParameters(
        command=program, args=arguments, env=environment(), cwd=theirs.parent
    )
    migrating = Keeper(theirs)
    assert migrating.claim()  # as a process does that is at it
    answers: list[CallToolResult] = []
    said = tmp_path / "stderr"
    with anyio.fail_after(HANGS), said.open("w") as stderr:
        async with (
            Client(stdio_client(server, errlog=stderr)) as client,
            anyio.create_task_group() as tasks,
        ):

            async def ask() -> None:
                answers.append(await client.call_tool("get_recent_irc_messages", {}))

            tasks.start_soon(ask)
            assert await client.list_tools()
            assert not answers
            migrating.release()
    (answer,) = answers
    assert not answer.is_error
    told = said.read_text()
    assert told.count("another process is opening the history; waiting for it") == 1
    assert "opening the history, " not in told  # the progress is the other's to report
    assert "the history is open" in told
