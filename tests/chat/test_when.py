"""Moments are written so that their text sorts, and read from whatever people send."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.when import (
    Position,
    clock,
    day,
    from_iso,
    from_text,
    lasting,
    to_iso,
    to_text,
)

MOMENTS = st.datetimes(timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
FAR_EAST, FAR_WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


@given(MOMENTS, MOMENTS)
def test_the_text_of_moments_sorts_as_they_do_and_reads_back(one: datetime, two: datetime) -> None:
    assert (to_text(one) < to_text(two)) == (one < two)
    assert from_text(to_text(one)) == one
    assert from_iso(to_iso(one)) == one
    assert Position.at(one).moment == one


def test_iso_moments_are_utc_unless_they_say_otherwise() -> None:
    noon = datetime(2025, 11, 5, 12, tzinfo=UTC)
    for text in ("2025-11-05T12:00:00Z", " 2025-11-05 12:00 ", "2025-11-05T13:00:00+01:00"):
        assert from_iso(text) == noon


@pytest.mark.parametrize(
    "text", ["", "noon", "2025-13-01", "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"]
)
def test_what_is_no_moment_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- of the library's own words
        from_iso(text)


@given(MOMENTS, st.sampled_from([FAR_EAST, FAR_WEST, ZoneInfo("America/New_York")]))
def test_every_moment_can_be_shown_in_every_zone(moment: datetime, zone: timezone) -> None:
    assert len(clock(moment, zone)) == 5
    assert day(moment, zone)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0s"),
        (59, "59s"),
        (60, "1m"),
        (1_860, "31m"),
        (3_600, "1h"),
        (18_720, "5h12m"),
        (86_400, "1d"),
        (86_400 * 3 + 3_600 * 4 + 59, "3d4h"),
    ],
)
def test_how_long_something_took(seconds: int, said: str) -> None:
    assert lasting(timedelta(seconds=seconds)) == said


def test_places_are_ordered_by_time_and_then_by_id() -> None:
    early, late = Position("2026-05-01", 9), Position("2026-05-02", 1)
    assert sorted([late, Position("2026-05-01", 10), early]) == [
        early,
        Position("2026-05-01", 10),
        late,
    ]
