"""A question mark is one in any script, and a semicolon is one among Greek letters."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.question import is_put_as_a_question
from terrarium_mcp.chat.question_marks import (
    asking_part,
    ends_with_question_mark,
    has_question_mark,
)

GREEK = "\u03c0\u03bf\u03cd"


@pytest.mark.parametrize(
    "text", ["tea?", "tea\uff1f ", "\u0634\u0627\u064a\u061f", f"{GREEK};", f"{GREEK}\u037e"]
)
def test_any_question_mark_may_end_a_text(text: str) -> None:
    assert ends_with_question_mark(text)
    assert has_question_mark(text)
    assert has_question_mark(f"{text} no")
    assert not ends_with_question_mark(f"{text} no")
    assert asking_part(f"{text} no") == text.rstrip()


@pytest.mark.parametrize(
    "text", ["", "  ", "tea;", "caf\u00e9;", "5 \u03bcm; ", GREEK, "caf\u00e9."]
)
def test_any_other_text_has_none(text: str) -> None:
    assert not ends_with_question_mark(text)
    assert not has_question_mark(text)
    assert not asking_part(text)


@pytest.mark.parametrize("mark", ["?", "\uff1f", "\uff1f\uff01", "\u061f", "\uff1f\u3002"])
def test_a_query_that_ends_so_is_put_as_a_question(mark: str) -> None:
    assert is_put_as_a_question(f"tea{mark}")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("is there parking? I come by car", "is there parking?"),
        ("tea? or mate?? both", "tea? or mate??"),
        ("tea?! now", "tea?"),
        ('"any tea?" he asked', '"any tea?'),
        ("(any tea?) yes", "(any tea?"),
        ("\u8336\uff1f\u662f", "\u8336\uff1f"),
        ("see http://a.example/?q=tea and drink", ""),
        ("match colou?r with it", ""),
        ("?a ??b ?", "?a ??b ?"),
    ],
)
def test_a_question_mark_that_ends_a_sentence_may_stand_within_a_line(text: str, part: str) -> None:
    assert asking_part(text) == part


def test_a_mark_before_another_does_not_end_a_text() -> None:
    assert not ends_with_question_mark("tea?!")


@given(st.text(alphabet="tea? ;\uff1f\u03c0\u03bf"))
def test_what_ends_as_a_question_asks_to_its_end(text: str) -> None:
    assert not ends_with_question_mark(text) or asking_part(text) == text.rstrip()


def test_a_long_run_of_question_marks_takes_a_moment() -> None:
    began = time.thread_time()
    assert not asking_part("?" * 200_000 + "a")
    assert time.thread_time() - began < 1
