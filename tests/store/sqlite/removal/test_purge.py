"""A purge removes a person from the history and from the backlog, and nobody else."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.transcript import RenderOptions, dated_line, line_of
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import (
    AuditEntry,
    BacklogFailed,
    PersonTraces,
    PurgeTarget,
    RemovalReason,
    Store,
    open_store,
)
from terrarium_mcp.store.sqlite.removal import batched_delete
from tests.patience import PATIENCE
from tests.store.scene import (
    chat,
    check_index,
    differences,
    find,
    redact,
    room,
    rows_of,
    texts,
)
from tests.store.sqlite.imports.logs import bring, log_of, logged, words_in

LATER = datetime(2026, 6, 1, tzinfo=UTC)


async def purge(store: Store, nick: str, network: str = "") -> int:
    result = await store.removal.purge(
        PurgeTarget(nick, network), asked_by="the operator", at=LATER
    )
    return result.messages


def a_life() -> list[NewMessage]:
    """Everything that leaves a trace of ada, and as much of bo."""
    said = chat("<ada> zwiebel https://zwiebel.example\n<bo> tea\n* Ada waves\n<bo> mate")
    ada = said[0]._replace(account="countess", host="lovelace.example")
    return [
        ada,
        *said[1:],
        *(
            ada._replace(kind=kind, text="zwiebel")
            for kind in (MessageType.TOPIC, MessageType.PART, MessageType.QUIT)
        ),
        ada._replace(kind=MessageType.NICK, text="zwiebel_"),
        said[1]._replace(kind=MessageType.NICK, text="ADA"),
        ada._replace(channel="#mate"),
    ]


async def test_another_network_s_ada_stays(store: Store) -> None:
    await store.messages.append(chat("<ada> here") + chat("<ada> there", network="other"))
    assert await purge(store, "ada", "net") == 1
    assert texts((await find(store, "from:ada")).messages) == ["there"]
    assert await differences(store) == []


async def test_private_messages_of_both_directions_go(store: Store) -> None:
    await store.messages.append(
        [
            *chat("<ada> one", channel="Terra"),
            *chat("<Terra> two", channel="ADA"),
            *chat("<bo> three", channel="Terra"),
        ]
    )
    assert await purge(store, "ada") == 2
    assert (await store.removal.traces(PurgeTarget("bo"))).private == 1


async def test_a_tombstone_goes_too(store: Store) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two"))
    await redact(store, 1, LATER)
    assert await purge(store, "ada") == 1
    page = await store.messages.newest([await room(store)], 9, events=True)
    assert [message.id for message in page.messages] == [2]
    assert await differences(store) == []


async def test_what_is_about_to_go_is_counted_by_room(store: Store) -> None:
    await store.messages.append(a_life())
    await store.messages.append(chat("<ada> one", channel="Terra"))
    assert await store.removal.traces(PurgeTarget("ada")) == PersonTraces(
        lines={"net/#tea": 2, "net/#mate": 1},  # type: ignore[arg-type]  # a plain dict compares
        events={"net/#tea": 5},  # type: ignore[arg-type]  # the same
        private=1,
    )
    assert (await store.removal.traces(PurgeTarget("nobody"))).total == 0


async def test_a_purge_leaves_one_audit_row_that_says_how_many(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_delete, "ROWS_PER_TRANSACTION", (2, 2, 2))
    await store.messages.append(a_life())
    await purge(store, "nobody")
    await purge(store, "ada", "net")
    assert await store.removal.audit() == [
        AuditEntry(
            at=LATER,
            why=RemovalReason.PURGE,
            asked_by="the operator",
            network="net",
            nick="ada",
            messages=8,
        )
    ]


async def test_a_purge_that_is_stopped_half_way_is_whole_and_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_delete, "ROWS_PER_TRANSACTION", (2, 2, 2))
    await store.messages.append(a_life())
    with anyio.CancelScope() as stop:
        await store.removal.purge(
            PurgeTarget("ada"), asked_by="ada", at=LATER, on_progress=lambda _: stop.cancel()
        )
    assert stop.cancelled_caught
    assert [one.messages for one in await store.removal.audit()] == [2]
    page = await store.messages.newest(await store.rooms.all(), 99, events=True)
    assert len(page.messages) == len(a_life()) - 2
    assert await differences(store) == []
    await purge(store, "ada")
    assert (await find(store, "from:ada")).messages == []
    assert sum(one.messages for one in await store.removal.audit()) == 8
    assert await differences(store) == []


async def test_lines_appended_after_a_purge_get_new_ids_and_are_found(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<bo> one\n<ada> two"))
    await purge(store, "ada")
    assert await store.messages.append(chat("<ada> three")) == [3]
    assert texts((await find(store, "from:ada")).messages) == ["three"]
    assert await differences(store) == []
    check_index(file)


async def test_their_lines_leave_the_backlog_and_files_of_theirs_are_deleted(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> zwiebel\n<bo> hm\n* ada pours zwiebel"))
    page = await store.messages.newest([await room(store)], 20)
    lines = [line_of(message, RenderOptions(zone=UTC, budget=1)) for message in page.messages]
    wanted = [("theirs", "Ada", "x"), ("quoting", "bo", "x"), ("naming", "bo", "as ada wished")]
    names = []
    for title, author, summary in wanted:
        about = {"author": author, "network": "net", "channel": "#tea"}
        quotes = lines if title == "quoting" else lines[1:2]
        one, _ = await store.backlog.create(title, summary, about=about, lines=quotes)
        names.append(one.filename)
    target = PurgeTarget("ada")
    backlog = (await store.removal.purge(target, asked_by="ada", at=LATER)).backlog
    assert backlog.written == (names[0],)
    assert backlog.quoting == (names[1],)
    assert backlog.naming == (names[2],)
    left = sorted((file.parent / "enhancements").iterdir())
    assert [one.name for one in left] == sorted(names[1:])
    assert not any("zwiebel" in one.read_text() for one in left)
    assert all("<bo> hm" in one.read_text() for one in left)
    assert left[0].read_text().startswith("---\ntitle:")


async def test_their_lines_leave_the_backlog_in_every_spelling_of_any_casemapping(
    store: Store, file: Path
) -> None:
    page = await store.messages.append(chat("<\u00c9lan> zwiebel\n<bo> tea\n<a[> zwiebel"))
    lines = [
        line_of(message, RenderOptions(zone=UTC, budget=100))
        for number in page
        if (message := await store.messages.get(number, [await room(store)]))
    ]
    about = {"author": "\u00c9lan", "network": "net", "channel": "#tea"}
    theirs, _ = await store.backlog.create("theirs", "x", about=about, lines=())
    about |= {"author": "bo"}
    quoting, _ = await store.backlog.create("quoting", "x", about=about, lines=lines)
    for nick in ("\u00e9lan", "A{"):
        await purge(store, nick)
    folder = file.parent / "enhancements"
    assert not (folder / theirs.filename).exists()
    text = (folder / quoting.filename).read_text()
    assert "zwiebel" not in text
    assert "<bo> tea" in text


async def test_what_a_killed_process_left_of_an_idea_goes_too(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> zwiebel"))
    idea, _ = await store.backlog.create("an idea", "x", about={}, lines=())
    folder = file.parent / "enhancements"
    (folder / ".20260501-123005-tea.md.new").write_text("    1 12:00 <ada> zwiebel\n")
    await purge(store, "ada")
    assert [one.name for one in folder.iterdir()] == [idea.filename]


async def test_a_backlog_that_cannot_be_written_is_reported_after_the_messages_are_gone(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> zwiebel"))
    folder = file.parent / "enhancements"
    folder.mkdir()
    (folder / "x.md").write_text("    1 12:00 <ada> zwiebel\n")
    (folder / ".x.md.new").mkdir()  # it stands where the new file is to be written
    with pytest.raises(BacklogFailed, match="enhancements"):
        await purge(store, "ada")
    assert (await store.removal.traces(PurgeTarget("ada"))).total == 0


ADA = Identity("net", "ada", "~ada", "host.example")


def lives_of_two() -> list[NewMessage]:
    """What ada said, logged in or not, and what somebody else said under her nick."""
    hers = chat("<ada> zwiebel one\n<ada> zwiebel two\n<ada> zwiebel three")
    logged_in = hers[1]._replace(nick="zoe", host="elsewhere", account="Countess")
    other = hers[0]._replace(text="tea one", user="~eve")
    account = hers[0]._replace(text="tea two", account="eve")
    arrives = hers[2]._replace(nick="zoe", text="ada", kind=MessageType.NICK)
    return [hers[0], logged_in, hers[2], other, account, arrives]


@pytest.mark.parametrize(
    ("who", "left"),
    [
        (ADA._replace(account="countess"), ["tea one", "tea two"]),
        (ADA, ["zwiebel two", "tea one", "tea two"]),
        (ADA._replace(host=ADA.host.upper()), ["zwiebel two", "tea one", "tea two"]),
        (ADA._replace(user="~eve"), ["zwiebel one", "zwiebel two", "zwiebel three", "tea two"]),
        (ADA._replace(host="taken.example"), [message.text for message in lives_of_two()[:-1]]),
        (Identity("net", "ada"), [message.text for message in lives_of_two()[:-1]]),
        (ADA._replace(network="other"), [message.text for message in lives_of_two()[:-1]]),
    ],
)
async def test_who_asks_themselves_removes_what_is_demonstrably_theirs(
    store: Store, who: Identity, left: list[str]
) -> None:
    await store.messages.append(lives_of_two())
    target = PurgeTarget.asking(who)
    counted = (await store.removal.traces(target)).lines.total()
    await store.removal.purge(target, asked_by="!forget", at=LATER)
    page = await store.messages.newest([await room(store)], 99)
    assert texts(page.messages) == left
    assert counted == 5 - len(left)
    assert await differences(store) == []


async def test_the_audit_does_not_name_who_asked_themselves(store: Store) -> None:
    await store.messages.append(lives_of_two())
    await store.removal.purge(PurgeTarget.asking(ADA), asked_by="!forget", at=LATER)
    (entry,) = await store.removal.audit()
    assert (entry.network, entry.messages) == ("net", 3)
    assert re.fullmatch(r"=[0-9a-f]{24}", entry.nick)


async def test_playback_and_imports_do_not_bring_back_what_somebody_had_removed(
    store: Store,
) -> None:
    logged_in = ADA._replace(account="countess")
    await store.messages.append(lives_of_two())
    await store.removal.purge(PurgeTarget.asking(logged_in), asked_by="!forget", at=LATER)
    for origin in (Origin.PLAYBACK, Origin.IMPORT):
        again = [line._replace(origin=origin) for line in lives_of_two()[:5]]
        elsewhere = again[0]._replace(network="other")
        since = again[0]._replace(said_at=LATER + timedelta(seconds=1), text=f"new {origin}")
        ids = await store.messages.append(
            [*again[:3], since, elsewhere, again[4]._replace(text="x")]
        )
        assert [bool(number) for number in ids] == [False, False, False, True, True, True]
    assert await store.messages.append([lives_of_two()[0]._replace(said_at=LATER)]) != [0]


async def test_what_somebody_had_removed_where_unicode_folds_comes_back_in_no_spelling(
    store: Store,
) -> None:
    await store.rooms.set_casemapping("net", "rfc7613")
    spellings = chat("<\u00c9lan> zwiebel\n<\u00e9lan> zwiebel", origin=Origin.PLAYBACK)
    said = [line._replace(user="elan", host="host.example") for line in spellings]
    await store.messages.append(said)
    target = PurgeTarget.asking(Identity("net", "\u00c9lan", "elan", "host.example"))
    assert (await store.removal.purge(target, asked_by="!forget", at=LATER)).messages == 2
    ids = await store.messages.append([*said, said[0]._replace(user="eve")])
    assert [bool(number) for number in ids] == [False, False, True]


async def test_a_change_to_a_nick_that_was_forgotten_does_not_come_back(
    store: Store, file: Path
) -> None:
    arrives = lives_of_two()[-1]
    later = arrives.said_at + timedelta(hours=1)
    namesake = arrives._replace(host="taken.example", said_at=later)
    await store.messages.append([arrives, namesake])
    removed = await store.removal.purge(PurgeTarget.asking(ADA), asked_by="!forget", at=LATER)
    assert removed.messages == 1
    again = [line._replace(origin=Origin.PLAYBACK) for line in (arrives, namesake)]
    await store.messages.append(again)
    assert rows_of(file, "SELECT DISTINCT host FROM messages") == [("taken.example",)]


@pytest.mark.parametrize("origin", [Origin.PLAYBACK, Origin.IMPORT])
async def test_what_was_purged_of_a_nick_does_not_come_back(store: Store, origin: Origin) -> None:
    await store.messages.append(a_life())
    await purge(store, "ada")
    again = [line._replace(origin=origin, account="", host="") for line in a_life()]
    since = again[0]._replace(said_at=LATER + timedelta(seconds=1))
    ids = await store.messages.append([again[0], again[2], again[7], again[8], since])
    assert [bool(number) for number in ids] == [False, False, False, False, True]


async def test_what_was_purged_where_unicode_folds_comes_back_in_no_spelling(
    store: Store,
) -> None:
    await store.rooms.set_casemapping("net", "rfc7613")
    said = chat("<\u00c9lan> zwiebel\n<\u00e9lan> zwiebel\n<bo> tea", origin=Origin.IMPORT)
    await store.messages.append(said)
    assert await purge(store, "\u00e9lan") == 2
    elsewhere = said[0]._replace(network="other")  # there another nick
    ids = await store.messages.append([*said[:2], elsewhere])
    assert [bool(number) for number in ids] == [False, False, True]


async def test_a_log_that_has_what_was_purged_brings_the_rest(file: Path) -> None:
    said = logged(chat("<ada> hi bo\n<bo> hi ada\n<relaybot> <ada> from afar\n<relaybot> <cy> hi"))
    settings = Settings(network="net", relays=(Relay("relaybot"),))
    async with open_store(file, settings) as store:
        await store.opening.wait(PATIENCE)
        await bring(store, said)
        assert await purge(store, "ada") == 2
        said.append(said[1]._replace(text="ada?"))
        totals = await bring(store, said)
        assert (totals.added, totals.known, totals.left_out) == (1, 2, 2)
        left = [("bo", "ada?"), ("bo", "hi ada"), ("relaybot", "<cy> hi")]
        assert words_in(file) == left
        assert await differences(store) == []


async def test_private_lines_that_were_purged_do_not_come_back_with_a_log(
    store: Store, file: Path
) -> None:
    private = [line._replace(channel="ada") for line in logged(chat("<bo> psst\n<ada> yes?"))]
    await bring(store, private, log_of(channel="ada"))
    assert await purge(store, "ada") == 2
    totals = await bring(store, private, log_of(channel="ada"))
    assert (totals.added, totals.left_out) == (0, 2)
    assert rows_of(file, "SELECT count(*) FROM private_messages") == [(0,)]


async def test_of_the_backlog_only_the_lines_with_their_ids_go(store: Store, file: Path) -> None:
    await store.messages.append(lives_of_two())
    page = await store.messages.newest([await room(store)], 20)
    lines = [line_of(message, RenderOptions(zone=UTC, budget=1)) for message in page.messages]
    about = {"author": "ada", "network": "net", "channel": "#tea"}
    dated = (dated_line(message, RenderOptions(zone=UTC, budget=1)) for message in page.messages)
    idea, _ = await store.backlog.create("an idea", "\n".join(dated), about=about, lines=lines)
    target = PurgeTarget.asking(ADA)
    result = await store.removal.purge(target, asked_by="!forget", at=LATER)
    assert result.backlog.written == ()
    assert result.backlog.quoting == (idea.filename,)
    assert result.backlog.naming == (idea.filename,)
    text = (file.parent / "enhancements" / idea.filename).read_text()
    assert "zwiebel one" not in text
    assert [text.count(f"tea {word}") for word in ("one", "two")] == [2, 2]


@pytest.mark.parametrize("network", ["", "other"])
async def test_a_line_goes_from_the_backlog_whatever_network_an_idea_belongs_to(
    store: Store, file: Path, network: str
) -> None:
    await store.messages.append(lives_of_two())
    page = await store.messages.newest([await room(store)], 20)
    dated = [dated_line(message, RenderOptions(zone=UTC, budget=1)) for message in page.messages]
    about = {"author": "", "network": network, "channel": ""}  # of a client that reads every room
    idea, _ = await store.backlog.create("of ada", "\n".join(dated), about=about, lines=[])
    result = await store.removal.purge(PurgeTarget.asking(ADA), asked_by="!forget", at=LATER)
    assert (result.backlog.quoting, result.backlog.naming) == ((idea.filename,), ())
    text = (file.parent / "enhancements" / idea.filename).read_text()
    assert "zwiebel one" not in text
    assert "tea one" in text
