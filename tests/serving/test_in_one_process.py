"""The HTTP server as a part of a larger program, which ends it by cancelling it."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.server import MCPServer

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.serving.address import Listening, PortInUse
from terrarium_mcp.serving.http import serve_http
from tests.patience import PATIENCE
from tests.serving.accepted import accepted
from tests.serving.house import build, healthy


class Part:
    """A running `serve_http` without signal handlers."""

    def __init__(self, server: MCPServer) -> None:
        self._server = server
        self._listening = anyio.Event()
        self.ended = anyio.Event()

    async def run(self) -> None:
        try:
            await serve_http(
                self._server,
                "localhost",
                0,
                health=healthy,
                announce=self._announced,
                install_signal_handlers=False,
            )
        finally:
            self.ended.set()

    def _announced(self, listening: Listening) -> None:
        self._address = listening
        self._listening.set()

    async def address(self) -> Listening:
        await self._listening.wait()
        return self._address


@asynccontextmanager
async def running(server: MCPServer) -> AsyncIterator[tuple[Part, anyio.CancelScope]]:
    part = Part(server)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as program:
            program.start_soon(part.run)
            yield part, program.cancel_scope


async def test_cancelling_ends_it_as_gracefully_as_a_signal(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    async with running(build(ledger)) as (part, program):
        address = await part.address()
        async with (
            httpx2.AsyncClient(timeout=PATIENCE) as web,
            web.stream("GET", address.sse_url) as stream,
        ):
            program.cancel()
            with anyio.CancelScope(shield=True):
                await stream.aread()  # raises where the response was broken off
                await part.ended.wait()
    assert ledger.read_text().split() == ["entered", "left"]


async def test_two_in_a_row(tmp_path: Path) -> None:
    for name in ("first", "second"):
        async with running(build(tmp_path / name)) as (part, program):
            address = await part.address()
            async with Client(address.mcp_url) as client:
                assert (await client.list_tools()).tools
            program.cancel()
        assert part.ended.is_set()


async def test_health_is_json(tmp_path: Path) -> None:
    async with running(build(tmp_path / "ledger")) as (part, program):
        address = await part.address()
        async with httpx2.AsyncClient(timeout=PATIENCE) as web:
            answer = await web.get(f"http://127.0.0.1:{address.port}/healthz")
        assert answer.json() == await healthy()
        program.cancel()


async def test_calls_on_one_connection_do_not_wait_for_each_others_acknowledgement(
    tmp_path: Path,
) -> None:
    async with running(build(tmp_path / "ledger")) as (part, program):
        address = await part.address()
        async with httpx2.AsyncClient(timeout=PATIENCE) as web:
            for _ in range(3):
                assert (await web.get(f"http://127.0.0.1:{address.port}/healthz")).is_success
            at_once = [
                end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
                for end in accepted(address.port)
            ]
        assert at_once == [True]
        program.cancel()


async def test_what_keeps_the_lifespan_from_starting_is_seen_as_itself() -> None:
    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        raise TerrariumError("The history is from the future.")
        yield

    with pytest.raises(TerrariumError, match="from the future"):
        await Part(MCPServer("house", lifespan=lifespan)).run()


async def test_a_taken_port_is_known_before_anything_is_started(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    async with running(build(tmp_path / "other")) as (part, program):
        taken = (await part.address()).port
        with pytest.raises(PortInUse):
            await serve_http(
                build(ledger),
                "127.0.0.1",
                taken,
                health=healthy,
                announce=lambda _: pytest.fail("nobody listens there"),
                install_signal_handlers=False,
            )
        program.cancel()
    assert not ledger.exists()
