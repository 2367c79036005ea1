"""A clock that was set right, or wrong, within a log, beside another log of the same talk."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store import ImportTotals, Store
from terrarium_mcp.store.recognition.clock_offset import FEWEST
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.imports.clock_correction import SAMPLE
from terrarium_mcp.store.sqlite.imports.log_blocks import LINES_IN_BLOCK
from terrarium_mcp.store.sqlite.ingest import bulk
from tests.store.scene import NOON, line_of
from tests.store.sqlite.imports.logs import MINUTE, SECOND, bring, logged, said_in

LINES = 4_000
NONE, HOUR = timedelta(), timedelta(hours=1)

TALK = [
    line_of(
        ("ada", "bo", "cy")[n % 3],
        f"sentence number {n} of a long talk" if n % 5 else "ok",
        NOON + (n + n // 100) * MINUTE,  # now and then they think
    )
    for n in range(LINES)
]

HEARD = [line for n, line in enumerate(TALK) if n % 7]
"""What another log has of it."""

MISSED = (FEWEST - 1) * LINES_IN_BLOCK // SAMPLE
"""Lines at the end of a block that are too few to show that the clock was set before them."""

Fast = Callable[[int], timedelta]
"""By how much a clock was fast at a line."""


def by_clock(fast: Fast) -> list[NewMessage]:
    """The talk as a log has it with such a clock."""
    late = [line._replace(said_at=line.said_at + fast(n)) for n, line in enumerate(TALK)]
    return logged(late)


def set_right(n: int) -> timedelta:
    return 37 * SECOND if n < 2_000 else NONE


def set_right_within_a_block(n: int) -> timedelta:
    return HOUR if n < 1_500 else NONE


def set_wrong(n: int) -> timedelta:
    return NONE if n < 2_200 else -HOUR


def drifting(n: int) -> timedelta:
    return n // 300 * SECOND


@pytest.mark.parametrize(
    ("fast", "most"),
    [
        (set_right, 37 * SECOND),
        (set_right_within_a_block, HOUR),
        (set_wrong, -HOUR),
        (drifting, 12 * SECOND),
    ],
)
async def test_a_clock_that_was_set_within_a_log_doubles_no_line(
    store: Store, file: Path, fast: Fast, most: timedelta
) -> None:
    await store.messages.append(TALK)
    said = said_in(file)
    totals = await bring(store, by_clock(fast))
    assert totals == ImportTotals(LINES, 0, LINES, totals.offset, clock_was_set=True)
    assert abs(totals.offset - most) <= 2 * SECOND
    assert said_in(file) == said


async def test_of_a_clock_that_was_set_at_the_end_of_a_block_only_that_end_may_be_doubled(
    store: Store,
) -> None:
    await store.messages.append(TALK)
    totals = await bring(store, by_clock(lambda n: 37 * SECOND if n < 1_980 else NONE))
    assert totals.added <= MISSED


async def test_new_lines_go_by_the_clock_as_it_was_by_then(store: Store, file: Path) -> None:
    await store.messages.append(HEARD)
    totals = await bring(store, by_clock(set_right_within_a_block))
    assert totals.added == LINES - len(HEARD)
    assert [said[2] for said in said_in(file)] == [line.text for line in TALK]


@pytest.mark.parametrize("killed_at", [1_200, 2_900])
async def test_a_clock_that_was_set_is_corrected_alike_after_an_interruption(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 300)

    def die(done: int) -> None:
        if done >= killed_at:
            raise KeyboardInterrupt

    await store.messages.append(HEARD)
    with pytest.raises(KeyboardInterrupt):
        await bring(store, by_clock(set_right), report=die)
    await bring(store, by_clock(set_right))
    assert [said[2] for said in said_in(file)] == [line.text for line in TALK]


async def test_the_room_is_searched_far_around_only_where_lines_are_not_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    periods, rows = list[timedelta](), Database.rows

    async def noted(database: Database, sql: str, params: Any = (), **options: float) -> list[Row]:
        if isinstance(params, dict) and "texts" in params:
            periods.append(from_text(params["until"]) - from_text(params["since"]))
        return await rows(database, sql, params, **options)

    await store.messages.append(TALK)
    monkeypatch.setattr(Database, "rows", noted)
    assert (await bring(store, by_clock(set_right))).added == 0
    is_far = [period >= timedelta(hours=28) for period in periods]
    assert is_far == [True, False, False, True, True, False]  # twice to find the line
