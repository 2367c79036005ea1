"""The archive: whole rows go out, and come back as they were."""

import resource
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import MessageType, Origin
from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.logformats.jsonl import JsonlHead, jsonl_end, jsonl_head, jsonl_line, read_jsonl
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import (
    ArchivedMessage,
    ArchiveRecord,
    NotRestorable,
    PurgeTarget,
    Search,
    Sort,
    Store,
    StoreFailed,
    open_store,
)
from terrarium_mcp.store.sqlite.archive import reading
from tests.patience import PATIENCE
from tests.samples.terrarium_irc import make
from tests.store.children import child
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    differences,
    find,
    line_of,
    past,
    room,
    rows_of,
    texts,
    write,
)
from tests.store.sqlite.imports.logs import bring

KEPT = ("messages", "private_messages", "spans", "rooms", "networks")
FIGURES = (
    "day_counts", "hour_counts", "nick_counts", "nick_changes", "evidence", "urls", "links",
    "topics", "words", "voices",
)  # fmt: skip


def dump(file: Path, tables: Iterable[str]) -> dict[str, list[tuple[object, ...]]]:
    """The rows of tables, in any order."""
    return {
        table: sorted(rows_of(file, f"SELECT * FROM {table}"), key=repr)  # noqa: S608 -- ours
        for table in tables
    }


async def whole_search(store: Store, query: str = "") -> Search:
    return Search(query=parse_query(query), rooms=await store.rooms.all(), limit=1)


async def messages(store: Store, query: str = "") -> list[ArchivedMessage]:
    """The messages that an export of a query holds."""
    pages = store.archive.messages(await whole_search(store, query), roomless=not query)
    return [message async for page in pages for message in page]


async def exported(store: Store) -> list[bytes]:
    """A whole export as JSON Lines."""
    rooms = await store.rooms.all()
    records: list[ArchiveRecord] = [
        *await store.archive.rooms(rooms),
        *await store.archive.spans(rooms),
    ]
    said: list[ArchiveRecord] = [
        *await messages(store),
        *[one async for page in store.archive.private_messages() for one in page],
    ]
    head = jsonl_head(JsonlHead(NOON, "a scene"))
    body = [jsonl_line(one, with_hosts=True) for one in (*records, *said)]
    return [line.encode() for line in (head, *body, jsonl_end(len(said)))]


async def remember(store: Store) -> None:
    """A history with everything: a past that was imported late, events, a gap, a redaction."""
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.messages.append(chat("<ada> tea at four http://tea.example/\n<bo> no\n* bo waves"))
    await store.messages.append([*past(2_500)])
    await store.messages.append(chat("<old> how it was", origin=Origin.PLAYBACK, at=NOON))
    later = NOON + timedelta(hours=1)
    await store.messages.append(
        [
            line_of("ada", "", later, kind=MessageType.JOIN),
            line_of("ada", "lady", later, kind=MessageType.NICK),
            line_of("lady", "bo spam", later, kind=MessageType.KICK),
            line_of("lady", "tea | mate", later, kind=MessageType.TOPIC),
            line_of("lady", "told", later)._replace(account="ada", msgid="m1", reply_to="m0"),
            line_of("lady", "secret", later)._replace(msgid="m2"),
            line_of("Terra", "I am a bot", later)._replace(own=True, bot=True),
            line_of("ada", "between us", later, channel="bo"),
            line_of("x", "\N{TEAPOT} caf\xe9", later, channel="#TEA")._replace(network="other"),
        ]
    )
    await store.removal.redact("net", "#tea", "m2", asked_by="lady", at=later)
    await store.removal.purge(PurgeTarget("old"), asked_by="a scene", at=later)
    await store.spans.end("net", "#tea", later, "left")
    await store.spans.add_foreign("net", "#mate", NOON - timedelta(days=9), NOON, "weechat")


@pytest.fixture(scope="module")
async def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with everything, to be copied by each test that reads it."""
    file = tmp_path_factory.mktemp("remembered") / "irc_logs.db"
    async with open_store(file, SETTINGS) as store:
        await remember(store)
        assert await differences(store) == []
    return file


@pytest.fixture(scope="module")
async def lines(remembered: Path) -> list[bytes]:
    """An export of it."""
    async with open_store(remembered, SETTINGS) as store:
        return await exported(store)


@pytest.fixture
async def history(remembered: Path, file: Path) -> AsyncIterator[Store]:
    shutil.copyfile(remembered, file)
    async with open_store(file, SETTINGS) as store:
        yield store


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "empty.db", SETTINGS) as store:
        yield store


async def test_an_export_restored_elsewhere_is_the_same_history(
    history: Store, lines: list[bytes], empty: Store
) -> None:
    totals = await empty.archive.restore_exactly(read_jsonl(lines))
    assert (totals.messages, totals.known, totals.spans, totals.private) == (2_511, 0, 2, 1)
    assert await differences(empty) == await differences(history) == []
    assert dump(empty.path, KEPT) == dump(history.path, KEPT)
    assert dump(empty.path, FIGURES) == dump(history.path, FIGURES)
    now = datetime.now(UTC)
    for one in await history.rooms.all():
        before = await history.stats.for_room(one, until=EVERY_LINE, now=now)
        assert await empty.stats.for_room(one, until=EVERY_LINE, now=now) == before
        assert before.lines
    assert texts((await find(empty, "waves")).messages) == ["waves"]


async def test_an_adopted_history_with_its_gaps_is_restored_too(
    tmp_path: Path, empty: Store
) -> None:
    rows = [
        ("2025-11-05 14:23:00.123456", "#tea", "ada", "~ada", "host.example", "hi", "PRIVMSG"),
        ("2025-11-05 14:24:00.123456", "#tea", "bo", None, None, "\x01ACTION nods\x01", "PRIVMSG"),
        ("2025-11-05 14:25:00.123456", None, "cy", None, None, "lost", None),
        (None, "#Tea", None, None, None, None, "JOIN"),
    ]
    file = make(tmp_path / "old.db", rows)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        lines = await exported(store)
        assert await differences(store) == []
    assert len(lines) > len(rows)
    await empty.archive.restore_exactly(read_jsonl(lines))
    assert dump(empty.path, ("messages", "spans")) == dump(file, ("messages", "spans"))


async def test_a_restoration_that_was_interrupted_is_completed_by_repeating_it(
    history: Store, lines: list[bytes], empty: Store
) -> None:

    def stop(done: int) -> None:
        if done >= 1_000:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        await empty.archive.restore_exactly(read_jsonl(lines), stop)
    assert len(rows_of(empty.path, "SELECT id FROM messages")) == 1_000
    totals = await empty.archive.restore_exactly(read_jsonl(lines))
    assert (totals.messages, totals.known) == (1_511, 1_000)
    again = await empty.archive.restore_exactly(read_jsonl(lines))
    assert (again.messages, again.known) == (0, 2_511)
    assert await differences(empty) == []
    assert dump(empty.path, KEPT) == dump(history.path, KEPT)


@pytest.mark.parametrize("strange", ["<eve> somebody else\n" * 2, "<eve> longer\n" * 3_000])
async def test_a_database_with_other_messages_is_left_alone(
    lines: list[bytes], empty: Store, strange: str
) -> None:
    await empty.messages.append(chat(strange))
    before = dump(empty.path, ("messages", "rooms", "spans"))
    with pytest.raises(NotRestorable, match="without messages"):
        await empty.archive.restore_exactly(read_jsonl(lines))
    after = dump(empty.path, ("messages", "rooms", "spans"))
    assert after["messages"] == before["messages"]
    assert after["spans"] == before["spans"]


@pytest.mark.parametrize("number", [1, 1_800, 2_513, 9_999])
async def test_another_message_is_noticed_before_anything_is_written(
    lines: list[bytes], empty: Store, number: int
) -> None:
    write(
        empty.path,
        "INSERT INTO messages (id, timestamp, network, channel, nick, message)"
        " VALUES (?, '2026-05-01 12:00:00.000', 'net', '#tea', 'eve', 'mine')",
        [number],
    )
    with pytest.raises(NotRestorable):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert rows_of(empty.path, "SELECT id FROM messages") == [(number,)]
    assert rows_of(empty.path, "SELECT id FROM spans") == []


async def test_private_messages_of_others_are_not_mixed_with_them(
    lines: list[bytes], empty: Store
) -> None:
    await empty.messages.append(chat("<eve> psst", channel="dan"))
    with pytest.raises(NotRestorable):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert rows_of(empty.path, "SELECT nick FROM private_messages") == [("eve",)]


async def test_the_spans_of_a_recorder_that_has_heard_nothing_yet_stay(
    history: Store, lines: list[bytes], empty: Store
) -> None:
    await empty.spans.begin("net", "#other", NOON, "joined")
    await empty.archive.restore_exactly(read_jsonl(lines))
    sql = "SELECT channel, began, source FROM spans JOIN rooms ON rooms.id = room ORDER BY began"
    assert sorted(rows_of(empty.path, sql)) == sorted(
        [*rows_of(history.path, sql), ("#other", "2026-05-01 12:00:00.000", "")]
    )
    assert await differences(empty) == []


async def test_an_export_is_not_restored_under_ids_that_were_used_before(
    lines: list[bytes], empty: Store
) -> None:
    """The watermarks hold those ids: no index would look at them again."""
    await bring(empty, chat("<eve> gone tomorrow"))
    await empty.imports.undo(1)
    with pytest.raises(NotRestorable, match="never held a message"):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert dump(empty.path, ("messages", "spans")) == {"messages": [], "spans": []}


async def test_a_message_that_was_purged_after_a_restoration_does_not_come_back(
    lines: list[bytes], empty: Store
) -> None:
    await empty.archive.restore_exactly(read_jsonl(lines))
    await empty.removal.purge(PurgeTarget("lady"), asked_by="a scene", at=NOON)
    before = dump(empty.path, ("messages",))
    with pytest.raises(NotRestorable, match="had their lines removed"):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert dump(empty.path, ("messages",)) == before


@pytest.mark.parametrize("is_over", [False, True])
async def test_nothing_is_restored_past_somebody_who_opted_out(
    lines: list[bytes], empty: Store, is_over: bool
) -> None:
    ada = Identity("net", "ada", "ada", "host.example", "")
    await empty.opt_outs.add(ada, NOON)
    if is_over:
        await empty.opt_outs.remove(ada, NOON + timedelta(hours=1))
    with pytest.raises(NotRestorable, match="opted out"):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert dump(empty.path, ("messages",)) == {"messages": []}


async def test_nothing_is_restored_past_somebody_who_had_their_lines_removed(
    lines: list[bytes], empty: Store
) -> None:
    said = line_of("ada", "forget me")
    ada = Identity("net", "ada", said.user, said.host, "")
    await empty.messages.append([said])
    await empty.removal.purge(PurgeTarget("ada", "net", ada), asked_by="ada", at=NOON)
    with pytest.raises(NotRestorable, match="had their lines removed"):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert dump(empty.path, ("messages",)) == {"messages": []}


async def test_nothing_is_restored_past_the_purge_of_a_nick(
    lines: list[bytes], empty: Store
) -> None:
    """Also where no id was used: private messages have their own."""
    await empty.messages.append(chat("<lady> between us", channel="bo"))
    await empty.removal.purge(PurgeTarget("lady"), asked_by="a scene", at=NOON)
    with pytest.raises(NotRestorable, match="had their lines removed"):
        await empty.archive.restore_exactly(read_jsonl(lines))
    assert dump(empty.path, ("messages",)) == {"messages": []}


async def test_two_exports_in_one_are_refused_before_anything_is_written(
    lines: list[bytes], empty: Store
) -> None:
    records = [*read_jsonl(lines), *read_jsonl(lines)]
    with pytest.raises(NotRestorable, match="same id"):
        await empty.archive.restore_exactly(records)
    assert dump(empty.path, ("messages", "rooms")) == {"messages": [], "rooms": []}


async def test_a_full_temporary_folder_is_named_and_nothing_is_restored(
    lines: list[bytes], empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    records = [
        one._replace(message="tea " * 1_000) if isinstance(one, ArchivedMessage) else one
        for one in read_jsonl(lines)
    ]
    with files_no_larger_than(1_000_000), pytest.raises(StoreFailed) as refused:
        await empty.archive.restore_exactly(records)
    assert str(tmp_path) in str(refused.value)
    assert "name another folder with SQLITE_TMPDIR" in str(refused.value)
    assert dump(empty.path, ("messages", "rooms")) == {"messages": [], "rooms": []}
    assert (await empty.archive.restore_exactly(records)).messages == 2_511


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """A disk with so much room for each file."""
    _, hard = unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)


async def test_messages_come_by_time_however_late_they_were_stored(history: Store) -> None:
    said = [(one.timestamp, one.id) for one in await messages(history)]
    assert said == sorted(said)
    assert len(said) > reading.PAGE
    assert {one[1] for one in said} == {
        row[0] for row in rows_of(history.path, "SELECT id FROM messages")
    }


async def test_lines_that_come_during_an_export_are_not_in_it_and_are_not_kept_waiting(
    history: Store,
) -> None:
    pages = history.archive.messages(await whole_search(history))
    first = await anext(pages)
    with anyio.fail_after(PATIENCE):
        await history.messages.append(chat("<eve> meanwhile", at=NOON + timedelta(hours=2)))
    rest = [one async for page in pages for one in page]
    assert len(first) == reading.PAGE
    assert "meanwhile" not in {one.message for one in rest}
    assert len([*first, *rest]) + 1 == len(await messages(history))


async def test_between_two_pages_nothing_keeps_the_wal_from_being_emptied(history: Store) -> None:
    pages = history.archive.messages(await whole_search(history))
    await anext(pages)
    with closing(sqlite3.connect(history.path)) as other, anyio.fail_after(PATIENCE):
        while other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            await anyio.lowlevel.checkpoint()  # the keeper's own checkpoint is at work, and ends
    assert [one async for page in pages for one in page]


async def test_a_redacted_message_is_a_tombstone_without_its_text(history: Store) -> None:
    [stone] = [one for one in await messages(history) if one.redacted_at]
    assert (stone.nick, stone.msgid, stone.message) == ("lady", "m2", "")


@pytest.mark.parametrize(
    ("row", "left"),
    [
        (("net", "", "ada", "~ada@host.example"), False),
        (("net", "", "ada", "~other@elsewhere"), True),
        (("other", "", "ada", "~ada@host.example"), True),
        (("net", "ADA", "somebody", ""), False),
    ],
)
async def test_nothing_of_people_who_opted_out_is_exported(
    store: Store, row: tuple[str, ...], left: bool
) -> None:
    said = line_of("Ada", "tea at four")._replace(user="~ada", account="ada" if row[1] else "")
    await store.messages.append([said, line_of("bo", "no tea")])
    write(store.path, "INSERT INTO opt_outs VALUES (?, ?, ?, ?, 'Ada', '2026')", row)
    for query in ("", "tea"):
        assert ("Ada" in {one.nick for one in await messages(store, query)}) is left
        assert "bo" in {one.nick for one in await messages(store, query)}


async def test_a_nick_decides_where_a_line_shows_neither_account_nor_host(store: Store) -> None:
    said = line_of("ada", "hi")._replace(user="", host="")
    await store.messages.append([said, line_of("ada", "private")._replace(channel="bo")])
    write(
        store.path, "INSERT INTO opt_outs VALUES ('net', '', 'ada', '~ada@host.example', 'ada', '')"
    )
    assert await messages(store) == []
    assert [page async for page in store.archive.private_messages()] == []


async def test_what_is_done_to_people_who_opted_out_is_exported_without_their_name(
    store: Store,
) -> None:
    modes = line_of("bo", "+oo ada cy")._replace(kind=MessageType.MODE)
    kick = line_of("bo", "ada out")._replace(kind=MessageType.KICK)
    await store.messages.append([modes, kick])
    write(
        store.path, "INSERT INTO opt_outs VALUES ('net', '', 'ada', '~ada@host.example', 'ada', '')"
    )
    assert [one.message for one in await messages(store)] == ["+oo * cy"]


async def test_why_a_record_ended_is_exported_without_people_who_opted_out(store: Store) -> None:
    for kicker in ("ada", "bo"):
        await store.spans.begin("net", "#tea", NOON, "joined")
        await store.spans.end("net", "#tea", NOON, f"kicked by {kicker}: enough of you")
    await store.opt_outs.add(Identity("net", "ada", "~ada", "host.example"), NOON)
    spans = await store.archive.spans(await store.rooms.all())
    assert [span.why_ended for span in spans] == [
        "the channel was left",
        "kicked by bo: enough of you",
    ]


@pytest.mark.parametrize(
    "query",
    ["tea", '"tea number"', "from:cy number", "tea -number", "has:link", "type:topic", "from:ada",
     "tea OR told", "number after:2004-01-15 before:2004-03"],
)  # fmt: skip
async def test_a_query_selects_what_a_search_for_all_its_words_finds(
    history: Store, query: str
) -> None:
    found, cursor = list[int](), None
    search = replace(await whole_search(history, query), limit=100, sort=Sort.OLDEST)
    while True:
        hits = await history.search(replace(search, cursor=cursor), "question")
        found += [message.id for message in hits.messages]
        cursor = hits.next
        if cursor is None:
            break
    assert [one.id for one in await messages(history, query)] == found
    assert found


async def test_times_and_channels_select_events_too(history: Store) -> None:
    tea = await room(history)
    search = Search(query=parse_query("after:2026"), rooms=[tea], limit=1)
    pages = [page async for page in history.archive.messages(search)]
    kinds = {one.message_type for page in pages for one in page}
    assert {"JOIN", "NICK", "KICK", "TOPIC", "PRIVMSG", "ACTION"} <= kinds
    assert {one.channel for page in pages for one in page} == {"#tea"}
    assert all(one.timestamp >= "2026" for page in pages for one in page)


async def test_another_process_records_while_an_export_is_read(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([*past(6_000)])
        async with child("say", file, 1) as recorder:
            await recorder.go()
            await recorder.says()
            heard = 0
            async for _ in store.archive.messages(await whole_search(store)):
                await recorder.says(within=5)
                heard += 1
        assert heard >= 3


async def test_settings_of_the_reader_do_not_change_what_is_restored(
    history: Store, lines: list[bytes], tmp_path: Path
) -> None:
    async with open_store(tmp_path / "b.db", Settings(network="elsewhere")) as other:
        await other.archive.restore_exactly(read_jsonl(lines))
        assert dump(other.path, ("messages",)) == dump(history.path, ("messages",))
