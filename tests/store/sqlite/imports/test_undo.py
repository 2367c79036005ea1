"""An import is taken back whole: what only it had goes, and nothing shows that it was there."""

from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store import (
    Fact,
    RemovalReason,
    Store,
    UndoResult,
    UnknownImport,
    examine,
    open_store,
)
from terrarium_mcp.store.sqlite.removal import batched_delete
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    check_index,
    differences,
    find,
    line_of,
    past,
    rows_of,
    write,
)
from tests.store.sqlite.imports.logs import (
    MINUTE,
    add,
    bring,
    log_of,
    logged,
    messages_in,
    words,
    words_in,
)

RECORDED = chat("<ada> hello\n<bo> hello, see https://example.org/tea")
LOGGED = logged([*RECORDED, *chat("15:00 <cy> later: https://example.org/mate\n<cy> bye")])
DERIVED = ("room_counts", "day_counts", "hour_counts", "nick_counts", "evidence", "links", "words")


def derived_in(file: Path) -> list[list[tuple[object, ...]]]:
    return [rows_of(file, f"SELECT * FROM {table}") for table in DERIVED]  # noqa: S608 -- names


async def test_the_database_is_as_before(store: Store, file: Path) -> None:
    await store.messages.append(RECORDED)
    assert await differences(store) == []
    before, derived = messages_in(file), derived_in(file)
    rooms = await store.rooms.all()
    await bring(store, LOGGED)
    await bring(store, logged(chat("<di> yerba", channel="#mate")), log_of("mate", channel="#mate"))
    for number, result in ((1, UndoResult(removed=2, kept=2)), (2, UndoResult(removed=1, kept=0))):
        assert await store.imports.undo(number) == result
    assert messages_in(file) == before
    assert derived_in(file) == derived
    assert await store.rooms.all() == rooms
    assert (await store.spans.coverage(rooms)).spans == []
    assert await differences(store) == []
    assert (await find(store, "later")).messages == []
    check_index(file)


async def test_ids_are_not_used_again(store: Store) -> None:
    await bring(store, LOGGED)
    await store.imports.undo(1)
    assert await store.messages.append(chat("<ada> after it")) == [5]


async def test_what_another_import_has_stays_until_that_is_undone_too(
    store: Store, file: Path
) -> None:
    await bring(store, LOGGED[:3])
    await bring(store, LOGGED[1:], log_of("other.log"))
    assert await store.imports.undo(1) == UndoResult(removed=1, kept=2)
    assert words_in(file) == words(LOGGED[1:])
    assert await store.imports.undo(2) == UndoResult(removed=3, kept=0)
    assert messages_in(file) == []
    assert await differences(store) == []


async def test_lines_of_one_import_in_several_logs_go_with_it(store: Store, file: Path) -> None:
    number = await store.imports.begin("terrarium-mcp import .znc")
    for level in ("network", "user"):
        await add(store, number, log_of(level), LOGGED)
    assert await store.imports.undo(number) == UndoResult(removed=4, kept=0)
    assert messages_in(file) == []


async def test_what_another_program_appended_stays(store: Store, file: Path) -> None:
    insert = "INSERT INTO messages (timestamp, channel, nick, message) VALUES (?, ?, ?, ?)"
    write(file, insert, ["2026-05-01 12:00:00", "#tea", "ada", "hello"])
    assert await differences(store) == []
    await bring(store, LOGGED)
    assert await store.imports.undo(1) == UndoResult(removed=3, kept=1)
    assert words_in(file) == [("ada", "hello")]


async def test_private_messages_are_taken_back_too(store: Store, file: Path) -> None:
    query = logged(chat("<cy> psst\n<ada> what?", channel="cy"))
    await bring(store, query, log_of("cy", channel="cy"))
    await bring(store, query[:1], log_of("half", channel="cy"))
    assert await store.imports.undo(1) == UndoResult(removed=1, kept=1)
    assert rows_of(file, "SELECT nick, message FROM private_messages") == [("cy", "psst")]
    assert await store.imports.undo(2) == UndoResult(removed=1, kept=0)
    assert rows_of(file, "SELECT * FROM private_messages") == []


async def test_an_undo_leaves_a_row_in_the_audit_without_the_text(store: Store) -> None:
    await bring(store, LOGGED)
    await store.imports.undo(1)
    (entry,) = await store.removal.audit()
    assert (entry.why, entry.messages) == (RemovalReason.UNDO, 4)
    assert entry.asked_by == "import --undo"
    (record,) = await store.imports.all()
    assert record.undone_at is not None
    assert (record.lines, record.added) == (4, 4)


async def test_an_interrupted_undo_is_continued(store: Store, file: Path) -> None:
    await store.messages.append(RECORDED)
    await bring(store, past(1_000))
    told: list[int] = []

    def stop(done: int) -> None:
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await store.imports.undo(1, stop)
    assert len(messages_in(file)) == 1_002 - told[0] > 2
    assert await store.imports.was_read("tea.log", "net", "#tea") is None
    assert [one.is_partly_undone for one in await store.imports.all()] == [True]
    assert (await store.imports.undo(1)).removed == 1_000 - told[0]
    assert [one.is_partly_undone for one in await store.imports.all()] == [False]
    assert words_in(file) == words(RECORDED)
    assert await store.imports.undo(1) == UndoResult(removed=0, kept=0, again=True)
    assert await differences(store) == []


@pytest.mark.parametrize("is_known_elsewhere", [True, False])
async def test_an_interrupted_undo_of_private_messages_is_known_by_what_is_left(
    store: Store, monkeypatch: pytest.MonkeyPatch, *, is_known_elsewhere: bool
) -> None:
    monkeypatch.setattr(batched_delete, "ROWS_PER_TRANSACTION", (2, 2, 2))
    query = logged(chat("<cy> psst\n<ada> what?\n<cy> nothing", channel="cy"))
    await bring(store, query, log_of("cy", channel="cy"))
    if is_known_elsewhere:
        await bring(store, query[2:], log_of("end", channel="cy"))

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await store.imports.undo(1, stop)
    (first, *_) = await store.imports.all()
    assert first.undone_at
    assert first.is_partly_undone is not is_known_elsewhere


async def test_an_interrupted_undo_is_finished_before_another_import(
    store: Store, file: Path
) -> None:
    await bring(store, past(1_000))

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await store.imports.undo(1, stop)
    assert [one for one in examine(file, NOON)[0].facts if one.name == "undo of import 1"] == [
        Fact(
            "undo of import 1",
            "not finished, unless it runs now: run terrarium-mcp import --undo 1 again",
            wrong=True,
        )
    ]
    await store.imports.finish_undos()
    assert messages_in(file) == []
    assert not [one for one in examine(file, NOON)[0].facts if "undo" in one.name]
    assert (await bring(store, past(1_000))).added == 1_000


async def test_an_import_that_does_not_exist_is_named(store: Store) -> None:
    with pytest.raises(UnknownImport, match="no import 7"):
        await store.imports.undo(7)


async def test_the_same_log_can_be_imported_once_more(store: Store, file: Path) -> None:
    await bring(store, LOGGED)
    await store.imports.undo(1)
    assert (await bring(store, LOGGED)).added == 4
    assert words_in(file) == words(LOGGED)
    assert await store.imports.undo(2) == UndoResult(removed=4, kept=0)


async def test_what_an_import_recognises_during_an_undo_stays(store: Store, file: Path) -> None:
    await bring(store, past(3_000))
    began = anyio.Event()

    async def bring_again() -> None:
        await began.wait()
        await bring(store, past(3_000), log_of("again.log"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bring_again)
        await store.imports.undo(1, lambda _: began.set())
    assert sorted(words_in(file)) == words([*past(3_000)])
    assert await differences(store) == []


async def test_a_room_in_which_we_are_stays(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await bring(store, LOGGED)
    await store.imports.undo(1)
    assert [room.channel for room in await store.rooms.all()] == ["#tea"]
    ((span,),) = [(await store.spans.coverage(await store.rooms.all())).spans]
    assert span.source == ""


async def test_a_live_line_said_after_an_import_stays(store: Store, file: Path) -> None:
    await bring(store, LOGGED)
    await store.messages.append([line_of("bo", "now", NOON + 600 * MINUTE, origin=Origin.LIVE)])
    await bring(store, past(3), log_of("old.log"))
    assert (await store.imports.undo(1)).removed == 4
    assert ("bo", "now") in words_in(file)
    assert await differences(store) == []


async def test_an_undo_survives_the_end_of_its_process(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await bring(store, LOGGED)
    async with open_store(file, SETTINGS) as store:
        assert await store.imports.undo(1) == UndoResult(removed=4, kept=0)
        assert await differences(store) == []
