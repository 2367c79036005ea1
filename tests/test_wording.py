"""Phrases say how many there are, and quote names from outside safely."""

import pytest

from terrarium_mcp.wording import and_more, did_you_mean, shown


@pytest.mark.parametrize(
    ("limit", "text"),
    [(3, "a, b, c and 2 more"), (4, "a, b, c, d and 1 more"), (5, "a, b, c, d, e")],
)
def test_a_long_list_says_how_many_it_leaves_out(limit: int, text: str) -> None:
    assert and_more(["a", "b", "c", "d", "e"], limit) == text


def test_the_nearest_name_is_found_in_any_case_and_with_any_prefix() -> None:
    assert did_you_mean("TERRARUM", ["#tea", "#terrarium"]) == " Did you mean #terrarium?"
    assert did_you_mean("coffee", ["#tea"]) == ""
    assert did_you_mean("#terrarum", ["net/#terrarium"]) == " Did you mean net/#terrarium?"
    assert did_you_mean("#tea", ["net/##tea", "#mate/x"]) == " Did you mean net/##tea?"


def test_a_quoted_name_is_short_and_holds_no_control_characters() -> None:
    assert shown("x" * 60) == "x" * 60
    assert shown("x" * 61) == "x" * 60 + "..."
    assert "\x1b" not in shown("te\x1b[2Ja")
