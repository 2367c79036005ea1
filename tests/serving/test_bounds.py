"""Clients that send half, read nothing or leave are bounded, and others are served meanwhile."""

import json
import resource
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, closing, suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from starlette.types import Message, Receive, Scope, Send

from terrarium_mcp.serving.bounded_calls import CALLS_EACH, BoundedCalls
from terrarium_mcp.serving.open_calls import OPEN_CALLS
from terrarium_mcp.serving.uploads import LARGEST_BODY
from terrarium_mcp.store.backlog import LONGEST_SUMMARY, LONGEST_TITLE
from tests.patience import PATIENCE
from tests.serving.processes import HttpHouse, StdioHouse, call
from tests.serving.raw import (
    MODERN,
    answer_of,
    connected,
    is_closed,
    is_open,
    opened_session,
    ping,
    post,
    request,
    unread_stream,
)

IMPATIENT = {"connections__REQUEST_SECONDS": 0.5, "connections__UNREAD_SECONDS": 0.5}


@pytest.fixture(scope="module")
def impatient_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpHouse]:
    """One that cuts a connection after half a second."""
    with closing(HttpHouse(tmp_path_factory.mktemp("house") / "ledger", **IMPATIENT)) as house:
        assert house.urls
        yield house


async def is_served(house: HttpHouse) -> bool:
    """Whether a client that behaves gets its answer."""
    with anyio.fail_after(PATIENCE):
        async with Client(house.urls["mcp"]) as client:
            return not (await client.call_tool("echo", {"text": "tea"})).is_error


HALVES: dict[str, Callable[[HttpHouse], bytes]] = {
    "nothing": lambda _: b"",
    "half a line": lambda _: b"POST /mcp HT",
    "half of the headers": lambda house: request(house, "/mcp")[:-2],
    "half of the body": lambda house: request(house, "/mcp", b"{}" * 100)[:-50],
    "a part of a chunked body": lambda house: (
        request(house, "/mcp", transfer_encoding="chunked").replace(b"content-length: 0\r\n", b"")
        + b"5\r\nhello\r\n"
    ),
    "half of a second request": lambda house: request(house, "/healthz", method="GET") + b"GET ",
}


@pytest.mark.parametrize("half", HALVES)
async def test_a_request_that_is_not_finished_is_cut(impatient_house: HttpHouse, half: str) -> None:
    with connected(impatient_house) as client:
        client.sendall(HALVES[half](impatient_house))
        assert is_closed(client)
    assert await is_served(impatient_house)


async def test_a_client_that_sends_a_byte_now_and_then_is_cut_too(
    impatient_house: HttpHouse,
) -> None:
    with connected(impatient_house) as client:
        sent = request(impatient_house, "/mcp", b"{}" * 10_000)
        with suppress(BrokenPipeError, ConnectionResetError):
            for number in range(1_000):
                client.sendall(sent[number : number + 1])
                await anyio.sleep(0.01)  # what such a client does
        assert number < 999
    assert await is_served(impatient_house)


async def test_a_call_may_take_longer_than_a_request_may(impatient_house: HttpHouse) -> None:
    with anyio.fail_after(PATIENCE):
        async with Client(impatient_house.urls["mcp"]) as client:
            answer = await client.call_tool("take", {"seconds": 1.5})
    assert not answer.is_error


UPLOADS: dict[str, Callable[[HttpHouse], tuple[str, dict[str, str]]]] = {
    "modern": lambda _: ("/mcp", MODERN),
    "handshake": lambda _: ("/mcp", {}),
    "a session": lambda house: ("/mcp", {"mcp_session_id": opened_session(house)}),
    "HTTP+SSE": lambda _: ("/messages/?session_id=0", {}),
}


@pytest.mark.parametrize("kind", UPLOADS)
@pytest.mark.parametrize("size", [100, LARGEST_BODY])
async def test_an_upload_that_is_broken_off_leaves_no_traceback(
    doomed_http_house: HttpHouse, kind: str, size: int
) -> None:
    house = doomed_http_house
    path, headers = UPLOADS[kind](house)
    with connected(house) as client:
        client.sendall(request(house, path, b" " * size, **headers)[: -size // 2])
    assert await is_served(house)
    assert (await house.stop()).well()


@pytest.mark.parametrize(
    "garbage",
    [b"", b"\0\xff", b"tea at four?", b"null", b"[]", b'{"jsonrpc": "2.0"}', b"[" * LARGEST_BODY],
    ids=["nothing", "bytes", "text", "null", "a batch", "half a message", "depth"],
)
async def test_garbage_to_a_stream_is_refused_and_leaves_no_traceback(
    doomed_http_house: HttpHouse, garbage: bytes
) -> None:
    house = doomed_http_house
    with unread_stream(house) as (_, path), connected(house) as client:
        client.sendall(request(house, path, garbage))
        status, _, said = answer_of(client)
        assert (status, said) == (400, b"Not one JSON-RPC message.")
        assert post(house, call(1, "echo", text="still served"), path)[0] == 202
    assert (await house.stop()).well()


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_request_that_is_too_large_is_refused(
    http_house: HttpHouse, *, chunked: bool
) -> None:
    body = json.dumps(call(1, "echo", text="x" * LARGEST_BODY))

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 50_000):
            yield body[start : start + 50_000].encode()

    async with httpx2.AsyncClient(timeout=PATIENCE) as web:
        answer = await web.post(
            http_house.urls["mcp"], content=pieces() if chunked else body.encode()
        )
    assert answer.status_code == 413
    assert answer.text == "The request is larger than 98,304 bytes."


async def test_the_largest_idea_is_no_request_that_is_too_large(http_house: HttpHouse) -> None:
    summary = "\u8336" * LONGEST_SUMMARY
    body = json.dumps(
        call(1, "echo", text=summary, title=summary[:LONGEST_TITLE]), ensure_ascii=False
    )
    with connected(http_house) as client:
        client.sendall(request(http_house, "/mcp", body.encode()))
        assert answer_of(client)[0] == 400  # there is no session: it has been read


async def test_a_stream_that_nobody_reads_is_dropped(impatient_house: HttpHouse) -> None:
    house = impatient_house
    with unread_stream(house) as (client, path):
        status = 202
        for number in range(1_000):
            status, _, _ = post(house, call(number, "much", megabytes=1), path)
            if status != 202:
                break
        assert status == 404
        assert is_closed(client)
    assert await is_served(house)


async def test_calls_of_a_client_that_reads_nothing_wait_while_others_are_served(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    with unread_stream(house) as (_, path), ExitStack() as stack:
        for number in range(100):
            client = stack.enter_context(connected(house))
            body = json.dumps(call(number, "much", megabytes=1)).encode()
            client.sendall(request(house, path, body))
        for _ in range(10):
            assert await is_served(house)
        begun = house.ledger().count("begun")
    assert OPEN_CALLS // 2 < begun <= OPEN_CALLS + 8  # some lie in the kernel's buffers
    assert (await house.stop()).well()


def one_call_too_many(house: HttpHouse, stack: ExitStack, **headers: str) -> list[socket.socket]:
    """The connections of calls of one session that take for ever, all sent at the same time."""
    session = opened_session(house)
    clients = [stack.enter_context(connected(house)) for _ in range(CALLS_EACH + 1)]
    for number, client in enumerate(clients):
        body = json.dumps(call(number, "take", seconds=60)).encode()
        client.sendall(request(house, "/mcp", body, mcp_session_id=session, **headers))
    return clients


async def test_too_many_calls_at_once_wait_and_are_refused_in_the_end(tmp_path: Path) -> None:
    with closing(HttpHouse(tmp_path / "ledger", bounded_calls__WAIT_SECONDS=0.3)) as house:
        with ExitStack() as stack:
            clients = one_call_too_many(house, stack)
            for client in clients[:-1]:
                assert answer_of(client)[0] == 200
            status, headers, text = answer_of(clients[-1])
            assert (status, headers["retry-after"]) == (503, "1")
            assert text.startswith(b"The server is busy: too many calls at the same time.")
            assert await is_served(house)
        assert house.ledger().count("taken") == CALLS_EACH


async def test_calls_that_are_sent_and_left_count_until_they_end(tmp_path: Path) -> None:
    with closing(HttpHouse(tmp_path / "ledger", bounded_calls__WAIT_SECONDS=0.3)) as house:
        session = opened_session(house)
        for number in range(1, CALLS_EACH + 1):
            body = json.dumps(call(number, "take", seconds=60)).encode()
            with connected(house) as client:
                client.sendall(request(house, "/mcp", body, mcp_session_id=session))
                await house.has_noted("taken", number)
        body = json.dumps(call(CALLS_EACH + 1, "take", seconds=60)).encode()
        with connected(house) as client:
            client.sendall(request(house, "/mcp", body, mcp_session_id=session))
            assert answer_of(client)[0] == 503
        assert await is_served(house)


class WaitingCalls:
    """An ASGI application whose calls last until they are let go, behind `BoundedCalls`."""

    def __init__(self) -> None:
        self.served = 0
        self.over = anyio.Event()
        self._calls = BoundedCalls(self)

    async def __call__(self, _scope: Scope, _receive: Receive, _send: Send) -> None:
        self.served += 1
        await self.over.wait()

    async def call(self) -> None:
        """A call of the one session."""
        uploaded = iter([{"type": "http.request", "body": b"{}", "more_body": False}])

        async def receive() -> Message:
            for message in uploaded:
                return message
            await anyio.sleep_forever()  # the client stays
            raise AssertionError

        async def send(_: Message) -> None:
            pytest.fail("a call was refused")

        session = [(b"mcp-session-id", b"tea")]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": session}
        await self._calls(scope, receive, send)


@pytest.mark.parametrize("turns", range(5))
async def test_a_call_that_ends_just_as_it_finds_a_place_leaves_it(turns: int) -> None:
    """In which turn of the event loop its session ends, is up to its client."""
    calls = WaitingCalls()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(CALLS_EACH):
                tasks.start_soon(calls.call)
            await anyio.wait_all_tasks_blocked()
            async with anyio.create_task_group() as ending:
                ending.start_soon(calls.call)
                await anyio.wait_all_tasks_blocked()
                assert calls.served == CALLS_EACH
                calls.over.set()
                for _ in range(turns):
                    await anyio.lowlevel.checkpoint()
                ending.cancel_scope.cancel()
        calls.served, calls.over = 0, anyio.Event()
        async with anyio.create_task_group() as tasks:
            for _ in range(CALLS_EACH):
                tasks.start_soon(calls.call)
            await anyio.wait_all_tasks_blocked()
            assert calls.served == CALLS_EACH
            calls.over.set()


async def test_a_header_makes_no_stream_of_a_call(tmp_path: Path) -> None:
    with (
        closing(HttpHouse(tmp_path / "ledger", bounded_calls__WAIT_SECONDS=0.3)) as house,
        ExitStack() as stack,
    ):
        clients = one_call_too_many(house, stack, mcp_method="subscriptions/listen")
        said = sorted(answer_of(client)[0] for client in clients)
        assert said == [*[200] * CALLS_EACH, 503]


async def test_a_probe_of_the_stream_opens_none(tmp_path: Path) -> None:
    with (
        closing(HttpHouse(tmp_path / "ledger", bounded_calls__MOST_STREAMS=0)) as house,
        connected(house) as client,
    ):
        client.sendall(request(house, "/sse", method="HEAD"))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(4096)
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"content-type: text/event-stream" in head
        client.sendall(request(house, "/healthz", method="GET"))
        assert answer_of(client)[0] == 200


async def test_streams_are_bounded(tmp_path: Path) -> None:
    with closing(HttpHouse(tmp_path / "ledger", bounded_calls__MOST_STREAMS=2)) as house:
        with ExitStack() as stack:
            for _ in range(2):
                client = stack.enter_context(connected(house))
                client.sendall(request(house, "/sse", method="GET"))
                assert answer_of(client)[0] == 200
            assert stream_status(house) == 503
            with connected(house) as client:
                client.sendall(request(house, "/healthz", method="GET"))
                assert answer_of(client)[0] == 200
            assert await is_served(house)
        with anyio.fail_after(PATIENCE):  # the server soon notices that two have left
            while (status := stream_status(house)) == 503:
                await anyio.lowlevel.checkpoint()
            assert status == 200


def stream_status(house: HttpHouse) -> int:
    """The status of the answer to one who asks for a stream, and leaves."""
    with connected(house) as client:
        client.sendall(request(house, "/sse", method="GET"))
        return answer_of(client)[0]


async def test_one_connection_too_many_takes_the_place_of_the_one_least_missed(
    tmp_path: Path,
) -> None:
    with (
        closing(HttpHouse(tmp_path / "ledger", connections__MOST_CONNECTIONS=3)) as house,
        ExitStack() as stack,
    ):

        def client(sent: bytes) -> socket.socket:
            one = stack.enter_context(connected(house))
            one.sendall(sent)
            return one

        health = request(house, "/healthz", method="GET")
        stream = client(request(house, "/sse", method="GET"))
        assert answer_of(stream)[0] == 200
        served = client(health)
        assert answer_of(served)[0] == 200
        half = client(health[:10])
        fourth = client(health)
        assert is_closed(half)  # it never made a request
        assert answer_of(fourth)[0] == 200
        fifth = client(health)
        assert is_closed(served)  # it has been idle for longest
        assert answer_of(fifth)[0] == 200
        assert is_open(stream)


@pytest.fixture
def small_house(tmp_path: Path) -> Iterator[HttpHouse]:
    """One with room for three sessions."""
    with closing(HttpHouse(tmp_path / "ledger", session_room__MAX_SESSIONS=3)) as house:
        assert house.urls
        yield house


async def test_the_session_that_is_idle_longest_makes_room(small_house: HttpHouse) -> None:
    first, second, third = (opened_session(small_house, used=True) for _ in range(3))
    assert ping(small_house, first) == 200
    fourth = opened_session(small_house)
    assert [ping(small_house, one) for one in (first, second, third, fourth)] == [
        200, 404, 200, 200,
    ]  # fmt: skip


async def test_a_session_that_was_never_used_makes_room_before_one_that_was(
    small_house: HttpHouse,
) -> None:
    used = opened_session(small_house, used=True)
    abandoned = [opened_session(small_house) for _ in range(10)]
    assert ping(small_house, used) == 200
    assert [ping(small_house, one) for one in abandoned] == [404] * 8 + [200] * 2


async def test_a_session_with_an_open_stream_or_a_running_call_is_kept(
    small_house: HttpHouse,
) -> None:
    house = small_house
    listening, calling = opened_session(house), opened_session(house)
    body = json.dumps(call(2, "take", seconds=60)).encode()
    with connected(house) as stream, connected(house) as caller:
        stream.sendall(request(house, "/mcp", method="GET", mcp_session_id=listening))
        assert answer_of(stream)[0] == 200
        caller.sendall(request(house, "/mcp", body, mcp_session_id=calling))
        assert answer_of(caller)[0] == 200
        for _ in range(5):
            opened_session(house)
        assert (ping(house, listening), ping(house, calling)) == (200, 200)


async def test_sessions_with_open_streams_lock_nobody_out(small_house: HttpHouse) -> None:
    house = small_house
    with ExitStack() as streams:

        def listening(*, used: bool) -> str:
            session = opened_session(house, used=used)
            stream = streams.enter_context(connected(house))
            stream.sendall(request(house, "/mcp", method="GET", mcp_session_id=session))
            assert answer_of(stream)[0] == 200
            return session

        unused, first, second = (listening(used=used) for used in (False, True, True))
        asking = opened_session(house, used=True)
        assert ping(house, unused) == 404
        third = opened_session(house, used=True)
        assert [ping(house, one) for one in (first, second, asking, third)] == [
            404, 200, 200, 200,
        ]  # fmt: skip


def test_calls_in_sessions_that_nobody_opened_are_not_remembered(small_house: HttpHouse) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()

    def are_not_found(sessions: range) -> bool:
        with connected(small_house) as client:
            for number in sessions:
                invented = f"{number:060000}"
                client.sendall(request(small_house, "/mcp", body, mcp_session_id=invented))
                if answer_of(client)[0] != 404:
                    return False
        return True

    assert are_not_found(range(100))
    before = memory_of(small_house)
    assert are_not_found(range(100, 700))  # 36 MB of names
    assert memory_of(small_house) - before < 10e6


def memory_of(house: HttpHouse) -> int:
    """The bytes of memory that the process of a house has in use (Linux)."""
    with connected(house) as client:
        client.sendall(request(house, "/healthz", method="GET"))
        process = json.loads(answer_of(client)[2])["process"]
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()


async def test_two_hundred_abandoned_sessions_lock_nobody_out(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    for _ in range(201):
        opened_session(house)
    with anyio.fail_after(PATIENCE):
        async with Client(house.urls["mcp"], mode="legacy") as client:
            assert not (await client.call_tool("echo", {"text": "tea"})).is_error
    assert (await house.stop()).well()


def test_a_stdio_client_that_reads_nothing_is_not_read_either(stdio_house: StdioHouse) -> None:
    stdio_house.send(*[call(number, "much", megabytes=1) for number in range(1, 101)])
    for number in range(1, 101):
        assert stdio_house.read()["result"]
        begun = stdio_house.ledger().count("begun")
        assert begun <= number + OPEN_CALLS + 2  # one is being written, one is about to be
    assert begun == 100


def test_cancelled_calls_leave_their_places(stdio_house: StdioHouse) -> None:
    for number in range(1, 3 * OPEN_CALLS):
        stdio_house.send(call(number, "take", seconds=60))
        cancel = {"requestId": number}
        stdio_house.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    stdio_house.send(call(999, "echo", text="still there"))
    while (answer := stdio_house.read()).get("id") != 999:
        assert answer["method"] == "notifications/progress"


async def test_subscriptions_take_no_place_from_the_calls(tmp_path: Path) -> None:
    with closing(HttpHouse(tmp_path / "ledger", bounded_calls__CALLS_IN_ALL=2)) as house:
        with anyio.fail_after(PATIENCE):
            async with AsyncExitStack() as stack:
                for transport in ("sse", "mcp") * 2:
                    listener = Client(house.target(transport), mode="2026-07-28")
                    client = await stack.enter_async_context(listener)
                    await stack.enter_async_context(client.listen(tools_list_changed=True))
                for transport in ("sse", "mcp"):
                    async with Client(house.target(transport)) as client:
                        assert (await client.call_tool("echo", {"text": "tea"})).content
