"""Counts by hour of day, UTC, in a reader's zone."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.hours_of_day import hours_in_zone

MOMENTS = st.lists(
    st.datetimes(datetime(2000, 9, 1), datetime(2001, 4, 1)),  # noqa: DTZ001 -- in UTC
    min_size=1,
    max_size=9,
)
ZONES = ("UTC", "Europe/Berlin", "America/Recife", "Asia/Kolkata", "Pacific/Apia", "Asia/Tokyo")


def by_hour(moments: list[datetime]) -> list[int]:
    counts = Counter(moment.hour for moment in moments)
    return [counts[hour] for hour in range(24)]


@given(MOMENTS, st.sampled_from(ZONES).map(ZoneInfo))
def test_hours_of_a_zone_are_those_at_which_it_was_said_or_not_known(
    moments: list[datetime], zone: ZoneInfo
) -> None:
    said = sorted(moment.replace(tzinfo=UTC) for moment in moments)
    told = hours_in_zone(by_hour(said), zone, said[0], said[-1])
    assert told in (None, by_hour([moment.astimezone(zone) for moment in said]))


def test_hours_are_known_but_for_a_clock_that_was_set_or_is_half_an_hour_off() -> None:
    summer = datetime(2026, 6, 1, tzinfo=UTC)
    counts = [*range(24)]
    for zone, days in (("Europe/Berlin", 60), ("Asia/Tokyo", 9_000), ("UTC", 9_000)):
        assert hours_in_zone(counts, ZoneInfo(zone), summer, summer + timedelta(days=days))
    for zone, days in (("Europe/Berlin", 200), ("Asia/Kolkata", 1)):
        until = summer + timedelta(days=days)
        assert hours_in_zone(counts, ZoneInfo(zone), summer, until) is None


def test_a_clock_that_was_set_forth_and_back_within_a_week_is_noticed() -> None:
    begin = datetime(2000, 10, 1, tzinfo=UTC)  # Recife had summer time from 8 to 15 October
    recife = ZoneInfo("America/Recife")
    assert hours_in_zone([1] * 24, recife, begin, begin + timedelta(days=30)) is None
