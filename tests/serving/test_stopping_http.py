"""An HTTP server stops when it is asked to, whoever is still connected."""

import json
import signal
import socket
from contextlib import AsyncExitStack

import anyio
import httpx2
import pytest
from anyio import wait_all_tasks_blocked
from mcp.client.client import Client
from mcp.types import CallToolResult
from starlette.types import Message

from terrarium_mcp.serving.open_calls import OpenCalls
from terrarium_mcp.serving.shutdown import DISCONNECT, LAST_MESSAGES, Shutdown
from tests.passing_time import time_passes
from tests.patience import PATIENCE
from tests.serving.processes import INITIALIZE, HttpHouse, call
from tests.serving.raw import modern_request

SIGNALS = pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
CALLERS = pytest.mark.parametrize(
    ("transport", "mode"),
    [("mcp", "2026-07-28"), ("mcp", "legacy"), ("sse", "2026-07-28"), ("sse", "legacy")],
)
STREAM = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


async def legacy_session(web: httpx2.AsyncClient, house: HttpHouse) -> dict[str, str]:
    answer = await web.post(house.urls["mcp"], json=INITIALIZE, headers=STREAM)
    session = {"mcp-session-id": answer.headers["mcp-session-id"]}
    await web.post(
        house.urls["mcp"],
        json={"jsonrpc": "2.0", "method": "notifications/initialized"},
        headers=STREAM | session,
    )
    return STREAM | session


@SIGNALS
async def test_nobody_there(http_house_without_haste: HttpHouse, how: signal.Signals) -> None:
    ended = await http_house_without_haste.stop(how)
    assert ended.well()
    assert http_house_without_haste.read_some(100) == b""  # in its whole life, nothing on stdout


@pytest.mark.parametrize("transport", ["sse", "mcp"])
async def test_an_open_stream_is_finished_in_order(
    http_house_without_haste: HttpHouse, transport: str
) -> None:
    house = http_house_without_haste
    with anyio.fail_after(PATIENCE):
        async with httpx2.AsyncClient(timeout=PATIENCE) as web, AsyncExitStack() as open_streams:
            headers = STREAM if transport == "sse" else await legacy_session(web, house)
            stream = await open_streams.enter_async_context(
                web.stream("GET", house.urls[transport], headers=headers)
            )
            ended = await house.stop()
            await stream.aread()  # raises where the response was broken off
    assert ended.well()


async def test_a_stream_without_calls_ends_no_later_than_one_that_listens() -> None:
    shutdown, has_ended = Shutdown(), anyio.Event()

    async def nothing() -> Message:
        await anyio.sleep_forever()
        return DISCONNECT

    async def read() -> None:
        assert await shutdown.receive(nothing, OpenCalls().all_ended) == DISCONNECT
        has_ended.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await wait_all_tasks_blocked()
        shutdown.beginning.expire()
        await wait_all_tasks_blocked()
        time_passes(LAST_MESSAGES)
        with anyio.fail_after(PATIENCE):
            await has_ended.wait()


@pytest.mark.parametrize("transport", ["mcp", "sse"])
async def test_a_subscriber_hears_that_it_is_over(
    http_house_without_haste: HttpHouse, transport: str
) -> None:
    house = http_house_without_haste
    with anyio.fail_after(PATIENCE):
        async with (
            Client(house.target(transport), mode="2026-07-28") as client,
            client.listen(tools_list_changed=True) as events,
        ):
            ended = await house.stop()
            assert [event async for event in events] == []  # else SubscriptionLost
    assert ended.well()


@CALLERS
async def test_a_call_that_takes_too_long_is_cancelled(
    doomed_http_house: HttpHouse, transport: str, mode: str
) -> None:
    running = anyio.Event()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call_and_lose, doomed_http_house, transport, mode, running)
            await running.wait()
            ended = await doomed_http_house.stop()
    assert ended.well()


@CALLERS
async def test_a_call_that_is_nearly_done_is_answered(
    http_house_without_haste: HttpHouse, transport: str, mode: str
) -> None:
    running = anyio.Event()
    with anyio.fail_after(PATIENCE):
        async with (
            Client(http_house_without_haste.target(transport), mode=mode) as client,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(call_and_win, client, running)
            await running.wait()
            ended = await http_house_without_haste.stop()
    assert ended.well()


async def test_a_call_that_takes_too_long_in_a_session_is_answered_with_an_error(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    with anyio.fail_after(PATIENCE):
        async with (
            httpx2.AsyncClient(timeout=PATIENCE) as web,
            web.stream(
                "POST",
                house.urls["mcp"],
                json=call(1, "take", seconds=3600),
                headers=await legacy_session(web, house),
            ) as answer,
        ):
            lines = answer.aiter_lines()
            async for line in lines:
                if "notifications/progress" in line:
                    break
            ended = await house.stop()
            told = [json.loads(line.removeprefix("data: ")) async for line in lines if "id" in line]
    assert ended.well()
    assert [(one["id"], one["error"]["message"]) for one in told] == [
        (1, "The server is stopping.")
    ]


async def test_a_call_whose_client_is_gone_holds_nobody_up(
    http_house_without_haste: HttpHouse,
) -> None:
    house = http_house_without_haste
    with anyio.fail_after(PATIENCE):
        async with httpx2.AsyncClient(timeout=PATIENCE) as web:
            session = await legacy_session(web, house)
            request = call(1, "take", seconds=3600)
            async with web.stream(
                "POST", house.urls["mcp"], json=request, headers=session
            ) as answer:
                async for line in answer.aiter_lines():
                    if "notifications/progress" in line:
                        break
        ended = await house.stop()
    assert ended.well()


async def test_an_impatient_signal_does_not_cut_the_ending_short(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    running = anyio.Event()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call_and_lose, house, "mcp", "2026-07-28", running)
            await running.wait()
            house.process.send_signal(signal.SIGINT)
            await until_refused(house)
            ended = await house.stop(signal.SIGINT)
    assert ended.well()


def test_a_client_that_does_not_read_is_left_behind(doomed_http_house: HttpHouse) -> None:
    house = doomed_http_house
    with socket.create_connection(("127.0.0.1", house.port)) as client:
        client.sendall(modern_request(house, "much", megabytes=20))
        assert client.recv(4, socket.MSG_PEEK) == b"HTTP"
        house.process.send_signal(signal.SIGTERM)
        ended = house.wait()
    assert ended.status == 0
    assert "Traceback" not in ended.said
    assert ended.ledger[-1] == "left"


async def until_refused(house: HttpHouse) -> None:
    """Wait until the server no longer accepts anybody."""
    async with httpx2.AsyncClient(timeout=PATIENCE) as web:
        try:
            while True:
                await web.get(house.urls["health"], headers={"connection": "close"})
        except httpx2.TransportError:
            return


async def call_and_win(client: Client, running: anyio.Event) -> None:
    answer = await take(client, 0.4, running)
    assert not answer.is_error


async def call_and_lose(house: HttpHouse, transport: str, mode: str, running: anyio.Event) -> None:
    try:
        async with Client(house.target(transport), mode=mode) as client:
            await take(client, 3600, running)
    except Exception:  # noqa: BLE001  # how a client takes it differs by transport, and is its own affair
        assert running.is_set()


async def take(client: Client, seconds: float, running: anyio.Event) -> CallToolResult:
    # The SDK's protocol names the parameters, whether one needs them or not.
    async def progress(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
        running.set()

    await client.list_tools()  # else the client does it after the call, to check the answer
    return await client.call_tool("take", {"seconds": seconds}, progress_callback=progress)
