"""The query language understands everything, and prints what it understood."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terrarium_mcp.chat.query import Query, is_indexed, parse_query

TYPED = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            ['"', "in:", "from:", "IN:", "#tea", "ada", " ", "\t", "\u00a0", "\0", "\ud800"]
        ),
    ),
    max_size=12,
).map("".join)


def test_words_phrases_and_operators_are_told_apart() -> None:
    assert parse_query('from:ada "green  tea" kettle in:#Tea') == Query(
        words=("kettle",), phrases=("green tea",), channel="#Tea", nick="ada"
    )
    assert parse_query("") == parse_query(' "" " ') == Query()


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("from:", Query(words=("from:",))),
        ("from: ada", Query(words=("from:", "ada"))),
        ("login:ada", Query(words=("login:ada",))),
        ("FROM:ada In:tea", Query(nick="ada", channel="tea")),
        ("from:ada from:bo", Query(nick="bo")),
        ('from:"ada lovelace" x', Query(words=("x",), nick="ada lovelace")),
        ('from:"ada', Query(nick="ada")),
        ('from:""', Query()),
        ('in:" "', Query()),
        ('"green tea', Query(phrases=("green tea",))),
        ('from:a"b"', Query(nick='a"b')),
        ("te\0a \ud800b", Query(words=("te", "a", "b"))),
    ],
)
def test_what_is_typed_oddly_has_a_meaning_too(typed: str, query: Query) -> None:
    assert parse_query(typed) == query


@given(TYPED)
@example('from:a"b in:c" d"e"')
def test_a_query_that_is_printed_and_read_again_is_the_same(typed: str) -> None:
    query = parse_query(typed)
    assert parse_query(str(query)) == query


@given(TYPED)
def test_nothing_in_a_query_is_more_than_sqlite_can_hold(typed: str) -> None:
    query = parse_query(typed)
    for part in (*query.terms, query.channel, query.nick):
        assert "\0" not in part
        part.encode()


def test_what_a_word_index_holds() -> None:
    assert all(map(is_indexed, ["tea", "7", "\u8336", "c++", "\u00e9", "__init__"]))
    assert not any(map(is_indexed, ["\U0001f375", "--", "_", "...", ""]))
