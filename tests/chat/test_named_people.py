"""Which people a question names: nicks that are no words, and words that the sentence makes one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.named_people import people_named, possible_nicks

USUAL = {"mark": 10}, {"mark": 1_000}
"""Ten lines by mark, and a thousand with the word."""


def test_a_nick_may_stand_in_a_possessive_and_between_signs() -> None:
    assert possible_nicks("Did Ada's cat (or @Bo[m]) eat?")[:2] == ("ada's", "ada")
    assert "bo{m}" in possible_nicks("@Bo[m], hi")


def test_people_are_those_who_said_something() -> None:
    asked = "what did ada tell bo about will?"
    assert people_named(asked, {"ada": 5, "bo": 3}, {}) == ("ada", "bo")
    assert people_named(asked, {}, {}) == ()


@pytest.mark.parametrize(
    "text",
    [
        *["did mark come", "does mark know", "has mark", "had mark", "who is mark", "who was mark"],
        *["by mark", "from mark", "the nick mark", "user mark", "@mark", "<mark>", "mark's"],
        *["mark\u2019s", "mark said", "mark say", "mark says", "mark wrote", "mark asked"],
        *["mark ask", "mark mentioned", "mark suggested", "mark told", "mark thought"],
        *["mark think", "mark thinks", "Did MARK", "what was mark told", "is Mark", "was Mark"],
        *["did ada and mark vote", "what do ada, bo or mark agree on", "have ada & Mark met"],
        *["according to mark, tea", "who told mark", "what would mark recommend", "mark has said"],
    ],
)
def test_wording_that_only_a_person_has(text: str) -> None:
    assert people_named(text, *USUAL) == ("mark",)


@pytest.mark.parametrize(
    "text",
    [
        *["mark it", "the mark", "did marks", "remark says", "mark sayings", "is a mark"],
        *["adid mark", "was mark here", "Mark it", "to the Mark", "what was MARK again"],
        *["tea and mark", "did it fall and then mark", "what do tick and mark mean"],
        *["what does mark mean", "what does MARK stand for"],
    ],
)
def test_wording_that_a_word_has_too(text: str) -> None:
    assert people_named(text, *USUAL) == ()


def test_a_nick_seldom_said_as_a_word_needs_no_wording() -> None:
    assert people_named("the jo", {"jo": 20}, {"jo": 99}) == ("jo",)
    assert people_named("the jo", {"jo": 20}, {"jo": 100}) == ()


@pytest.mark.parametrize("nick", ["summer", "red", "mark", "ubuntu"])
def test_an_everyday_word_needs_the_wording_however_often_it_speaks(nick: str) -> None:
    busy = {nick: 10_000}, {nick: 10}
    assert people_named(f"what about {nick} and the gate?", *busy) == ()
    assert people_named(f"who has a {nick} gate?", *busy) == ()
    assert people_named(f"what did {nick} say about the gate?", *busy) == (nick,)
    assert people_named(f"where is {nick}'s gate?", *busy) == (nick,)


def test_a_word_that_is_in_most_lines_needs_the_verb_of_a_speaker() -> None:
    common = {"teabot": 4}, {"teabot": 1_000}
    assert people_named("when did teabot drop the old protocol?", *common) == ()
    assert people_named("what did teabot say about the gate?", *common) == ("teabot",)
    assert people_named("what was told by teabot", *common) == ()


def test_the_name_of_the_channel_is_a_word_there() -> None:
    known = {"raku": 50}, {"raku": 20}
    assert people_named("how old is raku?", *known) == ("raku",)
    assert people_named("how old is raku?", *known, {"raku"}) == ()
    assert people_named("what did raku answer?", *known, {"raku"}) == ("raku",)


def test_a_capital_alone_makes_no_person_of_a_word() -> None:
    assert people_named("the colour Red", {"red": 50}, {"red": 20}) == ()
    assert people_named("is Red here", {"red": 50}, {"red": 20}) == ("red",)
    assert people_named("IS RED HERE", {"red": 50}, {"red": 20}) == ()


def test_a_name_of_letters_that_spoke_once_needs_the_wording() -> None:
    assert people_named("is ada here", {"ada": 1}, {}) == ()
    assert people_named("is ada here", {"ada": 2}, {}) == ("ada",)
    assert people_named("is ada_ here", {"ada_": 1}, {}) == ("ada_",)
    assert people_named("what did ada see?", {"ada": 1}, {}) == ("ada",)


def test_a_possessive_is_the_whole_nick_if_there_is_one() -> None:
    assert people_named("ada's tea", {"ada's": 5, "ada": 5}, {}) == ("ada's",)
    assert people_named("ada's tea", {"ada": 5}, {}) == ("ada",)
    assert people_named("ada\u2019s tea, ada", {"ada": 5}, {}) == ("ada",)


def test_possible_nicks_are_stripped_of_the_sentence() -> None:
    assert possible_nicks("<ada>, \"bo\": (cy); dan! eve? 'fay' gus. @hal") == (
        *("ada", "bo", "cy", "dan", "eve", "fay", "gus", "hal"),
    )
    assert possible_nicks("the who") == ()
    assert possible_nicks("ada ada") == ("ada",)


def test_only_signs_are_stripped_from_a_nick() -> None:
    assert possible_nicks("Did <XaviX> say so?") == ("xavix",)


@given(st.text())
def test_any_text_may_name_people(text: str) -> None:
    nicks = possible_nicks(text)
    assert set(people_named(text, dict.fromkeys(nicks, 5), dict.fromkeys(nicks, 500))) <= set(nicks)
