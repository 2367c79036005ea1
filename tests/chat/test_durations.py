"""How long something lasts, as people type it."""

from datetime import timedelta

import pytest

from terrarium_mcp.chat.durations import length_named


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30m", timedelta(minutes=30)),
        ("1h", timedelta(hours=1)),
        (" 2 D ", timedelta(days=2)),
        ("90 min", timedelta(minutes=90)),
        ("2 hours", timedelta(hours=2)),
        ("an Hour", timedelta(hours=1)),
        ("1w", timedelta(days=7)),
        ("two weeks", timedelta(days=14)),
        ("1 Month", timedelta(days=30)),
        ("1y", timedelta(days=365)),
        ("0h", timedelta(0)),
    ],
)
def test_a_number_or_a_word_names_a_length_in_any_unit(text: str, length: timedelta) -> None:
    assert length_named(text) == length


def test_a_length_that_no_timedelta_holds_is_nearly_the_longest() -> None:
    year = timedelta(days=365)
    assert length_named("9" * 9 + "y") == timedelta.max // year * year


@pytest.mark.parametrize(
    "text",
    ["", "1", "h", "-1h", "1.5h", "1h30m", "anhour", "an hour ago", "\u0661h", "9" * 99 + "h"],
)
def test_anything_else_names_none(text: str) -> None:
    assert length_named(text) is None
