"""A database that is opened: what became of its connections' threads is always known."""

import sqlite3
import threading
from functools import partial
from typing import Any

import anyio
import pytest
from anyio import to_thread

from terrarium_mcp.store.sqlite.engine.database import Database
from tests.patience import PATIENCE


async def test_an_opening_that_is_cancelled_waits_for_the_thread_that_it_has_started(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()
    connect = sqlite3.connect

    def slowly(*named: Any, **options: Any) -> sqlite3.Connection:
        begun.set()
        may_go_on.wait(PATIENCE)
        connection: sqlite3.Connection = connect(*named, **options)
        return connection

    async def opening() -> None:
        with anyio.CancelScope() as scope:
            scopes.append(scope)
            await database.open()
        ended.set()

    scopes, ended = list[anyio.CancelScope](), anyio.Event()
    await database.aclose()
    monkeypatch.setattr(sqlite3, "connect", slowly)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(opening)
        await to_thread.run_sync(partial(begun.wait, PATIENCE))
        scopes[0].cancel()
        await anyio.wait_all_tasks_blocked()
        assert not ended.is_set()
        may_go_on.set()
    assert ended.is_set()
