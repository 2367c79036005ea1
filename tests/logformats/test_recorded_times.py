"""From when to when a log recorded a channel."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.recorded_times import RecordedTimes


def at(hour: float) -> datetime:
    return datetime(2026, 10, 24, tzinfo=UTC) + timedelta(hours=hour)


def time(began: float, ended: float) -> RecordedTime:
    return RecordedTime(at(began), at(ended))


def test_a_log_without_boundaries_goes_from_its_first_line_to_its_last() -> None:
    times = RecordedTimes()
    for hour in (1, 2, 5):
        times.line(at(hour))
    assert times.all() == [time(1, 5)]
    assert not times.are_told


def test_a_log_is_believed_when_it_was_opened_and_closed() -> None:
    times = RecordedTimes()
    times.boundary(at(1), Boundary.OPENED)
    times.line(at(2))
    times.boundary(at(3), Boundary.CLOSED)
    times.boundary(at(7), Boundary.OPENED)
    times.boundary(at(8), Boundary.DAY)
    times.line(at(9))
    assert times.all() == [time(1, 3), time(7, 9)]
    assert times.are_told


def test_a_program_that_ended_without_a_word_recorded_up_to_its_last_line() -> None:
    times = RecordedTimes()
    times.boundary(at(1), Boundary.OPENED)
    times.line(at(2))
    times.boundary(at(5), Boundary.OPENED)
    times.line(at(6))
    assert times.all() == [time(1, 2), time(5, 6)]


def test_a_line_that_is_earlier_does_not_shorten_the_time() -> None:
    times = RecordedTimes()
    times.line(at(3))
    times.line(at(2))
    assert times.all() == [time(3, 3)]
    assert times.earliest == at(2)


def test_a_first_line_that_names_only_the_minute_in_which_the_log_was_opened_is_within_it() -> None:
    times = RecordedTimes()
    times.boundary(at(1) + timedelta(seconds=30), Boundary.OPENED)
    times.line(at(1))
    assert times.all() == [RecordedTime(at(1), at(1) + timedelta(seconds=30))]


def test_of_a_log_that_begins_amid_a_session_not_all_are_told() -> None:
    times = RecordedTimes()
    times.line(at(1))
    times.boundary(at(2), Boundary.CLOSED)
    times.boundary(at(3), Boundary.OPENED)
    assert times.all() == [time(1, 2), time(3, 3)]
    assert not times.are_told


def test_nothing_was_recorded_where_nothing_was_read() -> None:
    assert RecordedTimes().all() == []
