"""Times that a question names."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.named_times import named_times, without

NOW = datetime(2026, 5, 14, 9, 30, tzinfo=UTC)  # a Thursday


def days(text: str) -> list[tuple[str, str]]:
    """The first day of each time that `text` names, and the day after its last."""
    return [
        (f"{one.since:%Y-%m-%d}", f"{one.until:%Y-%m-%d}") for one in named_times(text, NOW, UTC)
    ]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what broke on 2026-05-01?", "2026-05-01", "2026-05-02"),
        ("who left on 5 March 2025", "2025-03-05", "2025-03-06"),
        ("on the 5th of March, 2025", "2025-03-05", "2025-03-06"),
        ("March 5th, 2025", "2025-03-05", "2025-03-06"),
        ("on 13 May", "2026-05-13", "2026-05-14"),
        ("on May 15", "2025-05-15", "2025-05-16"),
        ("in early March 2025", "2025-03-01", "2025-04-01"),
        ("in May", "2026-05-01", "2026-06-01"),
        ("during december", "2025-12-01", "2026-01-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("today", "2026-05-14", "2026-05-15"),
        ("yesterday", "2026-05-13", "2026-05-14"),
        ("the day before yesterday", "2026-05-12", "2026-05-13"),
        ("3 days ago", "2026-05-11", "2026-05-12"),
        ("two weeks ago", "2026-04-27", "2026-05-04"),
        ("a few months ago", "2026-01-29", "2026-03-01"),
        ("last week", "2026-05-04", "2026-05-11"),
        ("this week", "2026-05-11", "2026-05-15"),
        ("this month", "2026-05-01", "2026-05-15"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("the past week", "2026-05-07", "2026-05-15"),
        ("on Monday", "2026-05-11", "2026-05-12"),
        ("last Thursday", "2026-05-07", "2026-05-08"),
    ],
)
def test_a_time_is_understood(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text", ["may I ask", "at 10:30", "31 june", "version 2026.5", "the mayor", "99999 years ago"]
)
def test_what_names_no_time_is_none(text: str) -> None:
    assert days(text) == []


def test_a_day_is_the_readers() -> None:
    late = datetime(2026, 5, 14, 23, 30, tzinfo=UTC)
    (day,) = named_times("yesterday", late, ZoneInfo("Asia/Tokyo"))
    assert (day.since, day.until) == (
        datetime(2026, 5, 13, 15, tzinfo=UTC),
        datetime(2026, 5, 14, 15, tzinfo=UTC),
    )


def test_the_words_of_a_time_are_taken_out() -> None:
    text = "what broke yesterday and in May?"
    assert without(named_times(text, NOW, UTC), text) == "what broke   and  ?"


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(one.since < one.until for one in named_times(text, NOW, UTC))
