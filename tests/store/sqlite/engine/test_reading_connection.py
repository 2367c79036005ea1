"""A connection that reads: text that is not UTF-8, and statements that were stopped."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from terrarium_mcp.store.sqlite.engine.reading_connection import ReadingConnection

NUMBERS = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n"
)
NOT_UTF8 = "SELECT CAST(x'636166e9' AS TEXT)"


@pytest.fixture
def connection() -> Iterator[ReadingConnection]:
    with closing(sqlite3.connect(":memory:", factory=ReadingConnection)) as connection:
        yield connection


def stop_at_the_second_row(connection: ReadingConnection) -> None:
    steps = iter(range(40))
    connection.set_progress_handler(lambda: next(steps, None) is None, 1)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.rows(NUMBERS)
    connection.set_progress_handler(None, 0)


def test_a_statement_that_was_stopped_is_compiled_once_more_and_not_at_each_use(
    connection: ReadingConnection,
) -> None:
    compiled = list[object]()

    def note(*what: object) -> int:
        compiled.append(what)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    stop_at_the_second_row(connection)
    stop_at_the_second_row(connection)
    connection.rows(NUMBERS)
    compiled.clear()
    assert [number for (number,) in connection.rows(NUMBERS)] == [*range(1, 10)]
    assert not compiled


def test_however_often_one_was_stopped_its_text_stays_short(
    connection: ReadingConnection,
) -> None:
    texts = set[str]()
    connection.set_trace_callback(texts.add)
    for _ in range(300):
        stop_at_the_second_row(connection)
    assert max(map(len, texts)) < len(NUMBERS) + 200


def test_text_that_is_not_utf8_is_read_once_as_text_and_then_always(
    connection: ReadingConnection,
) -> None:
    assert connection.rows("SELECT 'tea', ?", ["mate"]) == [("tea", "mate")]
    for _ in range(2):
        assert connection.rows(NOT_UTF8) == [("caf\ufffd",)]


def test_what_is_no_statement_fails_as_ever(connection: ReadingConnection) -> None:
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError, match="syntax error"):
            connection.rows("SELEKT")
