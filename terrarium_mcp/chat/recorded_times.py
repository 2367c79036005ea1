"""Times in which a channel was recorded, as intervals: joined, and without the gaps in them."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple


class RecordedTime(NamedTuple):
    """A time (UTC) in which a channel was recorded."""

    began: datetime
    ended: datetime


def joined(times: Iterable[RecordedTime], pause: timedelta = timedelta(0)) -> list[RecordedTime]:
    """The times in order; those that overlap, or are at most `pause` apart, are one."""
    found: list[RecordedTime] = []
    for time in sorted(times):
        if found and time.began - found[-1].ended <= pause:
            found[-1] = found[-1]._replace(ended=max(found[-1].ended, time.ended))
        else:
            found.append(time)
    return found


def without(times: Iterable[RecordedTime], gaps: Iterable[RecordedTime]) -> list[RecordedTime]:
    """The times without what lies in one of the gaps."""
    left = list(times)
    for gap in gaps:
        left = [part for time in left for part in _cut(time, gap)]
    return left


def _cut(time: RecordedTime, gap: RecordedTime) -> Iterator[RecordedTime]:
    if gap.ended <= time.began or time.ended <= gap.began:
        yield time
        return
    if time.began < gap.began:
        yield RecordedTime(time.began, gap.began)
    if gap.ended < time.ended:
        yield RecordedTime(gap.ended, time.ended)
