"""Runs arrange lines by time, and a look-up that walks them equals a sort of all lines."""

import tempfile
from datetime import timedelta
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.when import from_text, to_text
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.derived.runs import FEW, Run, few, runs_of
from terrarium_mcp.store.search import Sort, exact
from tests.store.scene import NOON, SETTINGS, find, line_of, rows_of

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
                assert behind <= to_text_plus(at, run.max_disorder_ms)


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
    assert max(run.max_disorder_ms for run in joined) == 15_000_000


@settings(max_examples=25, deadline=None)
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
                    await store.messages.append_all(lines)
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
