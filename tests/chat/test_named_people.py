"""Which people a question names: nicks that are no words, and words that the sentence makes one."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.named_people import people_named, possible_nicks

USUAL = {"mark": 10}, {"mark": 1_000}
"""Ten lines by mark, and a thousand with the word."""


def named(
    text: str, lines_by: dict[str, int], lines_with: dict[str, int], topics: Collection[str] = ()
) -> tuple[str, ...]:
    """Those whom `text` names for certain."""
    return people_named(text, lines_by, lines_with, topics).certain


def test_a_nick_may_stand_in_a_possessive_and_between_signs() -> None:
    assert possible_nicks("Did Ada's cat (or @Bo[m]) eat?")[:2] == ("ada's", "ada")
    assert "bo{m}" in possible_nicks("@Bo[m], hi")


def test_people_are_those_who_said_something() -> None:
    asked = "what did ada tell bo about will?"
    assert named(asked, {"ada": 5, "bo": 3}, {}) == ("ada", "bo")
    assert named(asked, {}, {}) == ()


@pytest.mark.parametrize(
    "text",
    [
        *["did mark come", "does mark know", "what had mark", "who is mark", "who was mark"],
        *["by mark", "links from mark", "the nick mark", "user mark", "@mark", "<mark>", "mark's"],
        *["mark\u2019s", "mark said", "mark say", "mark says", "mark wrote", "mark asked"],
        *["mark promised", "has mark agreed", "mark disagrees", "does mark promise"],
        *["mark ask", "mark mentioned", "mark suggested", "mark told", "mark thought"],
        *["mark think", "mark thinks", "Did MARK", "what was mark told"],
        *["did ada and mark vote", "what did ada, bo or mark bring", "was mark just talking"],
        *["according to mark, tea", "who told mark", "what would mark recommend", "mark has said"],
    ],
)
def test_wording_that_only_a_person_has(text: str) -> None:
    assert named(text, *USUAL) == ("mark",)


@pytest.mark.parametrize(
    "text",
    [
        *["mark it", "the mark", "did marks", "remark says", "mark sayings", "is a mark"],
        *["adid mark", "was mark here", "Mark it", "to the Mark", "what was MARK again"],
        *["tea and mark", "did it fall and then mark", "what do tick and mark mean"],
        *["what does mark mean", "what does MARK stand for", "did mark crash", "has mark"],
        *["is Mark", "from mark", "does mark work", "what do tick and mark share"],
    ],
)
def test_wording_that_a_word_has_too(text: str) -> None:
    assert named(text, *USUAL) == ()


@pytest.mark.parametrize(
    "text",
    [
        *["from mark", "is mark late", "would mark fit", "Mark and the printer"],
        *["who was there with mark", "what do tick and mark share", "who helped mark"],
    ],
)
def test_what_a_word_has_too_makes_a_person_possible(text: str) -> None:
    assert people_named(text, *USUAL) == ((), ("mark",))


@pytest.mark.parametrize(
    "text",
    [
        *["the jo", "a jo lamp", "my jo", "which jo works", "into jo", "about the jo", "every jo"],
        *["using jo", "via jo", "who has a Jo lamp?"],
    ],
)
def test_behind_an_article_no_nick_is_a_person(text: str) -> None:
    assert people_named(text, {"jo": 200}, {"jo": 5}) == ((), ())


@pytest.mark.parametrize(
    "text", ["how do I run jo", "can we trust jo", "how to mend jo", "do you know jo"]
)
def test_who_asks_how_to_do_something_may_mean_the_word(text: str) -> None:
    assert people_named(text, {"jo": 200}, {"jo": 5}) == ((), ("jo",))
    assert named("how do I do what jo said", {"jo": 200}, {"jo": 5}) == ("jo",)


def test_a_nick_said_more_often_than_it_speaks_may_be_a_word() -> None:
    asked = "the gate of jo"
    assert people_named(asked, {"jo": 20}, {"jo": 19}) == (("jo",), ("jo",))
    assert people_named(asked, {"jo": 20}, {"jo": 20}) == ((), ("jo",))
    assert people_named(asked, {"jo": 20}, {"jo": 99}) == ((), ("jo",))
    assert people_named(asked, {"jo": 20}, {"jo": 100}) == ((), ())
    assert people_named("what did jo see", {"jo": 20}, {"jo": 100}) == (("jo",), ())


def test_of_a_nick_that_spoke_twice_nothing_is_known() -> None:
    assert people_named("the gate of jo", {"jo": 2}, {"jo": 1}) == ((), ("jo",))
    assert people_named("the gate of jo", {"jo": 3}, {"jo": 1}) == (("jo",), ("jo",))


def test_a_nick_that_is_spelled_as_no_word_is_a_person() -> None:
    assert named("the gate of jo42", {"jo42": 20}, {"jo42": 90}) == ("jo42",)
    assert named("the gate of jo_", {"jo_": 1}, {}) == ("jo_",)
    assert named("the gate of jo", {"jo": 2}, {}) == ("jo",)  # nobody says it
    assert people_named("how do I boot jo42", {"jo42": 20}, {"jo42": 20}) == ((), ("jo42",))


def test_a_capital_makes_a_person_of_a_nick_that_is_hardly_a_word() -> None:
    assert named("would Jo come", {"jo": 20}, {"jo": 40}) == ("jo",)
    assert named("would jo come", {"jo": 20}, {"jo": 40}) == ()
    assert named("the gate of Jo", {"jo": 20}, {"jo": 10}) == ("jo",)
    assert named("the gate of Jo", {"jo": 20}, {"jo": 40}) == ()


@pytest.mark.parametrize("nick", ["summer", "red", "mark", "ubuntu"])
def test_an_everyday_word_needs_the_wording_however_often_it_speaks(nick: str) -> None:
    busy = {nick: 10_000}, {nick: 10}
    assert named(f"what about {nick} and the gate?", *busy) == ()
    assert named(f"who has a {nick} gate?", *busy) == ()
    assert named(f"what did {nick} say about the gate?", *busy) == (nick,)
    assert named(f"where is {nick}'s gate?", *busy) == (nick,)


def test_a_word_that_is_in_most_lines_needs_the_verb_of_a_speaker() -> None:
    common = {"teabot": 4}, {"teabot": 1_000}
    assert named("when did teabot drop the old protocol?", *common) == ()
    assert named("what did teabot say about the gate?", *common) == ("teabot",)
    assert named("what was told by teabot", *common) == ()


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("what did will say about the gate?", ("will",)),
        ("what did ada and will find?", ("will",)),
        ("did anybody like will's gate?", ("will",)),
        ("links from will", ("will",)),
        ("who knows what will said?", ("will",)),
        ("who told will?", ("will",)),
        ("who will say that first?", ()),
        ("who asked will it rust?", ()),
        ("how much tea a user will get", ()),
        ("will the gate rust?", ()),
        ("what will the gate cost", ()),
    ],
)
def test_a_verb_is_a_nick_where_only_one_may_stand(text: str, people: tuple[str, ...]) -> None:
    assert people_named(text, {"will": 4}, {"will": 10_000}) == (people, ())
    assert people_named(text, {"will": 4}, {"will": 4}) == (people, ())


def test_the_name_of_the_channel_is_a_word_there() -> None:
    known = {"raku": 50}, {"raku": 20}
    assert people_named("how rusty raku?", *known).people == ("raku",)
    assert people_named("how rusty raku?", *known, {"raku"}) == ((), ())
    assert named("what did raku answer?", *known, {"raku"}) == ("raku",)


def test_a_capital_alone_makes_no_person_of_a_word() -> None:
    assert named("the colour Red", {"red": 50}, {"red": 20}) == ()
    assert named("is Red here", {"red": 50}, {"red": 20}) == ()
    assert named("IS RED HERE", {"red": 50}, {"red": 20}) == ()


def test_a_name_of_letters_that_spoke_once_needs_the_wording() -> None:
    assert named("is ada here", {"ada": 1}, {}) == ()
    assert named("is ada here", {"ada": 2}, {}) == ("ada",)
    assert named("is ada_ here", {"ada_": 1}, {}) == ("ada_",)
    assert people_named("the gate of ada", {"ada": 1}, {"ada": 1}) == ((), ())
    assert people_named("the gate of ada", {"ada": 1}, {}) == ((), ("ada",))  # it is no word
    assert named("what did ada see?", {"ada": 1}, {}) == ("ada",)


def test_a_possessive_is_the_whole_nick_if_there_is_one() -> None:
    assert named("ada's tea", {"ada's": 5, "ada": 5}, {}) == ("ada's",)
    assert named("ada's tea", {"ada": 5}, {}) == ("ada",)
    assert named("ada\u2019s tea, ada", {"ada": 5}, {}) == ("ada",)


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
    people = people_named(text, dict.fromkeys(nicks, 5), dict.fromkeys(nicks, 5))
    assert {*people.people, *people.ambiguous} <= set(nicks)
