"""Moments in a question, as the tools' own answers write them."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest

from terrarium_mcp.chat.times.query_dates import parse_period
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from tests.chat.times.scene import NOW, days

BERLIN = ZoneInfo("Europe/Berlin")
TOMORROW = "05-15 00:00:00"
EVER = "01-01 00:00:00"


def stretches(text: str, zone: tzinfo = UTC) -> list[tuple[str, str]]:
    """From when to when each time lasts that `text` names, in this year or since ever."""
    times = time_expressions(text, NOW, zone)
    return [(f"{one.since:%m-%d %H:%M:%S}", f"{one.until:%m-%d %H:%M:%S}") for one in times]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("after 2026-05-05T12:00:00Z", "05-05 12:00:00", TOMORROW),
        ("since 2026-05-05T12:00:30.250Z", "05-05 12:00:30", TOMORROW),
        ("after 2026-05-20T12:00Z", "05-20 12:00:00", "05-21 12:00:00"),
        ("before 2026-05-05T12:00Z", EVER, "05-05 12:00:00"),
        ("until 2026-05-05T12:00:10", EVER, "05-05 12:00:10"),
        ("at 2026-05-05T22:10:00Z", "05-05 21:40:00", "05-05 22:40:00"),
        ("2026-05-05T22:10:00Z", "05-05 21:40:00", "05-05 22:40:00"),
        ("around 2026-05-05T22:10:00+02:00", "05-05 19:10:00", "05-05 21:10:00"),
        ("on 2026-05-05T22:10-0430", "05-06 02:10:00", "05-06 03:10:00"),
        ("on 2026-05-05 22:10:00", "05-05 21:40:00", "05-05 22:40:00"),
        ("on 2026-05-05, at 22:10:00 UTC", "05-05 21:40:00", "05-05 22:40:00"),
        ("since 2026-05-05 22:10+02:00", "05-05 20:10:00", TOMORROW),
        ("since 2026-05-05 22:10Z", "05-05 22:10:00", TOMORROW),
        (
            "between 2026-05-05T10:00Z and 2026-05-05T12:00Z",
            "05-05 10:00:00",
            "05-05 12:00:00",
        ),
        ("from 2026-05-05T10:00Z until yesterday", "05-05 10:00:00", "05-14 00:00:00"),
        ("from 2026-05-05T10:00Z onwards", "05-05 10:00:00", TOMORROW),
    ],
)
def test_a_moment_of_a_machine_is_that_moment(text: str, since: str, until: str) -> None:
    assert stretches(f"what did ada say {text}?") == [(since, until)]
    assert stretches(text.lower()) == stretches(text.upper()) == [(since, until)]
    question = f"did ada speak {text} at last?"
    assert without_times(time_expressions(question, NOW, UTC), question) == (
        "did ada speak   at last?"
    )


def test_it_is_of_the_reader_unless_it_names_a_zone() -> None:
    assert stretches("since 2026-05-05T12:00", BERLIN)[0][0] == "05-05 10:00:00"
    assert stretches("since 2026-05-05T12:00Z", BERLIN)[0][0] == "05-05 12:00:00"


def test_hours_behind_an_iso_day_are_still_from_one_to_the_other() -> None:
    assert stretches("2026-05-05 20:30-20:40") == [("05-05 20:30:00", "05-05 20:41:00")]


@pytest.mark.parametrize(
    "text",
    [
        "between 2026-05-05 12:00:00 and 13:00:00",
        "2026-05-05 12:00:00 - 13:00:00",
        "2026-05-05 12:00:00-13:00:00",
        "2026-05-05 12:00:00 to 13:00",
        "from 2026-05-05 12:00:00 to 13:00:00",
        "since 2026-05-05 12:00:00 until 13:00:00",
        "between 2026-05-05T12:00 and 13:00",
        "between 2026-05-05T12:00:00.000Z and 13:00:00.000Z",
        "between 2026-05-05T14:00+02:00 and 15:00",
        "between 2026-05-05T12:00 and 13:00 UTC",
        "2026-05-05T12:00Z/2026-05-05T13:00Z",
        "2026-05-05T14:00+02:00/2026-05-05T13:00Z",
        "2026-05-05 12:00:00/2026-05-05 13:00:00",
        "2026-05-05T12:00Z/13:00Z",
    ],
)
def test_behind_a_moment_a_clock_or_a_slash_and_another_moment_is_its_end(text: str) -> None:
    assert stretches(f"what did ada say {text}?") == [("05-05 12:00:00", "05-05 13:00:00")]
    said = f"ada {text} tea"
    assert without_times(time_expressions(said, NOW, UTC), said) == "ada   tea"


def test_an_end_that_would_be_before_its_moment_is_on_the_next_day() -> None:
    assert stretches("from 2026-05-05 23:00:00 to 01:00:00") == [
        ("05-05 23:00:00", "05-06 01:00:00")
    ]


def test_a_zone_of_one_clock_is_that_of_both() -> None:
    in_utc = [("05-05 12:00:00", "05-05 13:00:00")]
    assert stretches("between 2026-05-05T12:00Z and 13:00", BERLIN) == in_utc
    assert stretches("between 2026-05-05T12:00 and 13:00Z", BERLIN) == in_utc
    assert stretches("between 2026-05-05T14:00 and 15:00", BERLIN) == in_utc


def test_what_was_before_a_moment_has_no_other_end() -> None:
    assert stretches("before 2026-05-05 12:00:00 and 13:00:00") == [(EVER, "05-05 12:00:00")]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026-05-05T12:00-13:00", "05-05 12:00:00", "05-05 13:00:00"),
        ("2026-05-05T12:00:00-12:30", "05-05 12:00:00", "05-05 12:30:00"),
        ("2026-05-05T12:00-12:00", "05-05 23:30:00", "05-06 00:30:00"),
        ("2026-05-05T12:00+14:00", "05-04 21:30:00", "05-04 22:30:00"),
    ],
)
def test_no_offset_is_beyond_those_of_the_earth(text: str, since: str, until: str) -> None:
    assert stretches(text) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        *["2026-05-05T12:00+14:30", "2026-05-05T12:00-1300"],
        *["2026-05-05T13:00Z/2026-05-05T12:00Z", "2026-05-05T12:00-13:00.txt"],
        *["before 2026-05-05T25:00Z", "before 2026-02-30T10:00", "before 2026-02-30"],
        *["after logs/2026-05-05T10:00:00", "2026-05-05T10:00:00.txt", "a2026-05-05T10:00Z"],
        *["since 0001-01-01T00:00:00+10:00", "since 9999-12-31T23:00Z"],
    ],
)
def test_what_is_no_moment_is_none_and_never_a_year(text: str) -> None:
    assert days(text) == []


def test_a_query_may_have_two_of_them() -> None:
    stretch = parse_period("from 2026-05-05T10:00Z to 2026-05-05T12:00Z", NOW, BERLIN)
    assert stretch is not None
    assert [f"{end:%m-%d %H:%M}" for end in stretch] == ["05-05 10:00", "05-05 12:00"]
