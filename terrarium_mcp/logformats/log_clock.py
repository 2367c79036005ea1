"""From the stamps of a log, one after the other, to moments: days, years, and the repeated hour.

The order of the lines is the order in which they were said; a stamp alone may be ambiguous. When
clocks are set back, an hour is written twice: the second time begins where the stamps step back.
"""

from contextlib import suppress
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta, tzinfo

from terrarium_mcp.logformats.entries import Stamp

JITTER = timedelta(seconds=2)
"""A stamp that is earlier by at most this was written late: no hour is repeated."""

STEP = timedelta(minutes=1)
"""A stamp that is earlier by more than this is a step of the clock; some logs show minutes only."""

PAST_MIDNIGHT = timedelta(hours=6)
"""Where lines or the file tell a day, a clock time that is earlier than the one before by more than
this is of the next, unless each day is told: what is less may be of a clock that was set, or behind
the moment at which a log was opened of what a bouncer plays back."""

SET_BACK = timedelta(hours=1, minutes=15)
"""Where neither lines nor the file tell a day, a clock time that is earlier by more than this is of
the next: where summer time ends that is an hour, and clocks go wrong by minutes, but in a quiet
channel people often talk a few hours earlier than the day before."""

LATE = time(0, 1)
"""Until then a line may precede the one that announces its day."""

_DAY = timedelta(days=1)
_JANUARY, _DECEMBER = 1, 12

_LOCAL_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- naive
_EPOCH = _LOCAL_EPOCH.replace(tzinfo=UTC)
"""To count from here takes an eighth of the time of `replace`, which each line would need."""

_LOOKS = [timedelta(hours=hours) for hours in range(-24, 49, 6)]
"""From its midnight, when a day is looked at for a clock that is set: from a day before to a day
after, since no zone sets its clock twice within six hours."""

HALF_A_YEAR = timedelta(days=183)
"""A date without a year that is earlier by more than this is of the next year."""


class NoDate(ValueError):
    """No date is known for a line: from itself, a line before it, or the name of the file."""


class NoZone(ValueError):
    """The time zone of a line is unknown: until now each stamp named its own."""


class LogClock:
    """Reads the stamps of one file in its order.

    Attributes:
        steps_back: how many steps of the clock no repeated hour explains.
        announces_days: whether a line says so when another day begins.
    """

    def __init__(
        self,
        zone: tzinfo | None,
        day: date | None = None,
        *,
        is_one_day: bool = False,
        is_of_a_day: bool = False,
        announces_days: bool = False,
    ) -> None:
        """Start before the first line.

        Args:
            zone: that of local stamps; None if each stamp is expected to name its own.
            day: that of the first line; None if only the lines tell it.
            is_one_day: the program begins another file for the next day.
            is_of_a_day: the file is named by a day, and may have some lines of the next.
            announces_days: as the attribute, which may also be set when a line is read.
        """
        self.steps_back = 0
        self.announces_days = announces_days
        self._is_one_day = is_one_day
        self._tells_days = is_of_a_day
        self._zone = zone
        self._day = day
        self._day_of_offset: date | None = None
        self._offset: timedelta | None = None
        """By how much the zone is ahead of UTC on that day, if no clock is set on it."""
        self._local: datetime | None = None
        """The last local time, naive."""
        self._moment: datetime | None = None
        self._repeats = False
        """Whether the last moment was in the second of two equal hours."""

    def go_on(self, dated: datetime | date) -> datetime:
        """A line says that the log goes on at a day, or a local moment; returns the moment.

        Raises:
            NoZone: a local moment is of an unknown zone; its day is told even so.
        """
        self._tells_days = True
        if isinstance(dated, datetime):
            return self._reached(dated)
        self._day, self._local = dated, None  # midnight is passed; the clock starts over
        return self._midnight()

    def go_on_next_day(self) -> datetime:
        """A line says that another day begins, but not which; returns its midnight.

        Where no line precedes it, the day that is known is that day already.

        Raises:
            NoDate: no date is known.
        """
        return self.go_on(self._local.date() + _DAY) if self._local else self._midnight()

    def lose_date(self) -> None:
        """A line says that the log goes on at a day, and nobody knows at which."""
        self._day = self._local = self._moment = None

    def moment(self, stamp: Stamp | None) -> datetime:
        """The moment (in UTC) of the next line; of one without a stamp, that of the line before.

        Before the first stamp that is the midnight at which the day began.

        Raises:
            NoDate: no date is known.
            NoZone: the stamp is of an unknown zone.
        """
        if stamp is None:
            return self._moment or self._midnight()
        if stamp.zone and stamp.year is not None:
            day = date(stamp.year, stamp.month, stamp.day)
            return datetime.combine(day, stamp.clock, stamp.zone).astimezone(UTC)
        if stamp.year is not None:
            return self._reached(_local_time(stamp, stamp.year, stamp.month, stamp.day))
        local = self._without_year(stamp)
        return self._reached_in(stamp.zone, local) if stamp.zone else self._reached(local)

    def _midnight(self) -> datetime:
        """The moment at which the day of the log began."""
        if self._day is None:
            raise NoDate
        return self._in_zone(datetime.combine(self._day, time.min), fold=0)

    def _without_year(self, stamp: Stamp) -> datetime:
        """The local time of a stamp without a year, and perhaps without a date, after the last."""
        if self._day is None:
            raise NoDate
        if stamp.month:
            return datetime.combine(_date_without_year(stamp, self._day), stamp.clock)
        last = self._local
        day = last or self._day
        local = _local_time(stamp, day.year, day.month, day.day)
        if last and local < last and self._is_next_day(last - local, local.time()):
            return local + _DAY
        return local

    def _is_next_day(self, earlier: timedelta, shown: time) -> bool:
        """Whether a clock shows a time that is so much earlier because a day has passed."""
        if self._is_one_day or (self.announces_days and shown >= LATE):
            return False
        return earlier > (PAST_MIDNIGHT if self.announces_days or self._tells_days else SET_BACK)

    def _reached(self, local: datetime) -> datetime:
        """The moment of a local time, after those before it.

        Raises:
            NoZone: the zone is unknown; what follows is of this day even so.
        """
        day = local.date()
        if self._zone is None:
            self._local, self._day = local, day
            raise NoZone
        if day != self._day_of_offset:
            self._day_of_offset, self._offset = day, _offset_of_day(local, self._zone)
        if self._offset is not None:  # nearly every day, and a third of the time
            moment, self._repeats = _EPOCH + (local - _LOCAL_EPOCH - self._offset), False
        else:
            moment = self._in_changing_zone(local)
        return self._passed(local, moment)

    def _reached_in(self, zone: tzinfo, local: datetime) -> datetime:
        """The moment of a local time that names its zone, after those before it."""
        self._repeats = False
        return self._passed(local, local.replace(tzinfo=zone).astimezone(UTC))

    def _passed(self, local: datetime, moment: datetime) -> datetime:
        """The moment, which is now the last."""
        if self._moment and moment < self._moment - STEP:
            self.steps_back += 1
        self._local, self._moment, self._day = local, moment, local.date()
        return moment

    def _in_changing_zone(self, local: datetime) -> datetime:
        """The moment of a local time, which may come twice."""
        first, second = self._in_zone(local, fold=0), self._in_zone(local, fold=1)
        is_twice = second > first
        moment = second if is_twice and self._is_second_time(local, first) else first
        self._repeats = is_twice and moment == second
        return moment

    def _is_second_time(self, local: datetime, first: datetime) -> bool:
        """Whether a local time that came twice is the second of the two."""
        if self._local is None or self._moment is None:
            return False
        if self._repeats and local.date() == self._local.date():
            return True
        return first < self._moment - JITTER

    def _in_zone(self, local: datetime, fold: int) -> datetime:
        return local.replace(tzinfo=self._zone or UTC, fold=fold).astimezone(UTC)


def _date_without_year(stamp: Stamp, last: date) -> date:
    """The day of a stamp without a year, in the year that the last day makes likely.

    Where the name of its month means two, it is the one that comes first from the last day on.
    """
    if not stamp.other_month:
        return _date_in_month(stamp.month, stamp.day, last)
    days = list[date]()
    for month in (stamp.month, stamp.other_month):
        with suppress(ValueError):  # the thirty-first is of one of them alone
            days.append(_date_in_month(month, stamp.day, last))
    if not days:
        raise ValueError(stamp.day)
    return min(days, key=lambda day: (day < last - _DAY, abs(day - last)))


def _date_in_month(month: int, day: int, last: date) -> date:
    year = last.year
    if month < last.month and date(year, month, 1) < last - HALF_A_YEAR:
        year += 1
    elif (last.month, month) == (_JANUARY, _DECEMBER):
        year -= 1  # played back, or written late: hardly any log is silent until the next one
    return date(year, month, day)


def _offset_of_day(local: datetime, zone: tzinfo) -> timedelta | None:
    """By how much a zone is ahead of UTC on a local day; None if a clock may be set on it."""
    if not MINYEAR < local.year < MAXYEAR:
        return None
    midnight = datetime.combine(local, time.min)
    offsets = {zone.utcoffset(midnight + after) for after in _LOOKS}
    return offsets.pop() if len(offsets) == 1 else None


def _local_time(stamp: Stamp, year: int, month: int, day: int) -> datetime:
    """The local time of a stamp on a day, in one step: each line of a log has one."""
    return datetime(  # noqa: DTZ001 -- naive
        year, month, day, stamp.hour, stamp.minute, stamp.second, stamp.microsecond
    )
