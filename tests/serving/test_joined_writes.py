"""What the server writes at once leaves at once, and nothing of it waits or is lost."""

import asyncio

from terrarium_mcp.serving.joined_writes import JoinedWrites
from tests.serving.processes import HttpHouse
from tests.serving.raw import answer_of, connected, opened_session, request


class Pieces(asyncio.Transport):
    """A connection that keeps each piece it is given to send."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def close(self) -> None:
        self.sent.append(b"(closed)")


def joined() -> tuple[JoinedWrites, list[bytes]]:
    pieces = Pieces()
    return JoinedWrites(pieces, asyncio.get_running_loop()), pieces.sent


async def test_head_and_body_of_a_response_are_one_piece() -> None:
    transport, sent = joined()
    transport.write(b"head ")
    transport.write(b"body")
    assert sent == [b"head body"]
    transport.write(b"")
    await asyncio.sleep(0)
    assert sent == [b"head body"]


async def test_the_head_of_a_stream_is_sent_although_nothing_follows() -> None:
    transport, sent = joined()
    transport.write(b"head")
    await asyncio.sleep(0)
    assert sent == [b"head"]
    transport.write(b"later")
    await asyncio.sleep(0)
    assert sent == [b"head", b"later"]


async def test_what_is_held_back_is_sent_before_the_connection_is_closed() -> None:
    transport, sent = joined()
    transport.write(b"last words")
    transport.close()
    await asyncio.sleep(0)
    assert sent == [b"last words", b"(closed)"]


async def test_the_order_of_many_writes_is_kept() -> None:
    transport, sent = joined()
    numbers = [b"%d " % number for number in range(1_001)]
    for number in numbers:
        transport.write(number)
    await asyncio.sleep(0)
    assert b"".join(sent) == b"".join(numbers)


def test_a_stream_without_any_event_is_opened_at_once(http_house: HttpHouse) -> None:
    session = opened_session(http_house)
    with connected(http_house) as client:
        client.sendall(request(http_house, "/mcp", method="GET", mcp_session_id=session))
        status, headers, events = answer_of(client)
    assert (status, events) == (200, b"")
    assert headers["content-type"].startswith("text/event-stream")
