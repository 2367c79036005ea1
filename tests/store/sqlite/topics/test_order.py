"""Order is (timestamp, id), everywhere, and it never contradicts what the network sent."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Message, MessageType, NewMessage, Origin, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, from_text, to_iso, to_text
from terrarium_mcp.store import KnownLine, PurgeTarget, Store, open_store
from terrarium_mcp.store.search import Search, Sort
from tests.conftest import STORIES
from tests.store.scene import NOON, SETTINGS, chat, line_of, room, rows_of, texts, write

FEW = settings(max_examples=STORIES, suppress_health_check=[HealthCheck.function_scoped_fixture])


@asynccontextmanager
async def fresh_store() -> AsyncIterator[Store]:
    """A store for each example that hypothesis makes up."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder) / "irc.db", SETTINGS) as store:
            yield store


async def test_ids_stand_in_the_order_of_the_lines(store: Store) -> None:
    assert await store.messages.append(chat("<ada> one\n<bo> two")) == [1, 2]
    assert await store.messages.append([]) == []
    assert await store.messages.append(chat("<ada> three")) == [3]


async def test_what_was_recorded_comes_back(store: Store) -> None:
    await store.messages.append(
        [
            line_of("ada", "waves", kind=MessageType.ACTION)._replace(account="Ada", own=True),
            line_of("bo", "", kind=MessageType.JOIN),
            line_of("bo", "lone \ud83d surrogate, \0 and \x02bold"),
        ]
    )
    first, second, third = (
        await store.messages.newest([await room(store)], 9, events=True)
    ).messages
    assert (first.nick, first.text, first.kind, first.account, first.own, first.said_at) == (
        "ada",
        "waves",
        MessageType.ACTION,
        "Ada",
        True,
        NOON,
    )
    assert (second.kind, second.text) == (MessageType.JOIN, "")
    assert third.text == "lone ? surrogate, \0 and \x02bold"


async def test_a_live_line_is_never_dated_before_the_one_before_it(
    store: Store, file: Path
) -> None:
    late = line_of("bo", "second", NOON - timedelta(minutes=5))._replace(
        server_time=to_iso(NOON - timedelta(minutes=5)),
    )
    on_time = line_of("cy", "third", NOON + timedelta(minutes=1))._replace(
        server_time=to_iso(NOON + timedelta(minutes=1)),
    )
    elsewhere = line_of("bo", "other room", NOON - timedelta(minutes=5), "#mate")
    await store.messages.append([line_of("ada", "first"), elsewhere])
    await store.messages.append([late, on_time])
    page = await store.messages.newest([await room(store)], 9)
    assert [(line.text, line.said_at) for line in page.messages] == [
        ("first", NOON),
        ("second", NOON),
        ("third", NOON + timedelta(minutes=1)),
    ]
    kept = rows_of(file, "SELECT message, server_time FROM messages WHERE server_time NOT NULL")
    assert kept == [("second", to_iso(NOON - timedelta(minutes=5)))]
    others = rows_of(file, "SELECT timestamp FROM messages WHERE message = 'other room'")
    assert others == [(to_text(NOON - timedelta(minutes=5)),)]


async def test_a_server_time_that_nobody_can_read_is_kept_and_stops_nothing(
    store: Store, file: Path
) -> None:
    await store.messages.append([line_of("ada", "hi")._replace(server_time="tea time")])
    assert rows_of(file, "SELECT server_time FROM messages") == [("tea time",)]


@pytest.mark.parametrize("origin", [Origin.PLAYBACK, Origin.IMPORT])
async def test_playback_and_imports_keep_their_time_and_push_no_live_line(
    store: Store, origin: Origin
) -> None:
    await store.messages.append([line_of("ada", "now")])
    await store.messages.append(
        [
            line_of("ada", "tomorrow", NOON + timedelta(days=1), origin=origin),
            line_of("ada", "yesterday", NOON - timedelta(days=1), origin=origin),
        ]
    )
    await store.messages.append([line_of("ada", "a second later", NOON + timedelta(seconds=1))])
    page = await store.messages.newest([await room(store)], 9)
    assert texts(page.messages) == ["yesterday", "now", "a second later", "tomorrow"]
    assert [line.id for line in page.messages] == [3, 1, 4, 2]


async def test_playback_of_a_known_line_is_left_out(store: Store) -> None:
    def replayed(line: NewMessage) -> NewMessage:
        return line._replace(origin=Origin.PLAYBACK)

    with_id = line_of("ada", "one")._replace(msgid="a1")
    without = line_of("ada", "two", NOON + timedelta(seconds=1, milliseconds=700))
    joined = line_of("bo", "", NOON + timedelta(seconds=2), kind=MessageType.JOIN)
    await store.messages.append([with_id, without, joined])
    whole_second = replayed(without)._replace(said_at=NOON + timedelta(seconds=1))
    moved = replayed(with_id)._replace(
        text="edited by a bouncer", said_at=NOON + timedelta(hours=1)
    )
    later_named = replayed(without)._replace(msgid="b2")
    left = replayed(joined)._replace(kind=MessageType.PART)
    new = replayed(with_id)._replace(msgid="c3")
    elsewhere = replayed(with_id)._replace(channel="#mate")
    assert await store.messages.append(
        [whole_second, moved, replayed(joined), later_named, left, new, new, elsewhere]
    ) == [0, 0, 0, 0, 4, 5, 0, 6]


async def test_playback_has_equal_words_as_often_as_they_were_said(store: Store) -> None:
    live = line_of("ada", "hi", NOON + timedelta(milliseconds=142))
    replayed = [
        live._replace(origin=Origin.PLAYBACK, said_at=NOON, repeat=repeat) for repeat in range(3)
    ]
    elsewhere = [line._replace(channel="#mate") for line in replayed]
    assert await store.messages.append([live]) == [1]
    assert await store.messages.append(replayed) == [0, 2, 3]
    assert await store.messages.append([*elsewhere, *elsewhere]) == [4, 5, 6, 0, 0, 0]
    assert await store.messages.append(replayed) == [0, 0, 0]
    assert await store.messages.append([*replayed, *replayed]) == [0] * 6
    again = replayed[0]._replace(said_at=NOON + timedelta(seconds=1))
    assert await store.messages.append([again]) == [7]


async def test_playback_of_our_own_line_is_known_although_we_dated_it_when_it_was_confirmed(
    store: Store,
) -> None:
    def replayed(text: str, seconds: float) -> NewMessage:
        line = line_of("Terra", text, NOON + timedelta(seconds=seconds))
        return line._replace(own=True, origin=Origin.PLAYBACK)

    live = replayed("pong", 0.2)._replace(origin=Origin.LIVE)
    await store.messages.append([live, live._replace(text="hi", own=False)])
    early, skewed = replayed("pong", -0.2), replayed("pong", 9)
    assert await store.messages.append([early, skewed]) == [0, 0]
    others = [replayed("hi", 3), replayed("pong", 60), early._replace(own=False)]
    assert await store.messages.append(others) == [3, 4, 5]
    assert await store.messages.append([replayed("pong", 63)]) == [6]  # said twice, heard never
    assert (
        await store.messages.append([early, replayed("pong", 60), replayed("pong", 63)]) == [0] * 3
    )


async def test_playback_does_not_bring_back_what_was_purged(store: Store) -> None:
    said = [line_of("ada", "one"), line_of("bo", "two"), line_of("ada", "on oft", network="oft")]
    replayed = [line._replace(origin=Origin.PLAYBACK) for line in said]
    later = replayed[0]._replace(said_at=NOON + timedelta(hours=2))
    await store.messages.append(said)
    target = PurgeTarget("ADA", "net")
    await store.removal.purge(target, asked_by="op", at=NOON + timedelta(hours=1))
    assert await store.messages.append([*replayed, later]) == [0, 0, 0, 4]
    elsewhere = replayed[0]._replace(channel="#mate")
    assert await store.messages.append([elsewhere, elsewhere._replace(network="oft")]) == [0, 5]
    await store.removal.purge(PurgeTarget("ada"), asked_by="op", at=NOON + timedelta(hours=1))
    assert await store.messages.append([replayed[0], replayed[2], later]) == [0, 0, 6]


async def test_a_line_dated_later_than_the_server_sent_it_is_known_by_the_servers_time(
    store: Store,
) -> None:
    pushed = line_of("ada", "hi")._replace(server_time=to_iso(NOON))
    await store.messages.append([line_of("bo", "ahead", NOON + timedelta(seconds=50)), pushed])
    assert await store.messages.append([pushed._replace(origin=Origin.PLAYBACK)]) == [0]


async def test_the_newest_known_line_is_speech_as_its_network_knows_it(store: Store) -> None:
    async def newest() -> KnownLine | None:
        return await store.messages.newest_known(
            "net", "#TEA", NOON - timedelta(hours=1), NOON + timedelta(minutes=1)
        )

    assert await newest() is None
    own_join = line_of("Terra", "", kind=MessageType.JOIN)._replace(own=True)
    await store.messages.append([own_join, line_of("ada", "", NOON, kind=MessageType.JOIN)])
    assert await newest() == KnownLine(NOON)
    early = line_of("ada", "tea")._replace(
        msgid="m1", server_time=to_iso(NOON - timedelta(seconds=9))
    )
    await store.messages.append([early, line_of("bo", "", kind=MessageType.QUIT)])
    assert await newest() == KnownLine(NOON - timedelta(seconds=9), "m1", "ada", "tea")
    await store.messages.append(
        [
            line_of("ada", "elsewhere", channel="#mate"),
            line_of("ada", "tomorrow", NOON + timedelta(days=1), origin=Origin.IMPORT),
            line_of("ada", "wrong clock")._replace(server_time="2999-01-01T00:00:00.000Z"),
        ]
    )
    assert await newest() == KnownLine(NOON, "", "ada", "wrong clock")
    await store.messages.append([line_of("ada", "no clock")._replace(server_time="noon")])
    assert await newest() == KnownLine(NOON, "", "ada", "no clock")
    first = line_of("ada", "no battery")._replace(server_time="0001-01-01T00:00:00.000Z")
    await store.messages.append([first])
    assert await newest() == KnownLine(NOON, "", "ada", "no battery")


async def test_the_same_words_said_twice_live_are_two_lines(store: Store) -> None:
    line = line_of("ada", "lol")._replace(msgid="same")
    assert await store.messages.append([line, line]) == [1, 2]


async def test_ids_are_never_used_again(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> one\n<ada> two\n<ada> three"))
    write(file, "DELETE FROM messages WHERE id >= 2")
    assert await store.messages.append(chat("<ada> four")) == [4]
    write(file, "DELETE FROM messages")
    assert await store.messages.append(chat("<ada> five")) == [5]
    assert texts((await store.messages.newest([await room(store)], 9)).messages) == ["five"]


async def test_what_is_addressed_to_a_person_goes_into_no_room(store: Store, file: Path) -> None:
    lines = [
        line_of("ada", "secret", channel="Terra"),
        line_of("ada", "open"),
        line_of("ada", "for the operators", channel="@#tea"),
    ]
    assert await store.messages.append(lines) == [1, 2, 3]
    assert [room.channel for room in await store.rooms.all()] == ["#tea"]
    assert texts((await store.messages.newest(await store.rooms.all(), 9)).messages) == ["open"]
    kept = "SELECT id, target, message FROM private_messages"
    assert rows_of(file, kept) == [(1, "Terra", "secret"), (3, "@#tea", "for the operators")]
    assert rows_of(file, "SELECT id FROM messages") == [(2,)]
    assert await store.messages.append(chat("<ada> next")) == [4]


async def test_spellings_of_a_channel_are_one_room_under_rfc1459(store: Store) -> None:
    await store.messages.append(
        [line_of("ada", text, channel=name) for text, name in [("a", "#Tea[]"), ("b", "#tEA{}")]]
    )
    (only,) = await store.rooms.all()
    assert texts((await store.messages.newest([only], 9)).messages) == ["a", "b"]


SPAN = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.sampled_from(["#a", "#b", "#c"]),
        st.sampled_from(list(Origin)),
        st.sampled_from([MessageType.PRIVMSG, MessageType.PRIVMSG, MessageType.JOIN]),
    ),
    max_size=30,
)


def as_recorded(drawn: list[tuple[int, str, Origin, MessageType]]) -> list[NewMessage]:
    return [
        line_of("ada", f"line {n}", NOON + timedelta(seconds=at), channel, kind, origin)
        for n, (at, channel, origin, kind) in enumerate(drawn)
    ]


@given(SPAN, st.integers(1, 7), st.sets(st.sampled_from(["#a", "#b", "#c"])), st.booleans())
@FEW
async def test_reading_back_and_forth_page_by_page_shows_every_line_once_in_order(
    drawn: list[tuple[int, str, Origin, MessageType]], limit: int, wanted: set[str], events: bool
) -> None:
    async with fresh_store() as store:
        await store.messages.append(as_recorded(drawn))
        rooms = [room for room in await store.rooms.all() if room.channel in wanted]
        truth = sorted(
            (
                line
                for line in (await store.messages.newest(rooms, 1_000, events=True)).messages
                if events or line.kind is MessageType.PRIVMSG
            ),
            key=lambda line: (line.said_at, line.id),
        )
        count = sum(
            channel in wanted and (events or kind is MessageType.PRIVMSG)
            for _, channel, _, kind in drawn
        )
        assert len(truth) == count
        back: list[Message] = []
        page = await store.messages.newest(rooms, limit, events=events)
        while page.messages:
            back = [*page.messages, *back]
            place = page.messages[0].position
            assert page.more == (len(back) < count)
            page = await store.messages.newest(rooms, limit, before=place, events=events)
        assert back == truth
        on: list[Message] = []
        page = await store.messages.onward(rooms, limit, after=Position(""), events=events)
        while page.messages:
            on += page.messages
            place = page.messages[-1].position
            page = await store.messages.onward(rooms, limit, after=place, events=events)
        assert on == truth


@given(SPAN, st.integers(0, 29), st.integers(0, 5), st.integers(0, 5), st.integers(0, 40))
@FEW
async def test_around_a_line_stand_its_neighbours_and_none_from_the_cutoff_on(
    drawn: list[tuple[int, str, Origin, MessageType]], which: int, before: int, after: int, cut: int
) -> None:
    async with fresh_store() as store:
        await store.messages.append(as_recorded(drawn))
        rooms = await store.rooms.all()
        message = await store.messages.get(which + 1, rooms)
        until = Position.at(NOON + timedelta(seconds=cut))
        if message is None or not message.position < until:
            return
        its_room = (await store.messages.newest([message.room], 1_000, events=True)).messages
        speech = [line for line in its_room if line.kind is MessageType.PRIVMSG]
        earlier = [line for line in speech if line.position < message.position]
        later = [line for line in speech if message.position < line.position < until]
        assert await store.messages.around(message, before, after, until=until) == [
            *(earlier[-before:] if before else []),
            message,
            *later[:after],
        ]


async def test_lines_between_two_places_are_read_from_either_end(store: Store) -> None:
    await store.messages.append(chat("\n".join(f"<ada> {n}" for n in range(10))))
    rooms = await store.rooms.all()
    lines = (await store.messages.newest(rooms, 10)).messages
    after, before = lines[1].position, lines[8].position
    newest = await store.messages.newest(rooms, 3, after=after, before=before)
    assert texts(newest.messages) == ["5", "6", "7"]
    onward = await store.messages.onward(rooms, 3, after=after, before=before)
    assert texts(onward.messages) == ["2", "3", "4"]
    assert (newest.more, onward.more) == (True, True)
    assert not (await store.messages.newest(rooms, 6, after=after, before=before)).more


async def test_a_message_of_another_room_is_not_there(store: Store) -> None:
    await store.messages.append([line_of("ada", "hi"), line_of("ada", "hi", channel="#mate")])
    tea = await room(store)
    assert await store.messages.get(1, [tea]) is not None
    assert await store.messages.get(2, [tea]) is None
    assert await store.messages.get(1, []) is None
    assert await store.messages.get(99, [tea]) is None
    assert await store.messages.cutoff(1, [tea]) == (Position(to_text(NOON), 1), [])
    assert await store.messages.cutoff(2, [tea]) is None
    assert await store.messages.cutoff(99, [tea]) is None


SEAM = st.tuples(
    st.lists(st.integers(0, 365 * 86_400), min_size=1, max_size=30),  # a year recorded
    st.lists(st.integers(-20 * 365 * 86_400, 40_000), max_size=30),  # twenty years before, and more
    st.lists(st.integers(365 * 86_400, 366 * 86_400), max_size=5),  # then recording continues
)


@given(SEAM, st.booleans(), st.integers(1, 9), st.data())
@FEW
async def test_a_past_that_is_imported_later_is_read_as_a_plain_sort_of_all_rows_says(
    seam: tuple[list[int], list[int], list[int]], by_time: bool, limit: int, data: st.DataObject
) -> None:
    year, past, rest = seam
    async with fresh_store() as store:
        await store.messages.append([_tea(at, Origin.LIVE) for at in sorted(year)])
        bulk = sorted(past) if by_time else past
        await store.messages.append([_tea(at, Origin.IMPORT) for at in bulk])
        await store.messages.append([_tea(at, Origin.LIVE) for at in sorted(rest)])
        rows = rows_of(store.path, "SELECT timestamp, id FROM messages ORDER BY timestamp, id")
        truth = [number for _, number in rows]
        here = [await room(store)]
        low, high = sorted(data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
        after, before = Position(*rows[low]), Position(*rows[high])
        window = truth[low + 1 : high]

        def ids(messages: Sequence[Message]) -> list[int]:
            return [message.id for message in messages]

        newest = await store.messages.newest(here, limit)
        assert ids(newest.messages) == truth[-limit:]
        inside = await store.messages.newest(here, limit, after=after, before=before)
        assert ids(inside.messages) == window[-limit:]
        onward = await store.messages.onward(here, limit, after=after, before=before)
        assert ids(onward.messages) == window[:limit]
        line = await store.messages.get(rows[low][1], here)
        assert line is not None
        around = await store.messages.around(line, limit, limit)
        assert ids(around) == truth[max(0, low - limit) : low + limit + 1]
        for sort, order in ((Sort.OLDEST, truth), (Sort.NEWEST, truth[::-1])):
            assert [number async for number in _paged(store, here, limit, sort)] == order
        now = NOON + timedelta(days=400)
        figures = await store.stats.for_room(here[0], until=before, now=now)
        assert figures.lines == high
        whole = await store.stats.for_room(here[0], until=EVERY_LINE, now=now)
        assert (whole.first, whole.last) == (from_text(rows[0][0]), from_text(rows[-1][0]))


def _tea(seconds: int, origin: Origin) -> NewMessage:
    return line_of("ada", "green tea", NOON + timedelta(seconds=seconds), origin=origin)


async def _paged(store: Store, rooms: Sequence[Room], limit: int, sort: Sort) -> AsyncIterator[int]:
    """Every hit, page by page."""
    asked = Search(query=parse_query("tea"), rooms=rooms, limit=limit, sort=sort)
    while True:
        page = await store.search(asked, "question")
        for message in page.messages:
            yield message.id
        if page.next is None:
            return
        asked = replace(asked, cursor=page.next)
