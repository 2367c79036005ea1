"""The messages of a client on the lines of two pipes: nothing stands between them and the SDK."""

import json
from collections.abc import Coroutine
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest

from terrarium_mcp.serving.lines import over_lines

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


class Pipes:
    """Lines that have all arrived, and those that were written."""

    def __init__(self, *lines: bytes) -> None:
        self._lines = [*lines]
        self.written: list[Any] = []

    async def read(self) -> bytes:
        return self._lines.pop(0) if self._lines else b""

    async def write(self, line: bytes) -> None:
        self.written.append(json.loads(line))


def at_once(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns that waits for nothing, not even for a turn of the event loop."""
    with pytest.raises(StopIteration) as end:
        coroutine.send(None)
    return end.value.value


def test_a_message_is_read_and_written_without_a_turn_of_the_event_loop() -> None:
    pipes = Pipes(json.dumps(PING).encode())
    incoming, outgoing = over_lines(pipes, pipes)
    request = at_once(incoming.receive()).message
    assert request == JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")
    at_once(outgoing.send(SessionMessage(request)))
    assert pipes.written == [PING]


def test_a_line_that_is_no_message_is_answered_and_the_next_one_is_read() -> None:
    pipes = Pipes(b"\n", b'{"id": 7}\n', json.dumps(PING).encode())
    incoming, _ = over_lines(pipes, pipes)
    assert at_once(incoming.receive()).message.id == 1
    assert [(answer["id"], "error" in answer) for answer in pipes.written] == [(7, True)]


def test_the_messages_end_with_the_lines() -> None:
    incoming, _ = over_lines(Pipes(), Pipes())
    with pytest.raises(anyio.EndOfStream):
        incoming.receive().send(None)
