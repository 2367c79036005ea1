"""What looks like a mistyped operator is text, and is said to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.query.operator_hints import operator_meant
from terrarium_mcp.chat.query.parser import parse_query


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("frmo:ada", ("frmo", "from")),
        ("Form:ada", ("Form", "from")),
        ("frm:ada", ("frm", "from")),
        ("-fromm:ada", ("fromm", "from")),
        ("mention:ada", ("mention", "mentions")),
        ("tpye:action", ("tpye", "type")),
        ("befor:2026", ("befor", "before")),
        ("user:ada", ("user", "from")),
        ("channel:#tea", ("channel", "in")),
        ("hours:24", ("hours", "after")),
        ("by:june", ("by", "from")),
        ("to:june", ("to", "mentions")),
        ("month:2026-05", ("month", "on")),
        ("Year:2026", ("Year", "on")),
    ],
)
def test_a_slip_is_known_by_the_operator_that_was_meant(word: str, meant: tuple[str, str]) -> None:
    assert operator_meant(word) == meant


@pytest.mark.parametrize(
    "word",
    [
        "from:ada", "type:action", "time:5pm", "note:this", "http://a.b", "std::move", "is:command",
        "frmo:", "frmo", "frmo://ada", "10:30", "re:tea", "os:linux", ":", "fix:on",
    ],
)  # fmt: skip
def test_other_words_with_a_colon_are_words(word: str) -> None:
    assert operator_meant(word) is None


def test_the_note_of_a_query_names_the_operator_and_the_word_is_searched_for() -> None:
    query = parse_query("gate frmo:ada")
    assert query.notes == ("frmo: is not an operator; did you mean from:?",)
    assert [term.text for term in query.terms] == ["gate", "frmo:ada"]
    assert query.people == ()


def test_what_is_an_argument_of_a_tool_is_said_to_be_one() -> None:
    query = parse_query("from:june Sort:oldest limit:3 context:3")
    assert query.notes == (
        "Sort: is not an operator: sort is an argument beside the query",
        "limit: is not an operator: limit is an argument beside the query",
        "context: is not an operator: context is an argument beside the query",
    )
    assert parse_query("sort: it").notes == ()


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=12))
def test_every_word_of_letters_may_be_a_key(key: str) -> None:
    found = operator_meant(f"{key}:x")
    assert found is None or found[0] == key
