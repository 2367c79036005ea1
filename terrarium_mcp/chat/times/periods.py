"""The days, weeks or months of a reader's calendar that a stretch of time touches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from terrarium_mcp.chat.times.calendar_words import PERIODS
from terrarium_mcp.chat.times.timestamps import local


@dataclass(frozen=True, slots=True)
class CalendarPeriods:
    """Consecutive periods, by the first `days` of each, the oldest first.

    `is_cut`: earlier periods were left out.
    """

    days: Sequence[date]
    zone: tzinfo
    is_cut: bool = False

    @property
    def moments(self) -> list[datetime]:
        """When each of them begins, in UTC."""
        return [_midnight(day, self.zone) for day in self.days]


def calendar_periods(
    unit: str, first: datetime, last: datetime, zone: tzinfo, most: int
) -> CalendarPeriods:
    """The periods from `first` to `last`, at most the newest `most` of them.

    Args:
        unit: `day`, `week` (which begins on Monday) or `month`.
        first: the earliest moment, aware.
        last: the latest moment, aware.
        zone: the reader's zone, in which periods begin at midnight.
        most: how many periods are returned at most.
    """
    period = PERIODS[unit]
    oldest = period.first_day(local(first, zone).date())
    days = [period.first_day(local(last, zone).date())]
    while days[-1] > oldest and len(days) < most:
        days.append(period.first_day(days[-1] - timedelta(1)))
    return CalendarPeriods(days[::-1], zone, is_cut=days[-1] > oldest)


def _midnight(day: date, zone: tzinfo) -> datetime:
    """The beginning of a day in a zone; in UTC if that is outside the calendar."""
    try:
        return datetime.combine(day, time.min, zone).astimezone(UTC)
    except OverflowError:
        return datetime.combine(day, time.min, UTC)
