"""Times that are named inside a longer one beside them."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.chat.times.scene import NOW, days


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in july last year", "2025-07-01", "2025-08-01"),
        ("july of last year", "2025-07-01", "2025-08-01"),
        ("in January last year", "2025-01-01", "2025-02-01"),
        ("in early march last year", "2025-03-01", "2025-03-11"),
        ("in the first week of may last year", "2025-05-01", "2025-05-08"),
        ("in march this year", "2026-03-01", "2026-04-01"),
        ("in may, in 2024", "2024-05-01", "2024-06-01"),
        ("on 5 may last year", "2025-05-05", "2025-05-06"),
        ("in 2025 between march and may", "2025-03-01", "2025-06-01"),
        ("in the summer of last year", "2025-06-01", "2025-09-01"),
        ("summer of last year", "2025-06-01", "2025-09-01"),
        ("during winter last year", "2025-12-01", "2026-03-01"),
        ("at christmas last year", "2025-12-24", "2025-12-27"),
        ("christmas of last year", "2025-12-24", "2025-12-27"),
        ("on wednesday of last week", "2026-05-06", "2026-05-07"),
        ("on monday last week", "2026-05-04", "2026-05-05"),
        ("sunday of last week", "2026-05-10", "2026-05-11"),
        ("thursday three weeks ago", "2026-04-23", "2026-04-24"),
        ("last month, on the 3rd", "2026-04-03", "2026-04-04"),
        ("from monday to friday last week", "2026-05-04", "2026-05-09"),
        ("the second week of june last year", "2025-06-08", "2025-06-15"),
        ("in the last week of June of last year", "2025-06-24", "2025-07-01"),
        ("yesterday, this week", "2026-05-13", "2026-05-14"),
        ("6-7 may last year", "2025-05-06", "2025-05-08"),
        ("in march-may last year", "2025-03-01", "2025-06-01"),
        ("between christmas and new year last year", "2025-12-24", "2026-01-02"),
        ("on wed last week", "2026-05-06", "2026-05-07"),
        ("this week before Wednesday", "2026-05-11", "2026-05-13"),
        ("last week since wednesday", "2026-05-06", "2026-05-11"),
        ("last year before march", "2025-01-01", "2025-03-01"),
        ("this week on friday", "2026-05-15", "2026-05-16"),
        ("this week before monday", "1900-01-01", "2026-05-11"),  # nothing of it is before
        ("a year ago today", "2025-05-14", "2025-05-15"),
        ("two weeks ago today", "2026-04-30", "2026-05-01"),
        ("since july last year", "2025-07-01", "2026-05-15"),
        ("after christmas last year", "2025-12-27", "2026-05-15"),
    ],
)
def test_of_two_neighbours_the_shorter_is_inside_the_longer(
    text: str, since: str, until: str
) -> None:
    assert days(f"what happened {text}?") == days(text.upper()) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    ["Q4 last year", "in Q4 of last year", "in the fourth quarter of last year"],
)
def test_a_quarter_of_last_year_is_not_that_of_this_one(text: str) -> None:
    december = datetime(2026, 12, 1, tzinfo=UTC)
    assert days(text) == days(text, december) == [("2025-10-01", "2026-01-01")]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in Q3 this year", "2026-07-01", "2026-10-01"),
        ("the third quarter of this year", "2026-07-01", "2026-10-01"),
        ("in july this year", "2026-07-01", "2026-08-01"),
        ("before christmas this year", "1900-01-01", "2026-12-24"),
        ("on friday this week", "2026-05-15", "2026-05-16"),
    ],
)
def test_what_is_to_come_of_this_week_or_year_is_one_time(
    text: str, since: str, until: str
) -> None:
    assert days(text) == [(since, until)]


def test_a_quarter_to_come_is_one_time_in_january_and_in_the_last_year_of_all() -> None:
    january = NOW - timedelta(days=120)
    assert days("in Q3 this year", january) == [("2026-07-01", "2026-10-01")]
    assert days("in Q3 this year", NOW.replace(year=9999))


def test_of_several_such_days_the_longer_time_is_meant() -> None:
    assert days("on friday in 2024") == [("2024-01-01", "2025-01-01")]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in 2010, what did ada say in august?", "2010-08-01", "2010-09-01"),
        ("what did ada say in August about tea in 2010?", "2010-08-01", "2010-09-01"),
        ("last year, was ada here on 5 may?", "2025-05-05", "2025-05-06"),
        ("in 2024, who drank tea at christmas?", "2024-12-24", "2024-12-27"),
        ("in 2024, who drank tea on friday?", "2024-01-01", "2025-01-01"),
    ],
)
def test_a_month_elsewhere_than_its_year_is_of_that_year(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)] * 2


@pytest.mark.parametrize(
    "text",
    [
        *["in 2010, what did ada say in august 2012?", "in 2010, and in august?"],
        *["what did ada say in march about the release of 2010?", "in 2010 or in august"],
        *["since 2010, what did ada say in august?", "in 2010, what did ada say last night?"],
        *["what did ada say last friday of the trip last year?", "last May, of the trip in 2010?"],
        *["on friday, what did ada say of the trip this year?", "at christmas of jobs this year"],
        *["what did ada say in march of the conference in 2027?", "last christmas of jobs in 2024"],
    ],
)
def test_other_times_beside_a_year_stay_what_they_are(text: str) -> None:
    first, second = days(text)
    assert first != second


@pytest.mark.parametrize(
    "text",
    ["yesterday and in May", "in May, in March", "in july or last year", "last month, on 3 may"],
)
def test_two_times_that_are_joined_or_apart_stay_two(text: str) -> None:
    assert len(days(text)) == 2


def test_a_time_of_day_beside_either_is_of_that_day() -> None:
    assert days("at 8pm on wednesday of last week") == [("2026-05-06", "2026-05-06")]
    assert days("on wednesday of last week at 8pm") == [("2026-05-06", "2026-05-06")]
