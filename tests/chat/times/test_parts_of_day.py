"""Parts of a day: which hours people mean by them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from tests.chat.times.scene import NOW


def hours(text: str, now: datetime = NOW) -> list[str]:
    """Each time that `text` names, from the first minute to that after the last."""
    return [
        f"{one.since:%m-%d %H:%M} to {one.until:%m-%d %H:%M}"
        for one in time_expressions(text, now, UTC)
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("this morning", "05-14 05:00 to 05-14 12:00"),
        ("yesterday afternoon", "05-13 12:00 to 05-13 18:00"),
        ("This Evening", "05-14 18:00 to 05-15 00:00"),
        ("on the evening of 5 May", "05-05 18:00 to 05-06 00:00"),
        ("on 5 May in the afternoon", "05-05 12:00 to 05-05 18:00"),
        ("the day before yesterday in the evening", "05-12 18:00 to 05-13 00:00"),
        ("on monday evening", "05-11 18:00 to 05-12 00:00"),
        ("the evening of the 3rd", "05-03 18:00 to 05-04 00:00"),
        ("on the morning of the 20th", "04-20 05:00 to 04-20 12:00"),
        ("on the evening of monday", "05-11 18:00 to 05-12 00:00"),
        ("in the evening on monday", "05-11 18:00 to 05-12 00:00"),
        ("the night of halloween", "10-31 18:00 to 11-01 06:00"),
        ("on mon evening", "05-11 18:00 to 05-12 00:00"),
        ("on 5 May in the evening last year", "05-05 18:00 to 05-06 00:00"),
    ],
)
def test_a_part_of_a_day_has_its_hours(text: str, named: str) -> None:
    assert hours(f"what broke {text}?")[:1] == [named]


@pytest.mark.parametrize(
    "text",
    [
        "last night",
        "yesterday night",
        "during the night of 13 May",
        "13 May at night",
        "at night on 13 May",
    ],
)
def test_a_night_begins_with_the_evening_and_ends_on_the_next_day(text: str) -> None:
    asked = f"what broke {text}?"
    assert hours(asked) == ["05-13 18:00 to 05-14 06:00"]
    assert without_times(time_expressions(asked, NOW, UTC), asked).split() == ["what", "broke", "?"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("last night at 2am", "05-14 01:30 to 05-14 02:30"),
        ("last night around 11pm", "05-13 22:00 to 05-14 00:00"),
        ("last night before midnight", "05-13 18:00 to 05-14 00:00"),
        ("last night after midnight", "05-14 00:00 to 05-14 06:00"),
        ("between 11 and 1am last night", "05-13 23:00 to 05-14 01:01"),
        ("between 1 and 3am last night", "05-14 01:00 to 05-14 03:01"),
        ("this morning before 8:30", "05-14 05:00 to 05-14 08:30"),
        ("yesterday evening after 8pm", "05-13 20:00 to 05-14 00:00"),
        ("yesterday evening before 8am", "05-13 18:00 to 05-14 00:00"),  # of no hour in it
    ],
)
def test_a_clock_is_that_of_the_part_beside_it(text: str, named: str) -> None:
    assert hours(f"what broke {text}?") == [named]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("since this morning", "05-14 05:00 to 05-15 00:00"),
        ("since last night", "05-13 18:00 to 05-15 00:00"),
        ("after yesterday evening", "05-14 00:00 to 05-15 00:00"),
        ("before yesterday evening", "01-01 00:00 to 05-13 18:00"),
        ("until last night", "01-01 00:00 to 05-14 06:00"),
        ("around yesterday evening", "05-10 00:00 to 05-17 00:00"),
        ("the week before last night", "05-06 00:00 to 05-13 00:00"),
        ("this week before yesterday evening", "05-11 00:00 to 05-13 18:00"),
    ],
)
def test_what_is_before_or_after_a_part_is_counted_from_its_hours(text: str, named: str) -> None:
    assert hours(f"what broke {text}?") == [named]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("tonight", "05-13 18:00 to 05-14 06:00"),
        ("this evening", "05-13 18:00 to 05-14 00:00"),
        ("last night", "05-13 18:00 to 05-14 06:00"),
        ("today", "05-14 00:00 to 05-15 00:00"),
    ],
)
def test_in_the_small_hours_the_evening_is_that_of_the_day_before(text: str, named: str) -> None:
    small_hours = NOW.replace(hour=1)
    assert hours(f"who was here {text}?", small_hours) == [named]


def test_the_hours_are_those_of_the_reader() -> None:
    (one,) = time_expressions("what broke last night?", NOW, ZoneInfo("Asia/Tokyo"))
    assert one.since == datetime(2026, 5, 13, 9, tzinfo=UTC)
    assert one.until - one.since == timedelta(hours=12)
