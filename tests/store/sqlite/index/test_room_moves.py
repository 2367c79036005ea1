"""A network that compares names otherwise than was thought: rooms that become two, or one."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import CASEMAPPINGS, fold
from terrarium_mcp.chat.records import Member, MessageType, NewMessage, Origin
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.index import room_moves
from terrarium_mcp.store.sqlite.index.grouped_indexing import GroupedIndexing
from tests.conftest import STORIES
from tests.store.scene import NOON, SETTINGS, chat, differences, find, line_of, room, rows_of, texts

HOUR = timedelta(hours=1)


async def said_in(store: Store, channel: str) -> list[str]:
    """The text of every line and event of a channel, oldest first."""
    page = await store.messages.newest([await room(store, channel)], 10_000, events=True)
    return texts(page.messages)


async def channels(store: Store) -> list[str]:
    return [room.channel for room in await store.rooms.all()]


def one_of_everything(channel: str, at: int = 0) -> list[NewMessage]:
    """Whatever a derived structure goes by: speech, a link, a topic, nicks, commands, msgids."""
    began = NOON + at * HOUR
    return [
        *chat(
            "<ada> tea at https://tea.example/ok ?\n* bo waves\n-cy- psst",
            channel=channel,
            at=began,
        ),
        *chat("<ada> !search tea\n<Terra> ada: nothing", channel=channel, at=began + HOUR / 4),
        line_of("ada", "Tea", began + HOUR / 2, channel, MessageType.TOPIC),
        line_of("ada", "eve", began + HOUR / 2, channel, MessageType.NICK),
        line_of("bo", "", began + HOUR / 2, channel, MessageType.JOIN),
        line_of("dee", "played", began, channel, origin=Origin.PLAYBACK)._replace(
            msgid=f"m{channel}",
            account="dee_",
        ),
    ]


pytestmark = pytest.mark.usefixtures("at_once")


async def test_a_room_that_turns_out_to_be_two_is_told_apart_by_the_spelling(
    store: Store,
) -> None:
    both = (
        one_of_everything("#a[") + one_of_everything("#a{", at=2) + one_of_everything("#A[", at=4)
    )
    ids = await store.messages.append(both)
    assert await channels(store) == ["#a["]
    await store.rooms.set_casemapping("net", "ascii")
    assert len(await said_in(store, "#a[")) == 18
    assert await channels(store) == ["#a[", "#a{"]
    there = await store.messages.newest([await room(store, "#a{")], 100, events=True)
    assert {message.id for message in there.messages} == set(ids[9:18])
    assert await differences(store) == []


async def test_rooms_that_turn_out_to_be_one_are_joined(store: Store) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    few, many = one_of_everything("#a{"), one_of_everything("#a[", 2) + one_of_everything("#A[", 4)
    await store.messages.append(few + many)
    assert await channels(store) == ["#a[", "#a{"]
    await store.rooms.set_casemapping("net", "rfc1459")
    assert len(await said_in(store, "#a[")) == 27
    assert await channels(store) == ["#a["]
    assert await differences(store) == []


async def test_a_search_finds_each_line_in_the_room_it_is_in_now(store: Store) -> None:
    await store.messages.append(chat("<ada> green tea", channel="#a["))
    await store.messages.append(chat("<bo> black tea", channel="#a{"))
    await store.rooms.set_casemapping("net", "ascii")
    await store.messages.append(chat("<cy> white tea", channel="#a{"))
    for channel, found in (("#a[", ["green tea"]), ("#a{", ["black tea", "white tea"])):
        hits = await find(store, "tea", rooms=[await room(store, channel)])
        assert sorted(texts(hits.messages)) == found


async def test_no_read_shows_a_line_of_the_other_room_while_lines_are_moved(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_moves, "MOVED", 1)
    monkeypatch.setattr(room_moves, "LOOKED_AT", 3)
    for n in range(20):
        await store.messages.append([line_of("ada", f"{n}", channel="#a[" if n % 2 else "#a{")])
    left = await room(store, "#a{")
    await store.rooms.set_casemapping("net", "ascii")
    assert texts((await store.messages.newest([left], 100)).messages) == [
        f"{n}" for n in range(0, 20, 2)
    ]
    assert await said_in(store, "#a[") == [f"{n}" for n in range(1, 20, 2)]


async def test_a_killed_process_leaves_moves_that_the_next_one_ends(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_moves, "MOVED", 2)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(one_of_everything("#a[") + one_of_everything("#a{", at=2))
        await store.rooms.set_casemapping("net", "ascii")
        await store._indexer._advance_once(["rooms"], patiently=False)  # noqa: SLF001 -- one step
        assert rows_of(file, "SELECT upto FROM derived WHERE name = 'rooms'") == [(11,)]
        assert rows_of(file, "SELECT count(DISTINCT room) FROM messages") == [(2,)]
    async with open_store(file, SETTINGS) as store:
        assert len(await said_in(store, "#a[")) == 9
        assert len(await said_in(store, "#a{")) == 9
        assert await differences(store) == []


async def test_lines_said_meanwhile_go_to_the_room_that_the_network_means(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def rest(_: GroupedIndexing) -> None:
        """The keeper would join the rooms for good, if it came while they have one name."""

    monkeypatch.setattr(GroupedIndexing, "index", rest)
    async with open_store(file, SETTINGS) as store:
        await store.messages.append(chat("<ada> one", channel="#a["))
        await store.messages.append(chat("<bo> two", channel="#a{"))
        await store.rooms.set_casemapping("net", "ascii")
        await store.messages.append(chat("<bo> three", channel="#a{"))
        await store.rooms.set_casemapping("net", "rfc1459")
        await store.messages.append(chat("<bo> four", channel="#a{"))
        await store.rooms.set_casemapping("net", "ascii")
        assert await said_in(store, "#a{") == ["two", "three", "four"]
        assert await said_in(store, "#a[") == ["one"]
        assert await differences(store) == []


async def test_spans_and_clock_of_joined_rooms_are_those_of_both(store: Store) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    await store.spans.begin("net", "#a[", NOON, "joined")
    await store.spans.begin("net", "#a{", NOON + HOUR, "joined")
    await store.spans.end("net", "#a{", NOON + 2 * HOUR, "left")
    await store.messages.append(chat("<ada> late", channel="#a{", at=NOON + 9 * HOUR))
    await store.messages.append(chat("<ada> more", channel="#a["))
    await store.indexed_up_to()
    await store.rooms.set_casemapping("net", "rfc1459")
    one = await room(store, "#a[")
    assert len((await store.spans.coverage([one])).spans) == 2
    await store.messages.append(chat("<ada> last", channel="#a["))
    assert await said_in(store, "#a[") == ["more", "late", "last"]


async def test_what_is_recorded_of_a_room_that_was_joined_to_another_stays_with_that(
    store: Store,
) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    await store.spans.begin("net", "#a{", NOON, "joined")
    await store.messages.append(chat("<ada> one\n<ada> two", channel="#a{"))
    await store.messages.append(chat("<ada> three", channel="#a[", at=NOON + HOUR))
    await store.indexed_up_to()
    await store.rooms.set_casemapping("net", "rfc1459")
    await store.spans.begin("net", "#a[", NOON + HOUR, "joined")
    await store.presence.replace("net", "#a[", [Member("ada")], NOON)
    assert await said_in(store, "#a{") == ["one", "two", "three"]
    one = await room(store, "#a{")
    spans = (await store.spans.coverage([one])).spans
    assert [span.began for span in spans] == [NOON, NOON + HOUR]
    assert [member.nick for member in (await store.presence.current(one)).people] == ["ada"]


async def test_a_room_split_off_was_recorded_when_the_other_was(store: Store) -> None:
    await store.spans.begin("net", "#a[", NOON, "joined")
    await store.messages.append(chat("<ada> one", channel="#a{"))
    await store.spans.end("net", "#a[", NOON + HOUR, "left")
    await store.rooms.set_casemapping("net", "ascii")
    await said_in(store, "#a[")
    spans = (await store.spans.coverage(await store.rooms.all())).spans
    assert [(span.began, span.ended) for span in spans] == [(NOON, NOON + HOUR)] * 2


async def test_no_live_line_of_a_room_split_off_is_dated_before_the_ones_it_has(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> one", channel="#a["))
    await store.messages.append(chat("<ada> two", channel="#a{", at=NOON + HOUR))
    await store.rooms.set_casemapping("net", "ascii")
    assert await said_in(store, "#a[") == ["one"]
    await store.messages.append(chat("<ada> three", channel="#a{", at=NOON))
    assert await said_in(store, "#a{") == ["two", "three"]


async def test_nothing_is_looked_at_where_every_name_compares_as_before(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> one", channel="#tea"))
    await store.rooms.set_casemapping("net", "ascii")
    assert await store.rooms.casemapping("net") == "ascii"
    assert rows_of(file, "SELECT name FROM derived WHERE name = 'rooms'") == []


async def test_another_network_keeps_its_rooms(store: Store) -> None:
    for network in ("net", "other"):
        for channel in ("#a[", "#a{"):
            await store.messages.append(chat("<ada> hi", channel=channel, network=network))
    await store.rooms.set_casemapping("other", "ascii")
    await find(store, "hi")
    assert [(room.network, room.channel) for room in await store.rooms.all()] == [
        ("net", "#a["),
        ("other", "#a["),
        ("other", "#a{"),
    ]


async def test_members_are_told_apart_as_the_network_does(store: Store) -> None:
    await store.presence.replace("net", "#tea", [Member("ada[]")], NOON)
    await store.rooms.set_casemapping("net", "ascii")
    people = [Member("ada[]"), Member("ada{}")]
    await store.presence.replace("net", "#tea", people, NOON + HOUR)
    there = await store.presence.current(await room(store))
    assert [(one.nick, one.since) for one in there.people] == [
        ("ada[]", NOON),
        ("ada{}", NOON + HOUR),
    ]
    await store.rooms.set_casemapping("net", "rfc1459")
    assert len((await store.presence.current(await room(store))).people) == 1


async def test_a_removed_line_moves_as_well(store: Store) -> None:
    removed = line_of("ada", "a", channel="#a{")._replace(msgid="m1")
    await store.messages.append([removed, *chat("<ada> b", channel="#a{", at=NOON + HOUR)])
    await store.messages.append(chat("<ada> c", channel="#a["))
    await store.removal.redact("net", "#a{", "m1", at=NOON + HOUR, asked_by="ada")
    await store.rooms.set_casemapping("net", "ascii")
    assert await said_in(store, "#a{") == ["", "b"]
    assert await differences(store) == []


SPELLINGS = st.sampled_from(["#a[", "#a{", "#A[", "#A{", "#a^", "#a~", "#\u00e4", "#\u00c4", "#a"])


@settings(max_examples=STORIES)
@given(st.lists(st.one_of(st.sampled_from(CASEMAPPINGS), SPELLINGS), max_size=14))
async def test_whatever_a_network_says_each_line_is_in_the_room_of_its_name(
    tmp_path_factory: pytest.TempPathFactory, story: list[str]
) -> None:
    file = tmp_path_factory.mktemp("story") / "irc_logs.db"
    mapping = "rfc1459"
    async with open_store(file, SETTINGS) as store:
        for number, event in enumerate(story):
            if event in CASEMAPPINGS:
                mapping = event
                await store.rooms.set_casemapping("net", mapping)
            else:
                await store.messages.append([line_of("ada", f"{number}", channel=event)])
        assert await differences(store) == []
        rooms = {(row[0], row[1]) for row in rows_of(file, _PLACES)}
    assert {folded for _, folded in rooms} == {fold(channel, mapping) for channel, _ in rooms}
    assert all(fold(channel, mapping) == folded for channel, folded in rooms)


_PLACES = "SELECT m.channel, r.folded FROM rooms r LEFT JOIN messages m ON m.room = r.id"
