"""After a purge no table of the SQLite file holds anything of the person; see also --thorough."""

import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import Member, MessageType, NewMessage, Origin
from terrarium_mcp.store import PurgeTarget, Store, open_store
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from tests.store.scene import (
    NOON,
    SETTINGS,
    check_index,
    differences,
    find,
    line_of,
    room,
    rows_of,
    texts,
    write,
)
from tests.store.sqlite.removal.test_purge import a_life, purge
from tests.store.tables import TABLES

REACHED = {
    *("messages", "private_messages", "presence", "spans"),
    *("dialogue_turns", "dialogue_sources", "dialogue_summaries"),
    *(table for structure in DERIVED for table in structure.tables),
}
"""Tables from which a purge removes a person: their own rows, and what is derived from these.

A `!forget` removes the same, but for `presence`, since who asks is there, and for `spans`: a nick
alone tells who kicked the bot.
"""

KEPT = {
    "adoption": "where the file comes from",
    "derived": "ids only",
    "dialogues": "channels; of a private one a fingerprint of the person, and no text",
    "foreign_rows": "days and counts only",
    "heartbeats": "what a bridge says of itself",
    "import_ranges": "ids only",
    "import_sources": "a log is known by it when it is imported again. Its path is the owner's own;"
    " the nick of a private conversation stays, as it does in the name of the log",
    "imports": "the command as the owner typed it",
    "introductions": "channels and times only",
    "last_windows": "times only",
    "networks": "networks only",
    "opt_outs": "without it what the person says from now on would be recorded again",
    "past_opt_outs": "without it what the person said in between could come in later, from a log",
    "presence_as_of": "rooms and times only",
    "quiet_channels": "by whose order the bot is silent in a channel, until the next `!quiet`",
    "removals": "by it what was removed stays out: the nick that the owner purged, or a fingerprint"
    " of who asked themselves; and who had a message redacted",
    "rooms": "channels only",
    "voice_rules": "the nicks of the bot and of relays, from the settings",
}
"""Tables that no purge touches, and why none has to."""


def everything(file: Path) -> str:
    """All rows of all tables as text, but for what FTS5 keeps of words: see --thorough."""
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute("SELECT name FROM pragma_table_list WHERE type = 'table'").fetchall()
        return "\n".join(
            str(row)
            for (table,) in tables
            for row in db.execute(f"SELECT * FROM {table}")  # noqa: S608 -- names of tables
        )


def test_of_every_table_it_is_known_whether_a_purge_reaches_it() -> None:
    assert not REACHED & KEPT.keys()
    known = REACHED | KEPT.keys()
    assert sorted(TABLES - known) == [], (
        "a new table: if it names people, let store/sqlite/removal/purge.py remove their rows, fill"
        " it in a test here and add it to REACHED; otherwise add it to KEPT, with the reason"
    )
    assert sorted(known - TABLES) == [], "a table that is gone"


async def test_a_purge_and_a_forget_leave_the_opt_outs_of_a_person(
    store: Store, file: Path
) -> None:
    ada = Identity("net", "ada", "~ada", "host.example")
    await store.opt_outs.add(ada, NOON)
    await store.opt_outs.remove(ada, NOON + timedelta(minutes=1))
    await store.opt_outs.add(ada, NOON + timedelta(minutes=2))
    later = NOON + timedelta(hours=1)
    for target in (PurgeTarget("ada"), PurgeTarget.asking(ada)):
        await store.removal.purge(target, asked_by="the operator", at=later)
    for table in ("opt_outs", "past_opt_outs"):
        assert rows_of(file, f"SELECT nick FROM {table}") == [("ada",)]  # noqa: S608 -- our tables


@pytest.mark.parametrize(
    ("why", "left"),
    [
        ("kicked by Ada: zwiebel: out", "kicked"),
        ("kicked by ada", "kicked"),
        ("kicked by adalbert: ada asked for it", "kicked by adalbert: ada asked for it"),
        ("parted: ada", "parted: ada"),
    ],
)
async def test_of_a_kick_of_the_bot_a_purge_leaves_that_it_was_one(
    store: Store, file: Path, why: str, left: str
) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.spans.end("net", "#tea", NOON + timedelta(minutes=1), why)
    await purge(store, "ada")
    assert rows_of(file, "SELECT why_ended FROM spans") == [(left,)]


async def test_who_kicked_the_bot_may_have_that_forgotten_and_a_namesake_s_kick_stays(
    store: Store, file: Path
) -> None:
    kicks = [
        line_of("ada", f"Terra {why}", kind=MessageType.KICK)._replace(user="u", host=host)
        for why, host in (("zwiebel: \x02out\x02", "theirs"), ("out", "another"))
    ]
    await store.messages.append(kicks)
    for minute, why in enumerate(("zwiebel: out", "out")):
        began = NOON + timedelta(minutes=minute)
        await store.spans.begin("net", "#tea", began, "joined")
        await store.spans.end("net", "#tea", began + timedelta(seconds=1), f"kicked by ada: {why}")
    target = PurgeTarget.asking(Identity("net", "ada", "u", "theirs"))
    await store.removal.purge(target, asked_by="!forget", at=NOON)
    left = rows_of(file, "SELECT why_ended FROM spans ORDER BY began")
    assert left == [("kicked",), ("kicked by ada: out",)]


async def test_a_nick_in_a_member_list_and_in_the_reason_of_a_kick_is_a_trace(store: Store) -> None:
    await store.presence.replace("net", "#tea", [Member("Ada"), Member("bo")], NOON)
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.spans.end("net", "#tea", NOON + timedelta(minutes=1), "kicked by ada: out")
    traces = await store.removal.traces(PurgeTarget("ada"))
    assert (traces.total, traces.member_lists, traces.kicks) == (2, 1, 1)
    assert not (await store.removal.traces(PurgeTarget("ada", "other"))).total
    assert not (
        await store.removal.traces(PurgeTarget.asking(Identity("net", "ada", "u", "h")))
    ).total
    await purge(store, "ada")
    assert not (await store.removal.traces(PurgeTarget("ada"))).total


async def test_nothing_of_a_person_is_left_in_any_table(store: Store, file: Path) -> None:
    await store.messages.append(a_life())
    for nick in ("ada", "bo"):
        await store.presence.replace("net", "#" + nick, [Member("Ada"), Member("bo")], NOON)
    assert await purge(store, "ADA") == 8
    left = everything(file)
    assert "zwiebel" not in left
    assert "countess" not in left
    assert "lovelace" not in left
    assert [line for line in left.splitlines() if "'ada'" in line.lower()] == [
        line for line in left.splitlines() if "purge" in line
    ]
    assert texts((await find(store, "from:bo")).messages) == ["mate", "tea"]
    assert (await find(store, "from:ada")).messages == []
    assert (await find(store, "zwiebel")).messages == []
    assert await differences(store) == []
    check_index(file)


async def test_what_another_program_wrote_goes_too(store: Store, file: Path) -> None:
    for channel in ("#tea", "Terra", None):
        write(
            file,
            "INSERT INTO messages (channel, nick, message) VALUES (?, 'ada', 'zwiebel')",
            [channel],
        )
    assert await purge(store, "ada", "net") == 3
    assert "zwiebel" not in everything(file)
    assert await differences(store) == []


HERS = ("Zwiebel", "ZWIEBEL", "[Lauch]", "{lauch}")
"""Spellings of the two nicks that are purged."""

OTHERS = ("bo", "cy")
TRACES = ("zwiebel", "lauch", "porree", "knolle")
"""What only occurs in her nicks, account, host and texts."""


def heard(
    nicks: Sequence[str], words: Sequence[str], account: str
) -> st.SearchStrategy[NewMessage]:
    """Messages of any kind by these nicks; a kick names nobody."""
    lines = st.builds(
        line_of,
        st.sampled_from(nicks),
        st.sampled_from(words),
        st.integers(0, 3 * 24 * 60).map(lambda minutes: NOON - timedelta(minutes=minutes)),
        st.sampled_from(["#tea", "#mate", "Terra"]),
        st.sampled_from(MessageType),
        st.sampled_from(Origin),
        st.sampled_from(["net", "other"]),
    )
    return lines.map(lambda line: line._replace(account=account, host=f"{account}.example"))


by_her = heard(HERS, ["porree", "is it porree?", "https://porree.example/x", "Porree #1"], "knolle")
by_others = heard(OTHERS, ["tea", "is it tea?", "https://tea.example/x"], "countess")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.one_of(by_her, by_others), max_size=24))
async def test_whatever_a_person_did_no_table_holds_a_trace_of_it(script: list[NewMessage]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            await store.messages.append(script)
            here = [Member(nick) for nick in ("Zwiebel", "{lauch}", "bo")]
            await store.presence.replace("net", "#tea", here, NOON)
            rooms = await store.rooms.all()
            others = [
                message.id
                for message in (await store.messages.newest(rooms, 99, events=True)).messages
                if message.nick in OTHERS
            ]
            for nick in ("zwiebel", "[LAUCH]"):
                target = PurgeTarget(nick)
                await store.removal.purge(target, asked_by="the operator", at=NOON)
                assert (await store.removal.traces(target)).total == 0
            kept = (await store.messages.newest(rooms, 99, events=True)).messages
            assert [message.id for message in kept] == others
            there = await store.presence.current(await room(store))
            assert [one.nick for one in there.people] == ["bo"]
            assert await differences(store) == []
        left = [line for line in everything(file).lower().splitlines() if "purge" not in line]
        assert [line for line in left if any(trace in line for trace in TRACES)] == []
        check_index(file)


async def test_who_is_present_is_purged_on_a_network_of_any_casemapping(store: Store) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    await store.presence.replace("net", "#tea", [Member("Ada[]"), Member("bo")], NOON)
    await store.removal.purge(PurgeTarget("ada[]"), asked_by="the operator", at=NOON)
    there = await store.presence.current(await room(store))
    assert [one.nick for one in there.people] == ["bo"]


async def test_on_a_network_that_folds_as_unicode_every_spelling_goes(
    store: Store, file: Path
) -> None:
    await store.rooms.set_casemapping("net", "rfc7613")
    said = [line_of("\u00c9lan", "zwiebel"), line_of("bo", "tea"), line_of("\u00e9lan", "zwiebel")]
    changed = line_of("bo", "\u00c9LAN", kind=MessageType.NICK)
    private = line_of("\u00c9lan", "zwiebel", channel="Terra")
    await store.messages.append([*said, changed, private, private._replace(nick="bo")])
    await store.messages.append([line_of("\u00c9lan", "elsewhere", network="other")])
    await store.presence.replace("net", "#tea", [Member("\u00c9lan"), Member("bo")], NOON)
    traces = await store.removal.traces(PurgeTarget("\u00e9lan"))
    assert (traces.lines.total(), traces.events.total(), traces.private) == (2, 1, 1)
    assert await purge(store, "\u00e9lan") == 4
    left = (await find(store, "type:privmsg type:nick")).messages
    assert sorted(texts(left)) == ["elsewhere", "tea"]  # there \u00c9lan is another nick
    there = await store.presence.current(await room(store))
    assert [one.nick for one in there.people] == ["bo"]
    assert await differences(store) == []
    check_index(file)


async def test_on_a_network_that_folds_as_unicode_a_person_removes_every_spelling_of_theirs(
    store: Store,
) -> None:
    await store.rooms.set_casemapping("net", "rfc7613")
    theirs = line_of("\u00c9lan", "zwiebel")._replace(user="elan", host="lovelace.example")
    other = theirs._replace(host="elsewhere.example", text="tea")
    await store.messages.append([theirs, other])
    target = PurgeTarget.asking(Identity("net", "\u00e9lan", "elan", "lovelace.example"))
    await store.removal.purge(target, asked_by="!forget", at=NOON)
    assert texts((await find(store, "type:privmsg")).messages) == ["tea"]
