"""What a plain question is understood to ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.question import (
    asks_when,
    is_question,
    names_a_time,
    people_named,
    possible_nicks,
    speaks_of_itself,
    telling_words,
)


def test_words_that_tell_nothing_are_left_out() -> None:
    assert telling_words("What did Ada say about the deploy?", ("ada",)) == ("deploy",)
    assert telling_words("who isn't using C++ 7?", ()) == ("using", "7")
    assert telling_words("Ada's teapot", ("ada",)) == ("teapot",)


def test_where_no_word_tells_all_there_is_has_to_do() -> None:
    assert telling_words("who was that?", ()) == ("who", "was", "that")
    assert telling_words("ada?", ("ada",)) == ("ada",)


def test_a_text_without_spaces_is_read_character_by_character() -> None:
    assert telling_words("東京", ()) == ("東", "京")


def test_a_nick_may_stand_in_a_possessive_and_between_signs() -> None:
    assert possible_nicks("Did Ada's cat (or @Bo[m]) eat?")[:2] == ("ada's", "ada")
    assert "bo{m}" in possible_nicks("@Bo[m], hi")


def test_people_are_those_who_said_something() -> None:
    asked = "what did ada tell bo about will?"
    assert people_named(asked, {"ada": 5, "bo": 3}, {}) == ("ada", "bo")
    assert people_named(asked, {}, {}) == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what did will say about tea", ("will",)),
        ("will's teapot", ("will",)),
        ("will it rain", ()),
    ],
)
def test_a_nick_that_is_a_usual_word_needs_the_wording_of_a_person(
    text: str, named: tuple[str, ...]
) -> None:
    # `will` tells nothing, so that only names like `mark` are asked about at all.
    text = text.replace("will", "mark")
    named = tuple(name.replace("will", "mark") for name in named)
    assert people_named(text, {"mark": 10}, {"mark": 1000}) == named


def test_when_is_heard() -> None:
    assert asks_when("When did it break?")
    assert asks_when("what year was that")
    assert not asks_when("whenever you like, who broke it")
    assert names_a_time("I did it last week")
    assert names_a_time("See you FRIDAY")
    assert not names_a_time("I did it")


def test_who_speaks_of_himself_and_who_asks() -> None:
    assert speaks_of_itself("I'm late")
    assert not speaks_of_itself("it is late")
    assert is_question("tea? ")
    assert not is_question("tea?!")


@given(st.text())
def test_any_text_is_a_question(text: str) -> None:
    nicks = possible_nicks(text)
    people = people_named(text, dict.fromkeys(nicks, 5), {})
    assert set(people) <= set(nicks)
    assert all(telling_words(text, people))
