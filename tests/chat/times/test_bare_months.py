"""A month without a year, read as one of an earlier year."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.bare_months import in_earlier_year, is_bare_month, years_earlier
from terrarium_mcp.chat.times.time_expressions import TimeExpression, time_expressions

NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def read(text: str, zone: tzinfo = UTC) -> tuple[TimeExpression, ...]:
    return time_expressions(text, NOW, zone)


@pytest.mark.parametrize(
    ("text", "is_bare"),
    [
        *[("tea in April", True), ("tea of april.", True), ("what was said in early may?", True)],
        *[("tea at the end of May", True), ("tea in the middle of May", True)],
        *[("tea in April 2023", False), ("tea last April", False), ("tea this april", False)],
        *[("tea since April", False), ("tea before April", False), ("tea on 5 April", False)],
        *[("tea in April last year", False), ("tea in April and yesterday", False)],
        *[("tea in April and May", False), ("tea yesterday", False), ("tea", False)],
    ],
)
def test_a_month_alone_is_bare(text: str, is_bare: bool) -> None:
    assert is_bare_month(read(text)) is is_bare


@given(moment=st.datetimes(datetime(1990, 1, 1), datetime(2026, 3, 31)), month=st.integers(1, 12))  # noqa: DTZ001 -- Hypothesis adds the zone
def test_it_is_the_latest_of_its_name_that_had_begun(moment: datetime, month: int) -> None:
    moment = moment.replace(tzinfo=UTC)
    times = read(f"tea in {datetime(2000, month, 1, tzinfo=UTC):%B}")
    years = years_earlier(times[0], moment, UTC)
    (earlier,) = in_earlier_year(times, years, UTC)
    assert earlier.since <= max(moment, times[0].since)
    assert years == 0 or earlier.since.replace(year=earlier.since.year + 1) > moment
    assert (earlier.since.month, earlier.said) == (month, times[0].said)


def test_it_begins_and_ends_on_the_clock_of_the_reader() -> None:
    (earlier,) = in_earlier_year(read("tea in October", BERLIN), 2, BERLIN)
    assert earlier.since == datetime(2023, 10, 1, tzinfo=BERLIN)
    assert earlier.until == datetime(2023, 11, 1, tzinfo=BERLIN)


def test_other_times_stay_as_they_are() -> None:
    times = read("tea in April 2023")
    assert in_earlier_year(times, 3, UTC) == times
