"""The store against the owner's schema with LIKE, and against a bare executemany.

    python -m bench.store [LINES] [JSON FILE]

One million lines by default. Everything goes through the store's public calls; times are CPU of
the whole process, so an idle machine is not needed, and ratios are within one run.
"""

import asyncio
import itertools
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import anyio

from bench.corpus import Vocabulary, beginning, talk
from bench.measure import Spent, circumstances, cpu, cpu_of, report
from terrarium_mcp.chat.query import parse_query
from terrarium_mcp.chat.records import Heard, Message, Room
from terrarium_mcp.chat.when import EVERY_LINE, to_text
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.search import Search, Sort

GROUP = 5_000
ROUNDS = 100
LIKE_ROUNDS = 5
BARE = """
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
  channel TEXT, nick TEXT, user TEXT, host TEXT, message TEXT, message_type TEXT DEFAULT 'PRIVMSG'
);
CREATE INDEX idx_messages_channel_timestamp ON messages (channel, timestamp DESC);
"""


async def main() -> None:
    """Fill both, ask both, print a table and JSON."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    vocabulary = Vocabulary.english()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.db"
        ours = Path(folder) / "irc_logs.db"
        figures: dict[str, object] = {"lines": count, **circumstances()}
        figures["bare executemany"] = _rate(count, _fill_bare(bare, _talk(count, vocabulary)))
        async with open_store(ours, Settings(network="bench")) as store:
            spent = await _fill(store, _talk(count, vocabulary))
            figures["append, everything maintained"] = _rate(count, spent)
            figures["bytes a line"] = round(ours.stat().st_size / count)
            figures["bytes a line, bare"] = round(bare.stat().st_size / count)
            figures |= await _reads(store)
            figures |= await _searches(store, bare, vocabulary)
    print(_table(figures))
    text = report(figures)
    if len(sys.argv) > 2:
        await anyio.Path(sys.argv[2]).write_text(text + "\n")
    print(text)


def _talk(count: int, vocabulary: Vocabulary) -> Iterator[list[Heard]]:
    lines = talk(count, began=beginning(count), vocabulary=vocabulary)
    while group := list(itertools.islice(lines, GROUP)):
        yield group


def _fill_bare(path: Path, groups: Iterator[Sequence[Heard]]) -> float:
    """CPU seconds of a bare executemany of the owner's eight columns, committed by group."""
    spent = 0.0
    with closing(sqlite3.connect(path)) as db:
        db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {BARE}")
        for group in groups:
            began = time.process_time()
            db.executemany(
                "INSERT INTO messages (timestamp, channel, nick, user, host, message, message_type)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (to_text(o.said_at), o.channel, o.nick, o.user, o.host, o.text, o.kind.value)
                    for o in group
                ),
            )
            db.commit()
            spent += time.process_time() - began
    return spent


async def _fill(store: Store, groups: Iterator[Sequence[Heard]]) -> float:
    spent = 0.0
    for group in groups:
        began = time.process_time()
        await store.messages.append(group)
        spent += time.process_time() - began
    return spent


async def _reads(store: Store) -> dict[str, object]:
    """Reading the log itself: newest, around a line, a page anywhere, figures."""
    rooms = await store.rooms.all()
    busiest = await _busiest(store, rooms)
    somewhere = await _some_lines(store, rooms)
    now = datetime.now(UTC)

    async def around(message: Message) -> object:
        return await store.messages.around(message, 10, 10)

    async def page(message: Message) -> object:
        return await store.messages.newest([message.room], 50, before=message.position)

    async def newest(_: int) -> object:
        return await store.messages.newest([busiest], 50)

    async def figures(_: int) -> object:
        return await store.stats.of(busiest, until=EVERY_LINE, now=now)

    async def overview(_: int) -> object:
        return await store.stats.overview(rooms, until=EVERY_LINE, now=now)

    return {
        "recent 50": await cpu(newest, range(ROUNDS)),
        "context of 21 lines": await cpu(around, somewhere),
        "a page anywhere": await cpu(page, somewhere),
        "figures of the busiest channel": await cpu(figures, range(10)),
        "overview of all channels": await cpu(overview, range(10)),
    }


async def _searches(store: Store, bare: Path, vocabulary: Vocabulary) -> dict[str, object]:
    """Newest 50 by words, ours and LIKE's."""
    rooms = await store.rooms.all()
    busiest = await _busiest(store, rooms)
    rng = random.Random(1)  # noqa: S311 -- made-up questions
    rare = rng.sample(vocabulary.words[20_000:60_000], ROUNDS)
    common = rng.sample(vocabulary.words[100:2_000], ROUNDS)
    both = [f"{one} {other}" for one, other in zip(common, reversed(common), strict=True)]

    async def everywhere(words: str) -> object:
        return await store.search(_newest(words, rooms), "bench")

    async def in_a_channel(words: str) -> object:
        return await store.search(_newest(words, [busiest]), "bench")

    ours = {
        "a rare word": await cpu(everywhere, rare),
        "a common word": await cpu(everywhere, common),
        "two words": await cpu(everywhere, both),
        "a common word in a channel": await cpu(in_a_channel, common),
    }
    with closing(sqlite3.connect(bare)) as db:
        like = cpu_of(lambda word: _like(db, word), rare[:LIKE_ROUNDS])
    return {
        **ours,
        "a rare word, LIKE": like,
        "LIKE / ours": round(like.p50 / ours["a rare word"].p50),
    }


def _newest(words: str, rooms: Sequence[Room]) -> Search:
    return Search(query=parse_query(words), rooms=rooms, limit=50, sort=Sort.NEWEST)


def _like(db: sqlite3.Connection, word: str) -> list[tuple[object, ...]]:
    sql = "SELECT * FROM messages WHERE message LIKE ? ORDER BY timestamp DESC LIMIT 50"
    return db.execute(sql, (f"%{word}%",)).fetchall()


async def _busiest(store: Store, rooms: Sequence[Room]) -> Room:
    counts = await store.stats.overview(rooms, until=EVERY_LINE, now=datetime.now(UTC))
    return max(counts, key=lambda one: one.lines).room


async def _some_lines(store: Store, rooms: Sequence[Room]) -> list[Message]:
    newest = await store.messages.newest(rooms, 1)
    last = newest.messages[-1].id
    rng = random.Random(2)  # noqa: S311 -- made-up questions
    found = [await store.messages.get(rng.randint(1, last), rooms) for _ in range(ROUNDS)]
    return [message for message in found if message]


def _rate(count: int, seconds: float) -> dict[str, float]:
    return {"us a line": round(seconds / count * 1e6, 2), "lines a second": round(count / seconds)}


def _table(figures: dict[str, object]) -> str:
    rows = [f"{'':34} {'p50 ms':>9} {'p99 ms':>9}"]
    rows += [f"{name:34} {spent}" for name, spent in figures.items() if isinstance(spent, Spent)]
    return "\n".join(rows)


if __name__ == "__main__":
    asyncio.run(main())
