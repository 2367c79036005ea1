"""A log that grew since it was imported: its lines keep the times that they were given."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store import ImportTotals, LogSource, Store
from terrarium_mcp.store.sqlite.ingest import bulk
from tests.store.scene import NOON, line_of
from tests.store.sqlite.imports.logs import MINUTE, bring, log_of, logged, words, words_in

HOUR = timedelta(hours=1)
NONE = timedelta()


def talk(numbers: range, began: datetime = NOON) -> list[NewMessage]:
    """Sentences of five people, one a minute."""
    nicks = ("ada", "bo", "cy", "di", "ed")
    return [
        line_of(nicks[n % len(nicks)], f"sentence number {n} of a long talk", began + n * MINUTE)
        for n in numbers
    ]


def reading(lines: Sequence[NewMessage], path: str = "tea.log") -> LogSource:
    """The log when it had these lines."""
    size = 40 * len(lines)
    return replace(log_of(path, contents=f"{path} {size}"), size=size)


async def bring_fast(store: Store, lines: Sequence[NewMessage]) -> ImportTotals:
    """Import the log of somebody whose clock was an hour fast."""
    return await bring(store, logged(lines, fast=HOUR), reading(lines))


LONG_AGO = talk(range(1_000), NOON - timedelta(days=90))
RECORDED = talk(range(1_000, 1_040))
LATER = talk(range(1_040, 1_060))
LATEST = talk(range(1_060, 1_080))


async def test_a_grown_log_is_corrected_from_the_line_on_from_which_it_was(
    store: Store, file: Path
) -> None:
    said = [*LONG_AGO, *RECORDED]
    await store.messages.append(RECORDED)
    assert await bring_fast(store, said) == ImportTotals(1_040, 1_000, 40, HOUR)
    for more in (LATER, LATEST):
        await store.messages.append(more)
        said += more
        assert await bring_fast(store, said) == ImportTotals(len(said), 0, len(said), HOUR)
    assert words_in(file) == words(said)


async def test_lines_that_were_stored_before_the_clock_could_be_known_stay_as_they_are(
    store: Store, file: Path
) -> None:
    first = talk(range(40))
    assert (await bring_fast(store, first)).offset == NONE
    said = [*first, *talk(range(40, 80))]
    for more in (talk(range(80, 120)), talk(range(120, 160))):
        await store.messages.append(more)
        said += more
        assert (await bring_fast(store, said)).offset == HOUR
    assert words_in(file) == words(said)


async def test_a_grown_log_is_corrected_as_an_interrupted_import_had_corrected_it(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 300)

    def die(done: int) -> None:
        if done > 1_000:
            raise KeyboardInterrupt

    said = [*LONG_AGO, *talk(range(1_000, 1_700))]
    await store.messages.append(talk(range(1_400, 1_800)))
    with pytest.raises(KeyboardInterrupt):
        await bring(store, logged(said, fast=HOUR), reading(said), die)
    said += talk(range(1_700, 1_800))
    assert (await bring_fast(store, said)).offset == HOUR
    assert words_in(file) == words(said)


@pytest.mark.parametrize("killed_at", [100, 900, 1_200, 1_900])
async def test_the_import_of_a_grown_log_may_be_interrupted(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 70)

    def die(done: int) -> None:
        if done >= killed_at:
            raise KeyboardInterrupt

    said = [*LONG_AGO, *talk(range(1_000, 1_500))]
    await bring_fast(store, said)
    await store.messages.append(talk(range(1_500, 2_000)))
    said += talk(range(1_500, 2_000))
    with pytest.raises(KeyboardInterrupt):
        await bring(store, logged(said, fast=HOUR), reading(said), die)
    assert (await bring_fast(store, said)).offset == HOUR
    assert words_in(file) == words(said)


async def test_what_a_log_brought_itself_does_not_tell_how_its_clock_goes(
    store: Store,
) -> None:
    """It was read in the wrong time zone; then it grew, and was read in the right one."""
    first = talk(range(40))
    await bring_fast(store, first)
    said = [*first, *talk(range(40, 60))]
    totals = await bring(store, logged(said), reading(said))
    assert totals == ImportTotals(60, 60, 0, NONE)


async def test_a_new_log_of_the_same_name_is_compared_with_all_that_is_stored(
    store: Store,
) -> None:
    await bring_fast(store, talk(range(40)))
    next_day = talk(range(60), NOON + timedelta(days=1))
    await store.messages.append(next_day)
    totals = await bring_fast(store, next_day)
    assert totals == ImportTotals(60, 0, 60, HOUR)
