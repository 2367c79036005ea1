"""A clock of 12 hours that writes neither AM nor PM: of which half of the day its stamps are. Pure.

Midnight is 00 on it and noon 12, so a line of either hour tells the half. From there the halves are
counted, forth and back: half a day without a line is not noticed.
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from enum import Enum

from terrarium_mcp.logformats.entries import Stamp

_HALF = timedelta(hours=12)

_MIDNIGHT, _NOON = 0, 12
"""The hours that tell the half of the day."""

_SET_BACK = timedelta(hours=1)
"""A stamp that is earlier by at most this is of a clock that was set back, or was written late."""


_SOME_DAY = date(2000, 1, 1)
"""Where stamps are counted from whose day does not matter."""


class WrittenClock(Enum):
    """The clock by which a log has its stamps, and the half of the day in which it begins."""

    HOURS_24 = "24"
    FROM_MIDNIGHT = "am"
    FROM_NOON = "pm"


class TwelveHourClock:
    """Reads the stamps of one log in its order, and gives each its day and its hour of 24."""

    def __init__(self, day: date, *, from_noon: bool) -> None:
        """Start before the first line, which is of this day; `from_noon`: of its second half."""
        self._day = day
        self._from_noon = from_noon
        self._last: datetime | None = None

    def dated(self, stamp: Stamp) -> Stamp:
        """The stamp with its day and its hour."""
        if self._last is None:
            at = _as_written(self._day, stamp)
            if self._from_noon and at.hour < _NOON:
                at += _HALF
        else:
            at = _told(_counted(self._last, stamp), stamp)
        self._last = at
        return stamp._replace(hour=at.hour, year=at.year, month=at.month, day=at.day)


def clock_of(stamps: Iterable[Stamp]) -> WrittenClock | None:
    """The clock of all stamps of a log that may have 12 hours; None if nothing tells the half.

    It is one of 24 hours if any is written so, if there is none, and where both clocks agree.
    """
    last: datetime | None = None
    begins: WrittenClock | None = None
    are_as_written = True
    for stamp in stamps:
        if stamp.hour > _NOON:
            return WrittenClock.HOURS_24
        at = _counted(last, stamp) if last else _as_written(_SOME_DAY, stamp)
        if begins is None and stamp.hour in (_MIDNIGHT, _NOON):
            is_otherwise = _told(at, stamp) != at
            are_as_written = are_as_written and not is_otherwise
            from_noon = is_otherwise or (last is None and stamp.hour == _NOON)
            begins = WrittenClock.FROM_NOON if from_noon else WrittenClock.FROM_MIDNIGHT
        last = _told(at, stamp)
        are_as_written = are_as_written and last.hour == stamp.hour
    return WrittenClock.HOURS_24 if last is None or (begins and are_as_written) else begins


def _as_written(day: date, stamp: Stamp) -> datetime:
    return datetime.combine(day, stamp.clock)


def _counted(last: datetime, stamp: Stamp) -> datetime:
    """The first time after the last at which the clock shows this, or one shortly before it."""
    shown = datetime.combine(last.date(), time(stamp.hour % 12, stamp.minute, stamp.second))
    since = (shown - last) % _HALF
    return last + (since if since < _HALF - _SET_BACK else since - _HALF)


def _told(at: datetime, stamp: Stamp) -> datetime:
    """The time in the half of the day that the stamp tells, if it tells one."""
    if stamp.hour in (_MIDNIGHT, _NOON) and (at.hour >= _NOON) != (stamp.hour == _NOON):
        return at + _HALF
    return at
