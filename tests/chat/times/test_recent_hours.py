"""Hours and minutes up to now, as a question or a query names them."""

from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.times.query_dates import parse_moment, parse_period
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from tests.chat.times.scene import NOW

TONIGHT = "24:00"
EARLIEST, LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 12, tzinfo=UTC)


def stretches(text: str) -> list[tuple[str, str]]:
    """From when to when on the day of `NOW`, which is 9:30, each time lasts that `text` names."""
    midnight = NOW.replace(hour=0, minute=0)
    return [
        (
            f"{one.since:%H:%M}",
            TONIGHT if one.until == midnight + timedelta(1) else f"{one.until:%H:%M}",
        )
        for one in time_expressions(text, NOW, UTC)
    ]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in the last hour", "08:30", TONIGHT),
        ("in the last 2 hours", "07:30", TONIGHT),
        ("during the past few hours", "06:30", TONIGHT),
        ("over the last couple of hours", "07:30", TONIGHT),
        ("for the past 1.5 hours", "08:00", TONIGHT),
        ("within the last half hour", "09:00", TONIGHT),
        ("the last ten minutes", "09:20", TONIGHT),
        ("last 30 mins", "09:00", TONIGHT),
        ("past 2h", "07:30", TONIGHT),
        ("in the last minute", "09:29", TONIGHT),
        ("since an hour ago", "08:30", TONIGHT),
        ("an hour ago", "08:00", "09:00"),
        ("10 minutes ago", "09:15", "09:25"),
        ("half an hour ago", "08:45", "09:15"),
        ("about three hours ago", "06:00", "07:00"),
        ("in the last quarter of an hour", "09:15", TONIGHT),
        ("a quarter of an hour ago", "09:07", "09:22"),
        ("in the last hour and a half", "08:00", TONIGHT),
        ("over the last two and a half hours", "07:00", TONIGHT),
        ("2-3 hours ago", "06:00", "08:00"),
        ("between 2 and 3 hours ago", "06:00", "08:00"),
        ("two and a half hours ago", "06:30", "07:30"),
        ("an hour and a half ago", "07:30", "08:30"),
        ("a couple of hours ago", "05:00", "08:00"),
        ("a few hours ago", "03:00", "08:00"),
        ("2hrs ago", "07:00", "08:00"),
    ],
)
def test_hours_and_minutes_are_counted_from_now(text: str, since: str, until: str) -> None:
    assert stretches(f"what happened {text}?") == [(since, until)]
    assert stretches(text.upper()) == [(since, until)]
    question = f"did ada speak {text} at last?"
    assert without_times(time_expressions(question, NOW, UTC), question) == (
        "did ada speak   at last?"
    )


@pytest.mark.parametrize(
    "text",
    [
        *["at the last minute", "a last second change", "the last hour of the day", "2 hours"],
        *[
            "the past 3 minutes of it",
            "last 0 hours",
            "0 minutes ago",
            "10.1.5 hours ago",
            "twelve and a half hours ago",
        ],
        *["hours ago", "rush hour", "last 5 mind", "ada's last day", "on the last day of school"],
    ],
)
def test_hours_that_are_not_up_to_now_are_no_time(text: str) -> None:
    assert stretches(f"who said so {text}?") == []


def test_what_was_before_an_hour_ago_has_no_beginning() -> None:
    (one,) = time_expressions("before 2 hours ago", NOW, UTC)
    assert not one.has_beginning
    assert one.until == NOW - timedelta(hours=2)


@pytest.mark.parametrize("text", ["in the last day", "over the past day", "past day"])
def test_the_last_day_began_yesterday(text: str) -> None:
    (one,) = time_expressions(f"what happened {text}?", NOW, UTC)
    assert (one.since.date(), one.until.date()) == (
        NOW.date() - timedelta(1),
        NOW.date() + timedelta(1),
    )


@pytest.mark.parametrize("now", [EARLIEST, LATEST])
@pytest.mark.parametrize("text", ["an hour ago", "before 9 hours ago", "in the last 2 hours"])
def test_hours_at_the_ends_of_the_calendar_break_nothing(text: str, now: datetime) -> None:
    assert time_expressions(text, now, UTC) == ()
    assert parse_moment(text, EARLIEST, UTC) is None


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("last hour", "2026-05-14 08:30"),
        ("the past hour", "2026-05-14 08:30"),
        ("last minute", "2026-05-14 09:29"),
        ("last half hour", "2026-05-14 09:00"),
        ("past 2 hrs", "2026-05-14 07:30"),
        ("half an hour ago", "2026-05-14 09:00"),
        ("a few hours ago", "2026-05-14 06:30"),
        ("since 2 hours ago", "2026-05-14 07:30"),
        ("last day", "2026-05-13 00:00"),
    ],
)
def test_a_query_names_them_without_a_question(text: str, begins: str) -> None:
    moment = parse_moment(text, NOW, UTC)
    assert moment is not None
    assert f"{moment:%Y-%m-%d %H:%M}" == begins
    assert parse_period(text, NOW, UTC) is not None
