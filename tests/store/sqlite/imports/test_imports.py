"""Logs are merged into the history: each line once, at its own time, and each import is listed."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store import (
    EarlierReading,
    ImportTotals,
    ImportWasUndone,
    Store,
    UnstorableMessage,
)
from terrarium_mcp.store.sqlite.engine.write_lock import YieldingTransaction
from terrarium_mcp.store.sqlite.index import counters
from terrarium_mcp.store.sqlite.ingest import bulk
from tests.store.scene import (
    NOON,
    chat,
    check_index,
    differences,
    find,
    line_of,
    past,
    room,
    rows_of,
    texts,
)
from tests.store.sqlite.imports.logs import (
    MINUTE,
    add,
    bring,
    log_of,
    logged,
    messages_in,
    opened,
    said_in,
    words,
    words_in,
)

TALK = """
<ada> good morning, is there tea?
<bo> ok
<bo> ok
* ada pours
<bo> thank you, ada
"""
TEA = chat(TALK)
MATE = chat("<bo> mate?\n<ada> tea!", channel="#mate")
NONE = timedelta()


async def test_a_log_is_imported_and_found(store: Store, file: Path) -> None:
    assert await bring(store, logged(TEA)) == ImportTotals(lines=5, added=5, known=0, offset=NONE)
    assert rows_of(file, "SELECT DISTINCT origin FROM messages") == [("import",)]
    assert texts((await find(store, "morning")).messages) == ["good morning, is there tea?"]
    assert await differences(store) == []
    check_index(file)


async def test_the_same_log_twice_is_there_once(store: Store, file: Path) -> None:
    await bring(store, logged(TEA))
    before = messages_in(file)
    again = await bring(store, logged(TEA), log_of("copy.log"))
    assert again == ImportTotals(lines=5, added=0, known=5, offset=NONE)
    assert messages_in(file) == before


async def test_three_levels_of_a_bouncer_in_one_import_are_one_log(
    store: Store, file: Path
) -> None:
    number = await store.imports.begin("terrarium-mcp import .znc")
    for level in ("network", "user", "global"):
        await add(store, number, log_of(level, "ZNC"), logged(TEA))
    await store.imports.finish(number)
    assert words_in(file) == words(TEA)
    (record,) = await store.imports.all()
    assert (record.sources, record.lines, record.added, record.known) == (3, 15, 5, 10)


async def test_what_we_recorded_ourselves_is_known_and_stays_as_it_is(
    store: Store, file: Path
) -> None:
    exact = [line._replace(said_at=line.said_at + timedelta(milliseconds=743)) for line in TEA]
    await store.messages.append(exact)
    before = messages_in(file)
    later = line_of("cy", "is anybody here?", NOON + timedelta(hours=1))
    totals = await bring(store, logged([*exact, later]))
    assert totals == ImportTotals(lines=6, added=1, known=5, offset=NONE)
    assert messages_in(file)[:5] == before


async def test_playback_that_was_recorded_is_known_too(store: Store, file: Path) -> None:
    await store.messages.append([line._replace(origin=Origin.PLAYBACK) for line in TEA])
    assert (await bring(store, logged(TEA))).known == 5
    assert words_in(file) == words(TEA)


async def test_a_log_in_minutes_and_one_in_seconds_have_the_same_lines(
    store: Store, file: Path
) -> None:
    spread = [line._replace(said_at=line.said_at + timedelta(seconds=13)) for line in TEA]
    irssi = log_of("tea.irssi", "irssi", resolution=MINUTE)
    assert (await bring(store, logged(spread, MINUTE), irssi)).added == 5
    assert (await bring(store, logged(spread))).known == 5
    assert words_in(file) == words(TEA)


async def test_a_live_line_is_not_what_was_said_a_minute_before(store: Store, file: Path) -> None:
    await store.messages.append(chat("<bo> ok"))
    early = [line_of("bo", "ok", NOON - timedelta(seconds=30))]
    assert (await bring(store, logged(early))).added == 1
    assert len(words_in(file)) == 2


async def test_other_rooms_have_their_own_lines(store: Store, file: Path) -> None:
    await bring(store, logged(TEA))
    mate = logged(chat(TALK, channel="#mate"))
    assert (await bring(store, mate, log_of("mate.log", channel="#mate"))).added == 5
    assert len(words_in(file)) == 10


async def test_a_room_is_known_in_any_spelling(store: Store) -> None:
    await bring(store, logged(TEA))
    loud = logged(chat(TALK, channel="#TEA"))
    assert (await bring(store, loud, log_of("loud.log", channel="#Tea"))).known == 5
    assert [room.channel for room in await store.rooms.all()] == ["#tea"]


async def test_private_messages_are_merged_in_their_own_table(store: Store, file: Path) -> None:
    query = logged(chat(TALK, channel="Cy"))
    assert (await bring(store, query, log_of("cy.log", channel="Cy"))).added == 5
    again = logged(chat(TALK, channel="cy")) + logged(chat("14:00 <cy> later", channel="cy"))
    totals = await bring(store, again, log_of("cy2.log", channel="cy"))
    assert totals == ImportTotals(lines=6, added=1, known=5, offset=NONE)
    assert rows_of(file, "SELECT count(*) FROM private_messages") == [(6,)]
    assert messages_in(file) == []
    other = logged(chat(TALK, channel="di"))
    assert (await bring(store, other, log_of("di.log", channel="di"))).added == 5


async def test_what_was_redacted_is_not_brought_back(store: Store, file: Path) -> None:
    await store.messages.append([TEA[0]._replace(msgid="m1"), *TEA[1:]])
    await store.removal.redact("net", "#tea", "m1", asked_by="ada", at=NOON)
    assert (await bring(store, logged(TEA))).known == 5
    assert "good morning" not in str(messages_in(file))


async def test_the_room_says_from_which_logs_its_lines_are(store: Store) -> None:
    await bring(store, logged(TEA))
    await bring(store, [*past(30)], log_of("old", "irssi", resolution=MINUTE))
    covered = await store.spans.coverage([await room(store)])
    assert covered.sentence(UTC) == (
        "from irssi logs 2004-01-01 to 2004-01-02, gaps unknown;"
        " from WeeChat logs 2026-05-01 to 2026-05-01, gaps unknown"
    )


async def test_thousands_of_times_in_which_a_log_was_open_are_one_span(store: Store) -> None:
    number = await store.imports.begin("terrarium-mcp import irclogs")
    await add(store, number, log_of(program="irssi"), opened(TEA, range(0, 480, 24)))
    (span,) = (await store.spans.coverage([await room(store)])).spans
    assert (span.began, span.ended) == (NOON, NOON + timedelta(days=19, hours=8))
    assert span.source == "irssi logs"


async def test_the_times_of_an_imports_logs_are_joined_and_gaps_are_cut_out(
    store: Store, file: Path
) -> None:
    number = await store.imports.begin("terrarium-mcp import irclogs")
    await add(store, number, log_of("a", "irssi"), opened(TEA, [0, 24]))
    await add(store, number, log_of("b", "irssi"), opened(TEA, [4]))
    await add(store, number, log_of("c", "HexChat"), opened(TEA, [6]))
    assert open_hours(file, "irssi logs") == [(0, 12), (24, 32)]
    gap = RecordedTime(NOON + timedelta(hours=10), NOON + timedelta(hours=25))
    await store.imports.note_gaps(number, "another", [gap])
    assert open_hours(file, "HexChat logs") == [(6, 14)]
    for _ in range(2):
        await store.imports.note_gaps(number, "net", [gap])
        assert open_hours(file, "irssi logs") == [(0, 10), (25, 32)]
        assert open_hours(file, "HexChat logs") == [(6, 10)]


async def test_days_with_a_pause_between_them_that_is_short_are_one_time(
    store: Store, file: Path
) -> None:
    number = await store.imports.begin("terrarium-mcp import znc")
    for day, hour in (("3", 72), ("1", 0), ("2", 24), ("9", 216)):
        await add(store, number, log_of(day, "ZNC"), opened(TEA, [hour], pause=timedelta(days=2)))
    assert open_hours(file, "ZNC logs") == [(0, 80), (216, 224)]


def open_hours(file: Path, source: str) -> list[tuple[float, ...]]:
    """From when to when the logs of a program were open, in hours after noon."""
    sql = "SELECT began, ended FROM spans WHERE source = ? AND why_began <> 'import' ORDER BY began"
    with closing(sqlite3.connect(file)) as connection:
        found = connection.execute(sql, [source]).fetchall()
    return [tuple((from_text(at) - NOON) / timedelta(hours=1) for at in row) for row in found]


async def test_imported_lines_do_not_move_the_live_clock(store: Store, file: Path) -> None:
    await bring(store, logged([line_of("ada", "from the future", NOON + timedelta(days=1))]))
    await store.messages.append(chat("<bo> now"))
    assert said_in(file)[0] == ("2026-05-01 12:00:00.000", "bo", "now")


async def test_all_imports_are_listed(store: Store) -> None:
    assert await store.imports.all() == []
    began = datetime.now(UTC) - timedelta(seconds=1)
    first = await store.imports.begin("terrarium-mcp import a.log")
    await add(store, first, log_of(), logged(TEA))
    second = await store.imports.begin("terrarium-mcp import b.log")
    await store.imports.finish(second)
    one, two = await store.imports.all()
    assert (one.id, one.command, one.finished, one.undone_at) == (
        first, "terrarium-mcp import a.log", False, None,
    )  # fmt: skip
    assert (one.sources, one.lines, one.added, one.known) == (1, 5, 5, 0)
    assert (one.first, one.last) == (TEA[0].said_at, TEA[-1].said_at)
    assert began < one.at <= two.at
    assert (two.id, two.finished, two.sources, two.lines, two.first) == (second, True, 0, 0, None)


async def test_a_file_that_was_read_whole_is_known_by_its_contents(store: Store) -> None:
    assert await store.imports.was_read("abc", "net", "#tea") is None
    number = await store.imports.begin("terrarium-mcp import a.log")
    await add(store, number, log_of(contents="abc"), logged(TEA))
    earlier = await store.imports.was_read("abc", "net", "#TEA")
    assert earlier == EarlierReading(number, "UTC")
    assert await store.imports.was_read("abc", "net", "#mate") is None
    assert await store.imports.was_read("abc", "other", "#tea") is None
    await store.imports.undo(number)
    assert await store.imports.was_read("abc", "net", "#tea") is None


async def test_a_file_of_one_day_is_known_by_its_contents_on_that_day(store: Store) -> None:
    number = await store.imports.begin("terrarium-mcp import a.log")
    await add(store, number, log_of(contents="abc"), logged(TEA))
    began = TEA[0].said_at.replace(tzinfo=None)
    for days, is_known in ((-1, False), (0, True), (1, False)):
        day = began + timedelta(days=days)
        earlier = await store.imports.was_read("abc", "net", "#tea", day)
        assert (earlier == EarlierReading(number, "UTC")) == is_known


async def test_a_file_that_was_read_in_part_is_not_known(store: Store) -> None:
    def broken() -> list[NewMessage]:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        await bring(store, (line for lines in (logged(TEA), broken()) for line in lines))
    assert await store.imports.was_read("tea.log", "net", "#tea") is None


async def test_the_same_command_goes_on_with_what_was_interrupted(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "USUAL", 2)
    monkeypatch.setattr(bulk, "SMALLEST", 2)
    monkeypatch.setattr(bulk, "LARGEST", 2)

    def stop(done: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await bring(store, logged(TEA), report=stop)
    assert len(messages_in(file)) == 4
    totals = await bring(store, logged(TEA))
    assert totals == ImportTotals(lines=5, added=1, known=4, offset=NONE)
    assert words_in(file) == words(TEA)
    (record,) = await store.imports.all()
    assert (record.finished, record.sources, record.lines, record.added, record.known) == (
        True, 1, 5, 5, 0,
    )  # fmt: skip
    await bring(store, logged(TEA))
    assert len(await store.imports.all()) == 2


async def test_lines_of_an_async_iterator_are_imported_too(store: Store) -> None:
    async def read() -> AsyncIterator[NewMessage]:
        for line in logged(TEA):
            await anyio.lowlevel.checkpoint()
            yield line

    number = await store.imports.begin("terrarium-mcp import -")
    assert (await add(store, number, log_of(), read())).added == 5


async def test_an_empty_log_is_imported_too(store: Store) -> None:
    assert await bring(store, []) == ImportTotals(lines=0, added=0, known=0, offset=NONE)
    assert (
        await store.imports.was_read("tea.log", "net", "#tea") is None
    )  # it may be read otherwise


async def test_a_line_that_cannot_be_stored_stops_after_those_before_it(
    store: Store, file: Path
) -> None:
    lines = logged(TEA)
    lines[3] = lines[3]._replace(said_at=datetime(2026, 5, 1, 12))  # noqa: DTZ001 -- the point
    with pytest.raises(UnstorableMessage):
        await bring(store, lines)
    assert len(messages_in(file)) == 3


async def test_clocks_that_jump_by_years_are_imported_as_they_are(store: Store, file: Path) -> None:
    moments = [NOON, NOON - timedelta(days=20_000), NOON + timedelta(days=20_000), NOON]
    jumping = [line_of("ada", f"jump {n}", at) for n, at in enumerate(moments)]
    edges = [
        line_of("ada", "first", datetime(2, 1, 1, tzinfo=UTC)),
        line_of("ada", "last", datetime(9998, 12, 31, tzinfo=UTC)),
    ]
    assert (await bring(store, logged([*jumping, *edges]))).added == 6
    assert (await bring(store, logged([*jumping, *edges]))).known == 6
    assert await differences(store) == []
    assert len(messages_in(file)) == 6


async def test_an_import_that_is_undone_while_it_runs_stops(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "USUAL", 2)
    number = await store.imports.begin("terrarium-mcp import a.log")

    async def read() -> AsyncIterator[NewMessage]:
        lines = logged(TEA)
        for line in lines[:4]:
            yield line
        await store.imports.undo(number)
        yield lines[4]

    with pytest.raises(ImportWasUndone, match=f"Import {number} was undone"):
        await add(store, number, log_of(), read())
    await store.imports.undo(number)
    assert messages_in(file) == []


async def test_lines_of_people_who_opted_out_are_counted_as_left_out(
    store: Store, file: Path
) -> None:
    await bring(store, logged(TEA[3:]), log_of("end.log"))
    await store.opt_outs.add(Identity("net", "bo", "~bo", "host.example"), NOON)
    number = await store.imports.begin("terrarium-mcp import both")
    both = [(log_of(), logged(TEA)), (log_of("mate", channel="#mate"), logged(MATE))]
    tea, mate = await store.imports.add_all(number, both)
    assert tea == ImportTotals(lines=5, added=1, known=2, offset=NONE, left_out=2)
    assert mate == ImportTotals(lines=2, added=1, known=0, offset=NONE, left_out=1)
    assert [nick for nick, _ in words_in(file)].count("bo") == 1  # of before


async def test_who_opted_out_is_followed_from_day_to_day_of_a_log_without_hosts(
    store: Store, file: Path
) -> None:
    def line(nick: str, text: str, kind: MessageType = MessageType.PRIVMSG) -> NewMessage:
        return line_of(nick, text, kind=kind)._replace(user="", host="")

    await store.opt_outs.add(Identity("net", "bo", "~bo", "host.example"), NOON)
    number = await store.imports.begin("terrarium-mcp import days")
    change, away = line("bo", "bo_away", MessageType.NICK), line("bo_away", "still me")
    days = [
        (log_of("1.log"), logged([change, away])),
        (log_of("2.log"), logged([away._replace(said_at=NOON + timedelta(days=1))])),
    ]
    first, second = await store.imports.add_all(number, days)
    assert (first.left_out, second.left_out) == (2, 1)
    assert words_in(file) == []
    assert rows_of(file, "SELECT * FROM nick_changes") == []


async def test_events_are_merged_as_lines_are(store: Store, file: Path) -> None:
    events = [
        line_of("ada", "", NOON, kind=MessageType.JOIN),
        line_of("bo", "", NOON, kind=MessageType.JOIN),
        line_of("ada", "bye", NOON + MINUTE, kind=MessageType.QUIT),
    ]
    await bring(store, logged(events))
    totals = await bring(store, logged([*events[:2], events[2]._replace(text='"bye"')]))
    assert totals.known == 3
    assert len(messages_in(file)) == 3


async def test_a_clock_that_was_wrong_is_corrected_and_named(store: Store, file: Path) -> None:
    evening = [
        line_of(("ada", "bo")[n % 2], f"sentence number {n} of this evening", NOON + n * MINUTE / 2)
        for n in range(30)
    ]
    await store.messages.append(evening[:20])
    fast = timedelta(seconds=95)
    totals = await bring(store, logged(evening, fast=fast))
    assert totals == ImportTotals(lines=30, added=10, known=20, offset=fast)
    assert words_in(file) == words(evening)
    assert said_in(file)[-1][0] == "2026-05-01 12:14:30.000"
    assert rows_of(file, "SELECT clock_offset FROM import_sources") == [(95_000,)]


async def test_a_log_of_today_is_counted_in_the_windows_of_the_day_and_the_week(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "ADVANCE_EVERY", timedelta(0))
    now = datetime.now(UTC)
    ago = [timedelta(days=9), timedelta(days=3), timedelta(hours=1)]
    await bring(store, logged([line_of("ada", f"tea {one}", now - one) for one in ago]))
    counted = "SELECT lines, last_week, last_day FROM room_counts"
    assert rows_of(file, counted) == [(3, 2, 1)]
    assert await differences(store) == []


@pytest.mark.parametrize("is_waited_for", [False, True])
async def test_whatever_a_log_holds_is_indexed_as_it_would_be_from_its_rows(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, *, is_waited_for: bool
) -> None:
    """Commands to the bot, its own lines, links, codes, events: by texts prepared beforehand.

    Where another writer waits the transaction ends before they are all indexed.
    """
    lines = [
        *TEA,
        *chat("""
            <ada> !search kettle https://tea.example/kettle
            <Terra> ada: 3 lines about the kettle
            <bo> \x02bold\x02 \x0304,07kettles\x03 \u8336\u58f6 \U0001fad6
            -bo- [link](https://tea.example/pot)
            """),
        line_of("ada", "gone for tea", kind=MessageType.QUIT),
        line_of("ada", "", kind=MessageType.JOIN),
        line_of("ada", "lone \ud800 surrogate"),
        line_of("ada", "is a cut\0 text? a question?"),
        line_of("bo", "is it this? \0 no"),
        line_of("bo", f"{'b' * 41}c {'b' * 41}d")._replace(account="bo", msgid="m1"),
        line_of("bo", "two  spaces, two two ")._replace(user="~bo", host="pot.example"),
        line_of("bo", "Bo", kind=MessageType.NICK),
        line_of("[Ada]", "hi")._replace(own=True),
        line_of("{ada}", "tea https://tea.example/kettle", kind=MessageType.TOPIC),
    ]
    monkeypatch.setattr(counters, "ADVANCE_EVERY", timedelta(0))
    if is_waited_for:
        over = iter([True])
        is_over = property(lambda _: next(over, False))
        monkeypatch.setattr(YieldingTransaction, "is_over", is_over)
    totals = await bring(store, logged(lines))
    assert totals.added == len(lines)
    assert rows_of(file, "SELECT count(*) FROM voices") == [(3,)]
    assert await differences(store) == []
    check_index(file)
    assert texts((await find(store, "kettle is:command")).messages) == [lines[5].text]
