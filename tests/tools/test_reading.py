"""get_recent_irc_messages and get_message_context."""

from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.store import Conversation
from terrarium_mcp.tools.conversation_text import conversation_notes
from tests.chat.disentanglement.scene import (
    KETTLE,
    KETTLE_AND_TRAIN,
    LATE_REPLY,
    TRAIN_BACK,
    talk,
)
from tests.store.scene import NOON, line_of
from tests.tools.scene import House

HOUR = timedelta(hours=1)

TWO_CONVERSATIONS = """
    <ann> hi, does anyone know why my wifi driver fails to load after the upgrade?
    <bob> how do I mount a usb disk?
    <cat> ann: which card is it?
    <dan> bob: plug it in and run lsblk
    <ann> cat: a broadcom 4311
    <bob> dan: thanks, lsblk shows sdb1
    <cat> ann: then you need the firmware package for that driver
"""


async def test_recent_lines_are_a_transcript_oldest_first(house: House) -> None:
    await house.hears("<ada> tea?\n* bo nods\n-cy- psst")
    told = await house.learns("get_recent_irc_messages")
    assert told.lines == [
        "-- 2026-05-01 Fri --",
        "1 12:00 <ada> tea?",
        "2 12:01 * bo nods",
        "3 12:02 -cy- psst",
    ]
    assert told.outside == (
        "3 lines in #tea\nnothing recorded yet. Times UTC.\n\n"
        "next: nothing earlier | newer: after_id=3 | around a line: get_message_context(3)"
    )


async def test_the_newest_lines_of_the_last_hours_come_not_the_first(house: House) -> None:
    now = datetime.now(UTC)
    await house.hears("<ada> too old", at=now - 5 * HOUR)
    ids = await house.hears("<ada> one\n<ada> two\n<ada> three", at=now - HOUR)
    told = await house.learns("get_recent_irc_messages", hours=2, limit=2)
    assert told.ids == ids[1:]
    assert f"next: before_id={ids[1]} |" in told.outside


async def test_nothing_earlier_is_said_of_the_hours_asked_for_only(house: House) -> None:
    now = datetime.now(UTC)
    await house.hears("<ada> too old", at=now - 5 * HOUR)
    await house.hears("<ada> one", at=now - HOUR)
    told = await house.learns("get_recent_irc_messages", hours=2)
    assert "next: nothing earlier within 2 hours |" in told.outside


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("onward", [False, True])
async def test_the_head_says_how_many_of_the_lines_are_shown(
    house: House, form: str, onward: bool
) -> None:
    ids = await house.hears("\n".join(f"<ada> {n} {'tea ' * 20}" for n in range(60)))
    arguments = {"after_id": ids[0]} if onward else {}
    view = {"max_tokens": 900}
    told = await house.learns("get_recent_irc_messages", view, limit=50, format=form, **arguments)
    assert 0 < len(told.ids) < 50
    head = f"{len(told.ids)} of 50 lines in #tea"
    assert told.text.splitlines()[0] == head
    assert form == "text" or told.facts["summary"] == head
    assert estimated_tokens(told.text) <= 900


async def test_where_the_last_hours_hold_nothing_the_last_line_before_is_named(
    house: House,
) -> None:
    now = datetime.now(UTC)
    await house.hears("<ada> older\n<ada> old", at=now - 5 * HOUR)
    hidden = await house.hears("<ada> elsewhere", channel="#mate", at=now - 4 * HOUR)
    told = await house.learns("get_recent_irc_messages", {"channel": "#tea"}, hours=2)
    said = now - 5 * HOUR + timedelta(minutes=1)
    note = f"note: the last line more than 2 hours ago is 2, of {said:%Y-%m-%d %H:%M}"
    assert note in told.outside.splitlines()
    assert f"is {hidden[0]}" not in told.text
    only = "within 2 hours; without hours, any older ones are read"
    assert told.outside.endswith(f"\nno line is recorded there {only}")
    told = await house.learns("get_recent_irc_messages", hours=2, after_id="1")
    assert told.outside.endswith(f"\nno later line is recorded there {only}")
    told = await house.learns("get_recent_irc_messages", {"channel": "#tea"}, hours=9)
    assert "the last line before" not in told.text


async def test_where_nothing_was_ever_said_no_last_line_is_named(house: House) -> None:
    now = datetime.now(UTC)
    joined = line_of("ada", "", now - HOUR, "#mate", MessageType.JOIN, network="net")
    await house.store.messages.append([joined])
    view = {"now": (now + 5 * HOUR).isoformat()}
    told = await house.learns("get_recent_irc_messages", view, channel="#mate", hours=2)
    assert "\nno line is recorded there within 2 hours; without hours," in told.outside
    assert "note:" not in told.text


async def test_reading_on_gives_the_first_lines_after_also_before_a_cutoff(house: House) -> None:
    ids = await house.hears("<ada> a\n<ada> b\n<ada> c\n<ada> d\n<ada> e")
    for view in (None, {"as_of": ids[4]}):
        told = await house.learns(
            "get_recent_irc_messages", view, after_id=ids[0], limit=2, format="json"
        )
        assert told.ids == ids[1:3]
        assert told.facts["more"] is True


async def test_between_two_lines_the_first_ones_come(house: House) -> None:
    ids = await house.hears("<ada> a\n<ada> b\n<ada> c\n<ada> d")
    told = await house.learns("get_recent_irc_messages", after_id=ids[0], before_id=ids[3])
    assert told.ids == ids[1:3]


async def test_the_end_of_what_is_between_two_lines_is_not_the_end_of_the_record(
    house: House,
) -> None:
    """Of the lines that were asked for there are no more; whether there are newer ones is open."""
    ids = await house.hears("<ada> a\n<ada> b\n<ada> c\n<ada> d")
    told = await house.learns("get_recent_irc_messages", after_id=ids[0], before_id=ids[2])
    assert f"\nnext: nothing else before {ids[2]} | older: before_id={ids[1]} |" in told.outside
    told = await house.learns("get_recent_irc_messages", after_id=ids[0], before_id=ids[1])
    assert told.outside.endswith(f"no line is recorded between {ids[0]} and {ids[1]}")


async def test_before_the_first_line_nothing_is_recorded(house: House) -> None:
    ids = await house.hears("<ada> a\n<ada> b")
    told = await house.learns("get_recent_irc_messages", before_id=ids[0])
    assert told.outside.endswith("no earlier line is recorded there")


@pytest.mark.parametrize(("after", "before"), [(3, 0), (1, 1)])
async def test_nothing_can_be_between_two_lines_in_the_wrong_order_and_that_is_said(
    house: House, after: int, before: int
) -> None:
    ids = await house.hears("<ada> a\n<ada> b\n<ada> c\n<ada> d")
    told = await house.is_refused(
        "get_recent_irc_messages", after_id=ids[after], before_id=ids[before]
    )
    assert told == (
        f"No line is both after {ids[after]} and before {ids[before]}: the first is not the earlier"
        " of the two. Swap them, or leave one out."
    )


async def test_nothing_after_the_newest_line_is_no_error(house: House) -> None:
    ids = await house.hears("<ada> a")
    told = await house.learns("get_recent_irc_messages", after_id=ids[0])
    assert told.ids == []
    assert "no later line is recorded there" in told.outside


async def test_events_are_shown_when_asked_for(house: House) -> None:
    await house.store.messages.append(
        [
            line_of("ada", "", NOON, kind=MessageType.JOIN),
            line_of("ada", "hi", NOON + HOUR),
            line_of("op", "ada too loud", NOON + 2 * HOUR, kind=MessageType.KICK),
            line_of("bo", "bob", NOON + 3 * HOUR, kind=MessageType.NICK),
        ]
    )
    quiet = await house.learns("get_recent_irc_messages")
    assert quiet.ids == [2]
    told = await house.learns("get_recent_irc_messages", include_events=True)
    assert told.lines[1:] == [
        "1 12:00 * ada joined",
        "2 13:00 <ada> hi",
        "3 14:00 * op kicked ada (too loud)",
        "4 15:00 * bo is now known as bob",
    ]


async def test_gaps_stand_where_nothing_was_recorded(house: House) -> None:
    spans = house.store.spans
    await spans.begin("net", "#tea", NOON - HOUR, "joined")
    await house.hears("<ada> before")
    await spans.end("net", "#tea", NOON + HOUR, "lost")
    await spans.begin("net", "#tea", NOON + 3 * HOUR, "joined")
    await house.hears("<ada> after", at=NOON + 4 * HOUR)
    for tool, arguments in (
        ("get_recent_irc_messages", {}),
        ("get_message_context", {"message_id": 1}),
    ):
        told = await house.learns(tool, **arguments)
        assert any("not recorded" in line and "(2h)" in line for line in told.lines), told.text
        assert "; 1 gap (2026-05-01 2h). Times UTC." in told.outside


async def test_context_shows_the_lines_around_in_the_same_room(house: House) -> None:
    ids = await house.hears("\n".join(f"<ada> {letter}" for letter in "abcdefg"))
    await house.hears("<eve> elsewhere", channel="#mate", at=NOON + timedelta(minutes=3))
    told = await house.learns("get_message_context", message_id=ids[3], before=2, after=1)
    assert told.ids == ids[1:5]
    assert told.outside.startswith(f"around message {ids[3]} in #tea (channel)\n")


async def test_a_cut_context_keeps_the_nearest_lines(house: House) -> None:
    ids = await house.hears("\n".join(f"<ada> line {n} {'x' * 40}" for n in range(40)))
    told = await house.learns(
        "get_message_context",
        {"max_tokens": 300},
        message_id=ids[20],
        before=20,
        after=19,
        format="json",
    )
    assert ids[20] in told.ids
    assert abs((told.ids[0] + told.ids[-1]) / 2 - ids[20]) <= 1
    assert "left out: the farthest" in told.outside
    assert [int(message["id"]) for message in told.facts["messages"]] == told.ids
    assert told.facts["message_id"] == str(ids[20])


def test_one_who_is_spelt_in_two_ways_in_a_conversation_is_one_person() -> None:
    room = Room(1, "net", "#tea")
    said = [
        Message(number, room, NOON, nick, "tea?", MessageType.PRIVMSG)
        for number, nick in enumerate(["Bo[1]", "bo{1}"])
    ]
    size, *_ = conversation_notes(Conversation(said[0], said, looked_at=7))
    assert size.startswith("2 lines by one person, of 7 examined")


async def test_a_conversation_is_shown_whole_and_how_sure_that_is(house: House) -> None:
    await house.hears(TWO_CONVERSATIONS)
    told = await house.learns(
        "get_message_context", message_id=5, scope="conversation", format="json"
    )
    assert told.ids == [1, 3, 5, 7]
    assert told.outside.startswith(
        "around message 5 in #tea (conversation)\n"
        "4 lines by 2 people, of 7 examined; 3 lines of other talk lie between them\n"
        "which line answers which is guessed: about 9 in 10 such guesses are right\n"
    )
    assert told.facts["between"] == 3
    assert told.facts["looked_at"] == 7
    assert (told.facts["beyond"], told.facts["doubtful"]) == (0, [])
    assert [(link["id"], link["answers"]) for link in told.facts["links"]] == [
        ("1", ""), ("3", "1"), ("5", "3"), ("7", "5")
    ]  # fmt: skip
    assert all(0.5 < link["probability"] <= 1 for link in told.facts["links"])


async def test_a_bounded_conversation_says_how_much_of_it_is_beyond(house: House) -> None:
    await house.hears(TWO_CONVERSATIONS)
    asked = {"message_id": 3, "scope": "conversation", "format": "json"}
    told = await house.learns("get_message_context", **asked, before=0, after="1")
    assert told.ids == [3, 5]
    assert "\n2 more lines of it beyond before and after\n" in told.outside
    assert told.facts["beyond"] == 2
    onward = await house.learns("get_message_context", **asked, before=0)
    assert onward.ids == [3, 5, 7]
    assert "\n1 more line of it beyond before and after\n" in onward.outside
    for absent in (None, "", "null"):
        whole = await house.learns("get_message_context", **asked, before=absent, after=absent)
        assert whole.ids == [1, 3, 5, 7]
    assert (await house.learns("get_message_context", **asked, before=8, after=1)).ids == [1, 3, 5]


async def test_a_conversation_that_may_go_on_beyond_what_was_examined_says_how_to_read_on(
    house: House,
) -> None:
    ids = await house.hears("<ada> bo: tea\n<bo> ada: tea\n" * 150)
    asked = {"scope": "conversation", "format": "json"}
    budget = {"max_tokens": 50_000}
    told = await house.learns("get_message_context", budget, message_id=ids[150], **asked)
    first, last = told.ids[0], told.ids[-1]
    assert (first, last) == (ids[50], ids[249])
    assert told.text.endswith(
        f"may begin earlier: get_message_context({first}, scope=conversation)"
        f" | may go on: get_message_context({last}, scope=conversation)"
    )
    assert told.facts["may_begin_before"] == str(first)
    assert told.facts["may_go_on_after"] == str(last)
    onward = await house.learns("get_message_context", budget, message_id=last, **asked)
    assert onward.ids[-1] == ids[-1]
    assert "may go on" not in onward.outside
    assert onward.facts["may_go_on_after"] == ""


@pytest.mark.parametrize(
    ("lines", "hinted"),
    [
        ("<ann> who has the ladder\n<ann> ann: the long one", True),
        ("<ann> I paint. Is the ladder free? the long one\n<ann> ann: I need it today", True),
        ("<ann> cy: how do I reach the roof\n<ann> ann: the long ladder is broken", True),
        ("<ann> I'm on the roof, where is the ladder\n<ann> ann: the long one", True),
        ("<ann> the ladder is free\n<ann> ann: the long one", False),
        ("<ann> who has the ladder\n<bob> ann: it is in the shed", False),
    ],
)
async def test_of_a_question_that_its_asker_alone_goes_on_with_it_says_where_to_look(
    house: House, lines: str, hinted: bool
) -> None:
    await house.hears(lines)
    asked = {"message_id": 1, "scope": "conversation"}
    told = await house.learns("get_message_context", **asked)
    assert told.ids == [1, 2]
    note = "no answer by another person was found: scope=channel shows what came next"
    assert (note in told.outside.splitlines()) == hinted
    await house.hears("<bob> ann: it is in the shed", at=NOON + timedelta(minutes=2))
    cut = await house.learns("get_message_context", **asked, after=1)
    assert (cut.ids, note in cut.outside) == ([1, 2], False)  # the answer is cut off


async def test_lines_that_are_far_and_doubtful_are_named(house: House) -> None:
    await hear_of_kettle_and_train(house)
    told = await house.learns(
        "get_message_context", message_id=1, scope="conversation", format="json"
    )
    assert {*KETTLE, LATE_REPLY} <= set(told.ids)
    named = ", ".join(map(str, TRAIN_BACK))
    note = f"left out as doubtful and far: {named} (scope=channel shows them)"
    assert note in told.outside.splitlines()
    assert note in told.facts["notes"]
    assert told.facts["doubtful"] == [str(number) for number in TRAIN_BACK]
    alone = await house.learns(
        "get_message_context", message_id=1, scope="conversation", before=0, after=0
    )
    assert alone.ids == [1]
    assert note in alone.outside
    assert "none of the" not in alone.outside


async def test_of_many_lines_left_out_the_first_are_named(house: House) -> None:
    await hear_of_kettle_and_train(house)
    train = talk(KETTLE_AND_TRAIN)[13:]
    lines = [
        line_of(one.nick, one.text, NOON + timedelta(seconds=one.at + 1_000 * times))
        for times in (1, 2)
        for one in train
    ]
    await house.store.messages.append(lines)
    told = await house.learns(
        "get_message_context", message_id=1, scope="conversation", format="json"
    )
    doubtful = told.facts["doubtful"]
    assert len(doubtful) == 10
    assert f"left out as doubtful and far: {', '.join(doubtful)} and " in told.outside


async def hear_of_kettle_and_train(house: House) -> None:
    await house.store.messages.append(
        [
            line_of(one.nick, one.text, NOON + timedelta(seconds=one.at))
            for one in talk(KETTLE_AND_TRAIN)
        ]
    )


async def test_a_cut_conversation_keeps_the_nearest_lines(house: House) -> None:
    talk = "\n".join(
        f"<{'ab'[n % 2] * 3}> {'ba'[n % 2] * 3}: tea {n} {'x' * 60}" for n in range(60)
    )
    ids = await house.hears(talk)
    budget = {"max_tokens": 400}
    asked = {"message_id": ids[30], "scope": "conversation", "format": "json"}
    told = await house.learns("get_message_context", budget, **asked)
    assert ids[30] in told.ids
    assert abs((told.ids[0] + told.ids[-1]) / 2 - ids[30]) <= 1
    assert "left out: the farthest" in told.outside
    assert [int(link["id"]) for link in told.facts["links"]] == told.ids
    whole = await house.learns("get_message_context", {"max_tokens": 50_000}, **asked)
    assert whole.ids == ids


async def test_doubtful_lines_of_a_conversation_are_named(house: House) -> None:
    await house.hears("""
        <ann> does anyone know a good recipe for bread?
        <bob> does anyone have a spare key?
        <ann> with rye
        <bob> for the shed
        <cat> rye or spelt?
    """)
    told = await house.learns(
        "get_message_context", message_id=5, scope="conversation", format="json"
    )
    doubtful = {link["id"] for link in told.facts["links"]
                if link["answers"] and link["probability"] < 0.5}  # fmt: skip
    assert doubtful
    _, _, named = told.outside.partition("such guesses are right; doubtful: ")
    assert set(named.splitlines()[0].split(", ")) == doubtful


async def test_what_reply_tags_say_is_no_guess(house: House) -> None:
    ask, reply = line_of("ada", "tea?", NOON), line_of("bo", "the roof leaks", NOON + HOUR)
    await house.store.messages.append(
        [ask._replace(msgid="m1"), reply._replace(msgid="m2", reply_to="m1")]
    )
    told = await house.learns("get_message_context", message_id=1, scope="conversation")
    assert told.ids == [1, 2]
    assert "\nwhich line answers which is known from reply tags\n" in told.outside


async def test_a_line_without_a_conversation_and_an_event_say_so(house: House) -> None:
    await house.hears("<ada> tea")
    await house.store.messages.append([line_of("bo", "", NOON + HOUR, kind=MessageType.JOIN)])
    alone = await house.learns("get_message_context", message_id=1, scope="conversation")
    assert alone.ids == [1]
    assert "no other line is recorded around it" in alone.outside
    event = await house.learns("get_message_context", message_id=2, scope="conversation")
    assert event.ids == [2]
    assert "an event belongs to no conversation: scope=channel shows" in event.outside


async def test_a_conversation_ends_at_the_cutoff_and_at_the_walls_of_its_room(
    house: House,
) -> None:
    await house.hears(TWO_CONVERSATIONS)
    view = {"as_of": 5, "channel": "#tea"}
    told = await house.learns("get_message_context", view, message_id=1, scope="conversation")
    assert told.ids == [1, 3]
    elsewhere = {"channel": "#mate"}
    refused = await house.is_refused(
        "get_message_context", elsewhere, message_id=1, scope="conversation"
    )
    assert refused.startswith("No message 1.")


async def test_an_unknown_scope_is_answered_with_the_known_ones(house: House) -> None:
    ids = await house.hears("<ada> a")
    refused = await house.is_refused("get_message_context", message_id=ids[0], scope="thread")
    assert "Input should be 'channel' or 'conversation'" in refused


async def test_a_removed_line_leaves_a_trace_without_its_text(house: House) -> None:
    ids = await house.hears("<ada> secret tea\n<bo> hm")
    async with house.store._database.writing() as writer:  # noqa: SLF001 -- redaction has no method yet
        await writer.run(
            "UPDATE messages SET redacted_at = '2026-05-02' WHERE id = :id", {"id": ids[0]}
        )
    told = await house.learns("get_recent_irc_messages", format="json")
    assert told.lines[1] == "1 12:00 <ada> (removed)"
    assert "secret" not in told.everything


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_irc_history", {"query": "tea"}),
        ("get_recent_irc_messages", {}),
        ("get_message_context", {"message_id": "1"}),
        ("get_channel_stats", {}),
        ("get_current_users", {}),
    ],
)
async def test_an_empty_database_is_answered_like_one_of_which_nothing_may_be_read(
    house: House, tool: str, arguments: dict[str, str]
) -> None:
    empty = await house.is_refused(tool, **arguments)
    await house.hears("<ada> tea")
    hidden = await house.is_refused(tool, {"channels": []}, **arguments)
    assert empty == hidden
    if tool != "get_message_context":
        assert empty == "Nothing is recorded here that this request may read."


@pytest.mark.parametrize(
    "tool", ["search_irc_history", "get_recent_irc_messages", "get_channel_stats"]
)
async def test_an_unknown_channel_is_answered_with_the_nearest_name(
    house: House, tool: str
) -> None:
    await house.hears("<ada> hi", channel="#terrarium")
    query = {"query": "hi"} if tool == "search_irc_history" else {}
    refused = await house.is_refused(tool, channel="#terarium", **query)
    assert refused == "No channel #terarium. Did you mean #terrarium?"
    refused = await house.is_refused(tool, channel="#coffee", **query)
    assert refused == "No channel #coffee. Known channels: #terrarium."


async def test_the_name_of_a_channel_cannot_forge_our_words(house: House) -> None:
    await house.hears("<ada> hi", channel="#x\u202e\x03\x02y")
    told = await house.learns("get_recent_irc_messages")
    assert told.outside.startswith("1 line in #xy\n")
    refused = await house.is_refused("get_recent_irc_messages", channel="#\x07\u202enone")
    assert "\u202e" not in refused
