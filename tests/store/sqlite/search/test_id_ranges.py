"""Id ranges and orders: the parts of runs that a time reaches, and both ways through time."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.store import Store
from terrarium_mcp.store.sqlite.index.sorted_runs import Run
from terrarium_mcp.store.sqlite.search.id_ranges import (
    IdRange,
    RunSlice,
    all_ids,
    coalesced,
    run_slices,
    strands,
    without,
)
from terrarium_mcp.store.sqlite.search.order import NEWEST, OLDEST, moved
from terrarium_mcp.store.sqlite.search.scan_plans import batches
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot
from terrarium_mcp.store.sqlite.search.term_stats import TermStats
from tests.store.scene import NOON, line_of


def at(minute: float) -> str:
    return to_text(NOON + timedelta(minutes=minute))


def run(first: int, last: int, began: float, ended: float, slack: int = 0) -> Run:
    return Run(first, last, at(began), at(ended), slack)


def snapshot(last_id: int, *runs: Run) -> Snapshot:
    return Snapshot(last_id, runs, 1, TermStats(1))


def piece(of: Run) -> RunSlice:
    ids = IdRange(of.first, of.last)
    return RunSlice(of, ids, ids)


def test_a_range_has_its_first_and_last_id() -> None:
    assert [n in IdRange(2, 3) for n in (1, 2, 3, 4)] == [False, True, True, False]
    assert (bool(IdRange(2, 2)), bool(IdRange(3, 2))) == (True, False)
    assert all_ids(snapshot(9)) == IdRange(0, 9)


def test_neighbouring_ranges_are_joined_and_others_are_not() -> None:
    ranges = [IdRange(7, 9), IdRange(1, 3), IdRange(4, 4), IdRange(6, 6)]
    assert coalesced(ranges) == [IdRange(1, 4), IdRange(6, 9)]
    assert coalesced([]) == []


def test_ranges_that_overlap_are_joined_up_to_the_last_id_of_any() -> None:
    ranges = [IdRange(1, 9), IdRange(2, 3), IdRange(9, 12), IdRange(14, 15)]
    assert coalesced(ranges) == [IdRange(1, 12), IdRange(14, 15)]


def test_the_edges_are_what_is_not_surely_within() -> None:
    whole = run(1, 9, 0, 9)
    assert RunSlice(whole, IdRange(1, 9), IdRange(3, 7)).edges == [IdRange(1, 2), IdRange(8, 9)]
    assert RunSlice(whole, IdRange(1, 9), IdRange(1, 9)).edges == []
    assert RunSlice(whole, IdRange(1, 9), IdRange(1, 8)).edges == [IdRange(9, 9)]
    assert RunSlice(whole, IdRange(2, 4), IdRange(4, 3)).edges == [IdRange(2, 4)]


def test_runs_that_follow_on_each_other_are_one_strand() -> None:
    first, second, third = run(1, 3, 0, 2), run(4, 6, 3, 5), run(7, 9, 6, 8)
    slices = [piece(third), piece(first), piece(second)]
    assert [[one.run for one in strand] for strand in strands(slices)] == [[first, second, third]]


def test_a_run_that_reaches_into_another_is_a_strand_of_its_own() -> None:
    first, second, third = run(1, 3, 0, 4), run(4, 6, 3, 5), run(7, 9, 6, 8)
    found = strands([piece(first), piece(second), piece(third)])
    assert [[one.run for one in strand] for strand in found] == [[first, third], [second]]
    same_moment = run(4, 6, 4, 5)
    assert len(strands([piece(first), piece(same_moment)])) == 1  # its first id comes later


@pytest.mark.parametrize(
    ("since", "until", "ids", "sure"),
    [
        (0, 10, (1, 10), (1, 10)),
        (0, 9, (1, 10), (1, 9)),
        (2, 9.5, (3, 10), (3, 10)),
        (2, 4, (3, 5), (3, 4)),
        (2.5, 4.5, (4, 5), (4, 5)),
        (0, 0, (1, 1), (1, 0)),
        (9, 20, (10, 10), (10, 10)),
        (-5, 3, (1, 4), (1, 3)),
    ],
)
async def test_in_a_run_that_is_in_order_a_time_is_a_range_but_for_its_last_moment(
    store: Store, since: float, until: float, ids: tuple[int, int], sure: tuple[int, int]
) -> None:
    await store.messages.append([line_of("a", "x", NOON + timedelta(minutes=n)) for n in range(10)])
    (found,) = await run_slices(
        store._database,  # noqa: SLF001 -- the ranges themselves
        snapshot(10, run(1, 10, 0, 9)),
        at(since),
        at(until),
    )
    assert (found.ids, found.sure) == (IdRange(*ids), IdRange(*sure))


async def test_no_range_reaches_beyond_the_snapshot_or_into_other_times(store: Store) -> None:
    await store.messages.append([line_of("a", "x", NOON + timedelta(minutes=n)) for n in range(10)])
    database = store._database  # noqa: SLF001
    whole = run(1, 10, 0, 9)
    (found,) = await run_slices(database, snapshot(6, whole))
    assert (found.ids, found.sure) == (IdRange(1, 6), IdRange(1, 6))
    (found,) = await run_slices(database, snapshot(6, whole), at(4), at(8))
    assert (found.ids, found.sure) == (IdRange(5, 6), IdRange(5, 6))
    assert await run_slices(database, snapshot(6, whole), at(7), at(8)) == []
    assert await run_slices(database, snapshot(10, whole), at(10), at(12)) == []
    assert await run_slices(database, snapshot(10, whole), at(-9), at(-1)) == []


async def test_where_a_run_is_not_in_order_its_slack_is_at_the_edges(store: Store) -> None:
    """A line lies up to two minutes before one with a smaller id."""
    minutes = [0, 1, 2, 5, 3, 4, 6, 7, 8, 9]
    await store.messages.append([line_of("a", "x", NOON + timedelta(minutes=n)) for n in minutes])
    slack = 2 * 60 * 1000
    (found,) = await run_slices(
        store._database,  # noqa: SLF001
        snapshot(10, run(1, 10, 0, 9, slack)),
        at(4),
        at(6),
    )
    assert found.ids == IdRange(3, 9)  # from 12:02 on, up to 12:08
    assert not found.sure  # from 12:06 on and before 12:04
    assert found.edges == [found.ids]


def test_batches_are_few_ranges_first_and_then_many() -> None:
    assert [len(batch) for batch in batches(range(100))] == [4, 32, 32, 32]
    assert list(batches([1, 2])) == [[1, 2]]
    assert list(batches([])) == []


def test_newest_and_oldest_are_mirrored() -> None:
    one, other = at(1), at(2)
    assert (NEWEST.is_before(other, one), OLDEST.is_before(one, other)) == (True, True)
    assert (NEWEST.is_before(one, other), OLDEST.is_before(other, one)) == (False, False)
    assert (NEWEST.is_before(one, one), OLDEST.is_before(one, one)) == (False, False)
    assert (NEWEST.first([one, "", other]), OLDEST.first([other, "", one])) == (other, one)
    assert (NEWEST.first(["", ""]), OLDEST.first([])) == ("", "")
    whole = run(1, 2, 1, 2)
    assert (NEWEST.opening(whole), OLDEST.opening(whole)) == (other, one)
    assert (NEWEST.back(one, 60_000), OLDEST.back(other, 60_000)) == (other, one)
    assert (NEWEST.upto(one), OLDEST.upto(one)) == (
        (one, EVERY_LINE.timestamp),
        (BEGINNING.timestamp, one),
    )
    since, until = at(0), at(9)
    place = Position(one, 5)
    assert NEWEST.narrowed(since, until, place) == (since, one)
    assert OLDEST.narrowed(since, until, place) == (one, until)
    assert NEWEST.narrowed(since, at(0.5), place) == (since, at(0.5))
    assert OLDEST.narrowed(other, until, place) == (other, until)


def test_right_before_a_moment_is_before_every_line_of_it() -> None:
    last = 2**63 - 1
    assert NEWEST.just_before(at(1)) == Position(at(1), last)
    assert OLDEST.just_before(at(1)) == Position(at(1), 0)
    assert NEWEST.is_before(NEWEST.just_before(at(1)), Position(at(1), last - 1))
    assert OLDEST.is_before(OLDEST.just_before(at(1)), Position(at(1), 1))


def test_a_moment_is_moved_by_milliseconds() -> None:
    assert moved(at(1), 60_000) == at(2)
    assert moved(at(1), -60_001) == to_text(NOON - timedelta(milliseconds=1))
    assert moved("0001-01-01 00:00:00.000", 0) == "0001-01-01 00:00:00.000"


RANGES = st.lists(st.integers(0, 60), max_size=12, unique=True).map(
    lambda ends: [IdRange(a, b) for a, b in zip(*[iter(sorted(ends))] * 2, strict=False)]
)
"""Ranges of ids, ascending, none of which meet."""


@given(RANGES, RANGES)
def test_ranges_without_others_hold_all_ids_but_theirs(
    ranges: list[IdRange], gone: list[IdRange]
) -> None:
    left = without(ranges, gone)
    assert [n for ids in left for n in range(ids.first, ids.last + 1)] == [
        n
        for ids in ranges
        for n in range(ids.first, ids.last + 1)
        if not any(n in hole for hole in gone)
    ]
    assert all(left)
