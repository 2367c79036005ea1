"""What other processes do in a scene: python -m tests.store.children WHAT FILE [NUMBER].

A child says "ready" and its number, waits for a line on stdin, and then tells of what is done: what
it has told of must be on disk, whatever happens to it next.
"""

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count, cycle
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.store import (
    BacklogFull,
    DialoguePlace,
    DialogueTurn,
    PurgeTarget,
    Store,
    TurnState,
    open_store,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.fts_merge import SegmentMerger
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from tests.patience import PATIENCE
from tests.servers.forked import forked
from tests.store.scene import SETTINGS, chat, find, line_of, past
from tests.store.sqlite.imports import logs

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def child(what: str, file: Path, number: int = 0) -> AsyncIterator["Child"]:
    """A process that is ready to do it; killed at the end, if it is still there."""
    process = await anyio.open_process(
        forked("-m", "tests.store.children", what, file, number),
        cwd=ROOT,
        stderr=None,
    )
    one = Child(process)
    try:
        await one.is_ready()
        yield one
    finally:
        with anyio.CancelScope(shield=True):
            await one.kill()
            await process.aclose()


class Child:
    """Another process."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        self._process = process
        self._out = TextReceiveStream(process.stdout)
        self._said = ""
        self._forked = process.pid
        """Its own number, once it has told it: `process` only stands in for it."""

    async def is_ready(self) -> None:
        """Wait until it is about to begin."""
        ready, number = (await self.says()).split()
        assert ready == "ready"
        self._forked = int(number)

    async def says(self, within: float = PATIENCE) -> str:
        """Its next line."""
        with anyio.fail_after(within):
            while "\n" not in self._said:
                self._said += await self._out.receive()
        line, _, self._said = self._said.partition("\n")
        return line

    async def go(self) -> None:
        """Let it begin."""
        assert self._process.stdin is not None
        await self._process.stdin.send(b"go\n")

    async def ends(self) -> int:
        """Wait until it has done everything; returns its exit status."""
        with anyio.fail_after(PATIENCE):
            return await self._process.wait()

    def is_at_work(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.returncode is None

    async def kill(self) -> list[str]:
        """End it as a power cut would; returns the whole lines that it had said."""
        if self.is_at_work():
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self._forked, signal.SIGKILL)
        try:
            while True:
                self._said += await self._out.receive()
        except anyio.EndOfStream:
            await self._process.wait()  # it ends when the other has ended
            *lines, _ = self._said.split("\n")
            return lines


def tell(*words: object) -> None:
    """Print a line for the parent process."""
    print(*words, flush=True)  # noqa: T201 -- a program's stdout


async def say(store: Store, first: int) -> None:
    """Say lines one after the other, for ever, as a recorder does."""
    for number in count(first):
        await store.messages.append(chat(f"<ada> {number}"))
        tell(number)


async def bring(store: Store, most: int) -> None:
    """Import a past of so many lines; report how many are stored."""
    await logs.bring(store, past(most), report=tell)


async def remove(store: Store, _: int) -> None:
    """Purge one nick after the other."""
    for nick in PURGED:
        at = datetime.now(UTC)
        await store.removal.purge(PurgeTarget(nick), asked_by="a scene", at=at)
        tell(nick)


PURGED = [f"nick{number}" for number in range(8)]
"""Whom `remove` removes."""


async def answer(store: Store, messages: int) -> None:
    """Store one turn after the other, for ever, each resting on three of so many messages."""
    place = DialoguePlace("net", "#tea")
    for number in count(1):
        sources = frozenset(1 + (number * step) % messages for step in (1, 3, 7))
        asker = Identity("net", f"nick{number % 8}", "~asker", "host.example")
        turn = DialogueTurn(number, 1, datetime.now(UTC), asker, "tea?", sources=sources)
        await store.dialogues.put_turn(place, turn)
        await store.dialogues.put_turn(place, replace(turn, answer="yes", state=TurnState.DONE))
        tell(number)


async def suggest(store: Store, _: int) -> None:
    """Add twelve ideas to the backlog, one after the other; report what became of them."""
    outcomes = list[str]()
    for title in SUGGESTED:
        try:
            idea = await store.backlog.create(title, "x", about={}, lines=[])
            outcomes.append("new" if idea[1] else "known")
        except BacklogFull:
            outcomes.append("full")
    tell(json.dumps(outcomes))


SUGGESTED = [f"idea {number}" for number in range(12)]
"""What `suggest` suggests: more than may be open."""


async def rebuild(store: Store, _: int) -> None:
    """Rebuild every derived structure."""
    await store.rebuild([one.name for one in DERIVED])
    tell("made again")


async def talk(store: Store, seconds: int) -> None:
    """Say 2,000 lines a second; report how many."""
    said = 0
    async for _ in every(0.01, seconds):
        await store.messages.append([line_of("ada", "green tea", datetime.now(UTC))] * 20)
        said += 20
    tell(said)


async def read(store: Store, seconds: int) -> None:
    """Ask 45 questions a second of all kinds; report how many milliseconds each took.

    All are asked: a machine that pauses makes them late.
    """
    rooms = await store.rooms.all()
    someone = (await store.messages.newest(rooms, 500)).messages[0]
    now = datetime.now(UTC)
    kinds: list[Callable[[], Awaitable[object]]] = [
        lambda: store.messages.newest(rooms[:1], 50),
        lambda: find(store, "number 17", limit=20),
        lambda: store.messages.around(someone, 10, 10),
        lambda: find(store, "green tea", limit=20),
        lambda: store.stats.for_room(rooms[0], until=EVERY_LINE, now=now),
    ]
    questions = cycle(kinds)
    took = []
    first = anyio.current_time()
    for number in range(45 * seconds):
        await anyio.sleep_until(first + number / 45)
        began = anyio.current_time()
        await next(questions)()
        took.append(round((anyio.current_time() - began) * 1e3, 2))
    tell(json.dumps(took))


async def every(gap: float, seconds: float) -> AsyncIterator[tuple[int, float]]:
    """Count the moments at which an action is due, for some seconds, each with its time.

    One that is late comes at once; what a slow machine does not come to is left out.
    """
    began = anyio.current_time()
    for number in count():
        await anyio.sleep(max(0.0, began + number * gap - anyio.current_time()))
        if anyio.current_time() >= began + seconds:
            return
        yield number, anyio.current_time()


WHAT: dict[str, Callable[[Store, int], Awaitable[None]]] = {
    act.__name__: act for act in (say, bring, remove, answer, suggest, rebuild, talk, read)
}


async def merge(file: Path) -> None:
    """Merge the full-text indexes, without a keeper that would do so too."""
    database = Database(file)
    await database.open()
    await _told_to_begin()
    await SegmentMerger(database).merge()
    tell("merged")
    await database.aclose()


async def main(what: str, file: Path, number: int) -> None:
    """Do it. Opening is the whole of `open`."""
    if what == "merge":
        return await merge(file)
    if what == "open":
        await _told_to_begin()
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        if what == "open":
            return tell("opened")
        await _told_to_begin()
        return await WHAT[what](store, number)


async def _told_to_begin() -> None:
    tell("ready", os.getpid())
    await anyio.to_thread.run_sync(sys.stdin.readline)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
