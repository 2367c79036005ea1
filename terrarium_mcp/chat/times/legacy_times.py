"""Converts the unmarked local times of a terrarium-irc database to UTC.

terrarium-irc wrote `datetime.now()` (local, with microseconds), and a column default wrote UTC (in
whole seconds). When the local clock repeats an hour, the order of the rows shows which of the two
is meant, because times never decrease as ids increase.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TypeVar

T = TypeVar("T")

SLACK = timedelta(seconds=2)
"""A clock set back by less than this between two rows is not a repeated hour."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FAR = 9000  # in UTC, too, datetime can represent it


def utc_times(rows: Iterable[tuple[T, str | None]], zone: tzinfo) -> Iterator[tuple[T, datetime]]:
    """Pair each row with its UTC time. `rows` are any values with a time as text, in order of id.

    A row whose time is missing or unreadable gets that of the row before it, or, at the beginning,
    of the first row that has one.
    """
    before: datetime | None = None  # the last local time; only these increase with the ids
    latest: datetime | None = None
    waiting: list[tuple[T, datetime | None]] = []
    for row, text in rows:
        stated = parsed(text)
        if stated is None or stated.tzinfo or "." not in str(text):
            waiting.append((row, stated))
            continue
        after = _local(stated, zone, before)
        if waiting:
            for earlier, at in _resolved(waiting, zone, before, latest, after):
                latest = at
                yield earlier, at
            waiting = []
        before = latest = after
        yield row, after
    yield from _resolved(waiting, zone, before, latest, None)


def parsed(text: object) -> datetime | None:
    """The time that the text states, mostly naive, or None if it is unreadable or implausible."""
    try:
        stated = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return stated if _EPOCH.year <= stated.year < _FAR else None


def _resolved(
    waiting: Sequence[tuple[T, datetime | None]],
    zone: tzinfo,
    before: datetime | None,
    latest: datetime | None,
    after: datetime | None,
) -> Iterator[tuple[T, datetime]]:
    """The rows between two local times, which decide how each is read."""
    moments = [stated and _moment(stated, zone, before, after) for _, stated in waiting]
    latest = latest or next((moment for moment in moments if moment), None) or after or _EPOCH
    for (row, _), moment in zip(waiting, moments, strict=True):
        latest = moment or latest
        yield row, latest


def _local(naive: datetime, zone: tzinfo, before: datetime | None) -> datetime:
    first = naive.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if before is None or first >= before - SLACK:
        return first
    return max(first, naive.replace(tzinfo=zone, fold=1).astimezone(UTC))


def _moment(
    stated: datetime, zone: tzinfo, before: datetime | None, after: datetime | None
) -> datetime:
    """The moment of a time with an offset, or of one in whole seconds.

    That is UTC, unless only a local time (of exactly 0 microseconds) fits between the neighbours.
    """
    if stated.tzinfo:
        return stated.astimezone(UTC)
    return _whole_second(stated, zone, before, after)


def _whole_second(
    naive: datetime, zone: tzinfo, before: datetime | None, after: datetime | None
) -> datetime:
    utc, local = naive.replace(tzinfo=UTC), _local(naive, zone, before)
    return local if _fits(local, before, after) and not _fits(utc, before, after) else utc


def _fits(moment: datetime, before: datetime | None, after: datetime | None) -> bool:
    return (before is None or before - SLACK <= moment) and (
        after is None or moment <= after + SLACK
    )
