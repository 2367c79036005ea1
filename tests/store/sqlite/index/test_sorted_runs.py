"""Runs arrange lines by time, and a look-up that reads run by run equals a sort of all lines."""

import tempfile
from datetime import timedelta
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.search import Sort
from terrarium_mcp.store.sqlite.index.sorted_runs import FEW, TOLERATED, Run, few, runs_of
from terrarium_mcp.store.sqlite.search import exact
from tests.conftest import STORIES
from tests.store.scene import NOON, SETTINGS, find, line_of, rows_of, write

pytestmark = pytest.mark.usefixtures("at_once")

moments = st.lists(st.integers(0, 400_000), min_size=1, max_size=60)


def lines_at(seconds: list[int]) -> list[tuple[int, str]]:
    return [(n, to_text(NOON + timedelta(seconds=at))) for n, at in enumerate(seconds, 1)]


def latest_before(lines: list[tuple[int, str]], run: Run, number: int) -> str:
    return max((at for n, at in lines if run.first <= n < number), default="")


@given(moments)
def test_every_line_stands_in_one_run_and_no_further_back_than_its_slack(
    seconds: list[int],
) -> None:
    lines = lines_at(seconds)
    for runs in (runs_of(lines), few(runs_of(lines))):
        assert [n for run in runs for n in range(run.first, run.last + 1)] == [
            number for number, _ in lines
        ]
        for run in runs:
            own = [(n, at) for n, at in lines if run.first <= n <= run.last]
            assert (run.began, run.ended) == (min(a for _, a in own), max(a for _, a in own))
            for n, at in own:
                behind = latest_before(lines, run, n)
                assert behind <= to_text_plus(at, run.slack_ms)


def to_text_plus(timestamp: str, milliseconds: int) -> str:
    return to_text(from_text(timestamp) + timedelta(milliseconds=milliseconds))


def test_an_import_from_before_is_a_run_of_its_own_and_stays_one() -> None:
    year = 365 * 86_400
    runs = runs_of(lines_at([20 * year + n for n in range(5)] + [n * year for n in range(20)]))
    assert [(run.first, run.last) for run in runs] == [(1, 5), (6, 25)]
    assert few(runs) == runs


def test_what_is_recorded_after_an_import_does_not_continue_it() -> None:
    lines = lines_at([50_000, 60_000, 10, 20, 70_000, 80_000])
    runs = runs_of(lines)
    assert [(run.first, run.last) for run in runs] == [(1, 2), (3, 4), (5, 6)]
    assert runs_of(lines[4:], runs[:2]) == runs
    assert few(runs) == runs


def test_an_import_into_the_time_of_other_lines_is_one_run_as_far_as_that_goes() -> None:
    hour = 3_600
    runs = runs_of(lines_at([10 * hour, 20 * hour, *(n * hour for n in range(8, 24))]))
    assert [(run.first, run.last) for run in runs] == [(1, 2), (3, 15), (16, 18)]


def test_runs_of_an_import_beside_a_recorder_each_have_a_time_to_themselves() -> None:
    hour = 3_600
    seconds = [1_000 * hour]
    for group in range(50):
        seconds += [group * hour, (group + 1) * hour - 1, (1_001 + group) * hour]
    runs = few(runs_of(lines_at(seconds)))
    in_time = sorted(runs, key=lambda run: run.began)
    assert len(runs) == 101
    assert all(one.ended < later.began for one, later in pairwise(in_time))


@pytest.mark.parametrize("few_lines", [0, 400])
async def test_a_line_is_found_wherever_it_stands_among_many_runs(
    store: Store, monkeypatch: pytest.MonkeyPatch, few_lines: int
) -> None:
    monkeypatch.setattr(exact, "_FEW", few_lines)
    said = []
    for n in range(60):  # more groups than one statement goes through
        said += [[line_of("ada", f"tea now {n}", NOON + timedelta(hours=n))]]
        then = NOON - timedelta(days=900 - n)
        said += [[line_of("bo", f"tea then {n}", then, origin=Origin.IMPORT)]]
    for lines in said:
        await store.messages.append(lines)
    newest = [f"tea now {n}" for n in reversed(range(60))]
    newest += [f"tea then {n}" for n in reversed(range(60))]
    found = await find(store, "tea", sort=Sort.NEWEST, limit=120)
    assert [line.text for line in found.messages] == newest
    oldest = await find(store, "tea", sort=Sort.OLDEST, limit=70)
    assert [line.text for line in oldest.messages] == newest[:49:-1]
    assert oldest.total == 120
    answers = await find(store, "what about tea?", sort=Sort.RELEVANCE, limit=120)
    assert {line.text for line in answers.messages} == set(newest)


def test_many_short_playbacks_are_joined_to_a_few_runs() -> None:
    seconds: list[int] = []
    for reconnect in range(40):
        seconds += [reconnect * 90_000 + n for n in (0, 20_000, 40_000)]  # heard live
        seconds += [reconnect * 90_000 + n for n in (25_000, 30_000)]  # played back
    assert len(runs_of(lines_at(seconds))) > FEW
    joined = few(runs_of(lines_at(seconds)))
    assert len(joined) <= FEW
    assert max(run.slack_ms for run in joined) == 15_000_000


@settings(max_examples=STORIES)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([Origin.LIVE, Origin.IMPORT, Origin.PLAYBACK]),
            st.integers(0, 500_000),
            st.sampled_from(["tea", "mate"]),
        ),
        min_size=1,
        max_size=80,
    ),
    st.integers(1, 12),
)
async def test_newest_and_oldest_equal_a_sort_around_every_seam(
    said: list[tuple[Origin, int, str]], limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            heard = (
                line_of("ada", f"{word} {n}", NOON + timedelta(seconds=at), origin=origin)
                for n, (origin, at, word) in enumerate(said)
            )
            for origin, lines in groupby(heard, key=lambda line: line.origin):
                if origin is Origin.IMPORT:
                    await store.messages.append([*lines])
                else:
                    for line in lines:
                        await store.messages.append([line])
            newest = await find(store, "tea", limit=limit, sort=Sort.NEWEST)
            oldest = await find(store, "tea", limit=limit, sort=Sort.OLDEST)
        rows = rows_of(
            file, "SELECT id FROM messages WHERE message LIKE 'tea%' ORDER BY timestamp, id"
        )
    everything = [row[0] for row in rows]
    assert [line.id for line in oldest.messages] == everything[:limit]
    assert [line.id for line in newest.messages] == everything[::-1][:limit]


SECOND, MILLISECOND = timedelta(seconds=1), timedelta(milliseconds=1)


def runs_at(*moments: timedelta) -> list[Run]:
    return runs_of([(n, to_text(NOON + at)) for n, at in enumerate(moments, 1)])


def ids(runs: list[Run]) -> list[tuple[int, int]]:
    return [(run.first, run.last) for run in runs]


def test_the_example_in_the_module_is_true() -> None:
    hour, minutes = timedelta(hours=1), timedelta(minutes=50)
    runs = runs_at(0 * hour, hour, minutes, -3 * hour, -2 * hour, 2 * hour)
    assert [(run.first, run.last, run.slack_ms) for run in runs] == [
        (1, 3, 600_000),
        (4, 5, 0),
        (6, 6, 0),
    ]


def test_a_line_may_lie_an_hour_back_and_no_more() -> None:
    assert [run.slack_ms for run in runs_at(TOLERATED, 0 * SECOND)] == [3_600_000]
    assert ids(runs_at(TOLERATED + MILLISECOND, 0 * SECOND)) == [(1, 1), (2, 2)]


def test_slack_is_the_largest_of_a_run_in_whole_milliseconds() -> None:
    [run] = runs_at(10 * SECOND, 7 * SECOND, 9 * SECOND, 20 * SECOND, 19 * SECOND)
    assert run.slack_ms == 3_000
    assert (run.opens, run.closes) == (
        (to_text(NOON + 7 * SECOND), 1),
        (to_text(NOON + 20 * SECOND), 5),
    )


def test_a_run_may_reach_the_end_of_another_and_not_pass_it() -> None:
    past, now = timedelta(days=-2), 0 * SECOND
    assert ids(runs_at(now, past, now)) == [(1, 1), (2, 3)]
    assert ids(runs_at(now, past, MILLISECOND)) == [(1, 1), (2, 2), (3, 3)]
    assert ids(runs_at(now, past, now, MILLISECOND)) == [(1, 1), (2, 3), (4, 4)]


def test_joined_runs_have_the_slack_of_their_overlap() -> None:
    one, other = runs_at(3 * TOLERATED, 0 * SECOND, SECOND)
    both = one.joined(other)
    assert both == Run(1, 3, other.began, one.ended, 3 * 3_600_000)
    later = Run(4, 9, to_text(NOON + 4 * TOLERATED), to_text(NOON + 5 * TOLERATED), 7)
    assert both.joined(later).slack_ms == 3 * 3_600_000
    assert one.joined(later) == Run(1, 9, one.began, later.ended, 7)


def apart(hours: float, count: int) -> list[Run]:
    """Runs of one line, each dated so many hours before the one with the id before."""
    return runs_at(*(-n * timedelta(hours=hours) for n in range(count)))


def test_runs_are_joined_only_where_there_are_more_than_a_few_and_as_far_as_needed() -> None:
    assert few(apart(2, FEW)) == apart(2, FEW)
    assert len(few(apart(2, FEW + 1))) == FEW
    assert len(few(apart(2, FEW + 30))) == FEW == 8


def test_runs_that_lie_more_than_a_day_apart_are_not_joined() -> None:
    assert len(few(apart(24, FEW + 1))) == FEW
    assert few(apart(24 + 1 / 3_600_000, FEW + 1)) == apart(24 + 1 / 3_600_000, FEW + 1)


def test_the_neighbours_with_the_least_slack_are_joined_first() -> None:
    hours_back = (0, 20, 40, 43, 63, 83, 103, 123, 143)
    runs = runs_at(*(-timedelta(hours=hours) for hours in hours_back))
    assert ids(few(runs)) == [(1, 1), (2, 2), (3, 4), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9)]


@settings(max_examples=STORIES)
@given(
    st.lists(
        st.lists(st.integers(0, 300_000).map(lambda n: n * 100), min_size=1, max_size=6),
        max_size=20,
    )
)
async def test_runs_kept_append_by_append_equal_those_arranged_at_once(
    groups: list[list[int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            kept: list[Run] = []
            number = 0
            for seconds in groups:
                said = [
                    line_of("ada", "tea", NOON + timedelta(milliseconds=at), origin=Origin.IMPORT)
                    for at in seconds
                ]
                await store.messages.append(said)
                lines = [(number + n, to_text(one.said_at)) for n, one in enumerate(said, 1)]
                number += len(said)
                kept = few(runs_of(lines, kept))
            assert rows_of(file, "SELECT * FROM runs ORDER BY first") == [tuple(r) for r in kept]
            assert await store.differences(["runs"]) == []
            for wrong in (
                "UPDATE runs SET slack = slack - 1 WHERE slack > 0",
                "UPDATE runs SET began = ended WHERE began < ended",
                "DELETE FROM runs",
            ):
                before = rows_of(file, "SELECT * FROM runs")
                write(file, wrong)
                changed = rows_of(file, "SELECT * FROM runs") != before
                assert bool(await store.differences(["runs"])) == changed or number == 0
                if wrong != "DELETE FROM runs":
                    write(file, "DELETE FROM runs")
                    for row in before:
                        write(file, "INSERT INTO runs VALUES (?, ?, ?, ?, ?)", row)
