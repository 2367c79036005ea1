"""From the stamps of a log to moments: midnight, years, and the hour that comes twice."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from terrarium_mcp.logformats.entries import Stamp
from terrarium_mcp.logformats.log_clock import LogClock, NoDate, NoZone

BERLIN = ZoneInfo("Europe/Berlin")
DAY = date(2026, 10, 24)


def clock(text: str) -> Stamp:
    """A stamp of a time of day."""
    hour, minute, second = (int(part) for part in text.split(":"))
    return Stamp(hour, minute, second)


def read(day: date | None, *stamps: str) -> list[str]:
    """The moments of clock times, one after the other, in Berlin."""
    reader = LogClock(BERLIN, day)
    return [reader.moment(clock(stamp)).strftime("%d %H:%M:%S") for stamp in stamps]


def test_a_time_that_steps_back_over_half_a_day_is_after_midnight() -> None:
    assert read(DAY, "23:59:59", "00:00:00", "12:00:00") == [
        "24 21:59:59",
        "24 22:00:00",
        "25 11:00:00",
    ]


def test_where_nothing_tells_days_each_clear_step_back_is_a_night() -> None:
    """Of the next day are people who come a little earlier than the last one spoke."""
    assert read(DAY, "22:00:00", "19:00:00", "17:00:00", "15:40:00") == [
        "24 20:00:00",
        "25 18:00:00",
        "26 16:00:00",
        "27 14:40:00",
    ]


def test_where_nothing_tells_days_a_clock_may_still_be_set_back_as_summer_time_ends() -> None:
    assert read(DAY, "22:00:00", "21:00:00", "19:45:00") == [
        "24 20:00:00",
        "24 19:00:00",
        "24 17:45:00",
    ]


@pytest.mark.parametrize("tells", ["announces_days", "is_of_a_day"])
def test_where_something_tells_days_a_clock_may_be_set_back_by_hours(tells: str) -> None:
    reader = LogClock(BERLIN, DAY, **{tells: True})
    moments = [reader.moment(clock(stamp)) for stamp in ("07:00:00", "01:30:00", "00:00:10")]
    assert [f"{moment:%d %H:%M}" for moment in moments] == ["24 05:00", "23 23:30", "23 22:00"]
    assert reader.steps_back == 2


def test_what_a_bouncer_plays_back_when_a_log_is_opened_is_of_that_day() -> None:
    reader = LogClock(BERLIN)
    reader.go_on(datetime(2026, 10, 24, 22, 0))  # noqa: DTZ001 -- as a log writes it
    moments = [reader.moment(clock(stamp)) for stamp in ("19:00:00", "22:01:00")]
    assert [f"{moment:%d %H:%M}" for moment in moments] == ["24 17:00", "24 20:01"]


def test_a_clock_that_is_set_back_stays_within_a_file_of_one_day() -> None:
    reader = LogClock(BERLIN, DAY, is_one_day=True)
    moments = [reader.moment(clock(stamp)) for stamp in ("23:30:00", "15:00:00", "00:00:10")]
    assert [f"{moment:%d %H:%M:%S}" for moment in moments] == [
        "24 21:30:00",
        "24 13:00:00",
        "23 22:00:10",
    ]
    assert reader.steps_back == 2


def test_a_log_that_announces_its_days_goes_on_at_the_next_with_that_line_or_just_before() -> None:
    reader = LogClock(BERLIN, DAY, announces_days=True)
    moments = [reader.moment(clock(stamp)) for stamp in ("23:30:00", "15:00:00", "23:59:00")]
    assert [f"{moment:%d %H:%M}" for moment in moments] == ["24 21:30", "24 13:00", "24 21:59"]
    assert reader.steps_back == 1
    assert f"{reader.moment(clock('00:00:00')):%d %H:%M}" == "24 22:00"
    reader.go_on(date(2026, 10, 25))
    assert f"{reader.moment(clock('00:00:30')):%d %H:%M}" == "24 22:00"


def test_a_line_without_a_stamp_before_the_first_is_of_the_midnight_before() -> None:
    reader = LogClock(BERLIN, DAY)
    moments = [reader.moment(stamp) for stamp in (None, clock("12:00:00"), None)]
    assert [f"{moment:%d %H:%M}" for moment in moments] == ["23 22:00", "24 10:00", "24 10:00"]
    with pytest.raises(NoDate):
        LogClock(BERLIN).moment(None)


def test_a_line_that_was_written_late_stays_on_its_day() -> None:
    assert read(DAY, "12:00:05", "12:00:04", "12:00:06") == [
        "24 10:00:05",
        "24 10:00:04",
        "24 10:00:06",
    ]


def test_a_clock_with_its_own_zone_and_no_day_is_of_that_zone() -> None:
    summer, winter = (timezone(timedelta(hours=hours)) for hours in (2, 1))
    reader = LogClock(UTC, DAY)
    stamps = [
        clock("23:57:13")._replace(zone=summer),
        clock("00:30:00")._replace(zone=summer),  # the next day
        clock("02:59:59")._replace(zone=summer),
        clock("02:00:00")._replace(zone=winter),  # a second later
    ]
    assert [f"{reader.moment(stamp):%d %H:%M:%S}" for stamp in stamps] == [
        "24 21:57:13",
        "24 22:30:00",
        "25 00:59:59",
        "25 01:00:00",
    ]
    assert reader.steps_back == 0
    with pytest.raises(NoDate):
        LogClock(UTC).moment(stamps[0])


def test_a_local_time_of_an_unknown_zone_is_no_moment_but_tells_the_day() -> None:
    reader = LogClock(None)
    with pytest.raises(NoZone):
        reader.go_on(datetime(2026, 10, 24, 23, 51, 20))  # noqa: DTZ001 -- as a log writes it
    assert f"{reader.moment(clock('23:57:13')._replace(zone=UTC)):%d %H:%M:%S}" == "24 23:57:13"
    with pytest.raises(NoZone):
        reader.moment(clock("00:10:00"))
    assert f"{reader.moment(clock('00:10:01')._replace(zone=UTC)):%d %H:%M:%S}" == "25 00:10:01"
    reader.go_on(date(2026, 10, 27))
    assert f"{reader.moment(clock('12:00:00')._replace(zone=UTC)):%d %H:%M:%S}" == "27 12:00:00"


@pytest.mark.parametrize("name", ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"])
def test_the_offset_of_a_zone_is_that_of_each_moment_on_any_day_of_a_year(name: str) -> None:
    zone = ZoneInfo(name)
    reader = LogClock(zone)
    said = datetime(2026, 1, 1, tzinfo=UTC)
    while said.year == 2026:
        here = said.astimezone(zone)
        stamp = Stamp(here.hour, here.minute, 0, 0, here.year, here.month, here.day)
        assert reader.moment(stamp) == said
        said += timedelta(minutes=15)


def test_the_hour_that_comes_twice_begins_where_the_stamps_step_back() -> None:
    night = date(2026, 10, 25)
    assert read(night, "02:59:58", "02:59:57", "02:00:01", "02:59:30", "03:00:00") == [
        "25 00:59:58",
        "25 00:59:57",  # a second late: still the first hour
        "25 01:00:01",
        "25 01:59:30",
        "25 02:00:00",
    ]


def test_without_a_step_back_the_hour_that_comes_twice_is_the_first() -> None:
    assert read(date(2026, 10, 25), "01:00:00", "02:30:00", "03:30:00") == [
        "24 23:00:00",
        "25 00:30:00",
        "25 02:30:00",
    ]


def test_a_step_of_the_clock_is_counted_and_believed() -> None:
    reader = LogClock(BERLIN, DAY)
    reader.moment(clock("12:00:00"))
    assert reader.moment(clock("11:00:00")) == datetime(2026, 10, 24, 9, tzinfo=UTC)
    assert reader.steps_back == 1


def test_a_year_ends_where_december_is_followed_by_january() -> None:
    reader = LogClock(UTC)
    reader.go_on(datetime(2026, 12, 31, 23, 0))  # noqa: DTZ001 -- as a log writes it
    assert reader.moment(Stamp(23, 59, month=12, day=31)).year == 2026
    assert reader.moment(Stamp(0, 1, month=1, day=1)).year == 2027
    assert reader.moment(Stamp(0, 2, month=3, day=1)).year == 2027


def test_december_behind_january_is_that_of_the_year_before() -> None:
    """A bouncer played it back, or a line was written late at midnight."""
    reader = LogClock(UTC)
    reader.go_on(datetime(2026, 1, 1, 9, 0))  # noqa: DTZ001 -- as a log writes it
    stamps = [Stamp(22, 10, month=12, day=31), Stamp(9, 5, month=1, day=1)]
    moments = [reader.moment(stamp) for stamp in [*stamps, *stamps]]
    assert [f"{moment:%Y-%m-%d}" for moment in moments] == ["2025-12-31", "2026-01-01"] * 2


def test_a_stamp_with_a_zone_needs_no_other() -> None:
    stamp = Stamp(21, 57, 3, year=2026, month=10, day=24, zone=UTC)
    assert LogClock(BERLIN).moment(stamp) == datetime(2026, 10, 24, 21, 57, 3, tzinfo=UTC)


def test_a_day_line_begins_another_day() -> None:
    reader = LogClock(BERLIN, DAY)
    reader.moment(clock("23:00:00"))
    reader.go_on(date(2026, 10, 27))
    assert reader.moment(clock("23:30:00")).day == 27


def test_a_day_line_that_names_no_day_begins_the_next() -> None:
    reader = LogClock(BERLIN, DAY)
    for local_day in (DAY.day, DAY.day + 1, DAY.day + 2):
        reader.go_on_next_day()
        assert reader.moment(clock("12:00:00")).day == local_day


@pytest.mark.parametrize("stamp", [Stamp(12, 0), Stamp(12, 0, month=10, day=24), None])
def test_where_the_date_is_lost_no_moment_is_invented(stamp: Stamp | None) -> None:
    reader = LogClock(BERLIN, DAY)
    reader.moment(clock("23:00:00"))
    reader.lose_date()
    with pytest.raises(NoDate):
        reader.moment(stamp)


@pytest.mark.parametrize("stamp", [Stamp(12, 0), Stamp(12, 0, month=10, day=24), None])
def test_without_any_date_no_moment_is_invented(stamp: Stamp | None) -> None:
    with pytest.raises(NoDate):
        LogClock(BERLIN).moment(stamp)
