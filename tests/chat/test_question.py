"""What a plain question is understood to ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.question import (
    asks_when,
    content_words,
    is_first_person,
    is_question,
    names_a_time,
    people_named,
    possible_nicks,
)


def test_words_that_tell_nothing_are_left_out() -> None:
    assert content_words("What did Ada say about the deploy?", ("ada",)) == ("deploy",)
    assert content_words("who isn't using C++ 7?", ()) == ("using", "7")
    assert content_words("Ada's teapot", ("ada",)) == ("teapot",)


def test_where_no_word_tells_all_there_is_has_to_do() -> None:
    assert content_words("who was that?", ()) == ("who", "was", "that")
    assert content_words("ada?", ("ada",)) == ("ada",)


def test_a_text_without_spaces_is_read_character_by_character() -> None:
    assert content_words("東京", ()) == ("東", "京")


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
    assert is_first_person("I'm late")
    assert not is_first_person("it is late")
    assert is_question("tea? ")
    assert not is_question("tea?!")


@given(st.text())
def test_any_text_is_a_question(text: str) -> None:
    nicks = possible_nicks(text)
    people = people_named(text, dict.fromkeys(nicks, 5), {})
    assert set(people) <= set(nicks)
    assert all(content_words(text, people))


@pytest.mark.parametrize(
    "text",
    [
        *["When?", "how long does it take", "what year", "What month", "what date", "what day"],
        "at what time",
    ],
)
def test_a_question_for_a_time_asks_when(text: str) -> None:
    assert asks_when(text)


@pytest.mark.parametrize("text", ["what timeout", "how longish", "what", "whenever", "long ago"])
def test_other_questions_do_not(text: str) -> None:
    assert not asks_when(text)


TIMES = """yesterday today tonight tomorrow last next ago weekend week weeks month months year years
    day days monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december recently since morning night 1999
    9:30 12:05"""


@pytest.mark.parametrize("word", TIMES.split())
def test_a_line_with_such_a_word_names_a_time(word: str) -> None:
    assert names_a_time(f"it was {word.upper()}.")


@pytest.mark.parametrize("text", ["12345", "123", "9:3", "lasting", "maybe", "mondays", "2026x"])
def test_a_line_with_a_similar_word_does_not(text: str) -> None:
    assert not names_a_time(text)


FIRST_PERSON = """i im i'm i've i'd i'll my me mine we we're we've we'll our us
    i\u2019m we\u2019ll"""


@pytest.mark.parametrize("word", FIRST_PERSON.split())
def test_the_first_person_is_recognised(word: str) -> None:
    assert is_first_person(f"so {word.upper()} say")


@pytest.mark.parametrize("text", ["it is", "amy", "the bus", "mines", "ours is gone", "ill"])
def test_other_words_are_not_the_first_person(text: str) -> None:
    assert not is_first_person(text)


@pytest.mark.parametrize(
    "text",
    [
        *["did mark come", "does mark know", "has mark", "had mark", "was mark", "is mark"],
        *["by mark", "from mark", "the nick mark", "user mark", "@mark", "<mark>", "mark's"],
        *["mark\u2019s", "mark said", "mark say", "mark says", "mark wrote", "mark asked"],
        *["mark ask", "mark mentioned", "mark suggested", "mark told", "mark thought"],
        *["mark think", "mark thinks", "Did MARK"],
    ],
)
def test_wording_that_only_a_person_has(text: str) -> None:
    assert people_named(text, {"mark": 10}, {"mark": 1_000}) == ("mark",)


@pytest.mark.parametrize(
    "text",
    ["mark it", "the mark", "did marks", "remark says", "mark sayings", "is a mark", "adid mark"],
)
def test_wording_that_a_word_has_too(text: str) -> None:
    assert people_named(text, {"mark": 10}, {"mark": 1_000}) == ()


def test_a_nick_seldom_said_as_a_word_needs_no_wording() -> None:
    assert people_named("the mark", {"mark": 20}, {"mark": 99}) == ("mark",)
    assert people_named("the mark", {"mark": 20}, {"mark": 100}) == ()


def test_a_name_of_letters_needs_two_lines_and_another_one() -> None:
    assert people_named("did ada", {"ada": 1}, {}) == ()
    assert people_named("did ada", {"ada": 2}, {}) == ("ada",)
    assert people_named("did ada_", {"ada_": 1}, {}) == ("ada_",)


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


def test_stray_letters_do_not_tell_and_digits_do() -> None:
    assert content_words("x y deploy", ()) == ("deploy",)
    assert content_words("C++ or 7", ()) == ("7",)
    assert content_words("deploy, deploy the teapot's lid", ()) == ("deploy", "teapot", "lid")
    assert content_words("who\u2019s deploying", ()) == ("deploying",)
    assert content_words("ada-bo deploy", ("ada-bo",)) == ("deploy",)
    assert content_words("what about ada", ("ada",)) == ("what", "about")


def test_a_stop_word_in_the_possessive_or_inside_a_word_with_a_dash_does_not_tell() -> None:
    assert content_words("somebody's teapot", ()) == ("teapot",)
    assert content_words("let's deploy", ()) == ("deploy",)
    assert content_words("follow-up deploy", ()) == ("follow", "deploy")
    assert content_words("who'd've deploy", ()) == content_words("who'd\u2019ve deploy", ())


def test_only_signs_are_stripped_from_a_nick() -> None:
    assert possible_nicks("Did <XaviX> say so?") == ("xavix",)
