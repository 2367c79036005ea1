"""The conversation of a message is separated from the talk around it on demand."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from terrarium_mcp.chat.disentanglement import ReplyLink, conversations_in
from terrarium_mcp.chat.records import Message, MessageType, NewMessage
from terrarium_mcp.chat.times.timestamps import Position
from terrarium_mcp.store import Conversation, Store
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.topics.conversations import (
    AFTER,
    BEFORE,
    NEAR_AFTER,
    NEAR_BEFORE,
    NEAR_EDGE,
    SURE,
    Conversations,
)
from tests.chat.disentanglement.scene import (
    KETTLE,
    KETTLE_AND_TRAIN,
    LATE_REPLY,
    TRAIN_BACK,
    conversation_of,
    talk,
)
from tests.store.scene import NOON, chat, line_of, redact, texts

TWO = """
    12:00 <ann> hi, does anyone know why my wifi driver fails to load after the upgrade?
    12:00 <bob> how do I mount a usb disk?
    12:01 <cat> ann: which card is it?
    12:01 <dan> bob: plug it in and run lsblk
    12:02 <ann> cat: a broadcom 4311
    12:02 <bob> dan: thanks, lsblk shows sdb1
    12:03 * cat ann: then you need the firmware package for that driver
"""
WIFI, DISK = [1, 3, 5, 7], [2, 4, 6]


def ids(found: Conversation) -> list[int]:
    return [message.id for message in found.messages]


async def line(store: Store, number: int) -> Message:
    found = await store.messages.get(number, await store.rooms.all())
    assert found
    return found


async def test_the_conversation_of_a_line_and_what_lies_between(store: Store) -> None:
    await store.messages.append(chat(TWO))
    await store.messages.append(chat("12:02 <ann> cat: elsewhere", channel="#mate"))
    for number in WIFI:
        found = await store.conversations.around(await line(store, number))
        assert (ids(found), found.between, found.looked_at) == (WIFI, 3, 7)
    assert ids(await store.conversations.around(await line(store, 4))) == DISK
    assert [link.answers for link in found.links] == [None, 1, 3, 5]


async def test_before_and_after_bound_the_conversation(store: Store) -> None:
    await store.messages.append(chat(TWO))
    message = await line(store, 5)
    one = await store.conversations.around(message, before=1)
    assert (ids(one), one.beyond, one.between) == ([3, 5, 7], 1, 2)
    assert [link.line for link in one.links] == [3, 5, 7]
    alone = await store.conversations.around(message, before=0, after=0)
    assert (ids(alone), alone.beyond, alone.between) == ([5], 3, 0)
    wide = await store.conversations.around(message, before=100, after=100)
    assert wide == await store.conversations.around(message)


async def test_any_bounds_show_the_nearest_lines_and_count_the_others(store: Store) -> None:
    await store.messages.append(chat(TWO))
    for number in WIFI:
        message, at = await line(store, number), WIFI.index(number)
        for before in range(5):
            for after in range(5):
                found = await store.conversations.around(message, before=before, after=after)
                assert ids(found) == WIFI[max(0, at - before) : at + after + 1]
                assert found.beyond == len(WIFI) - len(found.messages)
                assert [link.line for link in found.links] == ids(found)


async def test_the_line_that_a_reply_tag_names_counts_among_those_before(store: Store) -> None:
    chatter = [tagged(n, f"person{n}", f"subject{n} thing{n}") for n in range(1, 251)]
    await store.messages.append([tagged(0, "ann", "who has the key?"), *chatter])
    await store.messages.append([tagged(251, "bo", "me", "m0"), tagged(252, "cy", "no, I", "m0")])
    found = await store.conversations.around(await line(store, 253), before=1)
    assert (ids(found), found.beyond) == ([252, 253], 1)
    assert [link.answers for link in found.links] == [1, 1]


def kettle_and_train() -> list[NewMessage]:
    return [
        line_of(one.nick, one.text, NOON + timedelta(seconds=one.at))
        for one in talk(KETTLE_AND_TRAIN)
    ]


async def test_what_is_far_and_doubtful_is_named_and_not_shown(store: Store) -> None:
    await store.messages.append(kettle_and_train())
    found = await store.conversations.around(await line(store, 1))
    assert {*KETTLE, LATE_REPLY} <= set(ids(found))
    assert found.left_out == TRAIN_BACK
    assert [link.line for link in found.links] == ids(found)


async def nearest(store: Store, count: int, *numbers: int) -> list[list[int]]:
    messages = [await line(store, number) for number in numbers]
    near = await store.conversations.nearest(messages, count)
    return [[message.id for message in lines] for lines in near]


async def test_the_nearest_lines_of_it_are_cut_on_both_sides(store: Store) -> None:
    await store.messages.append(chat(TWO))
    assert await nearest(store, 1, 5, 2) == [[3, 5, 7], [2, 4]]
    assert await nearest(store, 0, 5) == [[5]]


async def test_no_line_from_the_cutoff_on_takes_part(store: Store) -> None:
    await store.messages.append(chat(TWO))
    until = (await line(store, 5)).position
    found = await store.conversations.around(await line(store, 1), until=until)
    assert (ids(found), found.looked_at) == ([1, 3], 4)


async def test_joins_are_no_lines_and_belong_to_no_conversation(store: Store) -> None:
    said = chat(TWO)
    joins = [line_of(f"guest{n}", "", said[2].said_at, kind=MessageType.JOIN) for n in range(150)]
    await store.messages.append([*said[:3], *joins, *said[3:]])
    found = await store.conversations.around(await line(store, 1))
    assert texts(found.messages) == [said[n - 1].text for n in WIFI]
    assert found.between == 3
    join = await line(store, 4)
    assert await store.conversations.around(join) == Conversation(join, [join])


async def test_only_so_many_lines_around_are_looked_at(store: Store) -> None:
    ids = await store.messages.append(chat("<ada> tea\n" * (BEFORE + AFTER + 50)))
    found = await store.conversations.around(await line(store, ids[BEFORE + 10]))
    assert found.looked_at == BEFORE + AFTER + 1
    assert found.messages[0].id >= ids[10]
    assert found.messages[-1].id <= ids[BEFORE + 10 + AFTER]


def edges(found: Conversation) -> tuple[int | None, int | None]:
    return found.may_begin_before, found.may_go_on_after


async def test_what_reaches_the_edges_of_what_is_read_may_go_on_beyond_them(store: Store) -> None:
    ids = await store.messages.append(chat("<ada> bo: tea\n<bo> ada: tea\n" * 150))
    middle = await line(store, ids[150])
    around = store.conversations.around
    assert edges(await around(middle)) == (ids[150 - BEFORE], ids[150 + AFTER])
    assert edges(await around(middle, before=BEFORE)) == (None, ids[150 + AFTER])
    assert edges(await around(middle, before=BEFORE + 1, after=5)) == (ids[150 - BEFORE], None)
    assert edges(await around(middle, before=5, after=AFTER + 1)) == (None, ids[150 + AFTER])


async def test_a_conversation_does_not_go_on_where_the_record_or_the_view_ends(
    store: Store,
) -> None:
    ids = await store.messages.append(chat("<ada> bo: tea\n<bo> ada: tea\n" * 150))
    await store.messages.append(chat("<ada> bo: tea", channel="#mate"))
    for at, begins, ends in (
        (BEFORE, None, ids[BEFORE + AFTER]),
        (BEFORE + 1, ids[1], ids[BEFORE + 1 + AFTER]),
        (299 - AFTER, ids[299 - AFTER - BEFORE], None),
        (298 - AFTER, ids[298 - AFTER - BEFORE], ids[298]),
    ):
        assert edges(await store.conversations.around(await line(store, ids[at]))) == (begins, ends)
    first = await line(store, ids[0])
    for end, goes_on in ((AFTER + 1, None), (AFTER + 2, ids[AFTER])):
        until = (await line(store, ids[end])).position
        found = await store.conversations.around(first, until=until)
        assert edges(found) == (None, goes_on)


@pytest.mark.parametrize(
    ("distance", "may_begin", "may_go_on"),
    [
        (AFTER - NEAR_EDGE, False, False),
        (AFTER - NEAR_EDGE + 1, False, True),
        (BEFORE - NEAR_EDGE + 1, True, True),
    ],
)
async def test_how_near_to_an_edge_a_conversation_may_go_on_beyond_it(
    store: Store, distance: int, may_begin: bool, may_go_on: bool
) -> None:
    """Reply tags tie a question to its answer, and all talk around them to something else."""
    asked, answered = 150, 150 + distance
    said = [tagged(n, "cy", "and on", "elsewhere") for n in range(400)]
    said[asked] = tagged(asked, "ann", "who has the key?", "unrecorded")
    said[answered] = tagged(answered, "bo", "me", f"m{asked}")
    ids = await store.messages.append(said)
    question, answer = ids[asked], ids[answered]
    from_question = await store.conversations.around(await line(store, question))
    assert texts(from_question.messages) == ["who has the key?", "me"]
    assert edges(from_question) == (None, answer if may_go_on else None)
    from_answer = await store.conversations.around(await line(store, answer))
    assert edges(from_answer) == (question if may_begin else None, None)


def tagged(number: int, nick: str, text: str, reply_to: str = "") -> NewMessage:
    heard = line_of(nick, text, NOON + timedelta(minutes=number))
    return heard._replace(msgid=f"m{number}", reply_to=reply_to)


async def test_a_reply_tag_reaches_the_line_it_names_however_far_back(store: Store) -> None:
    chatter = [tagged(n, f"person{n}", f"subject{n} thing{n}") for n in range(1, 251)]
    await store.messages.append([tagged(0, "ann", "who has the key?"), *chatter])
    await store.messages.append([tagged(251, "bo", "me", "m0"), tagged(252, "cy", "no, I", "m0")])
    found = await store.conversations.around(await line(store, 252))
    assert ids(found) == [1, 252, 253]
    assert [(one.answers, one.probability) for one in found.links] == [(1, 1.0), (1, 1.0)]
    before = await store.conversations.around(await line(store, 252), until=Position("2026-05-01"))
    assert ids(before) == [252]


async def test_answers_to_a_line_that_was_not_recorded_belong_together(store: Store) -> None:
    await store.messages.append(
        [tagged(1, "ann", "which kernel?", "lost"), tagged(2, "bo", "which desktop?", "lost")]
    )
    found = await store.conversations.around(await line(store, 1))
    assert ids(found) == [1, 2]
    assert [link.outside for link in found.links] == ["lost", "lost"]


async def test_the_scorer_knows_flagged_bots_and_the_recorder_itself(store: Store) -> None:
    talk = chat("""
        <ann> !weather
        <terra> rain until the evening
        <ann> and the ferry?
        <terra> no ferry today
    """)
    chances = []
    for channel, bot, own in (("#a", False, False), ("#b", True, False), ("#c", False, True)):
        heard = [
            one._replace(channel=channel, bot=bot and is_terra, own=own and is_terra)
            for one in talk
            for is_terra in [one.nick == "terra"]
        ]
        number = (await store.messages.append(heard))[0]
        found = await store.conversations.around(await line(store, number))
        chances.append([link.probability for link in found.links])
    assert chances[1] == chances[2] != chances[0]


async def test_a_removed_line_keeps_its_place_without_its_words(store: Store) -> None:
    await store.messages.append(chat(TWO))
    await redact(store, 5)
    found = await store.conversations.around(await line(store, 5))
    assert 5 in ids(found)
    assert "broadcom" not in str(found)


async def test_the_neighbours_of_many_messages_are_those_of_each_without_the_others(
    store: Store,
) -> None:
    await store.messages.append(chat(TWO))
    await store.messages.append(chat(TWO, channel="#mate"))
    alone = [lines for number in (1, 2, 8, 9) for lines in await nearest(store, 2, number)]
    assert alone == [[1, 3, 5], [2, 4, 6], [8, 10, 12], [9, 11, 13]]
    assert await nearest(store, 2, 1, 2, 8, 9) == alone
    assert await nearest(store, 2, 1, 3, 8) == [[1, 5, 7], [3, 5, 7], [8, 10, 12]]
    assert await nearest(store, 2, *range(1, 15)) == [[number] for number in range(1, 15)]


async def test_lines_that_add_nothing_are_no_neighbours(store: Store) -> None:
    await store.messages.append(
        chat("""
        <ann> bob: which card is in your laptop?
        <bob> ann: hm
        <bob> ann: broadcom
        <ann> bob: then you need the firmware package for that card
        <bob> ann: thanks
        <bob> ann: the firmware package works
    """)
    )
    assert await nearest(store, 2, 3) == [[1, 3, 4, 6]]
    assert await nearest(store, 1, 2) == [[1, 2, 3]]  # a hit itself may be anything
    await redact(store, 4)
    assert 4 not in (await nearest(store, 2, 3))[0]


async def test_neighbours_are_tied_by_sure_links_alone(store: Store) -> None:
    await store.messages.append(kettle_and_train())
    around = await store.conversations.around(await line(store, 12))
    chances = {link.line: link.probability for link in around.links}
    assert {11, 12, 13, 14} <= set(ids(around))
    assert chances[12] < SURE < chances[13]
    assert await nearest(store, 2, 12) == [[12, 13, 14]]


async def test_windows_that_meet_are_read_as_one_and_others_are_not(store: Store) -> None:
    """A message is compared with all lines of its passage, and with no others."""
    many = chat("<ada> tea\n<bo> ada: tea\n" * NEAR_BEFORE)
    ids = await store.messages.append(many)
    first, second, last = ids[0], ids[NEAR_AFTER + 5], ids[-1]
    near = await nearest(store, 3, first, second, last)
    assert near == [
        lines for one in (first, second, last) for lines in await nearest(store, 3, one)
    ]
    assert near[0][0] == first
    assert near[2][-1] == last


async def test_what_surrounds_a_hundred_messages_is_read_with_one_statement(store: Store) -> None:
    ids = await store.messages.append(chat("<ada> tea\n" * 300))
    reader = CountingReader(store)
    rooms = await store.rooms.all()
    page = await store.messages.newest(rooms, 100)
    near = await Conversations(reader).nearest(page.messages, 5)
    assert reader.statements == 1
    assert [line.id for line in near[-1]][-1] == ids[-1]
    await Conversations(reader).nearest([], 5)
    assert reader.statements == 1


class CountingReader(Indexer):
    """The indexer of a store, which counts the statements that it is asked for."""

    def __init__(self, store: Store) -> None:
        self.statements = 0
        self._reader = store._indexer  # noqa: SLF001 -- nothing else reads for the topics

    async def rows(
        self, sql: str, params: Mapping[str, Any], *, uses: Sequence[str] = ()
    ) -> list[Row]:
        self.statements += 1
        return await self._reader.rows(sql, params, uses=uses)


async def test_neighbours_obey_the_cutoff_and_an_event_has_none(store: Store) -> None:
    said = chat(TWO)
    join = line_of("guest", "", said[2].said_at, kind=MessageType.JOIN)
    await store.messages.append([*said[:3], join, *said[3:]])
    messages = [await line(store, number) for number in (1, 4)]
    until = (await line(store, 6)).position
    near = await store.conversations.nearest(messages, 5, until=until)
    assert [[message.id for message in lines] for lines in near] == [[1, 3], [4]]


async def test_the_line_that_a_reply_tag_names_is_a_neighbour_however_far_back(
    store: Store,
) -> None:
    chatter = [tagged(n, f"person{n}", f"subject{n} thing{n}") for n in range(1, 251)]
    await store.messages.append([tagged(0, "ann", "who has the key?"), *chatter])
    await store.messages.append([tagged(251, "bo", "me", "m0"), tagged(252, "cy", "no, I", "m0")])
    await store.messages.append([tagged(0, "eve", "elsewhere")._replace(channel="#mate")])
    assert await nearest(store, 1, 252, 253) == [[1, 252], [1, 253]]
    assert await nearest(store, 2, 253) == [[1, 253]]  # `me` is a single everyday word


def test_conversations_are_those_of_each_message() -> None:
    links = [
        ReplyLink(1, None, 1.0),
        ReplyLink(2, None, 1.0, "lost"),
        ReplyLink(3, 1, 0.5),
        ReplyLink(4, None, 1.0, "lost"),
        ReplyLink(5, 3, 0.5),
        ReplyLink(6, None, 1.0),
    ]
    assert conversations_in(links) == [conversation_of(number, links) for number in (1, 2, 6)]
    assert conversations_in([]) == []
