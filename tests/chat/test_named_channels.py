"""A channel in a question is where to look, unless the question is about it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.named_channels import with_channels_named
from terrarium_mcp.chat.query import parse_query

KNOWN = {"#dev", "#tea", "libera/#tea", "&local"}


def read(text: str) -> tuple[str, tuple[str, ...]]:
    """The words that remain of a query, and its channels."""
    query = with_channels_named(parse_query(text), KNOWN.__contains__)
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
    "text",
    [
        *["what do they say about #dev", "join #dev", "#dev", "what broke in #ops", "in #"],
        *['what broke "in #dev"', "bug in #123", "tea and #dev"],
    ],
)
def test_any_other_channel_is_a_word(text: str) -> None:
    assert read(text) == (parse_query(text).question, ())


@given(st.text())
def test_without_known_channels_any_query_stays_as_it_is(text: str) -> None:
    query = parse_query(text)
    assert with_channels_named(query, lambda _: False) is query


@given(st.lists(st.sampled_from(["in", "and", "#dev", "#tea", "gate", "OR", '"in', "-#dev"])))
def test_what_is_no_channel_keeps_its_order(words: list[str]) -> None:
    query = parse_query(" ".join(words))
    changed = with_channels_named(query, KNOWN.__contains__)
    rest = iter(query.clauses)
    assert all(clause in rest for clause in changed.clauses)
