"""Moments are written so that their text sorts, and read from whatever people send."""

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.timestamps import (
    BEGINNING,
    EVERY_LINE,
    Position,
    clock,
    day,
    from_iso,
    from_local,
    from_text,
    lasting,
    local,
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


@pytest.mark.parametrize(
    ("zone", "here", "moment"),
    [
        ("Europe/Berlin", "2026-03-29 01:59", "2026-03-29 00:59"),
        ("Europe/Berlin", "2026-03-29 02:00", "2026-03-29 01:00"),
        ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29 01:00"),
        ("Europe/Berlin", "2026-03-29 02:59:59.999", "2026-03-29 01:00"),
        ("Europe/Berlin", "2026-03-29 03:00", "2026-03-29 01:00"),
        ("America/Santiago", "2026-09-06", "2026-09-06 04:00"),  # midnight is skipped
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03 15:30"),  # half an hour is
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30 10:00"),  # a whole day was
    ],
)
def test_a_time_that_the_clock_skips_is_the_moment_at_which_it_does(
    zone: str, here: str, moment: str
) -> None:
    expected = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    assert from_local(datetime.fromisoformat(here), ZoneInfo(zone)) == expected


def test_of_two_moments_at_which_a_clock_shows_the_same_the_first_is_meant() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert from_local(datetime(2026, 10, 25, 2, 30, fold=1), berlin) == first  # noqa: DTZ001 -- of a clock


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.sampled_from([  # noqa: DTZ001 -- of a clock
    "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe",
]))  # fmt: skip
def test_a_clock_shows_what_it_was_read_as_or_a_later_time(here: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    shown = from_local(here, zone).astimezone(zone).replace(tzinfo=None, fold=0)
    assert here.replace(microsecond=0) <= shown <= here + timedelta(hours=1)


@given(MOMENTS, st.sampled_from([FAR_EAST, FAR_WEST, ZoneInfo("America/New_York")]))
def test_every_moment_can_be_shown_in_every_zone(moment: datetime, zone: timezone) -> None:
    assert len(clock(local(moment, zone))) == 5
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


def test_text_from_the_column_may_have_another_fraction_none_or_no_time() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert from_text("2026-05-01") == noon - timedelta(hours=12)
    assert from_text("2026-05-01 12:00:00") == noon
    assert from_text("2026-05-01 12:00:00.123456789") == noon.replace(microsecond=123_456)
    assert from_text("2026-05-01 12:00:00.1") == noon.replace(microsecond=100_000)
    with pytest.raises(ValueError):  # noqa: PT011 -- of the library's own words
        from_text("noon")


def test_a_moment_is_written_in_utc_and_to_the_millisecond() -> None:
    moment = datetime(2026, 5, 1, 14, 0, 0, 1_999, tzinfo=timezone(timedelta(hours=2)))
    assert to_text(moment) == "2026-05-01 12:00:00.001"
    assert to_iso(moment) == "2026-05-01T12:00:00.001Z"


def test_what_is_read_is_in_utc_itself() -> None:
    assert from_iso("2026-05-01T12:00+02:00").tzinfo is UTC
    assert from_iso("2026-05-01T12:00").tzinfo is UTC


def test_a_zone_that_leads_out_of_the_calendar_shows_utc() -> None:
    last = datetime(9999, 12, 31, 23, 30, tzinfo=UTC)
    assert (clock(local(last, FAR_EAST)), day(last, FAR_EAST)) == ("23:30", "9999-12-31 Fri")
    first = datetime(1, 1, 1, 0, 30, tzinfo=UTC)
    shown = local(first, FAR_WEST)
    assert (clock(shown), shown.tzinfo) == ("00:30", UTC)


def test_time_of_day_and_day_are_those_of_the_readers_zone() -> None:
    moment = datetime(2026, 11, 5, 23, 30, tzinfo=UTC)
    assert (clock(local(moment, FAR_EAST)), day(moment, FAR_EAST)) == ("13:30", "2026-11-06 Fri")


def test_the_first_and_the_last_position_enclose_every_message() -> None:
    moment = Position.at(datetime(2026, 5, 1, tzinfo=UTC))
    assert moment.id == 0
    assert BEGINNING < moment < Position(moment.timestamp, 1) < EVERY_LINE
    assert (Position("", 0), Position("9999-12-31", 0)) == (BEGINNING, EVERY_LINE)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(3_599, "59m"), (3_660, "1h1m"), (86_399, "23h59m"), (90_000, "1d1h"), (86_400 + 3_599, "1d")],
)
def test_a_duration_has_at_most_two_units(seconds: int, said: str) -> None:
    assert lasting(timedelta(seconds=seconds)) == said


def test_the_machines_own_zone_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    with monkeypatch.context() as machine:
        machine.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        assert from_iso("2026-05-01T12:00") == from_text("2026-05-01 12:00:00.000") == noon
        assert to_text(noon) == "2026-05-01 12:00:00.000"
    time.tzset()
