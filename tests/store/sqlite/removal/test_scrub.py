"""After a thorough purge the person's lines are in no byte of any file."""

import json
import random
import sqlite3
import string
import threading
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.transcript import RenderOptions, line_of
from terrarium_mcp.store import (
    CleanedFile,
    DialoguePlace,
    FileInUse,
    NotEnoughDisk,
    PurgeTarget,
    Store,
    ToolStep,
    TurnState,
    check_unused,
    open_store,
    scrub,
)
from terrarium_mcp.store.sqlite.engine.files import bytes_of
from terrarium_mcp.store.sqlite.removal import scrub as scrubbing
from terrarium_mcp.store.sqlite.schema import APPLICATION_ID
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.store.dialogues import ADA as COUNTESS
from tests.store.dialogues import BO, TEA, put, summary, turn
from tests.store.scene import NOON, SETTINGS, check_index, differences, dump_of, find, rows_of
from tests.store.scene import line_of as heard

ADA = PurgeTarget("ada")
LATER = datetime(2026, 6, 1, tzinfo=UTC)


def markers(count: int, seed: int) -> list[str]:
    """Words that stand nowhere else, as different as can be: an index shortens what is alike."""
    chance = random.Random(seed)  # noqa: S311 -- the same words every time
    return ["".join(chance.choices(string.ascii_lowercase, k=16)) for _ in range(count)]


HERS, HIS = markers(300, 1), markers(300, 2)
ASKED, ANSWERED, SUMMARISED = markers(3, 4)
KEPT = markers(2, 5)
"""In a question of bo's that rests on no line of hers, and the answer to it."""


def told(word: str) -> str:
    """A line of hers."""
    return f"{word} https://{word}.example"


def found_in(folder: Path, words: Iterable[str]) -> dict[str, int]:
    """How many of these words stand in which file, each but for its first letters."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    counts = {}
    for file in files:
        held = file.read_bytes().lower()
        counts[file.name] = sum(word[4:].encode() in held for word in words)
    return {name: count for name, count in counts.items() if count}


async def purge(file: Path, *, copies: bool = False) -> tuple[CleanedFile, ...]:
    """Everything that `terrarium-mcp purge --thorough` does, with or without --copies."""
    async with open_store(file, SETTINGS) as store:
        cleaned = (await store.removal.terrarium_irc.purge(ADA)).cleaned if copies else ()
        await store.removal.purge(ADA, asked_by="ada", at=LATER)
    await scrub(file)
    return cleaned


async def lived_in(file: Path) -> None:
    """A history in which ada and bo talk, that was written to, purged from and quoted."""
    lines = []
    for n, (hers, his) in enumerate(zip(HERS, HIS, strict=True)):
        at = NOON + timedelta(minutes=n)
        kind = (MessageType.PRIVMSG, MessageType.ACTION, MessageType.TOPIC, MessageType.NOTICE)[
            n % 4
        ]
        place = "Terra" if n % 7 == 0 else "#tea"
        lines.append(heard("Ada", told(hers), at, place, kind))
        lines.append(heard("bo", f"{his} tea", at, "#tea", kind))
    async with open_store(file, SETTINGS) as store:
        for first in range(0, len(lines), 50):
            await store.messages.append(lines[first : first + 50])
        (tea,) = [one for one in await store.rooms.all() if one.channel == "#tea"]
        page = await store.messages.newest([tea], 20)
        talk = [line_of(message, RenderOptions(zone=UTC, budget=1)) for message in page.messages]
        await store.backlog.create("idea", "x", about={"author": "bo"}, lines=talk)


async def talked_to(store: Store) -> None:
    """Dialogues in which she asked, in which a line of hers was read, and in which neither was."""
    for place in (TEA, DialoguePlace("net", person=f"user@host ~ada@{HERS[0]}.example")):
        asker = COUNTESS._replace(host=f"{HERS[0]}.example", account=HERS[1])
        asked = turn(1, asker=asker, question=told(ASKED), state=TurnState.OPEN)
        steps = (ToolStep(1, "search_irc_history", f'{{"query": "{HERS[2]}"}}', HERS[3]),)
        read = turn(2, asker=BO, steps=steps, answer=told(ANSWERED), sources=frozenset((1, 3)))
        await put(store, asked, replace(asked, answer=HERS[4], state=TurnState.DONE), place=place)
        await put(store, read, turn(3, asker=BO, question=KEPT[0], answer=KEPT[1]), place=place)
        made = replace(summary(1, 3), text=f"{SUMMARISED} and {KEPT[0]}")
        await store.dialogues.put_window(place, 1, made)


async def test_nothing_is_left_in_any_byte_and_everybody_else_is(file: Path) -> None:
    await lived_in(file)
    async with open_store(file, SETTINGS) as store:
        await talked_to(store)
    said_by_the_bot = [ASKED, ANSWERED, SUMMARISED, *KEPT]
    assert found_in(file.parent, said_by_the_bot)[file.name] == 5
    before = found_in(file.parent, HERS)
    assert before[file.name] == 300
    assert len(before) == 2  # the database, and the idea
    await purge(file)
    assert found_in(file.parent, [*HERS, ASKED, ANSWERED, SUMMARISED]) == {}
    assert found_in(file.parent, HIS)[file.name] == 300
    assert found_in(file.parent, KEPT)[file.name] == 2
    async with open_store(file, SETTINGS) as store:
        assert len((await find(store, "tea", limit=500)).messages) == 225  # and 75 topics
        assert await differences(store) == []
    check_index(file)


def deleted_by_hand(file: Path, word: str) -> None:
    """A row that some other program deleted, one that does not overwrite what it deletes."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("PRAGMA secure_delete=OFF")
        row = db.execute("INSERT INTO messages (nick, message) VALUES ('Ada', ?)", [word])
        db.execute("DELETE FROM messages WHERE id = ?", [row.lastrowid])


async def test_what_was_once_deleted_by_hand_is_gone_too(file: Path) -> None:
    (before, after) = markers(2, 3)
    sample.make(file, 10)
    deleted_by_hand(file, before)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
    deleted_by_hand(file, after)
    assert set(found_in(file.parent, [before])) == {"irc_logs.before-v1.db"}
    assert set(found_in(file.parent, [after])) == {file.name}
    await purge(file, copies=True)
    assert found_in(file.parent, [before, after]) == {}


async def test_ids_and_the_settings_of_the_file_survive_a_scrub(
    file: Path,
) -> None:
    await lived_in(file)
    ((newest,),) = rows_of(file, "SELECT max(id) FROM messages")
    await purge(file)
    kept = [rows_of(file, f"PRAGMA {name}") for name in ("page_size", "journal_mode")]
    assert kept == [[(4096,)], [("wal",)]]
    assert rows_of(file, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert rows_of(file, "PRAGMA integrity_check") == [("ok",)]
    assert rows_of(file, "SELECT min(id), max(id) FROM messages") == [(2, newest)]
    async with open_store(file, SETTINGS) as store:
        assert await store.messages.append([heard("bo", "later", LATER)]) == [newest + 1]


async def adopted(file: Path) -> None:
    """terrarium-irc's database, with lines of ada and of bo in all its tables, taken over."""
    began = datetime(2025, 11, 5, tzinfo=UTC)
    rows: list[sample.Row] = []
    for n, (hers, his) in enumerate(zip(HERS, HIS, strict=True)):
        at, place = sample.local(began + timedelta(minutes=n)), sample.BOT if n % 7 == 0 else "#tea"
        text = f"\x01ACTION {hers} pours\x01" if n % 5 == 0 else told(hers)
        rows += [
            (at, place, "Ada", "~ada", "host.example", text, "PRIVMSG"),
            (at, "#tea", "bo", "~bo", "host.example", f"{his} tea", "PRIVMSG"),
        ]
    sample.make(file, rows)
    with closing(sqlite3.connect(file)) as db, db:
        db.executemany(
            "INSERT INTO conversation_history (channel, role, content) VALUES ('#tea', ?, ?)",
            [
                ("user", f"ada: {HERS[0]}?"),
                ("assistant", f"Somebody said {told(HERS[1])}"),
                ("tool", json.dumps({"content": json.dumps([{"text": told(HERS[2])}])})),
                ("user", f"bo: {HIS[0]}"),
            ],
        )
        db.execute(
            "INSERT INTO conversation_summaries (channel, summary) VALUES ('#tea', ?)",
            [f"Ada asked: {HERS[3]}"],
        )
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)


async def test_with_copies_nothing_is_left_of_them_in_what_terrarium_irc_wrote(file: Path) -> None:
    await adopted(file)
    copy = file.with_name("irc_logs.before-v1.db")
    unfinished = file.with_name("irc_logs.before-v1.2.db.partial")
    unfinished.write_bytes(HERS[0].encode())
    assert found_in(file.parent, HERS) == {file.name: 300, copy.name: 300, unfinished.name: 1}
    cleaned = await purge(file, copies=True)
    # users, three dialogues, a summary, and one room's member list
    assert [(one.file, one.messages) for one in cleaned] == [(file.name, 0), (copy.name, 300)]
    assert found_in(file.parent, HERS) == {}
    assert found_in(file.parent, HIS) == {file.name: 300, copy.name: 300}
    for one in (file, copy):
        assert rows_of(one, "SELECT count(*) FROM messages") == [(300,)]
        assert rows_of(one, "SELECT nick FROM users") == [("bo",)]
        assert rows_of(one, "SELECT nick FROM channel_users ORDER BY 1") == [("Terra",), ("bo",)]
        said = rows_of(one, "SELECT content FROM conversation_history ORDER BY id")
        assert said[-1] == (f"bo: {HIS[0]}",)
        assert rows_of(one, "SELECT summary FROM conversation_summaries") == [("tea",)]
        assert rows_of(one, "PRAGMA integrity_check") == [("ok",)]
    async with open_store(file, SETTINGS) as store:
        assert await differences(store) == []


@pytest.mark.parametrize("is_second", [False, True])
async def test_with_copies_what_a_relay_carried_of_them_goes_too(
    file: Path, is_second: bool
) -> None:
    kept = [("bo", "<Ada> zwiebel"), ("relaybot", "<bo> tea"), ("cy", "* Ada zwiebel")]
    hers = [
        *[("relaybot", "<Ada> zwiebel"), ("relaybot", "\x01ACTION <Ada> peels one\x01")],
        ("relaybot", "<ada> yes"),
    ]
    at = sample.local(datetime(2025, 11, 5, tzinfo=UTC))
    sample.make(
        file,
        [(at, "#tea", nick, "~r", "host.example", text, "PRIVMSG") for nick, text in kept + hers],
    )
    settings = SETTINGS.model_copy(update={"relays": (Relay("relaybot"),)})
    async with open_store(file, settings, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        if is_second:
            await store.removal.purge(ADA, asked_by="ada", at=LATER)
        done = await store.removal.terrarium_irc.purge(ADA)
    assert [one.messages for one in done.cleaned] == [0, 3]
    copy = file.with_name("irc_logs.before-v1.db")
    assert rows_of(copy, "SELECT nick, message FROM messages") == kept


async def test_a_second_purge_finds_what_the_first_left_in_copies(file: Path) -> None:
    await adopted(file)
    await purge(file)
    assert set(found_in(file.parent, HERS)) == {file.name, "irc_logs.before-v1.db"}  # dialogues
    await purge(file, copies=True)
    assert found_in(file.parent, HERS) == {}


async def test_copies_of_another_network_are_left_alone(file: Path) -> None:
    await adopted(file)
    before = dump_of(file.with_name("irc_logs.before-v1.db"))
    async with open_store(file, SETTINGS) as store:
        assert (
            await store.removal.terrarium_irc.purge(PurgeTarget("ada", "elsewhere"))
        ).cleaned == ()
    assert dump_of(file.with_name("irc_logs.before-v1.db")) == before


async def test_a_copy_of_our_own_form_is_named_as_not_reached(file: Path) -> None:
    await lived_in(file)
    copy = file.with_name("irc_logs.before-v2.db")
    with closing(sqlite3.connect(file)) as db, closing(sqlite3.connect(copy)) as target:
        db.backup(target)
    async with open_store(file, SETTINGS) as store:
        assert await store.removal.terrarium_irc.names() == [copy.name]
        assert (await store.removal.terrarium_irc.purge(ADA)).unreached == (copy.name,)


async def test_a_file_that_another_process_has_open_is_not_rewritten(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrubbing, "SCRUB_WAIT", 0.1)
    await lived_in(file)
    async with open_store(file, SETTINGS) as store:
        await find(store, "tea")
        with pytest.raises(FileInUse, match="Stop the bridge"):
            await check_unused(file)
        with pytest.raises(FileInUse, match="then run the same command again"):
            await scrub(file)
        assert len((await find(store, "tea", limit=500)).messages) == 225
    await check_unused(file)


async def test_it_waits_until_the_file_is_closed_and_then_scrubs_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retried, sleep = threading.Event(), time.sleep

    def noted(seconds: float) -> None:
        retried.set()
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", noted)
    scrubbed = anyio.Event()

    async def scrub_it() -> None:
        await scrub(file)
        scrubbed.set()

    await lived_in(file)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks, open_store(file, SETTINGS) as store:
            await store.removal.purge(ADA, asked_by="ada", at=LATER)
            tasks.start_soon(scrub_it)
            assert await to_thread.run_sync(retried.wait, 10)
            assert not scrubbed.is_set()
            assert len((await find(store, "tea", limit=500)).messages) == 225
    assert scrubbed.is_set()
    assert found_in(file.parent, HERS) == {}


async def test_a_disk_without_room_for_a_second_file_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lived_in(file)
    monkeypatch.setattr(scrubbing, "free_bytes", lambda _: 1000)
    with pytest.raises(NotEnoughDisk, match="Free some space"):
        await check_unused(file)


async def test_a_temporary_folder_without_room_for_the_copy_is_named(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setenv("SQLITE_TMPDIR", str(temporary))
    await lived_in(file)
    monkeypatch.setattr(scrubbing, "free_bytes", lambda at: 0 if at == temporary else 10**12)
    with pytest.raises(NotEnoughDisk, match=f"{temporary} has 0 MB free"):
        await check_unused(file)


async def test_a_disk_that_has_the_temporary_folder_too_needs_room_for_both(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    await lived_in(file)
    size = bytes_of(file)
    monkeypatch.setattr(scrubbing, "free_bytes", lambda _: 2 * size - 1)
    with pytest.raises(NotEnoughDisk, match="another temporary folder with SQLITE_TMPDIR"):
        await check_unused(file)
    monkeypatch.setattr(scrubbing, "free_bytes", lambda _: 2 * size)
    await check_unused(file)
