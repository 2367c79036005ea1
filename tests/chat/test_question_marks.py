"""A question mark is one in any script, and a semicolon is one among Greek letters."""

import pytest

from terrarium_mcp.chat.question import is_put_as_a_question
from terrarium_mcp.chat.question_marks import ends_with_question_mark, has_question_mark

GREEK = "\u03c0\u03bf\u03cd"


@pytest.mark.parametrize(
    "text", ["tea?", "tea\uff1f ", "\u0634\u0627\u064a\u061f", f"{GREEK};", f"{GREEK}\u037e"]
)
def test_any_question_mark_may_end_a_text(text: str) -> None:
    assert ends_with_question_mark(text)
    assert has_question_mark(text)
    assert has_question_mark(f"{text} no")
    assert not ends_with_question_mark(f"{text} no")


@pytest.mark.parametrize(
    "text", ["", "  ", "tea;", "caf\u00e9;", "5 \u03bcm; ", GREEK, "caf\u00e9."]
)
def test_any_other_text_has_none(text: str) -> None:
    assert not ends_with_question_mark(text)
    assert not has_question_mark(text)


@pytest.mark.parametrize("mark", ["?", "\uff1f", "\uff1f\uff01", "\u061f", "\uff1f\u3002"])
def test_a_query_that_ends_so_is_put_as_a_question(mark: str) -> None:
    assert is_put_as_a_question(f"tea{mark}")
