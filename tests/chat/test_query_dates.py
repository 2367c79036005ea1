"""Times as people write them are read by a clock and a zone; what is no time is none."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.dates import moment_of, stretch_of

NOW = datetime(2026, 5, 6, 14, 23, 5, tzinfo=UTC)  # a Wednesday
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2025-12", "2025-12-01", "2026-01-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("today", "2026-05-06", "2026-05-07"),
        ("Yesterday", "2026-05-05", "2026-05-06"),
        ("this week", "2026-05-04", "2026-05-11"),
        ("last  week", "2026-04-27", "2026-05-04"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("Q1 2026", "2026-01-01", "2026-04-01"),
        ("tuesday", "2026-05-05", "2026-05-06"),
        ("last friday", "2026-05-01", "2026-05-02"),
        ("5 may", "2026-05-05", "2026-05-06"),
        ("7 may", "2025-05-07", "2025-05-08"),
        ("december", "2025-12-01", "2026-01-01"),
        ("2 weeks ago", "2026-04-20", "2026-04-27"),
    ],
)
def test_a_time_is_a_stretch_and_begins_at_a_moment(text: str, begins: str, ends: str) -> None:
    stretch = stretch_of(text, NOW, UTC)
    assert stretch is not None
    assert [f"{end:%Y-%m-%d %H:%M:%S}" for end in stretch] == [
        f"{begins} 00:00:00",
        f"{ends} 00:00:00",
    ]
    assert moment_of(text, NOW, UTC) == stretch[0]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2h", "2026-05-06 12:23:05"),
        ("90M", "2026-05-06 12:53:05"),
        ("3d", "2026-05-03 14:23:05"),
        ("1w", "2026-04-29 14:23:05"),
        ("10 minutes ago", "2026-05-06 14:13:05"),
        ("yesterday 14:00", "2026-05-05 14:00:00"),
        ("2026-05-01T14:00:00.123456Z", "2026-05-01 14:00:00"),
        ("2026-05-01T14:00+02:00", "2026-05-01 12:00:00"),
    ],
)
def test_a_moment_stands_for_its_day_where_a_stretch_is_asked_for(text: str, moment: str) -> None:
    read = moment_of(text, NOW, UTC)
    assert read is not None
    assert f"{read:%Y-%m-%d %H:%M:%S}" == moment
    assert stretch_of(text, NOW, UTC) == stretch_of(moment[:10], NOW, UTC)


def test_days_are_those_of_the_zone_also_where_its_clock_changes() -> None:
    day = stretch_of("2026-03-29", NOW, BERLIN)
    assert day == (datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC))
    late = datetime(2026, 5, 6, 23, tzinfo=UTC)
    assert moment_of("today", late, BERLIN) == datetime(2026, 5, 6, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", "tea", "a", "1", "12", "13:99", "friday 13", "may 32", "32 may", "5.5.26"],
        *["2026-02-30", "2026-13", "2026-13-01", "0000", "0000-01-01", "2026-05-01T25:00"],
        *["1777777777", "999999w", "99999999999 days ago", "x" * 5_000, "\0", "2026-"],
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert moment_of(text, NOW, BERLIN) is None
    assert stretch_of(text, NOW, BERLIN) is None


@given(st.text(max_size=30) | st.from_regex(r"[0-9]{1,4}[-/. ][0-9a-z]{1,4}([- ][0-9a-z]+)?"))
@settings(deadline=None)
def test_no_text_is_too_absurd(text: str) -> None:
    stretch = stretch_of(text, NOW, BERLIN)
    assert stretch is None or stretch[0] < stretch[1]
    assert stretch is None or moment_of(text, NOW, BERLIN) is not None
