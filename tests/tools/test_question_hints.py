"""Questions for events: the query that finds them is named, if it finds any for this caller."""

import re
from datetime import timedelta

import pytest

from terrarium_mcp.chat.records import MessageType
from tests.store.scene import NOON, line_of
from tests.tools.scene import House

LATER = {"now": (NOON + timedelta(days=1)).isoformat()}


async def put_out(house: House, nick: str, channel: str = "#tea") -> None:
    """Ada puts somebody out of a channel."""
    kick = line_of("ada", f"{nick} enough", NOON, channel, MessageType.KICK, network="net")
    await house.store.messages.append([kick])


async def notes(house: House, query: str, view: dict[str, object] | None = None) -> list[str]:
    """The notes that name a query."""
    told = await house.learns("search_irc_history", view or LATER, query=query)
    return [line for line in told.outside.splitlines() if line.startswith("note: the query ")]


async def test_who_asks_for_a_kick_is_told_the_query_that_finds_it(house: House) -> None:
    await house.hears("<bo> I was kicked by a horse\n<cy> who?")
    await put_out(house, "eve")
    for question in ("who kicked eve?", "why was eve kicked from #tea yesterday?"):
        (note,) = await notes(house, question)
        query, _, found = note.removeprefix("note: the query ").partition(" finds ")
        assert found == "1 event; a question finds only what was said"
        told = await house.learns("search_irc_history", LATER, query=query)
        assert told.inside.endswith(" * ada kicked eve (enough)\n")
    assert await notes(house, "who kicked bo?") == []
    assert await notes(house, "who kicked eve on 2 May 2025?") == []


async def test_the_channel_of_a_question_is_that_of_its_query(house: House) -> None:
    await house.hears("<bo> hello")
    await put_out(house, "eve")
    await put_out(house, "eve", "#mate")
    for question in ("who was kicked out of #mate", "who kicked eve from #mate yesterday?"):
        (note,) = await notes(house, question)
        assert " in:#mate " in note
        assert " finds 1 event;" in note
    leave = line_of("bo", "bye", NOON, "#mate", MessageType.PART)
    await house.store.messages.append([leave])
    (note,) = await notes(house, "who left #mate?")
    assert note.startswith("note: the query in:#mate type:part type:quit finds 1 event;")


async def test_a_time_before_another_has_no_beginning_in_the_query(house: House) -> None:
    await house.hears("<bo> hello")
    await put_out(house, "eve")
    (note,) = await notes(house, "who was kicked before June 2026?")
    assert note.startswith("note: the query type:kick before:2026-06-01 finds 1 event;")


async def test_the_hint_is_there_in_every_order(house: House) -> None:
    await house.hears("<bo> hello")
    await put_out(house, "eve")
    for sort in ("oldest", "newest"):
        told = await house.learns(
            "search_irc_history", LATER, query="who was kicked yesterday?", sort=sort
        )
        assert "note: the query type:kick after:2026-05-01 before:2026-05-02 finds" in told.outside


ABSENT = "no line, and no join or part either"
LAST_SPOKE = "note: from:{}, sorted by newest, shows when they last spoke"


async def test_who_asks_for_a_last_sign_is_told_the_query_that_shows_it(house: House) -> None:
    await house.hears("<LjL> hello\n<bo> hi")
    for query in ("is LjL still around?", "in:#tea has anyone seen ljl lately?"):
        told = await house.learns("search_irc_history", LATER, query=query)
        nick = "ljl" if "ljl" in query else "LjL"
        assert LAST_SPOKE.format(nick) in told.outside
    told = await house.learns("search_irc_history", LATER, query="is nginx active?")
    assert "last spoke" not in told.outside


async def test_who_asks_whether_somebody_was_here_is_told_what_is_recorded_of_that_time(
    house: House,
) -> None:
    await house.hears("<bo> hello\n<ada> is bo here?\n<cy> !search tea")
    await house.store.messages.append([line_of("eve", "", NOON, "#tea", MessageType.JOIN)])
    yesterday = "after:2026-05-01 before:2026-05-02"
    for question, query, found in (
        ("was bo here yesterday?", f"from:bo {yesterday}", "1 line"),
        ("did bo say anything on 1 May 2026?", f"from:bo {yesterday}", "1 line"),
        ("was cy here yesterday?", f"from:cy is:command {yesterday}", "1 line"),
        ("was bo around yesterday?", "from:bo after:2026-04-28 before:2026-05-05", "1 line"),
        ("was bo around in April 2026?", "from:bo after:2026-04-01 before:2026-05-01", ABSENT),
    ):
        assert await notes(house, question) == [f"note: the query {query} finds {found}"]
    (note,) = await notes(house, "was eve here yesterday?")
    assert note.startswith("note: the query from:eve type:join ")
    for other in ("was nginx here yesterday?", "was bo here?", "was everybody here yesterday?"):
        assert await notes(house, other) == []


COUNTS = "note: a search does not count: get_channel_stats("


@pytest.mark.parametrize(
    ("question", "argument"),
    [
        ("who spoke most in #tea?", 'channel="#tea"'),
        ("how often did bo say hello?", 'query="hello from:bo"'),
        ("how often did bo say hello in #tea?", 'query="hello from:bo in:#tea"'),
        (
            "who talked most in May 2026?",
            'query="after:2026-05-01 before:2026-06-01"',
        ),
        ("how many lines are there?", 'query="after:1970-01-01"'),
        ("how many messages were sent in #tea?", 'channel="#tea"'),
        ("how many messages did bo send?", 'query="from:bo"'),
        (
            "how many lines did bo write in the last month?",
            'query="from:bo after:2026-04-02 before:2026-05-03"',
        ),
        ("how often was the kettle mentioned", 'query="kettle"'),
        ('how often was "the kettle" mentioned?', r'query="\"the kettle\""'),
        ("how many messages about the kettle?", 'query="kettle"'),
        (
            "how often did bo speak in May 2026?",
            'query="from:bo after:2026-05-01 before:2026-06-01"',
        ),
        ("on what day did bo talk most?", 'query="from:bo", per="day"'),
        ("at what hour is the channel busiest in #tea?", 'channel="#tea"'),
    ],
)
async def test_who_asks_for_a_count_is_told_the_arguments_of_the_figures(
    house: House, question: str, argument: str
) -> None:
    await house.hears("<bo> hello\n<ada> the kettle")
    await house.hears("<bo> hello", channel="#mate")
    told = await house.learns("search_irc_history", LATER, query=question)
    assert f"{COUNTS}{argument}) does\n" in told.outside


@pytest.mark.parametrize(
    ("question", "per", "figure"),
    [
        ("how many people talked in #tea on 1 May 2026?", "", "4 lines by 3 people"),
        ("who talks most about deploy?", "", "top talkers: bo 2, ada 1"),
        ("how many people talked about deploy?", "", "3 lines by 2 people"),
        ("how many people mentioned deploy in May 2026?", "", "3 lines by 2 people"),
        ("how many links did eve post?", "", "1 line by 1 person"),
        ("how many links did eve post on 1 May 2026?", "", "1 line by 1 person"),
        ("which day was busiest in #tea?", "day", "2026-05-01 4"),
        ("how often was deploy mentioned per month?", "month", "2026-05 3"),
        ("what was the busiest week?", "week", "2026-04-27 6"),
    ],
)
async def test_the_figures_that_a_question_names_hold_the_one_it_asks_for(
    house: House, question: str, per: str, figure: str
) -> None:
    await house.hears("<eve> hello", at=NOON - timedelta(days=2))
    await house.hears("<bo> deploy\n<ada> deploy now?\n<bo> deploy!\n<eve> https://gate.example/")
    await house.hears("<eve> hello", channel="#mate")
    told = await house.learns("search_irc_history", LATER, query=question)
    (note,) = [line for line in told.outside.splitlines() if line.startswith(COUNTS)]
    arguments = dict(re.findall(r'(\w+)="([^"]*)"', note))
    assert arguments.get("per", "") == per
    followed = await house.learns("get_channel_stats", LATER, **arguments)
    assert any(line.startswith(figure) for line in followed.lines), followed.text


async def test_who_asks_who_talks_most_at_night_is_told_what_the_figures_have(house: House) -> None:
    await house.hears("<bo> the owl flies at night")
    told = await house.learns("search_irc_history", LATER, query="who talks most at night?")
    assert (
        f'{COUNTS}channel="#tea") does for all hours, and with nick names the busiest hours of'
        " one person\n" in told.outside
    )


async def test_who_asks_for_a_weekday_is_told_that_the_figures_have_days(house: House) -> None:
    await house.hears("<bo> the owl flies at night")
    told = await house.learns(
        "search_irc_history", LATER, query="on which day of the week do people talk most in #tea?"
    )
    call = f'{COUNTS}channel="#tea", per="day") does for each day, and adds up no weekdays\n'
    assert call in told.outside


async def test_who_asks_how_often_somebody_was_kicked_is_told_the_query_that_counts_it(
    house: House,
) -> None:
    await house.hears("<bo> hello")
    for _ in range(2):
        await put_out(house, "summer")
    (note,) = await notes(house, "how often was summer kicked?")
    assert note.startswith("note: the query summer type:kick finds 2 events;")
    (note,) = await notes(house, "how many times was summer kicked in #tea?")
    assert " finds 2 events;" in note
    (note,) = await notes(house, "how many kicks were there on 1 May 2026?")
    assert " finds 2 events;" in note


async def test_who_asks_who_is_here_is_told_the_tool_that_lists_them(house: House) -> None:
    await house.hears("<bo> who is here?")
    await house.hears("<bo> hello", channel="#mate")
    for question, argument in (
        ("who is in #tea?", 'channel="#tea"'),
        ("how many people are on #mate right now?", 'channel="#mate"'),
        ("who is here?", ""),
    ):
        told = await house.learns("search_irc_history", LATER, query=question)
        assert f"note: get_current_users({argument}) lists who is there now\n" in told.outside


async def test_of_nobody_who_is_recorded_no_count_is_proposed(house: House) -> None:
    await house.hears("<bo> hello")
    told = await house.learns("search_irc_history", LATER, query="how often did zoe say hello?")
    assert "does not count" not in told.outside


@pytest.mark.parametrize(
    "question",
    [
        "what was Ada renamed to in May 2026?",
        "did Ada ever change her name?",
        "which nicks has Ada used in #tea?",
        "nick changes of Ada",
        "who is Ada?",
    ],
)
async def test_who_asks_for_the_other_nicks_of_a_person_is_told_the_tool_that_lists_them(
    house: House, question: str
) -> None:
    changes = [
        line_of(old, new, NOON + timedelta(minutes=n), "#tea", MessageType.NICK, network="net")
        for n, (old, new) in enumerate([("ada", "ada_away"), ("ada_away", "ada")])
    ]
    await house.store.messages.append(changes)
    told = await house.learns("search_irc_history", LATER, query=question)
    (call,) = re.findall(r'note: lookup_nick\(nick="(\w+)"\) lists their other nicks', told.outside)
    looked_up = await house.learns("lookup_nick", LATER, nick=call)
    assert "also ada_away: nick change, 2 times, 2026-05-01" in looked_up.lines
    unknown = question.replace("Ada", "zoe")
    told = await house.learns("search_irc_history", LATER, query=unknown)
    assert "lookup_nick" not in told.outside


async def test_who_asks_what_a_topic_was_set_to_is_told_the_query_that_finds_it(
    house: House,
) -> None:
    await house.hears("<bo> hello")
    for number, topic in enumerate(("release 2.4", "tea")):
        at = NOON + timedelta(minutes=number)
        await house.store.messages.append([line_of("ada", topic, at, kind=MessageType.TOPIC)])
    (note,) = await notes(house, "who changed the topic to release 2.4?")
    assert note.startswith("note: the query release 2.4 type:topic finds 1 event;")


async def test_who_asks_whether_somebody_was_kicked_or_left_is_told_both_queries(
    house: House,
) -> None:
    await house.hears("<eve> hello")
    await put_out(house, "eve")
    question = "was eve kicked or did she leave?"
    (note,) = await notes(house, question)
    assert note.startswith("note: the query eve type:kick finds 1 event;")
    leave = line_of("eve", "bye", NOON, "#tea", MessageType.PART)
    await house.store.messages.append([leave])
    assert [" type:kick " in one for one in await notes(house, question)] == [True, False]


async def test_who_asks_why_somebody_was_banned_is_told_the_ban_and_the_kick(house: House) -> None:
    await house.hears("<eve> hello")
    await house.store.messages.append([line_of("ada", "+b *!*@host", NOON, kind=MessageType.MODE)])
    ban = "note: the query +b type:mode finds 1 event;"
    assert [note[: len(ban)] for note in await notes(house, "why was eve banned?")] == [ban]
    await put_out(house, "eve")
    _, kick = await notes(house, "why was eve banned?")
    assert kick.startswith("note: the query eve type:kick finds 1 event;")


async def test_who_was_removed_from_a_channel_or_thrown_out_was_kicked(house: House) -> None:
    await house.hears("<eve> hello")
    await put_out(house, "eve")
    for question in ("why was eve removed from #tea?", "who threw eve out of #tea yesterday?"):
        (note,) = await notes(house, question)
        assert " eve in:#tea type:kick " in note
    assert await notes(house, "why was zoe removed?") == []


async def test_who_asks_for_links_on_a_topic_is_told_the_query_that_finds_them(
    house: House,
) -> None:
    await house.hears("<bo> sqlite is at https://sqlite.example\n<ada> sqlite is small")
    (note,) = await notes(house, "show me links about sqlite")
    assert note == "note: the query sqlite has:link finds 1 line with a link"
    (note,) = await notes(house, "which links did bo post about sqlite?")
    assert note == "note: the query sqlite from:bo has:link finds 1 line with a link"
    assert await notes(house, "which links did ada post about sqlite?") == []
    (note,) = await notes(house, 'show me links about "sqlite is at"')
    assert note == 'note: the query "sqlite is at" has:link finds 1 line with a link'
    assert await notes(house, "any links about tea?") == []
    for question in ("find the link bo posted after the outage", "which links did bo give on tea"):
        (note,) = await notes(house, question)
        assert note == "note: the query from:bo has:link finds 1 line with a link"
    (note,) = await notes(house, "links about sqlite from bo")
    assert note == "note: the query sqlite from:bo has:link finds 1 line with a link"
    await house.hears("<cy> moving from windows: https://moving.example")
    (note,) = await notes(house, "links about moving from windows")
    assert note == "note: the query moving windows has:link finds 1 line with a link"


@pytest.mark.parametrize(
    "query",
    [
        *["message 2", "terrarium://message/2", "Message #2", "what was said before message 2?"],
        *["what did people say right after terrarium://message/2", "around line 2", "id 2"],
        *["https://logs.example/message/2", "what came after https://logs.example/message/2?"],
    ],
)
async def test_who_names_a_message_is_told_the_tool_that_shows_it(house: House, query: str) -> None:
    await house.hears("<bo> hello\n<ada> hello")
    told = await house.learns("search_irc_history", LATER, query=query)
    assert "note: get_message_context(2) shows that message" in told.outside


@pytest.mark.parametrize("query", ["message 3", "2", "message 2 hello", "tea after line 2"])
async def test_what_names_no_message_is_words(house: House, query: str) -> None:
    await house.hears("<bo> hello\n<ada> hello")
    told = await house.learns("search_irc_history", LATER, query=query)
    assert "shows that message" not in told.outside


async def test_who_asks_what_was_said_first_is_told_the_query_and_its_order(house: House) -> None:
    await house.hears("<bo> hello\n<cy> hello\n<bo> who said tea first?")
    for question, hint in (
        ("who said hello first?", "hello, sorted by oldest, shows the first such line"),
        ("when was hello last mentioned?", "hello, sorted by newest, shows the last such line"),
        ('who first said "said tea"?', '"said tea", sorted by oldest, shows the first such line'),
        ("when did bo first say tea?", "tea from:bo, sorted by oldest, shows the first such line"),
        ("when did cy last say hello", "hello from:cy, sorted by newest, shows the last such line"),
    ):
        told = await house.learns("search_irc_history", LATER, query=question)
        assert f"note: {hint}\n" in told.outside
    for question in ("who said zeppelin first?", "when did cy first say tea?"):
        told = await house.learns("search_irc_history", LATER, query=question)
        assert "sorted by" not in told.outside


async def test_who_asks_what_is_said_in_a_channel_is_told_how_to_read_it(house: House) -> None:
    await house.hears("<bo> hello")
    told = await house.learns("search_irc_history", LATER, query="what do people say about #tea?")
    assert "note: in:#tea, sorted by newest, shows what was said last\n" in told.outside
    told = await house.learns("search_irc_history", LATER, query="what broke in #tea?")
    assert "sorted by newest" not in told.outside


async def test_who_asks_for_a_rank_a_nick_or_a_mute_is_told_the_query_that_finds_it(
    house: House,
) -> None:
    await house.hears("<bo> hello")
    modes = ["+v bo", "+oo bo cy", "+b %eve!*@*"]
    await house.store.messages.append(
        [line_of("ada", text, NOON, kind=MessageType.MODE) for text in modes]
        + [line_of("bo", "bo_away", NOON, kind=MessageType.NICK)]
    )
    for question, query in (
        ("who gave bo voice?", "+v* bo type:mode"),
        ("who opped cy?", "+o* cy type:mode"),
        ("who changed nick to bo_away?", "bo_away type:nick"),
        ("why was eve muted?", "eve type:mode"),
    ):
        (note,) = await notes(house, question)
        assert note.startswith(f"note: the query {query} finds 1 event;")


async def test_events_that_the_caller_may_not_see_are_not_hinted_at(house: House) -> None:
    await house.hears("<bo> hello")
    await put_out(house, "eve", "#mate")
    assert await notes(house, "who kicked eve?", {**LATER, "channel": "#tea"}) == []
    assert len(await notes(house, "who kicked eve?")) == 1
    assert await notes(house, "who kicked eve?", {"as_of": 2}) == []


@pytest.mark.parametrize("query", ["who kicked eve? type:notice", "kicked eve", "eve"])
async def test_other_searches_have_no_such_note(house: House, query: str) -> None:
    await house.hears("<bo> who kicked eve?")
    await put_out(house, "eve")
    assert await notes(house, query) == []


async def test_who_asks_what_was_missed_is_told_the_tool_that_tells(house: House) -> None:
    await house.hears("<ada> we miss the old packages")
    for question in ("what did I miss in #tea?", "catch me up on #tea"):
        told = await house.learns("search_irc_history", LATER, query=question)
        assert 'note: catch_up(channel="#tea") tells what was missed\n' in told.outside
    told = await house.learns("search_irc_history", LATER, query="what did I miss since 1 May?")
    assert "note: read as after:2026-05-01" in told.outside
    assert "catch_up" not in told.outside
