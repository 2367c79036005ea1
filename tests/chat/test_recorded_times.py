"""Times in which a channel was recorded are joined, and gaps are cut out of them."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.recorded_times import RecordedTime, joined, without


def at(hour: float) -> datetime:
    return datetime(2026, 10, 24, tzinfo=UTC) + timedelta(hours=hour)


def time(began: float, ended: float) -> RecordedTime:
    return RecordedTime(at(began), at(ended))


def test_times_that_touch_are_one() -> None:
    assert joined([time(5, 6), time(1, 2), time(2, 3)]) == [time(1, 3), time(5, 6)]
    assert joined([time(1, 2), time(5, 6)], timedelta(hours=3)) == [time(1, 6)]


def test_times_at_the_end_of_the_calendar_are_joined_as_others_are() -> None:
    last = datetime.max.replace(tzinfo=UTC)
    evening, night = (last - timedelta(hours=hours) for hours in (30, 1))
    times = [RecordedTime(evening, evening), RecordedTime(night, last)]
    assert joined(times, timedelta(days=2)) == [RecordedTime(evening, last)]


def test_gaps_are_cut_out() -> None:
    gaps = [time(2, 3), time(5, 9)]
    assert without([time(1, 6), time(10, 11)], gaps) == [time(1, 2), time(3, 5), time(10, 11)]
    assert without([time(2, 3)], gaps) == []
