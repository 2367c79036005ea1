"""What a plain question is understood to ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.question import (
    asks_something,
    asks_what_was_missed,
    asks_what_was_said,
    asks_when,
    content_words,
    has_telling_words,
    is_first_person,
    is_literal,
    is_worded_as_a_question,
    names_a_time,
)
from terrarium_mcp.chat.terms import as_written


def test_words_that_tell_nothing_are_left_out() -> None:
    assert content_words("What did Ada say about the deploy?", ("ada",)) == ("deploy",)
    assert content_words("who isn't using C++ 7?", ()) == ("using", "c++", "7")
    assert content_words("Ada's teapot", ("ada",)) == ("teapot",)


def test_a_word_with_signs_of_its_own_is_one_word() -> None:
    assert content_words("Is 11.04 older than kernel-2.6.32?", ()) == (
        *("11.04", "older", "kernel", "2.6.32"),
    )
    assert content_words("2.6. 3.x V1.5 a1.2b", ()) == ("2.6", "3", "v1.5", "a1", "2b")
    assert content_words("C++, C# or notepad++? #c c+ a#b", ()) == ("c++", "c#", "notepad++")
    assert is_literal("11.04")
    assert not is_literal("11")


def test_where_no_word_tells_all_there_is_has_to_do() -> None:
    assert content_words("who was that?", ()) == ("who", "was", "that")
    assert content_words("ada?", ("ada",)) == ("ada",)
    assert not has_telling_words("when was that?")
    assert has_telling_words("when was the deploy?")


def test_a_text_without_spaces_is_read_character_by_character() -> None:
    assert content_words("東京", ()) == ("東", "京")


def test_a_word_with_vowel_signs_is_one_content_word() -> None:
    hindi = ["\u091a\u093e\u092c\u0940", "\u0930\u0916\u0940"]
    words = content_words(f"{' '.join(hindi)}\u0964", ())
    assert [as_written(word) for word in words] == hindi


@pytest.mark.parametrize(
    "line",
    [
        "how do I boot this",
        "boots it?",
        "boots it? the red one",
        "ada: how do I boot this",
        "I'm done, where are you",
        "ada: I'm done, where are you",
    ],
)
def test_a_line_asks_to_whomever_and_whatever_else_it_says(line: str) -> None:
    assert asks_something(line)


@pytest.mark.parametrize(
    "line", ["", "ada: it boots, the red one", "I know where it is", "https://tea.example/?q=where"]
)
def test_a_line_that_tells_something_asks_nothing(line: str) -> None:
    assert not asks_something(line)


@pytest.mark.parametrize(
    "line",
    [
        "how to boot this",
        "ada: where can I boot it",
        "why does it boot",
        "is there a way to boot it",
        "Can someone boot it",
        "does anyone boot it",
        "anybody here who boots it",
    ],
)
def test_the_order_of_words_asks_without_a_question_mark(line: str) -> None:
    assert is_worded_as_a_question(line)


@pytest.mark.parametrize(
    "line",
    [
        "when it boots I see the logo",
        "what I did is boot it",
        "how nice",
        "is green",
        "anyway it boots",
        "can't boot it",
    ],
)
def test_words_in_the_order_of_a_statement_ask_nothing(line: str) -> None:
    assert not is_worded_as_a_question(line)


def test_when_is_heard() -> None:
    assert asks_when("When did it break?")
    assert asks_when("what year was that")
    assert not asks_when("whenever you like, who broke it")
    assert names_a_time("I did it last week")
    assert names_a_time("See you FRIDAY")
    assert not names_a_time("I did it")


def test_who_speaks_of_himself() -> None:
    assert is_first_person("I'm late")
    assert not is_first_person("it is late")


@given(st.text())
def test_any_text_is_a_question(text: str) -> None:
    assert all(content_words(text, ()))


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
        *["what did I miss?", "what have we missed", "What all did I miss here?"],
        *["catch me up", "catch me up on the channel", "tell me what I've missed"],
    ],
)
def test_what_was_missed_is_whatever_was_said(text: str) -> None:
    assert asks_what_was_said(text)
    assert asks_what_was_missed(text)


@pytest.mark.parametrize("text", ["catch", "missed", "what packages did I miss", "any news"])
def test_other_texts_ask_for_nothing_that_was_missed(text: str) -> None:
    assert not asks_what_was_missed(text)


def test_stray_letters_do_not_tell_and_digits_do() -> None:
    assert content_words("x y deploy", ()) == ("deploy",)
    assert content_words("C+ or 7", ()) == ("7",)
    assert content_words("deploy, deploy the teapot's lid", ()) == ("deploy", "teapot", "lid")
    assert content_words("who\u2019s deploying", ()) == ("deploying",)
    assert content_words("ada-bo deploy", ("ada-bo",)) == ("deploy",)
    assert content_words("what about ada", ("ada",)) == ("ada",)


def test_a_stop_word_in_the_possessive_or_inside_a_word_with_a_dash_does_not_tell() -> None:
    assert content_words("somebody's teapot", ()) == ("teapot",)
    assert content_words("let's deploy", ()) == ("deploy",)
    assert content_words("follow-up deploy", ()) == ("follow", "deploy")
    assert content_words("who'd've deploy", ()) == content_words("who'd\u2019ve deploy", ())


@pytest.mark.parametrize(
    "text",
    [
        *["what happened ?", "What was going on in the channel?", "what did people talk about "],
        *["summarize the discussion", "what were the main topics of the week", "anything new?"],
    ],
)
def test_a_question_without_a_topic_asks_what_was_said(text: str) -> None:
    assert asks_what_was_said(text)


@pytest.mark.parametrize(
    "text", ["what happened to the gate", "what did ada say", "deploy", "", " ? ", "gate topics"]
)
def test_a_question_with_a_topic_or_without_words_does_not(text: str) -> None:
    assert not asks_what_was_said(text)
