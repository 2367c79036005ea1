"""What is derived from the messages equals a recount, and says so when it does not."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import Store
from terrarium_mcp.store.derived import Derived
from terrarium_mcp.store.upkeep import DERIVED
from tests.store.scene import chat, find, texts

each = pytest.mark.parametrize("one", DERIVED, ids=lambda one: str(one.name))


async def differences(store: Store, one: Derived) -> list[str]:
    async with store._database.writing() as writer:  # noqa: SLF001 -- derived work inside a transaction
        return await one.differences(writer)


@each
async def test_what_was_appended_equals_a_recount(store: Store, one: Derived) -> None:
    await store.messages.append(chat("<ada> tea at four\n<bo> mate\n* cy waves"))
    assert await differences(store, one) == []


@each
async def test_what_is_missing_is_named(store: Store, one: Derived) -> None:
    await store.messages.append(chat("<ada> tea at four\n<bo> mate"))
    async with store._database.writing() as writer:  # noqa: SLF001
        await one.clear(writer)
    told = await differences(store, one)
    assert told
    assert all(sentence.startswith(f"{one.name}: ") for sentence in told)


async def test_a_cleared_structure_is_made_again_before_the_next_read(store: Store) -> None:
    await store.messages.append(chat("<ada> tea at four\n<bo> mate"))
    async with store._database.writing() as writer:  # noqa: SLF001
        for one in DERIVED:
            await one.clear(writer)
        await writer.run("UPDATE derived SET upto = 0 WHERE name != 'messages'")
    assert texts((await find(store, "tea")).messages) == ["tea at four"]
    for one in DERIVED:
        assert await differences(store, one) == []


async def test_a_message_given_up_is_in_no_structure_once_its_row_is_gone(store: Store) -> None:
    first, *_ = await store.messages.append(chat("<ada> tea at four\n<bo> mate"))
    async with store._database.writing() as writer:  # noqa: SLF001
        for one in DERIVED:
            await one.remove(writer, [first])
        await writer.run("DELETE FROM messages WHERE id = ?", (first,))
    assert (await find(store, "tea")).messages == []
    for one in DERIVED:
        assert await differences(store, one) == []


async def test_changes_tell_of_every_commit_also_of_another_program(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> before anybody listened"))
    with anyio.fail_after(5):
        news = store.changes()
        told: list[int] = []

        async def listen() -> None:
            async for ids in news:
                told.extend(ids)
                if len(told) == 3:
                    return

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await anyio.wait_all_tasks_blocked()
            await store.messages.append(chat("<ada> one\n<bo> two"))
            with closing(sqlite3.connect(file)) as db, db:
                db.execute(
                    "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', 'y')"
                )
        await news.aclose()  # type: ignore[attr-defined]  # an async generator
    assert told == [2, 3, 4]
