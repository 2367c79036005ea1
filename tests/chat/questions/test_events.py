"""Which questions ask for events or links, and the query that finds them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.questions.events import (
    asks_for_events,
    event_queries,
    event_query,
    may_ask_for_events,
)

LEFT = "from:eve type:part type:quit"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("who kicked [eve]?", "[eve] type:kick"),
        ("why was eve kicked from #lab", "eve type:kick"),
        ("When did eve get kicked?", "eve type:kick"),
        ("why has eve been kicked from the channel", "eve type:kick"),
        ("who was kicked", "type:kick"),
        ("who has been kicked here lately?", "type:kick"),
        ("who kicked me?", "type:kick"),
        ("who was kicked out?", "type:kick"),
        ("who did everyone kick?", "type:kick"),
        ("whom did alice kick", "from:alice type:kick"),
        ("who was kicked by alice?", "from:alice type:kick"),
        ("who has been kicked by alice in #lab", "from:alice type:kick"),
        ("who was kicked by the channel?", "type:kick"),
        ("who got kicked for being annoying?", "annoying type:kick"),
        ("why was eve booted?", "eve type:kick"),
        ("who booted eve from #lab", "eve type:kick"),
        ("why was eve thrown out?", "eve type:kick"),
        ("who threw eve out of the channel", "eve type:kick"),
        ("who threw out eve?", "eve type:kick"),
        ("who has thrown eve off #lab?", "eve type:kick"),
        ("why was eve removed from the channel?", "eve type:kick"),
        ("when was eve removed from #lab", "eve type:kick"),
        ("who removed eve from the room?", "eve type:kick"),
        ("who was removed from the channel", "type:kick"),
        ("who was thrown out for flooding", "flooding type:kick"),
        ("how many people were expelled?", "type:kick"),
        ("whom did alice eject?", "from:alice type:kick"),
        ("who was banned by alice", "from:alice +b type:mode"),
        ("who was opped by alice?", "from:alice +o* type:mode"),
        ("who became op?", "+o* type:mode"),
        ("who got voice in #lab", "+v* type:mode"),
        ("who did alice ban?", "from:alice +b type:mode"),
        ("what's the topic?", "type:topic"),
        ("what is the channel topic", "type:topic"),
        ("what is the current topic in #dev?", "type:topic"),
        ("what was the latest channel topic", "type:topic"),
        ("who set the current topic", "type:topic"),
        ("who changed the topic", "type:topic"),
        ("when was the topic last set?", "type:topic"),
        ("who set the topic to release 2.4?", "release 2.4 type:topic"),
        ("when was the topic changed to tea at four in #dev", "tea four type:topic"),
        ("who joined", "type:join"),
        ("when did eve join #lab?", "from:eve type:join"),
        ("who left the channel", "type:part type:quit"),
        ("why did eve leave?", "from:eve type:part type:quit"),
        ("who changed nick to carol_away?", "carol_away type:nick"),
        ("Who has renamed themselves to carol_away", "carol_away type:nick"),
        ("when did carol change her nick?", "from:carol type:nick"),
        ("what did carol change her nickname to?", "from:carol type:nick"),
        ("who changed their nick in #lab?", "type:nick"),
        ("who gave bob voice?", "+v* bob type:mode"),
        ("who gave ops to bob in #lab", "+o* bob type:mode"),
        ("who opped bob?", "+o* bob type:mode"),
        ("who devoiced carol", "carol type:mode"),
        ("who muted eve?", "eve type:mode"),
        ("why was eve silenced", "eve type:mode"),
        ("who was quieted?", "type:mode"),
        ("who did alice mute", "from:alice type:mode"),
        ("when was bob opped", "+o* bob type:mode"),
        ("who was deopped?", "type:mode"),
        ("who is op?", "+o* type:mode"),
        ("who did alice op?", "from:alice +o* type:mode"),
        ("when did bob get op", "+o* bob type:mode"),
        ("when was the netsplit in #lab?", "type:quit"),
        ("who left in the netsplit", "type:quit"),
        ("how many people joined on", "type:join"),
        ("How many users have joined #lab?", "type:join"),
        ("how many people were kicked for spam?", "spam type:kick"),
        ("how many nicks got banned?", "+b type:mode"),
        ("how many people left in the netsplit?", "type:quit"),
        ("how many people quit", "type:part type:quit"),
        ("how many kicks were there in #lab?", "type:kick"),
        ("how many joins have there been", "type:join"),
        ("how many bans", "+b type:mode"),
        ("how many quits?", "type:quit"),
    ],
)
def test_the_query_that_finds_the_events_is_named(text: str, query: str) -> None:
    (found,) = event_queries(text)
    assert sorted(str(found).split()) == sorted(query.split())
    assert may_ask_for_events(text)


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("who banned eve?", ["+b type:mode", "eve type:kick"]),
        ("why was eve banned from #lab", ["+b type:mode", "eve type:kick"]),
        ("was eve kicked or did she leave?", ["eve type:kick", LEFT]),
        ("did bob leave or was he kicked", ["from:bob type:part type:quit", "bob type:kick"]),
        ("was eve kicked or did she laugh", []),
        ("was eve banned or did she leave", ["+b type:mode", "eve type:kick", LEFT]),
        ("was she kicked or did he leave", []),
        ("was it tea or did it rain", []),
    ],
)
def test_a_question_for_events_of_two_kinds_has_a_query_for_each(
    text: str, queries: list[str]
) -> None:
    assert [str(query) for query in event_queries(text)] == queries


@pytest.mark.parametrize(
    "text",
    [
        *["who kicked the ball over the fence", "the kick drum is too loud", "kick", ""],
        *["who left the door open?", "when did eve leave the key", "who joined the two wires"],
        *["which link is broken", "the link to the paper", "what links the two houses"],
        *["who gave bob the key", "who changed the nickel", "who voiced concerns about it"],
        *["what is a netsplit", "when did carol change the nickel", "who gave ops a key"],
        *["who removed the kernel", "who was removed", "who threw the ball", "is eve quiet"],
        *["how do I boot from usb", "why was eve removed from the list", "who muted the alarm"],
        *["what was the topic sentence", "is there a ban on tea", "who was the ban proposed by"],
    ],
)
def test_other_questions_ask_for_what_was_said(text: str) -> None:
    assert event_query(text) is None
    assert event_queries(text) == []


def test_a_kick_may_answer_what_is_no_question_for_events() -> None:
    text = "why was unity removed"
    assert [str(query) for query in event_queries(text)] == ["unity type:kick"]
    assert event_query(text) is None


@pytest.mark.parametrize("words", ["in ", "from in ", "out of the ", "here ", "#a in "])
def test_a_stranger_s_long_row_of_little_words_is_read_at_all(words: str) -> None:
    """With two ways to read each word it would take longer than the world is old."""
    for asked in ("who left", "what is the topic", "when was the netsplit", "who opped eve"):
        assert event_query(f"{asked} {words * 300}x") is None
        assert event_query(f"{asked} {words * 300}") is not None


@given(st.text())
def test_any_text_may_be_asked(text: str) -> None:
    assert event_queries(text) == [] or may_ask_for_events(text)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("who kicked eve?", True),
        ("who left #tea yesterday?", True),
        ("when did bob leave on 1 May?", True),
        ("who broke the build yesterday?", False),
        ("the part that left us", False),
        ("", False),
    ],
)
def test_a_question_for_events_may_name_a_time(text: str, asks: bool) -> None:
    assert asks_for_events(text, datetime(2026, 5, 2, 12, tzinfo=UTC), UTC) is asks
