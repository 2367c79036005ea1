"""Version 1: reads times of terrarium-irc as UTC. FROZEN with v1.py; a copy of legacy_times.py.

A time with microseconds is local, one in whole seconds is UTC. Where the local clock repeats an
hour, the order of the rows shows which of the two it was: times never fall as ids rise.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TypeVar

T = TypeVar("T")

_SLACK = timedelta(seconds=2)
"""How far a clock may be set back between two rows without an hour having been repeated."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FAR = 9000  # a year that no zone's offset carries beyond what datetime holds


def utc_times(rows: Iterable[tuple[T, str | None]], zone: tzinfo) -> Iterator[tuple[T, datetime]]:
    """Pair each of `rows` (anything, and its time as text, in the order of ids) with its UTC time.

    A row whose time is missing or unreadable takes its neighbour's: the one before it, else the
    first after it that has one.
    """
    before: datetime | None = None  # the last local time; only these rise with the ids
    latest: datetime | None = None
    waiting: list[tuple[T, datetime | None]] = []
    for row, text in rows:
        naive = _parsed(text)
        if naive is None or "." not in str(text):
            waiting.append((row, naive))
            continue
        after = _local(naive, zone, before)
        if waiting:
            for one, at in _settled(waiting, zone, before, latest, after):
                latest = at
                yield one, at
            waiting = []
        before = latest = after
        yield row, after
    yield from _settled(waiting, zone, before, latest, None)


def _parsed(text: object) -> datetime | None:
    """The naive moment that a row's time says, or None where it says none that can be believed."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    naive = moment if moment.tzinfo is None else moment.replace(tzinfo=None)
    return naive if _EPOCH.year <= naive.year < _FAR else None


def _settled(
    waiting: Sequence[tuple[T, datetime | None]],
    zone: tzinfo,
    before: datetime | None,
    latest: datetime | None,
    after: datetime | None,
) -> Iterator[tuple[T, datetime]]:
    """The rows between two local times, of which the neighbours tell what they mean."""
    moments = [naive and _whole_second(naive, zone, before, after) for _, naive in waiting]
    latest = latest or next((moment for moment in moments if moment), None) or after or _EPOCH
    for (row, _), moment in zip(waiting, moments, strict=True):
        latest = moment or latest
        yield row, latest


def _local(naive: datetime, zone: tzinfo, before: datetime | None) -> datetime:
    first = naive.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if before is None or first >= before - _SLACK:
        return first
    return max(first, naive.replace(tzinfo=zone, fold=1).astimezone(UTC))


def _whole_second(
    naive: datetime, zone: tzinfo, before: datetime | None, after: datetime | None
) -> datetime:
    """UTC, unless only the local reading fits between the neighbours (microsecond exactly 0)."""
    utc, local = naive.replace(tzinfo=UTC), _local(naive, zone, before)
    return local if _fits(local, before, after) and not _fits(utc, before, after) else utc


def _fits(moment: datetime, before: datetime | None, after: datetime | None) -> bool:
    return (before is None or before - _SLACK <= moment) and (
        after is None or moment <= after + _SLACK
    )
