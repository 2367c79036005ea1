"""A client of HTTP+SSE that was cut off goes on, although it does not shake hands again."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.serving.processes import INITIALIZE, HttpHouse, call
from tests.serving.raw import INITIALIZED, connected, post, request


class Stream:
    """The events of a new stream, which has just been opened."""

    def __init__(self, house: HttpHouse, client: Any) -> None:
        self._house = house
        self._client = client
        self._received = b""
        client.sendall(request(house, "/sse", method="GET"))
        self._path = self._next()

    def says(self, message: dict[str, Any]) -> None:
        assert post(self._house, message, self._path)[0] == 202

    def hears(self) -> Any:
        return json.loads(self._next())

    def _next(self) -> str:
        """The data of the next event."""
        while True:
            _, data, rest = self._received.partition(b"data: ")
            line, end, later = rest.partition(b"\r\n")
            if data and end:
                self._received = later
                return line.decode()
            more = self._client.recv(2**16)
            assert more, self._received
            self._received += more


@contextmanager
def stream(house: HttpHouse) -> Iterator[Stream]:
    with connected(house) as client:
        yield Stream(house, client)


def test_a_request_without_a_handshake_is_answered(http_house: HttpHouse) -> None:
    with stream(http_house) as one:
        for number in (7, 8):
            one.says(call(number, "echo", text="tea"))
            answer = one.hears()
            assert answer["id"] == number
            assert answer["result"]["content"][0]["text"] == "tea"


def test_what_is_said_before_the_first_request_is_no_hindrance(http_house: HttpHouse) -> None:
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 6}}
    with stream(http_house) as one:
        one.says({"jsonrpc": "2.0", **cancelled})
        one.says(call(7, "echo", text="tea"))
        assert one.hears()["id"] == 7


@pytest.mark.parametrize("first", ["initialize", "ping"])
def test_a_handshake_of_its_own_is_made_once(http_house: HttpHouse, first: str) -> None:
    with stream(http_house) as one:
        if first == "ping":
            one.says({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            assert one.hears() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        one.says(INITIALIZE)
        answer = one.hears()
        assert answer["id"] == INITIALIZE["id"]
        one.says(INITIALIZED)
        one.says(call(2, "echo", text="tea"))
        assert one.hears()["id"] == 2
