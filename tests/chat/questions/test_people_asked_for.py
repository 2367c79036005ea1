"""Questions for what somebody said, whatever it was about."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.questions.people import (
    LinkQuestion,
    PersonQuestion,
    link_questions,
    person_question,
)

ADA = PersonQuestion("ada")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("what did ada say?", ADA),
        (", what did ada say ?", ADA),
        ("what did ada say, ?", ADA),
        ("What has ada been saying", ADA),
        ("what else did ada write  ?", ADA),
        ("what did ada and bo say?", PersonQuestion("ada", others=("bo",))),
        (
            "messages by ada, bo, and cy",
            PersonQuestion("ada", others=("bo", "cy")),
        ),
        ("what did ada & bo talk about", PersonQuestion("ada", others=("bo",))),
        ("what did will say?", PersonQuestion("will")),
        ("what did May and Will say?", PersonQuestion("May", others=("Will",))),
        ("what did ada tell may?", PersonQuestion("ada", "may")),
        ("what was ada talking about?", ADA),
        ("what did ada announce?", ADA),
        ("what has ada asked", ADA),
        ("what did ada ask about?", ADA),
        ("any news from ada?", PersonQuestion("ada", is_general=True)),
        ("a summary of the messages by ada", PersonQuestion("ada", is_general=True)),
        ("ada's messages", ADA),
        ("what was ada's last message?", PersonQuestion("ada", is_for_last=True)),
        ("show me ada\u2019s first 3 lines", PersonQuestion("ada", is_for_first=True)),
        ("what did ada say last?", PersonQuestion("ada", is_for_last=True)),
        ("what did ada last say?", PersonQuestion("ada", is_for_last=True)),
        ("what did ada say first", PersonQuestion("ada", is_for_first=True)),
        ("what did ada mention to bo?", PersonQuestion("ada", "bo")),
        ("what did ada ask about the outage", PersonQuestion("ada", about="the outage")),
        ("what did ada say to bo", PersonQuestion("ada", "bo")),
        ("what did nacc answer to ph88^?", PersonQuestion("nacc", "ph88^")),
        ("what did ada tell bo?", PersonQuestion("ada", "bo")),
        ("what link did ada paste", PersonQuestion("ada", only_links=True)),
        ("which links has ada shared?", PersonQuestion("ada", only_links=True)),
        ("show me the links from ada", PersonQuestion("ada", only_links=True)),
        ("show me all the links from ada", PersonQuestion("ada", only_links=True)),
        ("list links by ada", PersonQuestion("ada", only_links=True)),
        ("which links were shared?", PersonQuestion("", only_links=True)),
        ("any links posted here?", PersonQuestion("", only_links=True)),
        ("which links were posted by ada?", PersonQuestion("ada", only_links=True)),
        ("any links shared by ada", PersonQuestion("ada", only_links=True)),
        ("what urls were posted here?", PersonQuestion("", only_links=True)),
        ("show me all the links", PersonQuestion("", only_links=True)),
        ("any links?", PersonQuestion("", only_links=True)),
        ("latest links", PersonQuestion("", only_links=True, is_for_last=True)),
        ("the last link", PersonQuestion("", only_links=True, is_for_last=True)),
        (
            "what was the first link that was shared",
            PersonQuestion("", only_links=True, is_for_first=True),
        ),
        ("ada's links", PersonQuestion("ada", only_links=True)),
        ("show me the links ada posted", PersonQuestion("ada", only_links=True)),
        ("the last link by ada", PersonQuestion("ada", only_links=True, is_for_last=True)),
        ("ada's latest link", PersonQuestion("ada", only_links=True, is_for_last=True)),
        ("who was the last to talk?", PersonQuestion("", is_for_last=True)),
        ("who spoke last here?", PersonQuestion("", is_for_last=True)),
        ("what was the last thing ada said?", PersonQuestion("ada", is_for_last=True)),
        ("the latest message from ada", PersonQuestion("ada", is_for_last=True)),
        ("the last thing ada ever said", PersonQuestion("ada", is_for_last=True)),
        ("what was the very first thing ada said?", PersonQuestion("ada", is_for_first=True)),
        ("when did ada first speak?", PersonQuestion("ada", is_for_first=True)),
        (
            "everything not by ada",
            PersonQuestion("ada", is_general=True, is_for_others=True),
        ),
        (
            "what did everyone except ada and bo say?",
            PersonQuestion("ada", is_general=True, is_for_others=True, others=("bo",)),
        ),
        ("when was ada first seen here?", PersonQuestion("ada", is_for_first=True)),
        ("what was the first message ever posted?", PersonQuestion("", is_for_first=True)),
        ("What's the last line", PersonQuestion("", is_for_last=True)),
        ("show me the oldest messages", PersonQuestion("", is_for_first=True)),
        ("everything ada said", ADA),
        ("show messages by ada", ADA),
        ("what was said by ada?", ADA),
        ("latest messages", PersonQuestion("", is_for_last=True)),
        ("the most recent lines here", PersonQuestion("", is_for_last=True)),
        ("recent messages from", PersonQuestion("", is_for_last=True)),  # yesterday
        ("last 5 messages", PersonQuestion("", is_for_last=True)),
        ("show me the first ten messages", PersonQuestion("", is_for_first=True)),
        ("what are the last couple of things ada said", PersonQuestion("ada", is_for_last=True)),
        ("recent messages by ada", PersonQuestion("ada", is_for_last=True)),
        ("what has been written by ada here", ADA),
        ("what did ada say about the deploy?", PersonQuestion("ada", about="the deploy")),
        ("what does ada think of green tea", PersonQuestion("ada", about="green tea")),
    ],
)
def test_the_person_is_who_said_it(text: str, meant: PersonQuestion) -> None:
    assert person_question(text) == meant


def test_links_alone_are_asked_for_where_a_time_is_named_and_else_a_word() -> None:
    for text in ("links", "the urls", "all the links that were posted here", "links posted"):
        assert person_question(text, of_a_time=True) == PersonQuestion("", only_links=True)
        assert person_question(text) is None
    assert person_question("last link", of_a_time=True) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("links about green tea?", [LinkQuestion("green tea")]),
        ("show me the links to the wiki", [LinkQuestion("the wiki")]),
        ("any url on sqlite", [LinkQuestion("sqlite")]),
        ("links posted by ada about green tea", [LinkQuestion("green tea", "ada")]),
        ("any links from ada on sqlite?", [LinkQuestion("sqlite", "ada")]),
        ("which links did ada share about sqlite?", [LinkQuestion("sqlite", "ada")]),
        ("ada's links about sqlite", [LinkQuestion("sqlite", "ada")]),
        ("what was the link that ada posted about sqlite?", [LinkQuestion("sqlite", "ada")]),
        ("the link ada posted after the outage", [LinkQuestion("the outage", "ada")]),
        ("the link ada gave for the wiki", [LinkQuestion("the wiki", "ada")]),
        (
            "links about sqlite from ada",
            [LinkQuestion("sqlite", "ada"), LinkQuestion("sqlite from ada")],
        ),
        (
            "links about green tea that were posted by ada?",
            [
                LinkQuestion("green tea", "ada"),
                LinkQuestion("green tea that were posted by ada"),
            ],
        ),
        ("links about tea from them", [LinkQuestion("tea from them")]),
        ("links about green tea posted here", [LinkQuestion("green tea")]),
        ("who posted a link about tea?", [LinkQuestion("tea")]),
        ("which links did they share about sqlite?", []),
        ("links by ada", []),
        ("what is the link", []),
    ],
)
def test_links_may_have_a_topic(text: str, meant: list[LinkQuestion]) -> None:
    assert link_questions(text) == meant


def test_a_single_message_is_asked_for_where_a_channel_is_named_and_else_words() -> None:
    for text in ("first message", "the oldest line here"):
        meant = PersonQuestion("", is_for_first=True)
        assert person_question(text, of_a_channel=True) == meant
        assert person_question(text) is None
    last = PersonQuestion("", is_for_last=True)
    assert person_question("the last line ever posted", of_a_channel=True) == last
    assert person_question("last word", of_a_channel=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "what did ada drink?",
        "what did ada recommend?",
        "what did ada warn about?",
        "what did ada promise to bo?",
        "what does grep find",
        "what does debian announce",
        "tea from ada",
        "what did ada say last year in the garden",
        "ada's last birthday",
        "ada's word",
        "what did they say?",
        "what did nobody say",
        "which link is broken",
        "last word",
        "recent words",
        "first message",
        "latest messages about tea",
        "last 5 of the messages",
        "what was the last line in the book",
        "what was the first message about tea",
        "when did ada first speak of tea",
        "what links the two houses",
        "what did ada tell us?",
        "who said tea?",
        "what was said by then",
        "ada",
        "what does it say",
        "",
    ],
)
def test_another_verb_or_nobody_in_particular_makes_it_another_question(text: str) -> None:
    assert person_question(text) is None


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    for asked in (text, f"what did {text} say", f"which links did {text} share"):
        meant = person_question(asked)
        assert meant is None or meant.nick in asked


def test_a_long_row_of_commas_is_read_in_no_time() -> None:
    began = process_time()
    assert person_question("," * 20_000) is None
    assert process_time() - began < 2
