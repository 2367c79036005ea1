"""A million rows of terrarium-irc open in place while a client is served.

LINES in the environment sets how many.
"""

import os
from pathlib import Path

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

from tests.cli.programs import environment, words
from tests.samples import terrarium_irc as sample
from tests.store.scene import rows_of

LINES = int(os.environ.get("LINES", "1_000_000"))
SOON = 300


async def test_a_million_rows_open_while_a_client_waits(tmp_path: Path) -> None:
    file = sample.make(tmp_path / "irc_logs.db", LINES)
    began = anyio.current_time()
    with anyio.fail_after(SOON), (tmp_path / "stderr").open("w+") as stderr:
        async with Client(stdio_client(_server(file), errlog=stderr)) as client:
            greeted = anyio.current_time() - began
            early = await _recent(client)
            while (late := await _recent(client)).is_error:
                assert "opening the history" in _text(late)
            opened = anyio.current_time() - began
        stderr.seek(0)
        told = [line for line in stderr if "opening the history" in line]
    assert early.is_error
    assert "terrarium" in _text(late)
    for sql in OLD_QUESTIONS:
        assert rows_of(file, sql)
    print(f"\n{LINES} rows, load {os.getloadavg()}")  # noqa: T201 -- the verdict
    print(f"initialize after {greeted:.1f} s, process start included")  # noqa: T201
    print(f"a call meanwhile: {_text(early)}")  # noqa: T201
    print(f"open after {opened:.1f} s, at most 60; told {len(told)} times:")  # noqa: T201
    print("".join(told[:: max(1, len(told) // 8)]))  # noqa: T201


OLD_QUESTIONS = (
    """
SELECT * FROM messages WHERE channel = '#terrarium' AND timestamp > '2025-11-01 12:00:00'
 AND message_type IN ('PRIVMSG', 'ACTION') ORDER BY timestamp DESC LIMIT 20""",
    """
SELECT * FROM messages WHERE channel = '#terrarium'
 AND message LIKE '%milk%' AND message LIKE '%cup%' ORDER BY timestamp DESC LIMIT 20""",
    "SELECT count(*), count(DISTINCT nick) FROM messages WHERE channel = '#terrarium'",
    "SELECT nick, count(*) FROM messages WHERE channel = '#terrarium' GROUP BY nick",
)


def _server(file: Path) -> StdioServerParameters:
    program, *arguments = words("terrarium-mcp serve", "--db", file)
    return StdioServerParameters(
        command=program,
        args=arguments,
        env=environment(TERRARIUM_SOURCE_TIMEZONE=sample.ZONE.key),
        cwd=file.parent,
    )


async def _recent(client: Client) -> CallToolResult:
    return await client.call_tool("get_recent_irc_messages", {"channel": "#terrarium"})


def _text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
