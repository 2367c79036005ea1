"""Many logs in one import: small ones are stored together, each with its own row and totals."""

import gc
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.logformats.files import UnusableFile
from terrarium_mcp.store import ImportTotals, LogSource, Store
from terrarium_mcp.store.recognition.comparison import ComparableLine
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.imports import group_insert, recent_texts, stored_lines
from terrarium_mcp.store.sqlite.imports.clock_correction import ClockCorrection
from terrarium_mcp.store.sqlite.imports.log_blocks import LogLines
from terrarium_mcp.store.sqlite.imports.stored_lines import LineGroup, LogPlace, comparables
from terrarium_mcp.store.sqlite.ingest import bulk
from terrarium_mcp.store.sqlite.ingest.insert import Inserted
from terrarium_mcp.store.sqlite.ingest.insert_prepared import insert_prepared
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, prepared
from tests.store.scene import NOON, differences, line_of, rows_of
from tests.store.sqlite.imports.logs import log_of, logged, messages_in, words, words_in

NONE = timedelta()
DAYS = 12


def folder(days: int = DAYS, lines: int = 9) -> list[tuple[LogSource, list[NewMessage]]]:
    """A file for each day, in two channels."""
    return [
        (
            log_of(f"{channel}/{day}.log", "ZNC", channel),
            logged(
                line_of(
                    ("ada", "bo")[n % 2],
                    f"line {n} of day {day}",
                    at + timedelta(minutes=n),
                    channel,
                )
                for n in range(lines)
            ),
        )
        for day in range(days)
        for at in [NOON + timedelta(days=day)]
        for channel in ("#tea", "#mate")
    ]


@pytest.fixture
def inserts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many lines each insertion of prepared lines had so far."""
    made: list[int] = []

    async def counted(writer: Writer, lines: PreparedLines, *more: Any) -> Inserted:
        made.append(len(lines))
        return await insert_prepared(writer, lines, *more)

    monkeypatch.setattr(group_insert, "insert_prepared", counted)
    return made


def all_lines(logs: Sequence[tuple[LogSource, list[NewMessage]]]) -> list[NewMessage]:
    return [line for _, lines in logs for line in lines]


async def test_a_folder_of_small_logs_is_a_few_transactions(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = await store.imports.begin("terrarium-mcp import znc")
    transactions, writing = 0, Database.writing

    def counted(database: Database, *, patiently: bool = False) -> object:
        nonlocal transactions
        transactions += 1
        return writing(database, patiently=patiently)

    monkeypatch.setattr(Database, "writing", counted)
    totals = await store.imports.add_all(number, folder())
    assert transactions < DAYS
    assert totals == [ImportTotals(lines=9, added=9, known=0, offset=NONE)] * 2 * DAYS
    assert words_in(file) == words(all_lines(folder()))
    assert rows_of(file, "SELECT DISTINCT is_whole, lines, added FROM import_sources") == [
        (1, 9, 9)
    ]
    assert await differences(store) == []


async def test_each_log_of_a_group_knows_its_own_lines(store: Store, file: Path) -> None:
    logs = folder(3)
    number = await store.imports.begin("terrarium-mcp import znc")
    await store.imports.add_all(number, logs)
    held = rows_of(
        file,
        "SELECT s.path, m.message FROM import_sources s JOIN import_ranges r ON r.source = s.id"
        " JOIN messages m ON m.id BETWEEN r.first AND r.last",
    )
    assert sorted(held) == sorted((log.path, line.text) for log, lines in logs for line in lines)


async def test_logs_of_one_group_recognise_each_other(store: Store, file: Path) -> None:
    (log, lines), *_ = folder(1)
    logs = [(log, lines), (log_of("copy.log", contents="copy"), lines), (log_of("empty.log"), [])]

    async def read() -> AsyncIterator[tuple[LogSource, list[NewMessage]]]:
        for each in logs:
            yield each

    number = await store.imports.begin("terrarium-mcp import twice")
    added, known, empty = await store.imports.add_all(number, read())
    assert (added.added, known.known, empty.lines) == (9, 9, 0)
    assert words_in(file) == words(lines)
    assert await store.imports.was_read("copy", "net", "#tea") is not None
    assert await store.imports.was_read("empty.log", "net", "#tea") is None  # worth another look


async def test_what_is_before_a_file_that_cannot_be_read_any_more_is_stored(
    store: Store, file: Path
) -> None:
    (first, said), (second, others), *_ = folder(1)

    async def cut() -> AsyncIterator[NewMessage]:
        for line in others[:4]:
            yield line
        raise UnusableFile("its disk is gone")

    async def logs() -> AsyncIterator[tuple[LogSource, LogLines]]:
        yield first, said
        yield second, cut()

    number = await store.imports.begin("terrarium-mcp import znc")
    with pytest.raises(UnusableFile):
        await store.imports.add_all(number, logs())
    assert words_in(file) == words(said)
    again = await store.imports.add_all(number, [(first, said), (second, others)])
    assert [one.known for one in again] == [len(said), 0]
    assert words_in(file) == words(said + others)


async def test_the_clock_of_a_log_is_compared_with_one_that_is_not_stored_yet(
    store: Store, file: Path
) -> None:
    (_, lines), *_ = folder(1, lines=40)
    long = [line_of(line.nick, line.text + " of a long evening", line.said_at) for line in lines]
    fast = timedelta(seconds=37)
    number = await store.imports.begin("terrarium-mcp import both")
    logs = [(log_of("ada"), logged(long[:30])), (log_of("bo"), logged(long[10:], fast=fast))]
    ada, bo = await store.imports.add_all(number, logs)
    assert ada == ImportTotals(lines=30, added=30, known=0, offset=NONE)
    assert bo == ImportTotals(lines=30, added=10, known=20, offset=fast)
    assert words_in(file) == words(long)


async def test_the_clock_of_a_log_is_compared_with_one_that_ends_with_what_was_said_before(
    store: Store, file: Path
) -> None:
    (_, lines), *_ = folder(1, lines=40)
    long = [line_of(line.nick, line.text + " of a long evening", line.said_at) for line in lines]
    before = [line_of("ada", f"line {n} said before", NOON - timedelta(days=3)) for n in range(3)]
    fast = timedelta(seconds=37)
    number = await store.imports.begin("terrarium-mcp import both")
    logs = [(log_of("ada"), logged(long + before)), (log_of("bo"), logged(long[10:], fast=fast))]
    _, bo = await store.imports.add_all(number, logs)
    assert bo == ImportTotals(lines=30, added=0, known=30, offset=fast)
    assert sorted(words_in(file)) == sorted(words(long + before))


async def test_a_clock_is_found_where_two_logs_that_are_not_stored_yet_have_its_lines(
    store: Store, file: Path
) -> None:
    (_, lines), *_ = folder(1, lines=40)
    long = [line_of(line.nick, line.text + " of a long evening", line.said_at) for line in lines]
    fast = timedelta(seconds=37)
    number = await store.imports.begin("terrarium-mcp import three")
    late = logged(long, fast=fast)
    logs = [(log_of("ada"), logged(long)), (log_of("bo"), late), (log_of("bo's copy"), late)]
    _, bo, copy = await store.imports.add_all(number, logs)
    assert bo == copy == ImportTotals(lines=40, added=0, known=40, offset=fast)
    assert words_in(file) == words(long)


async def test_the_tables_are_asked_once_for_a_folder_of_days(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, rows = list[str](), Database.rows

    async def noted(database: Database, sql: str, *args: object, **options: float) -> list[Row]:
        asked.append(sql)
        return await rows(database, sql, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "rows", noted)
    number = await store.imports.begin("terrarium-mcp import znc")
    await store.imports.add_all(number, folder())
    assert len([sql for sql in asked if "timestamp" in sql]) == 2  # for two rooms


async def test_what_others_record_during_an_import_counts_for_later_logs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 4)
    (_, lines), *_ = folder(1, lines=40)
    long = [line_of(line.nick, line.text + " of a long evening", line.said_at) for line in lines]
    long_ago = [line._replace(said_at=line.said_at - timedelta(days=90)) for line in long]
    fast = timedelta(seconds=37)

    async def logs() -> AsyncIterator[tuple[LogSource, list[NewMessage]]]:
        yield log_of("long ago"), logged(long_ago[:8])
        await store.messages.append(long)
        yield log_of("later"), logged(long_ago[8:])
        yield log_of("bo"), logged(long, fast=fast)

    number = await store.imports.begin("terrarium-mcp import three")
    *_, bo = await store.imports.add_all(number, logs())
    assert bo == ImportTotals(lines=40, added=0, known=40, offset=fast)


async def test_nothing_is_kept_of_the_clock_of_a_log_that_is_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 9)
    monkeypatch.setattr(recent_texts, "KEPT", 9)  # those of the newest lines are kept
    alive = list[int]()
    gc.collect()
    gc.freeze()  # what earlier tests left: a process may hold millions of objects

    async def logs() -> AsyncIterator[tuple[LogSource, list[NewMessage]]]:
        for log in folder(days=30):
            gc.collect()
            alive.append(sum(isinstance(one, ClockCorrection) for one in gc.get_objects()))
            yield log

    number = await store.imports.begin("terrarium-mcp import znc")
    await store.imports.add_all(number, logs())
    assert len(alive) == 60
    assert max(alive) < 10


@pytest.mark.parametrize("killed_at", [1, 20, 100, 215])
@pytest.mark.parametrize("size", [4, 30])
async def test_a_folder_that_is_killed_and_repeated_is_there_once(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int, size: int
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, size)

    def die(done: int) -> None:
        if done >= killed_at:
            raise KeyboardInterrupt

    for report in (die, lambda _: None):
        number = await store.imports.begin("terrarium-mcp import znc")
        with suppress(KeyboardInterrupt):
            await store.imports.add_all(number, folder(), report)
    assert number == 1
    assert words_in(file) == words(all_lines(folder()))
    await store.imports.finish(number)
    (record,) = await store.imports.all()
    assert (record.sources, record.lines, record.added, record.known) == (24, 216, 216, 0)
    await store.imports.undo(number)
    assert messages_in(file) == []
    assert await differences(store) == []


@pytest.mark.parametrize("has_series", [True, False])
async def test_a_day_that_repeats_the_day_before_has_the_clock_of_that_day(
    store: Store, has_series: bool
) -> None:
    """A bouncer plays back what was said ten hours ago, into the file of the next day."""
    said = [
        line_of(nick, f"a long announcement of {nick}, number {n}", NOON + timedelta(minutes=n))
        for n in range(6)
        for nick in ("ada", "bo")
    ]
    again = logged(said, fast=timedelta(hours=10))
    series = "znc/#tea/.log" if has_series else ""
    days = [
        (replace(log_of(path, "ZNC"), series=series), lines)
        for path, lines in (("1.log", logged(said)), ("2.log", again))
    ]
    number = await store.imports.begin("terrarium-mcp import znc")
    _, second = await store.imports.add_all(number, days)
    assert second.offset == (NONE if has_series else timedelta(hours=10))
    assert second.added == (len(again) if has_series else 0)


async def test_of_a_day_only_the_lines_at_midnight_are_compared_with_the_day_before(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []

    def counted(lines: PreparedLines, *more: Any) -> list[ComparableLine]:
        compared.append(len(lines))
        return comparables(lines, *more)

    monkeypatch.setattr(stored_lines, "comparables", counted)
    midnight = NOON.replace(hour=0)
    talk = logged(
        line_of("ada", f"line {n}", midnight + timedelta(seconds=40 * n)) for n in range(-500, 500)
    )
    days = [(log_of("1.log"), talk[:501]), (log_of("2.log"), talk[500:])]  # both have midnight
    number = await store.imports.begin("terrarium-mcp import znc")
    totals = await store.imports.add_all(number, days)
    assert [(one.lines, one.added) for one in totals] == [(501, 501), (500, 499)]
    assert compared == [2]  # at 00:00:00 and 00:00:40
    assert len(words_in(file)) == 1_000


@pytest.mark.parametrize(("repeated", "together"), [(0, 1), (1, 2)])
async def test_days_that_meet_at_midnight_are_stored_together_unless_a_line_may_be_in_both(
    store: Store, file: Path, inserts: list[int], repeated: int, together: int
) -> None:
    talk = logged(line_of("ada", f"line {n}", NOON + n * timedelta(seconds=40)) for n in range(80))
    days = [(log_of("1.log"), talk[: 40 + repeated]), (log_of("2.log"), talk[40:])]
    number = await store.imports.begin("terrarium-mcp import znc")
    await store.imports.add_all(number, days)
    assert len(inserts) == together
    assert sorted(words_in(file)) == sorted(("ada", f"line {n}") for n in range(80))


@pytest.mark.parametrize(("nicks", "together"), [(("ada", "bo"), 1), (("", "bo"), 2)])
async def test_days_are_stored_together_where_different_people_say_the_same_at_midnight(
    store: Store, file: Path, inserts: list[int], nicks: Sequence[str], together: int
) -> None:
    said = [
        line_of(nick, "good night", NOON + n * timedelta(seconds=40))
        for n, nick in enumerate(nicks)
    ]
    days = [(log_of(f"{n}.log"), logged([line])) for n, line in enumerate(said)]
    number = await store.imports.begin("terrarium-mcp import znc")
    await store.imports.add_all(number, days)
    assert len(inserts) == together
    assert words_in(file) == words(said)


def test_days_that_meet_at_midnight_are_compared_without_all_columns_of_either() -> None:
    talk = logged(line_of("ada", f"line {n}", NOON + n * timedelta(seconds=40)) for n in range(80))
    block = prepared([one._replace(nick="bo") if n < 40 else one for n, one in enumerate(talk)])
    days = [block[:40], block[40:]]
    place = LogPlace(1, talk[0].network, "", DEFAULT_CASEMAPPING)
    one, other = (LineGroup(place, day, resolution=1_000, margin=0) for day in days)
    assert not one.may_share_a_line(other)
    assert not any("columns" in vars(day) for day in days)
    assert one.may_share_a_line(LineGroup(place, block[39:], resolution=1_000, margin=0))


async def test_a_day_is_held_against_the_day_before_it_and_against_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = 0
    may_share_a_line = LineGroup.may_share_a_line

    def counted(one: LineGroup, later: LineGroup) -> bool:
        nonlocal held
        held += 1
        return may_share_a_line(one, later)

    monkeypatch.setattr(LineGroup, "may_share_a_line", counted)
    times = (timedelta(days=day, seconds=86_399 * half) for day in range(20) for half in (0, 1))
    talk = logged(line_of("ada", f"line {n}", NOON + time) for n, time in enumerate(times))
    days = [(log_of(f"{n}.log"), talk[2 * n : 2 * n + 2]) for n in range(20)]
    number = await store.imports.begin("terrarium-mcp import znc")
    totals = await store.imports.add_all(number, days)
    assert [one.added for one in totals] == [2] * 20
    assert held == 19
