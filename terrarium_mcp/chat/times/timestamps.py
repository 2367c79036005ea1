"""Timestamps: sortable UTC text as the store writes it, and positions in the order of messages."""

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""From which databases count their seconds, or parts of these."""

FIRST_IRC = datetime(1988, 8, 1, tzinfo=UTC)
"""IRC began in this month: a server that gives an earlier time has a wrong clock."""

_DAY = len("2026-11-05")
"""Characters of a timestamp without a time, such as that of `EVERY_LINE`."""

TO_THE_MINUTE = len("2026-11-05 14:23")
"""Characters of one up to its minute."""

_TWO_DIGITS = [f"{number:02}" for number in range(60)]
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def to_text(moment: datetime) -> str:
    """Format an aware `moment` as in the column `timestamp`: `2026-11-05 14:23:00.123`, UTC."""
    return moment.astimezone(UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")


def from_text(text: str) -> datetime:
    """Parse what `to_text` wrote (the fraction may be missing or longer).

    Raises:
        ValueError: `text` is not a moment.
    """
    if len(text) > _DAY:
        return datetime.fromisoformat(text[:26] + "+00:00")  # a fifth of the time of `replace`
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def from_iso(text: str) -> datetime:
    """Parse an ISO 8601 moment such as `2025-11-05T12:00:00Z`; without a zone it is UTC.

    Raises:
        ValueError: `text` is not a moment.
    """
    moment = datetime.fromisoformat(text.strip())
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError as error:  # in UTC it is before the year 1 or after 9999
        raise ValueError(text) from error


def to_iso(moment: datetime) -> str:
    """Format an aware `moment` as ISO 8601: `2025-11-05T12:00:00.123Z`."""
    return moment.astimezone(UTC).isoformat("T", "milliseconds").removesuffix("+00:00") + "Z"


class Position(NamedTuple):
    """A position in the order of all messages, which is (timestamp, id) everywhere.

    `timestamp` is text as in the column; `id` 0 precedes every message of that moment.
    """

    timestamp: str
    id: int = 0

    @classmethod
    def at(cls, moment: datetime) -> "Position":
        """The position just before the first message of `moment`."""
        return cls(to_text(moment))

    @property
    def moment(self) -> datetime:
        """The time of this position."""
        return from_text(self.timestamp)


def local(moment: datetime, zone: tzinfo) -> datetime:
    """`moment` in the reader's `zone`; in UTC if that is outside the calendar."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(UTC)


def from_local(here: datetime, zone: tzinfo) -> datetime:
    """The moment, in UTC, at which a clock of `zone` shows `here`; the first of two such.

    A time that the clock skips, as it is put forward, is the moment at which that happens.
    """
    early, late = (here.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    if late <= early:
        return late
    # By the offsets of before and after, a skipped time is two moments; the change is between them.
    early, offset = early.replace(microsecond=0), late.astimezone(zone).utcoffset()

    def is_changed(second: int) -> bool:
        return (early + timedelta(seconds=second)).astimezone(zone).utcoffset() == offset

    seconds = range(int((late - early).total_seconds()))
    return early + timedelta(seconds=bisect_left(seconds, True, key=is_changed))  # noqa: FBT003 -- what is sought


def midnight(day: date, zone: tzinfo) -> datetime:
    """The moment, in UTC, at which a day begins on a clock of `zone`.

    Raises:
        OverflowError: it is outside the calendar.
    """
    return from_local(datetime.combine(day, time.min), zone)


BEGINNING = Position("")
"""The position before all messages."""

EVERY_LINE = Position("9999-12-31")
"""The position after all messages. (SQLite would compare a bare number as one: the column is a
DATETIME.)"""


def clock(here: datetime) -> str:
    """The time of day of a moment in its own zone: `14:23`."""
    return f"{_TWO_DIGITS[here.hour]}:{_TWO_DIGITS[here.minute]}"  # a tenth of strftime's time


def day(moment: datetime, zone: tzinfo) -> str:
    """The day of `moment` in the reader's `zone`: `2026-11-05 Thu`."""
    here = local(moment, zone)
    return f"{here.date()} {_WEEKDAYS[here.weekday()]}"  # a quarter of the time of strftime


def minute(moment: datetime, zone: tzinfo) -> str:
    """The day and time of `moment` in the reader's `zone`: `2026-11-05 14:23`."""
    here = local(moment, zone)
    return here.isoformat(" ", "minutes")[:TO_THE_MINUTE]  # a third of strftime's time


def lasting(length: timedelta) -> str:
    """Format a duration with at most two units: `31m`, `5h12m`, `3d4h`."""
    seconds = int(length.total_seconds())
    for big, big_size, small, small_size in (("d", 86400, "h", 3600), ("h", 3600, "m", 60)):
        if seconds >= big_size:
            rest = seconds % big_size // small_size
            return f"{seconds // big_size}{big}" + (f"{rest}{small}" if rest else "")
    return f"{seconds // 60}m" if seconds >= 60 else f"{seconds}s"
