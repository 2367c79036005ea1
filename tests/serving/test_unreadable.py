"""A line that cannot be read is answered, with its id where that is certain; the server goes on."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from terrarium_mcp.serving.pipes import LONGEST_LINE
from tests.serving.processes import StdioHouse, call

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


@pytest.fixture(scope="module")
def stdio_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StdioHouse]:
    """One for all tests: none of these lines ends it."""
    with closing(StdioHouse(tmp_path_factory.mktemp("house") / "ledger")) as house:
        house.greet()
        yield house


def line(**members: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


ECHO = (
    b'{"jsonrpc":"2.0","id":%s,"method":"tools/call",'
    b'"params":{"name":"echo","arguments":{"text":"%s"}}}'
)
UNREADABLE = {
    "a lone surrogate": (ECHO % (b"5", b"\\ud800"), PARSE_ERROR, 5),
    "a lone surrogate, and an id of text": (ECHO % (b'"five"', b"\\udfff x"), PARSE_ERROR, "five"),
    "a lone surrogate in the id": (ECHO % (b'"\\ud800"', b"\\ud800"), PARSE_ERROR, None),
    "invalid UTF-8": (ECHO % (b"6", b"\xff\xfe"), PARSE_ERROR, None),
    "no JSON": (b"GET / HTTP/1.1", PARSE_ERROR, None),
    "half a message": (ECHO[:60] % b"7", PARSE_ERROR, None),
    "brackets without end": (b"[" * 100_000, PARSE_ERROR, None),
    "a number without end": (b"9" * 100_000, PARSE_ERROR, None),
    "no method": (line(id=8), INVALID_REQUEST, 8),
    "an odd id": (line(id=[8], method="ping"), INVALID_REQUEST, None),
    "an id that is no number": (line(id=True, method=1), INVALID_REQUEST, None),
    "no message": (b'{"no": "message"}', INVALID_REQUEST, None),
    "no object": (b"null", INVALID_REQUEST, None),
    "a batch": (b"[%s]" % line(id=9, method="ping"), INVALID_REQUEST, None),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_it_is_answered_with_an_error(stdio_house: StdioHouse, what: str) -> None:
    sent, code, number = UNREADABLE[what]
    stdio_house.send(sent, call(1, "echo", text="still there"))
    answer = stdio_house.read()
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert answer["error"]["message"].startswith(("Parse error: ", "Invalid request: "))
    assert stdio_house.read()["id"] == 1


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_line_over_the_limit_is_answered_with_its_id(stdio_house: StdioHouse, times: int) -> None:
    stdio_house.send(call(4, "echo", text="x" * (times * LONGEST_LINE)))
    stdio_house.send(call(5, "echo", text="still there"))
    answer = stdio_house.read()
    assert answer["id"] == 4
    assert answer["error"] == {
        "code": INVALID_REQUEST,
        "message": f"Invalid request: the line is longer than {LONGEST_LINE:,} bytes.",
    }
    assert stdio_house.read()["id"] == 5


def test_an_id_that_may_have_been_cut_is_not_guessed(stdio_house: StdioHouse) -> None:
    stdio_house.send(b'{"id": ' + b"1" * 2 * LONGEST_LINE + b"}")
    assert stdio_house.read()["id"] is None


def test_an_empty_line_is_passed_over(stdio_house: StdioHouse) -> None:
    stdio_house.send(b"", b"  ", call(1, "echo", text="still there"))
    assert stdio_house.read()["id"] == 1


def test_a_last_line_without_an_end_is_read(tmp_path: Path) -> None:
    with closing(StdioHouse(tmp_path / "ledger")) as house:
        house.greet()
        assert house.process.stdin is not None
        house.process.stdin.write(b"no JSON")
        house.hang_up()
        assert house.read()["error"]["code"] == PARSE_ERROR
        assert house.wait().well()
