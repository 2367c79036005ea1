"""Clients that do not behave: HTTP over plain sockets."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from tests.patience import PATIENCE
from tests.serving.processes import INITIALIZE, call

STREAM = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MODERN = {"mcp-protocol-version": "2026-07-28"}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN["mcp-protocol-version"],
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Addressed(Protocol):
    """A server on this machine."""

    @property
    def port(self) -> int: ...


@contextmanager
def connected(house: Addressed, *, reads: int = 0) -> Iterator[socket.socket]:
    """A connection; with `reads` its kernel holds no more than about so many bytes unread."""
    with socket.socket() as client:
        client.settimeout(PATIENCE)
        if reads:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, reads)
        client.connect(("127.0.0.1", house.port))
        yield client


def request(
    house: Addressed, path: str, body: bytes = b"", method: str = "POST", **headers: str
) -> bytes:
    """A request as it is sent. Names of headers may have underscores."""
    fields = {"host": f"127.0.0.1:{house.port}", **STREAM, "content-length": str(len(body))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def is_closed(client: socket.socket) -> bool:
    """Whether the server ends the connection, however much it sends before."""
    try:
        while client.recv(2**20):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


def is_open(client: socket.socket) -> bool:
    """Whether the server still keeps the connection, having sent all that it has to say."""
    client.settimeout(0.2)
    try:
        while client.recv(2**16):
            pass
    except TimeoutError:
        return True
    return False


def modern_request(house: Addressed, tool: str, **arguments: object) -> bytes:
    """A call of the modern era, by a client that wants to hear of nothing but its answer."""
    message = call(1, tool, **arguments)
    message["params"] |= {"_meta": MODERN_META}
    body = json.dumps(message).encode()
    return request(house, "/mcp", body, mcp_method="tools/call", mcp_name=tool, **MODERN)


def answer_of(client: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and what there is so far of the body."""
    received = b""
    while b"\r\n\r\n" not in received:
        more = client.recv(2**16)
        assert more, received
        received += more
    head, _, body = received.partition(b"\r\n\r\n")
    status, *fields = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in fields)}
    missing = int(headers.get("content-length", len(body))) - len(body)
    while missing > 0:
        more = client.recv(2**16)
        assert more, received
        body, missing = body + more, missing - len(more)
    return int(status.split()[1]), headers, body


def read_to_end(client: socket.socket) -> bytes:
    """The rest of a response of unknown length, to its last chunk."""
    received = b""
    while not received.endswith(b"0\r\n\r\n"):
        more = client.recv(2**16)
        assert more, received
        received += more
    return received


def last_event(body: bytes) -> Any:
    return json.loads(body.rpartition(b"data: ")[2].splitlines()[0])


def post(
    house: Addressed, message: Mapping[str, Any], path: str = "/mcp", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """One message on a connection of its own, and the answer to it."""
    with connected(house) as client:
        client.sendall(request(house, path, json.dumps(message).encode(), **headers))
        return answer_of(client)


def opened_session(house: Addressed, *, used: bool = False) -> str:
    """A new session of the handshake era, which nobody will end."""
    status, headers, _ = post(house, INITIALIZE)
    assert status == 200
    session = headers["mcp-session-id"]
    assert post(house, INITIALIZED, mcp_session_id=session)[0] == 202
    if used:
        assert ping(house, session) == 200
    return session


def ping(house: Addressed, session: str) -> int:
    """The status of a call in a session: 404 where it has ended."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return post(house, message, mcp_session_id=session)[0]


@contextmanager
def unread_stream(house: Addressed) -> Iterator[tuple[socket.socket, str]]:
    """An HTTP+SSE client that reads where to post, and then nothing more."""
    with connected(house, reads=4_096) as client:
        client.sendall(request(house, "/sse", method="GET"))
        received = b""
        while b"session_id=" not in received or not received.endswith(b"\r\n\r\n"):
            received += client.recv(256)
        path = received.partition(b"data: ")[2].split()[0].decode()
        assert post(house, INITIALIZE, path)[0] == 202
        assert post(house, INITIALIZED, path)[0] == 202
        yield client, path
