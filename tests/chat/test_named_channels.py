"""A channel in a question is where to look, unless the question is about it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.named_channels import (
    unknown_places,
    with_channels_named,
    words_like_channels,
)
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query

KNOWN = {"#dev", "#tea", "libera/#tea", "&local"}


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def with_channels(query: Query, is_channel: Callable[[str], bool]) -> Query:
    return with_channels_named(query, is_channel, NOON, UTC)


def read(text: str) -> tuple[str, tuple[str, ...]]:
    """The words that remain of a query, and its channels."""
    query = with_channels(parse_query(text), KNOWN.__contains__)
    return query.question, query.channels


@pytest.mark.parametrize(
    ("text", "words", "channels"),
    [
        ("what broke in #dev?", "what broke", ("#dev",)),
        ("what broke in #dev yesterday", "what broke yesterday", ("#dev",)),
        ("who said on libera/#tea, that", "who said that", ("libera/#tea",)),
        ("#dev deploy script", "deploy script", ("#dev",)),
        ("what broke in #dev and #tea", "what broke", ("#dev", "#tea")),
        ("what broke in #dev or in #tea", "what broke", ("#dev", "#tea")),
        ("what broke in #dev in May?", "what broke in May?", ("#dev",)),
        ("deploy in &local", "deploy", ("&local",)),
        ("in:#tea what broke in #dev", "what broke", ("#tea", "#dev")),
    ],
)
def test_a_channel_after_a_word_of_place_is_where_to_look(
    text: str, words: str, channels: tuple[str, ...]
) -> None:
    assert read(text) == (words, channels)


@pytest.mark.parametrize(
    ("text", "words", "channels"),
    [
        ("who joined #dev on 1 May?", "who joined on 1 May?", ("#dev",)),
        ("who left #dev?", "who left", ("#dev",)),
        ("on which day was #dev busiest?", "on which day was busiest?", ("#dev",)),
        ("who joined the #dev channel", "who joined the channel", ("#dev",)),
        ("when did ada leave #dev or #tea", "when did ada leave", ("#dev", "#tea")),
        ("What is the topic of #dev?", "What is the topic", ("#dev",)),
        ("what was the topic of &local in May", "what was the topic in May", ("&local",)),
        ("what are people saying about #dev", "what are people saying", ("#dev",)),
        ("summarize #dev 1 May", "summarize 1 May", ("#dev",)),
        ("summary of libera/#tea", "summary", ("libera/#tea",)),
        ("what about #dev and what about that", "what and what about that", ("#dev",)),
        ("news of #dev?", "news", ("#dev",)),
    ],
)
def test_any_channel_is_where_to_look_in_a_question_without_another_topic(
    text: str, words: str, channels: tuple[str, ...]
) -> None:
    assert read(text) == (words, channels)


@pytest.mark.parametrize(
    "text",
    [
        *["who complains about #dev", "what did ada say of #dev", "how do I join #dev?"],
        *["news of #dev", "channel #dev", "topic #dev", "who left #1?", "who wrote #!/bin/sh?"],
        *["join #dev", "#dev", "#dev?", "what broke in #ops", "in #"],
        *['what broke "in #dev"', "bug in #123", "tea and #dev"],
    ],
)
def test_any_other_channel_is_a_word(text: str) -> None:
    assert read(text) == (parse_query(text).question, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what broke in #ops?", ["#ops"]),
        ("gate in #ops or #sched", ["#ops", "#sched"]),
        ("gate in #dev or #sched", ["#sched"]),
        ("what broke in #dev, and in #ops", ["#ops"]),
        ("what broke in #dev", []),
        ("fixed in #1234", []),
        ("frost in +2 degrees, marked in !important", []),
        ("gate in libera/#ops", ["libera/#ops"]),
        ("#include stdio", []),
        ("what do they say about #ops", []),
        ("what broke in ops", []),
    ],
)
def test_a_place_that_is_no_channel_is_known_as_such(text: str, words: list[str]) -> None:
    assert unknown_places(parse_query(text), KNOWN.__contains__) == words


WITHOUT_SIGNS = KNOWN | {"tea", "python", "may", "libera/tea"}


@pytest.mark.parametrize(
    ("text", "words", "channel"),
    [
        ("what happened in tea yesterday?", "what happened yesterday?", "tea"),
        ("What happened yesterday in tea?", "What happened yesterday", "tea"),
        ("what was said in python on Monday?", "what was said on Monday?", "python"),
        ("who left in libera/tea yesterday", "who left yesterday", "libera/tea"),
        ("how many messages in tea yesterday?", "how many messages yesterday?", "tea"),
    ],
)
def test_a_channel_without_its_sign_is_where_to_look_for_what_happened_at_a_time(
    text: str, words: str, channel: str
) -> None:
    query = with_channels(parse_query(text), WITHOUT_SIGNS.__contains__)
    assert (query.question, query.channels) == (words, (channel,))
    assert words_like_channels(query, WITHOUT_SIGNS.__contains__) == []


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("how do I do it in python?", ["python"]),
        ("how do I do it in python today?", ["python"]),
        ("what happened in tea?", ["tea"]),
        ("what broke in tea yesterday?", ["tea"]),
        ("what did ada say in tea yesterday?", ["tea"]),
        ("milk in tea yesterday", ["tea"]),
        ("news from tea yesterday?", ["tea"]),
        ("what happened in may last year?", ["may"]),
        ("what happened with tea yesterday?", []),
        ("tea yesterday", []),
        ("what happened in coffee yesterday?", []),
    ],
)
def test_elsewhere_it_is_a_word_that_is_known_to_be_like_a_channel(
    text: str, like: list[str]
) -> None:
    query = parse_query(text)
    assert with_channels(query, WITHOUT_SIGNS.__contains__) is query
    assert words_like_channels(query, WITHOUT_SIGNS.__contains__) == like


def test_a_channel_beside_the_place_is_a_topic() -> None:
    assert read("what do they say about #dev in #tea") == ("what do they say about #dev", ("#tea",))
    asked = "in:#tea what do they say about #dev"
    assert read(asked) == ("what do they say about #dev", ("#tea",))


@given(st.text())
def test_without_known_channels_any_query_stays_as_it_is(text: str) -> None:
    query = parse_query(text)
    assert with_channels(query, lambda _: False) is query


@given(st.lists(st.sampled_from(["in", "and", "#dev", "#tea", "gate", "OR", '"in', "-#dev"])))
def test_what_is_no_channel_keeps_its_order(words: list[str]) -> None:
    query = parse_query(" ".join(words))
    changed = with_channels(query, KNOWN.__contains__)
    rest = iter(query.clauses)
    assert all(clause in rest for clause in changed.clauses)
