"""The days, weeks and months that a stretch of time touches, in a reader's zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.english.calendar_words import PERIODS
from terrarium_mcp.chat.times.periods import calendar_periods

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def busy_days(first: datetime, last: datetime) -> list[date]:
    """Every day in UTC from one moment to another."""
    return [first.date() + timedelta(n) for n in range((last.date() - first.date()).days + 1)]


@pytest.mark.parametrize(
    ("unit", "days"),
    [
        ("day", [date(2026, 4, 29), date(2026, 4, 30), date(2026, 5, 1)]),
        ("week", [date(2026, 4, 27)]),
        ("month", [date(2026, 4, 1), date(2026, 5, 1)]),
    ],
)
def test_every_period_from_the_first_moment_to_the_last_is_there(
    unit: str, days: list[date]
) -> None:
    first, last = at("2026-04-29T12:00"), at("2026-05-01T00:00")
    periods = calendar_periods(unit, busy_days(first, last), first, last, UTC, 99)
    assert periods.days == days


def test_a_day_begins_at_midnight_in_the_readers_zone_also_when_the_clocks_change() -> None:
    first, last = at("2026-03-28T22:59"), at("2026-03-29T23:00")
    periods = calendar_periods("day", busy_days(first, last), first, last, BERLIN, 99)
    assert periods.days == [date(2026, 3, 28), date(2026, 3, 29), date(2026, 3, 30)]
    assert periods.moments == [
        at("2026-03-27T23:00"), at("2026-03-28T23:00"), at("2026-03-29T22:00")
    ]  # fmt: skip


def test_only_the_newest_periods_are_kept() -> None:
    first, last = at("2020-01-01"), at("2026-05-09")
    periods = calendar_periods("month", busy_days(first, last), first, last, UTC, 3)
    assert periods.days == [date(2026, 3, 1), date(2026, 4, 1), date(2026, 5, 1)]


def test_a_pause_is_one_period_and_makes_no_room_for_fewer_days() -> None:
    days = [date(2010, 1, 1), date(2015, 6, 1), date(2015, 6, 2)]
    periods = calendar_periods("day", days, at("2010-01-01"), at("2015-06-02"), UTC, 3)
    assert periods.days == [days[0], date(2010, 1, 2), days[1], days[2]]


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Niue")])
@pytest.mark.parametrize("unit", ["day", "week", "month"])
def test_the_ends_of_the_calendar_break_nothing(unit: str, zone: ZoneInfo) -> None:
    for aware in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        periods = calendar_periods(unit, [aware.date()], aware, aware, zone, 9)
        assert len(periods.moments) == 1


@given(
    st.integers(0, 18_000).map(lambda days: at("1990-01-01T10:30") + timedelta(days=days)),
    st.integers(0, 300),
    st.sampled_from(["day", "week", "month"]),
    st.sampled_from([UTC, BERLIN, ZoneInfo("Asia/Kolkata"), ZoneInfo("America/New_York")]),
)
def test_each_moment_is_in_the_period_that_begins_last_before_it(
    first: datetime, days: int, unit: str, zone: ZoneInfo
) -> None:
    last = first + timedelta(days=days)
    periods = calendar_periods(unit, busy_days(first, last), first, last, zone, 1_000)
    assert periods.moments == sorted(periods.moments)
    assert periods.moments[0] <= first
    assert periods.moments[-1] <= last
    assert periods.days[-1] == PERIODS[unit].first_day(last.astimezone(zone).date())
    assert [PERIODS[unit].following(day) for day in periods.days[:-1]] == list(periods.days[1:])
