"""A redacted line is a tombstone: its nick and time remain, its text is nowhere."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from terrarium_mcp.chat.quoted_lines import message_reference
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.chat.transcript import RenderOptions, as_json, dated_line, line_of
from terrarium_mcp.store import AuditEntry, RemovalReason, Store, open_store
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from tests.store.scene import (
    NOON,
    SETTINGS,
    chat,
    check_index,
    differences,
    find,
    redact,
    room,
    rows_of,
    texts,
    write,
)

LATER = datetime(2026, 6, 1, tzinfo=UTC)
SHOWN = RenderOptions(zone=UTC, budget=1000)


async def test_a_redacted_line_is_a_tombstone_and_no_search_finds_it(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> the zwiebel is out\n<bo> what?\n<ada> tea"))
    assert await redact(store, 1, LATER)
    page = await store.messages.newest([await room(store)], 10)
    assert line_of(page.messages[0], SHOWN) == "1 12:00 <ada> (removed)"
    told = as_json(page.messages[0])
    assert (told["removed"], told["text"]) == (True, "")
    for query in ("zwiebel", "zwie*", "from:ada zwiebel", '"the zwiebel"', "wiebe"):
        assert 1 not in [message.id for message in (await find(store, query)).messages]
    assert texts((await find(store, "from:ada")).messages) == ["tea"]
    assert rows_of(file, "SELECT message, redacted_at FROM messages WHERE id = 1") == [
        ("", to_text(LATER))
    ]
    assert await differences(store) == []
    check_index(file)


async def test_a_line_is_redacted_by_its_msgid_where_it_was_said(store: Store) -> None:
    (line,) = chat("<ada> oops")
    await store.messages.append(
        [
            line._replace(msgid="x1"),
            line._replace(msgid="x1", channel="#mate"),
            line._replace(msgid="x1", network="other"),
        ]
    )
    for network, channel, msgid, found in [
        ("net", "#TEA", "x2", False),
        ("net", "#coffee", "x1", False),
        ("net", "#TEA", "x1", True),
        ("net", "#tea", "x1", False),  # it is gone already
    ]:
        assert (
            await store.removal.redact(network, channel, msgid, asked_by="op", at=LATER) is found
        ), (network, channel, msgid)
    assert [m.id for m in (await find(store, "oops")).messages] == [3, 2]


async def test_a_redaction_leaves_an_audit_row_without_the_text(store: Store) -> None:
    await store.messages.append(chat("<ada> oops\n<bo> hm"))
    assert not await redact(store, 7)
    assert await store.removal.audit() == []
    await redact(store, 1, LATER)
    assert await store.removal.audit() == [
        AuditEntry(
            at=LATER,
            why=RemovalReason.REDACTION,
            asked_by="ada",
            network="net",
            nick="ada",
            messages=1,
        )
    ]


async def test_what_is_rebuilt_does_not_hold_a_redacted_line(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> zwiebel https://zwiebel.example\n<bo> tea"))
    await redact(store, 1)
    async with store._database.writing() as writer:  # noqa: SLF001
        for one in DERIVED:
            await one.clear(writer)
        await writer.run("UPDATE derived SET upto = 0 WHERE name != 'messages'")
    assert (await find(store, "zwiebel")).messages == []
    assert await store.links.find([await room(store)], 10) == []
    await store._indexer.catch_up()  # noqa: SLF001 -- a read brings up to date only what it reads
    assert await differences(store) == []
    check_index(file)
    async with store._database.writing() as writer:  # noqa: SLF001
        await writer.run("INSERT INTO message_index (message_index) VALUES ('rebuild')")
    assert (await find(store, "zwiebel")).messages == []
    check_index(file)


async def test_a_line_that_a_structure_has_not_taken_in_yet_can_be_redacted(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two https://mate.example"))
    async with store._database.writing() as writer:  # noqa: SLF001
        for one in DERIVED:
            await one.clear(writer)
        await writer.run("UPDATE derived SET upto = 0 WHERE name != 'messages'")
    await redact(store, 2)
    await store.messages.append(chat("<cy> three"))
    await store._indexer.catch_up()  # noqa: SLF001 -- as the keeper does
    assert await differences(store) == []
    check_index(file)
    assert (await find(store, "two")).messages == []


async def test_the_last_line_may_go_before_it_is_counted_and_the_one_before_it_too(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> one\n<ada> two\n<bo> three"))
    await store._indexer.catch_up()  # noqa: SLF001 -- as the keeper does
    await store.messages.append(chat("<ada> four", at=NOON + timedelta(hours=1)))
    for number in (3, 2, 4):
        await redact(store, number)
    assert await differences(store) == []
    check_index(file)


async def test_a_line_of_another_program_can_be_redacted_before_it_is_indexed(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> one"))
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'bo', 'zwiebel')")
    ((number,),) = rows_of(file, "SELECT id FROM messages WHERE nick = 'bo'")
    await redact(store, number)
    assert (await find(store, "zwiebel")).messages == []
    assert await differences(store) == []


async def test_playback_does_not_bring_a_redacted_line_back(store: Store) -> None:
    (line,) = chat("<ada> oops")
    await store.messages.append([line._replace(msgid="x1"), line._replace(text="hm", msgid="")])
    await redact(store, 1)
    await redact(store, 2)
    again = [line._replace(msgid="x1", origin=Origin.PLAYBACK)]
    again.append(line._replace(text="hm", msgid="", origin=Origin.PLAYBACK))
    assert await store.messages.append(again) == [0, 0]


async def test_a_redacted_line_leaves_the_backlog_too(store: Store) -> None:
    zwiebel, hm = chat("<ada> zwiebel\n<bo> hm")
    await store.messages.append([zwiebel._replace(msgid="x1"), hm])
    page = await store.messages.newest([await room(store)], 20)
    lines = [line_of(message, SHOWN) for message in page.messages]
    one, _ = await store.backlog.create("title", "what", about={"author": "bo"}, lines=lines)
    assert await store.removal.redact("net", "#tea", "x1", asked_by="ada", at=LATER)
    left = await store.backlog.read(one.filename)
    assert "zwiebel" not in left
    assert "    2 12:01 <bo> hm" in left


async def test_a_redacted_line_leaves_the_words_of_an_idea_too(store: Store) -> None:
    said, answer = chat("<ada> zwiebel\n<bo> hm")
    await store.messages.append([said._replace(msgid="hers"), answer])
    page = await store.messages.newest([await room(store)], 20)
    hers, his = (dated_line(message, SHOWN) for message in page.messages)
    summary = f"As in:\n- {hers}\n- {his}\nlast spoke {hers}"
    one, _ = await store.backlog.create("title", summary, about={"author": "bo"}, lines=())
    await store.removal.redact(said.network, said.channel, "hers", asked_by="ada", at=NOON)
    left = await store.backlog.read(one.filename)
    assert "zwiebel" not in left
    assert f"As in:\n- {his}\n" in left


async def test_a_quoted_line_names_who_said_it(store: Store) -> None:
    await store.messages.append(chat("<ada> <bo> hi\n* ada waves\n-ada- psst"))
    page = await store.messages.newest([await room(store)], 20)
    for setting in (SHOWN, replace(SHOWN, rooms_named=True)):
        for message in page.messages:
            found = message_reference("    " + line_of(message, setting))
            assert found
            assert (found.id, found.nick) == (message.id, "ada")
    assert message_reference("    1. the <b>list</b>") is None


async def test_what_is_removed_is_overwritten_whatever_sqlite_does_otherwise(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> hm", at=NOON - timedelta(days=1)))
        async with store._database.writing() as writer:  # noqa: SLF001 -- the connection that removes
            assert await writer.value("PRAGMA secure_delete") == 1
