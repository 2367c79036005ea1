"""What a client POSTs is answered, whatever it is: no message, an id in work, an ended session."""

import json
import socket
from contextlib import ExitStack

import pytest

from terrarium_mcp.serving.handshakes import LARGEST_HANDSHAKE
from tests.serving.processes import INITIALIZE, HttpHouse, call
from tests.serving.raw import (
    INITIALIZED,
    MODERN,
    answer_of,
    connected,
    last_event,
    opened_session,
    ping,
    post,
    read_to_end,
    request,
    unread_stream,
)

INVALID_REQUEST = -32600
PARAMS: dict[str, object] = INITIALIZE["params"]  # type: ignore[assignment]  # it is one
NO_REQUESTS = {
    "an id of null": {"jsonrpc": "2.0", "id": None, "method": "ping"},
    "half an id": {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
    "a batch": [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
}


def begin(house: HttpHouse, client: socket.socket, session: str, number: int | str) -> bytes:
    """Begin a long call; what there is of its stream once it is in work."""
    message = call(1, "take", seconds=30) | {"id": number}
    client.sendall(request(house, "/mcp", json.dumps(message).encode(), mcp_session_id=session))
    received = b""
    while b"notifications/progress" not in received:
        more = client.recv(2**16)
        assert more, received
        received += more
    return received


def test_a_handshake_that_every_session_would_keep_is_bounded(http_house: HttpHouse) -> None:
    refusal = "Invalid request: initialize is larger than 8,192 bytes."
    for size, has_room in ((LARGEST_HANDSHAKE - 500, True), (LARGEST_HANDSHAKE, False)):
        handshake = {**INITIALIZE, "params": {**PARAMS, "more": "x" * size}}
        status, _, body = post(http_house, handshake)
        assert status == (200 if has_room else 400)
        if not has_room:
            error = {"code": INVALID_REQUEST, "message": refusal}
            assert json.loads(body) == {"jsonrpc": "2.0", "id": handshake["id"], "error": error}
        with unread_stream(http_house) as (_, path):
            status, _, body = post(http_house, handshake, path)
            assert (status, body.decode()) == ((202, "Accepted") if has_room else (400, refusal))


@pytest.mark.parametrize("what", NO_REQUESTS)
@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_what_is_no_message_is_refused_in_a_sentence(
    http_house: HttpHouse, what: str, era: str
) -> None:
    headers = {"mcp_session_id": opened_session(http_house)} if era == "handshake" else MODERN
    status, _, body = post(http_house, NO_REQUESTS[what], **headers)  # type: ignore[arg-type]  # on purpose no mapping
    assert status == 400
    assert json.loads(body) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": INVALID_REQUEST,
            "message": "Invalid request: this is not one JSON-RPC message.",
        },
    }


@pytest.mark.parametrize("what", NO_REQUESTS)
def test_over_sse_it_is_refused_too(http_house: HttpHouse, what: str) -> None:
    with unread_stream(http_house) as (_, path):
        status, _, body = post(http_house, NO_REQUESTS[what], path)  # type: ignore[arg-type]  # as above
    assert (status, body) == (400, b"Not one JSON-RPC message.")


@pytest.mark.parametrize("again", [7, "7"])
def test_a_request_with_an_id_in_work_is_refused(http_house: HttpHouse, again: int | str) -> None:
    session = opened_session(http_house)
    with connected(http_house) as client:
        begin(http_house, client, session, 7)
        message = call(1, "echo", text="me too") | {"id": again}
        for _ in range(2):
            status, _, body = post(http_house, message, mcp_session_id=session)
            refused = json.loads(body)
            assert (status, refused["id"], refused["error"]["code"]) == (400, again, -32600)
            assert refused["error"]["message"].endswith("a request with this id is in work.")
        cancel = {"method": "notifications/cancelled", "params": {"requestId": 7}}
        cancelled = post(http_house, INITIALIZED | cancel, mcp_session_id=session)
        assert cancelled[0] == 202
        assert last_event(read_to_end(client))["id"] == 7
    status, _, _ = post(http_house, message, mcp_session_id=session)
    assert status == 200


def test_another_session_may_use_the_same_id(http_house: HttpHouse) -> None:
    with connected(http_house) as client:
        begin(http_house, client, opened_session(http_house), 1)
        assert ping(http_house, opened_session(http_house)) == 200


def test_an_id_is_free_again_once_its_client_has_hung_up(http_house: HttpHouse) -> None:
    session = opened_session(http_house)
    with connected(http_house) as client:
        begin(http_house, client, session, 1)
    while (status := ping(http_house, session)) == 400:
        pass
    assert status == 200


async def test_calls_in_work_when_their_session_is_ended_are_answered(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    session = opened_session(house)
    with ExitStack() as stack:
        calls = {number: stack.enter_context(connected(house)) for number in range(1, 4)}
        for number, client in calls.items():
            begin(house, client, session, number)
        assert post(house, {}, method="DELETE", mcp_session_id=session)[0] == 200
        for number, client in calls.items():
            answer = last_event(read_to_end(client))
            assert answer["id"] == number
            assert answer["error"]["message"] == "The session has ended."
    assert ping(house, session) == 404
    assert (await house.stop()).well()


async def test_calls_that_arrive_while_their_session_is_ended_are_answered(
    doomed_http_house: HttpHouse,
) -> None:
    house = doomed_http_house
    for _ in range(5):
        session = opened_session(house)
        with ExitStack() as stack:
            clients = [stack.enter_context(connected(house)) for _ in range(12)]
            delete = stack.enter_context(connected(house))
            for number, client in enumerate(clients):
                message = json.dumps(call(number, "take", seconds=30)).encode()
                client.sendall(request(house, "/mcp", message, mcp_session_id=session))
            delete.sendall(request(house, "/mcp", method="DELETE", mcp_session_id=session))
            assert answer_of(delete)[0] == 200
            for client in clients:
                status, headers, body = answer_of(client)
                if "content-length" not in headers and not body.endswith(b"0\r\n\r\n"):
                    body += read_to_end(client)
                assert status in (200, 404)
                assert b'"error"' in body
    assert (await house.stop()).well()
