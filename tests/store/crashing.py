"""Scenes in which a process is killed at a random moment of its work, and nothing is lost.

The moments come from a seed, which is printed; SEED=... in the environment sets it.
"""

import os
import random
import time
from collections.abc import Awaitable, Callable
from itertools import cycle, islice
from pathlib import Path

import anyio

from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.engine.fts_merge import MANY
from terrarium_mcp.store.sqlite.schema import version_of
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.store.children import PURGED, child
from tests.store.scene import SETTINGS, chat, differences, dump_of, past, rows_of

Scene = Callable[[Path, int], Awaitable[None]]
"""Takes a path for files, and how often to kill a process."""

SOON = 0.6
"""Seconds within which a process that would never end is killed."""

LINES = 3_000


def chance() -> random.Random:
    """The source of the random moments."""
    seed = os.environ.get("SEED") or str(time.time_ns())
    print(f"SEED={seed}")  # noqa: T201 -- shown with a failure
    return random.Random(seed)  # noqa: S311 -- moments


async def killed(
    what: str, file: Path, number: int, within: float, rng: random.Random
) -> list[str]:
    """Let a process work and kill it within some seconds; returns what it had reported by then."""
    async with child(what, file, number) as one:
        await one.go()
        await anyio.sleep(rng.uniform(0, within))
        return await one.kill()


async def lasts(what: str, file: Path, number: int = 0) -> float:
    """How many seconds a process takes for all of its work."""
    async with child(what, file, number) as one:
        began = anyio.current_time()
        await one.go()
        assert await one.ends() == 0
        return anyio.current_time() - began


async def check_whole(file: Path) -> None:
    """The file is sound, and the next process finds everything indexed and continues."""
    assert rows_of(file, "PRAGMA integrity_check") == [("ok",)]
    ((newest,),) = rows_of(file, "SELECT ifnull(max(id), 0) FROM messages")
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        assert await differences(store) == []
        (following,) = await store.messages.append(chat("<zoe> still here"))
        assert following > newest
        assert await differences(store) == []


async def while_recording(file: Path, times: int) -> None:
    """Every reported line is stored, in order, and no line twice."""
    rng, said = chance(), 0
    for _ in range(times):
        told = await killed("say", file, said, SOON, rng)
        await check_whole(file)
        there = rows_of(file, "SELECT message FROM messages WHERE nick = 'ada' ORDER BY id")
        assert there == [(str(number),) for number in range(len(there))]
        assert len(there) >= (int(told[-1]) + 1 if told else said)
        said = len(there)


async def while_bringing(file: Path, times: int) -> None:
    """Every reported group is stored, no part of another, and no line twice when it is repeated."""
    rng, everything = chance(), [line.text for line in past(60_000)]
    before = 0
    for _ in range(times):
        told = await killed("bring", file, len(everything), 2 * SOON, rng)
        await check_whole(file)
        sql = "SELECT message FROM messages WHERE nick != 'zoe' ORDER BY id"
        there = [message for (message,) in rows_of(file, sql)]
        assert there == everything[: len(there)]
        assert len(there) >= max(before, int(told[-1]) if told else 0)
        before = len(there)


async def while_purging(file: Path, times: int) -> None:
    """Every person reported as purged is gone; all other lines are still stored."""
    rng = chance()
    prepared = await _talk_of_many(file.with_name("prepared.db"))
    kept = rows_of(prepared, _OF_OTHERS)
    within = await lasts("remove", _copied(prepared, file.with_name("timed.db")))
    for number in range(times):
        one = _copied(prepared, file.with_name(f"{number}.db"))
        told = await killed("remove", one, 0, within, rng)
        assert rows_of(one, _OF_OTHERS) == kept
        left = {row[0] for row in rows_of(one, "SELECT DISTINCT nick FROM messages")}
        assert not left & set(told)
        await check_whole(one)


_OF_OTHERS = "SELECT id, nick, message FROM messages WHERE nick NOT LIKE 'nick%' ORDER BY id"


async def while_rebuilding(file: Path, times: int) -> None:
    """The next process that opens the file completes the rebuild."""
    rng = chance()
    await _talk_of_many(file)
    within = await lasts("rebuild", file)
    for _ in range(times):
        await killed("rebuild", file, 0, within, rng)
        await check_whole(file)


async def while_merging(file: Path, times: int, lines: int = 15_000) -> None:
    """A half-merged index is complete, and the next keeper goes on merging it."""
    rng = chance()
    prepared = await _talk_by_groups(file.with_name("prepared.db"), lines)
    within = await lasts("merge", _copied(prepared, file.with_name("timed.db")))
    for number in range(times):
        one = _copied(prepared, file.with_name(f"{number}.db"))
        await killed("merge", one, 0, within, rng)
        await lasts("merge", one)
        ((left,),) = rows_of(one, "SELECT count(DISTINCT segid) FROM message_index_idx")
        assert left < MANY
        await check_whole(one)


async def while_migrating(file: Path, times: int) -> None:
    """Either the old file or the new one with its copy is left; in the end both are the same."""
    rng = chance()
    old = sample.make(file.with_name("old.db"), LINES)
    before = dump_of(old)
    migrated = _copied(old, file.with_name("timed.db"))
    within = await lasts("open", migrated)
    for number in range(times):
        one = _copied(old, file.with_name(f"{number}.db"))
        await killed("open", one, 0, within, rng)
        if version_of(one) == 0:
            assert dump_of(one) == before
        await check_whole(one)
        assert dump_of(one.with_name(f"{number}.before-v1.db")) == before
        everything = "SELECT * FROM {} WHERE nick IS NOT 'zoe' ORDER BY id"
        for table in ("messages", "private_messages"):
            assert rows_of(one, everything.format(table)) == rows_of(
                migrated, everything.format(table)
            )


async def _talk_of_many(file: Path) -> Path:
    """A history in which those to be purged said half."""
    nicks = cycle([*PURGED, "ada", "bo"])
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([line._replace(nick=next(nicks)) for line in past(LINES)])
    return file


async def _talk_by_groups(file: Path, lines: int) -> Path:
    """A history of so many lines whose full-text index has many segments."""
    said = past(lines)
    async with open_store(file, SETTINGS) as store:
        while group := list(islice(said, lines // 30)):
            await store.messages.append(group)
    return file


def _copied(file: Path, to: Path) -> Path:
    to.write_bytes(file.read_bytes())
    return to
