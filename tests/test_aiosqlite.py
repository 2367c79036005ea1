"""The two inner names of aiosqlite that we rely on still exist, and do what we expect.

A test that fails here is called by the name that has moved: see
`terrarium_mcp/store/sqlite/engine/database.py`.
"""

import sqlite3
import threading

import aiosqlite


async def test_execute_runs_a_function_in_the_thread_of_the_connection_and_returns_its_result() -> (
    None
):
    async with aiosqlite.connect(":memory:") as connection:
        await connection.create_function("thread", 0, threading.get_ident)
        ((of_statements,),) = await connection.execute_fetchall("SELECT thread()")
        its_own = await connection._execute(threading.get_ident)  # type: ignore[no-untyped-call]  # noqa: SLF001 -- tried here
    assert its_own == of_statements != threading.get_ident()


async def test_conn_is_the_connection_of_sqlite3_that_statements_run_on() -> None:
    async with aiosqlite.connect(":memory:") as connection:
        await connection.execute_fetchall("CREATE TABLE tea (leaf)")
        inner = connection._conn  # noqa: SLF001 -- tried here
        tables = await connection._execute(  # type: ignore[no-untyped-call]  # noqa: SLF001 -- tried here
            lambda: inner.execute("SELECT name FROM sqlite_schema").fetchall()
        )
    assert isinstance(inner, sqlite3.Connection)
    assert tables == [("tea",)]
