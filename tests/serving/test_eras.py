"""Every transport serves clients of both eras of the protocol."""

from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

from tests.patience import PATIENCE
from tests.serving.processes import HttpHouse, house_words

ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])


async def lists_and_calls(client: Client) -> bool:
    tools = await client.list_tools()
    answer = await client.call_tool("echo", {"text": "grüße"})
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return "echo" in [tool.name for tool in tools.tools] and content.text == "grüße"


@ERAS
@pytest.mark.parametrize("transport", ["mcp", "sse"])
async def test_http_transports_serve_clients_of_both_eras(
    http_house: HttpHouse, transport: str, mode: str
) -> None:
    with anyio.fail_after(PATIENCE):
        async with Client(http_house.target(transport), mode=mode) as client:
            assert await lists_and_calls(client)


@ERAS
async def test_stdio_serves_clients_of_both_eras(tmp_path: Path, mode: str) -> None:
    ledger = tmp_path / "ledger"
    program, *arguments = house_words(ledger, "stdio")
    house = StdioServerParameters(command=program, args=arguments)
    with anyio.fail_after(PATIENCE):
        async with Client(house, mode=mode) as client:
            assert await lists_and_calls(client)
    assert ledger.read_text().split() == ["entered", "left"]


async def test_all_connections_share_one_lifespan(http_house: HttpHouse) -> None:
    with anyio.fail_after(PATIENCE):
        async with (
            Client(http_house.target("sse"), mode="legacy") as one,
            Client(http_house.target("sse"), mode="2026-07-28") as two,
            Client(http_house.target("mcp")) as three,
        ):
            for client in (one, two, three):
                assert await lists_and_calls(client)
    assert http_house.ledger() == ["entered"]
