"""The days, weeks or months of a reader's calendar that a stretch of time touches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo

from terrarium_mcp.chat.english.calendar_words import PERIODS
from terrarium_mcp.chat.times.timestamps import local, midnight


@dataclass(frozen=True, slots=True)
class CalendarPeriods:
    """Periods by the first `days` of each, the oldest first.

    Each lasts until the next one begins. One that begins a pause holds nothing.
    """

    days: Sequence[date]
    zone: tzinfo

    @property
    def moments(self) -> list[datetime]:
        """When each of them begins, in UTC."""
        return [_midnight(day, self.zone) for day in self.days]


def calendar_periods(
    unit: str, busy: Iterable[date], first: datetime, last: datetime, zone: tzinfo, most: int
) -> CalendarPeriods:
    """The periods that some days touch between two moments, at most the newest `most` of these.

    Args:
        unit: `day`, `week` (which begins on Monday) or `month`.
        busy: days in UTC; a day of the reader may touch two of them.
        first: the earliest moment, aware.
        last: the latest moment, aware.
        zone: the reader's zone, in which periods begin at midnight.
        most: how many periods with a busy day are returned at most, besides those of pauses.
    """
    period = PERIODS[unit]
    oldest, newest = (period.first_day(local(end, zone).date()) for end in (first, last))
    touched = set[date]()
    for day in busy:
        one, end = (
            period.first_day(local(datetime.combine(day, moment, UTC), zone).date())
            for moment in (time.min, time.max)
        )
        one, end = max(one, oldest), min(end, newest)
        while one < end:
            touched.add(one)
            one = period.following(one)
        touched.update([one] if one == end else [])
    kept = sorted(touched)[-most:]
    pauses = {period.following(day) for day in kept if day < newest}
    return CalendarPeriods(sorted(pauses.union(kept)), zone)


def _midnight(day: date, zone: tzinfo) -> datetime:
    """The beginning of a day in a zone; in UTC if that is outside the calendar."""
    try:
        return midnight(day, zone)
    except OverflowError:
        return datetime.combine(day, time.min, UTC)
