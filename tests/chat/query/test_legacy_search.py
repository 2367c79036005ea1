"""What people typed to terrarium-irc's search still works."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.query.legacy_search import BadSearchValue, SearchWords, search_words


@pytest.mark.parametrize(
    ("typed", "query", "hours"),
    [
        ("gate", "gate", 0),
        ("user:alice gate", "from:alice gate", 0),
        ("gate USER:Alice lock", "gate from:Alice lock", 0),
        ("hours:48", "", 48),
        ("gate Hours:48h lock", "gate lock", 48),
        ("hours:48 hours:2 gate", "gate", 2),
        ("user:alice user:bob", "from:alice from:bob", 0),
        ("-user:bob gate", "-from:bob gate", 0),
        ('user:"jane doe" gate', 'from:"jane doe" gate', 0),
        ("gate + lock", "gate lock", 0),
        ("gate+lock", "gate lock", 0),
        ("a+b+c", "a b c", 0),
        ("+", "", 0),
        ("c++ g++-12 +1", "c++ g++-12 +1", 0),
        ("https://example.org/?q=a+b", "https://example.org/?q=a+b", 0),
        ('"a + b user:alice hours:x"', '"a + b user:alice hours:x"', 0),
        ('"the gate" user:alice', '"the gate" from:alice', 0),
        ('"\u05e6\u05d4"\u05dc hours:3" user:alice', '"\u05e6\u05d4"\u05dc hours:3" from:alice', 0),
        ('"not closed user:alice', '"not closed user:alice', 0),
        ('5" user:alice', '5" from:alice', 0),
        ("from:alice in:#tea -x", "from:alice in:#tea -x", 0),
        ("superuser:root", "superuser:root", 0),
        ("", "", 0),
    ],
)
def test_what_terrarium_irc_understood_is_said_in_todays_words(
    typed: str, query: str, hours: int
) -> None:
    assert search_words(typed) == SearchWords(query, hours)


@pytest.mark.parametrize(
    "value", ["", "x", "0", "-3", "2.5", "1e9", "٤٨", "9" * 400, '""', "%", "48hours"]
)
def test_hours_that_are_no_number_are_answered_with_how_to_write_it(value: str) -> None:
    with pytest.raises(BadSearchValue, match=r"such as hours:48\.$"):
        search_words(f"gate hours:{value}")


@pytest.mark.parametrize("typed", ["user: alice", "user:", 'user:""', '-user:" "'])
def test_a_user_without_a_nick_is_answered_with_how_to_write_it(typed: str) -> None:
    with pytest.raises(BadSearchValue, match=r"such as user:alice\.$"):
        search_words(f"gate {typed}")


def test_no_hours_may_be_excluded() -> None:
    with pytest.raises(BadSearchValue):
        search_words("-hours:48 gate")


def test_the_arguments_are_those_of_the_tool() -> None:
    assert search_words("user:alice hours:2 gate").arguments == {
        "query": "from:alice gate",
        "hours": 2,
    }
    assert search_words("gate").arguments == {"query": "gate"}


@given(st.text(max_size=400))
def test_of_a_text_without_old_keys_no_character_but_a_plus_is_lost(text: str) -> None:
    words = text.replace(":", " ")
    assert _visible(search_words(words).query) == _visible(words)


def _visible(text: str) -> str:
    return "".join(text.replace("+", "").split())
