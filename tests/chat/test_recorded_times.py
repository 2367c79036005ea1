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


def test_gaps_are_cut_out() -> None:
    gaps = [time(2, 3), time(5, 9)]
    assert without([time(1, 6), time(10, 11)], gaps) == [time(1, 2), time(3, 5), time(10, 11)]
    assert without([time(2, 3)], gaps) == []
