"""Whatever two people logged of one evening, each line is there once, and goes with its log."""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store import LogSource, Store, open_store
from terrarium_mcp.store.sqlite.imports import recent_texts
from terrarium_mcp.store.sqlite.ingest import bulk
from tests.conftest import STORIES
from tests.store.scene import NOON, SETTINGS, differences, line_of, rows_of
from tests.store.sqlite.imports.logs import (
    MINUTE,
    SECOND,
    bring,
    log_of,
    logged,
    messages_in,
    words,
    words_in,
)

LINES = 60


@dataclass(frozen=True)
class Log:
    """What one person logged: which of the lines that were said, and as the log has them."""

    source: LogSource
    heard: frozenset[int]
    lines: list[NewMessage]

    async def bring(self, store: Store, report: Callable[[int], None] = lambda _: None) -> None:
        totals = await bring(store, self.lines, self.source, report)
        assert totals.lines == len(self.lines)


@dataclass(frozen=True)
class Evening:
    """What was said, and what two people have of it: both were there for its second third."""

    said: list[NewMessage]
    ada: Log
    bo: Log

    def words_of(self, *logs: Log) -> list[tuple[str, str]]:
        """Who said what according to any of the logs."""
        return words([self.said[n] for n in frozenset().union(*(log.heard for log in logs))])


def evening(seed: int, resolution: timedelta, fast: int) -> Evening:
    """An evening of sentences and repeats. Bo's clock is fast, and both lack some sentences."""
    rng = Random(seed)  # noqa: S311 -- chat
    said, at = [], NOON
    for n in range(LINES):
        # Where a log begins or ends amid repeats, nobody can tell which of them it lacks.
        silence = 5 * MINUTE if n in (LINES // 3, LINES * 2 // 3) else timedelta()
        at += silence + timedelta(milliseconds=rng.choice([0, 400, 3_000, 20_000, 45_000]))
        text = rng.choice(["ok", "yes"]) if n % 2 else f"sentence number {n} of a long evening"
        said.append(line_of(("cy", "di")[n // 2 % 2], text, at))

    def log(path: str, between: range, resolution: timedelta, fast: timedelta) -> Log:
        # Who lacks a repeat has one line less of several that nobody can tell apart.
        missed = rng.sample([n for n in between if n % 2 == 0], 2)
        heard = [n for n in between if n not in missed]
        late = (
            said[n]._replace(said_at=said[n].said_at + timedelta(milliseconds=rng.randrange(1_000)))
            for n in heard
        )
        in_order = sorted(late, key=lambda line: line.said_at)
        source = log_of(path, resolution=resolution)
        return Log(source, frozenset(heard), logged(in_order, resolution, fast))

    return Evening(
        said,
        log("ada.log", range(LINES * 2 // 3), SECOND, timedelta()),
        log("bo.log", range(LINES // 3, LINES), resolution, timedelta(seconds=fast)),
    )


evenings = st.tuples(
    st.integers(0, 1 << 32),
    st.sampled_from([SECOND, MINUTE]),
    st.sampled_from([0, 2, 37, -600, 3_600]),
)
"""The arguments of `evening`."""


@asynccontextmanager
async def new_store() -> AsyncIterator[tuple[Store, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc_logs.db"
        async with open_store(file, SETTINGS) as store:
            yield store, file


@settings(max_examples=STORIES)
@given(evenings, st.booleans())
async def test_each_line_is_there_once_in_whatever_order_the_logs_come(
    arguments: tuple[int, timedelta, int], bo_first: bool
) -> None:
    night = evening(*arguments)
    logs = (night.bo, night.ada) if bo_first else (night.ada, night.bo)
    async with new_store() as (store, file):
        for log in logs:
            await log.bring(store)
        assert words_in(file) == night.words_of(*logs)
        before = messages_in(file)
        for log in logs:
            await log.bring(store)
        assert messages_in(file) == before
        assert await differences(store) == []


@settings(max_examples=STORIES)
@given(evenings, st.booleans())
async def test_without_one_log_the_other_is_left(
    arguments: tuple[int, timedelta, int], first: bool
) -> None:
    night = evening(*arguments)
    undone, kept = (1, night.bo) if first else (2, night.ada)
    async with new_store() as (store, file):
        await night.ada.bring(store)
        await night.bo.bring(store)
        await store.imports.undo(undone)
        assert words_in(file) == night.words_of(kept)
        assert await differences(store) == []
        await store.imports.undo(3 - undone)
        assert messages_in(file) == []


@settings(max_examples=STORIES)
@given(evenings, st.integers(1, 50), st.integers(1, 12))
async def test_an_import_that_is_killed_and_repeated_leaves_what_it_would_have_left(
    arguments: tuple[int, timedelta, int], killed_at: int, size: int
) -> None:
    night = evening(*arguments)

    def die(done: int) -> None:
        if done >= killed_at:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        for name in ("SMALLEST", "USUAL", "LARGEST"):
            patch.setattr(bulk, name, size)
        async with new_store() as (store, file):
            await night.ada.bring(store)
            await night.bo.bring(store)
            expected = messages_in(file)
        async with new_store() as (store, file):
            await night.ada.bring(store)
            with suppress(KeyboardInterrupt):
                await night.bo.bring(store, die)
            await night.bo.bring(store)
            assert messages_in(file) == expected
            assert await differences(store) == []


def files_of(night: Evening, rng: Random) -> list[tuple[LogSource, list[NewMessage]]]:
    """Both logs cut into files, some of them there twice, in an order that a folder may have."""
    files = [
        (replace(log.source, path=path, sha256=path), log.lines[begin:end])
        for log in (night.ada, night.bo)
        for cuts in [sorted(rng.sample(range(1, len(log.lines)), 4))]
        for begin, end in pairwise([0, *cuts, len(log.lines)])
        for path in [f"{log.source.path}/{begin}"]
    ]
    copies = [
        (replace(log, path=f"{log.path} (copy)", sha256=f"{log.sha256} (copy)"), lines)
        for log, lines in rng.sample(files, 2)
    ]
    elsewhere = [
        (
            replace(log, path=f"{log.path} {to}", sha256=f"{log.sha256} {to}", channel=to),
            [line._replace(channel=to) for line in lines],
        )
        for (log, lines), to in zip(rng.sample(files, 3), ("#mate", "zoe", "zoe"), strict=True)
    ]
    together = [*files, *copies, *elsewhere]
    return sorted(together, key=lambda file: file[1][0].said_at) if rng.random() < 0.5 else together


SOURCES = """
SELECT path, (SELECT count(*) FROM messages WHERE id <= newest_before) AS known_before,
  clock_offset, lines, added, first, last, is_whole
FROM import_sources ORDER BY path"""
HELD = """
SELECT s.path, r.is_added, m.timestamp, m.channel, m.nick, m.message
FROM import_sources s JOIN import_ranges r ON r.source = s.id AND NOT r.is_private
  JOIN messages m ON m.id BETWEEN r.first AND r.last ORDER BY s.path, m.id"""
HELD_IN_PRIVATE = """
SELECT s.path, r.is_added, m.timestamp, m.target, m.nick, m.message
FROM import_sources s JOIN import_ranges r ON r.source = s.id AND r.is_private
  JOIN private_messages m ON m.id BETWEEN r.first AND r.last ORDER BY s.path, m.id"""
SAID = "SELECT timestamp, channel, nick, message, origin FROM messages ORDER BY id"
SAID_IN_PRIVATE = "SELECT timestamp, target, nick, message FROM private_messages ORDER BY id"
TABLES = (SOURCES, HELD, HELD_IN_PRIVATE, SAID, SAID_IN_PRIVATE)


@settings(max_examples=STORIES)
@given(evenings, st.sampled_from([4, 30, 1_000]), st.sampled_from([0, 20, recent_texts.KEPT]))
async def test_logs_of_one_import_are_stored_as_if_each_were_brought_alone(
    arguments: tuple[int, timedelta, int], size: int, kept: int
) -> None:
    files = files_of(evening(*arguments), Random(arguments[0]))  # noqa: S311 -- chat
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SMALLEST", "USUAL", "LARGEST"):
            patch.setattr(bulk, name, size)
        patch.setattr(recent_texts, "KEPT", kept)
        for is_together in (True, False):
            async with new_store() as (store, file):
                if is_together:
                    number = await store.imports.begin("terrarium-mcp import all")
                    totals = await store.imports.add_all(number, files)
                else:
                    totals = [await bring(store, lines, log) for log, lines in files]
                assert any(total.known for total in totals)
                assert await differences(store) == []
                found.append((totals, *(rows_of(file, sql) for sql in TABLES)))
    assert found[0] == found[1]
