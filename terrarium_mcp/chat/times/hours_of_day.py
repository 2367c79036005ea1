"""From counts by hour of day in UTC to counts by that of a reader's zone."""

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo

from terrarium_mcp.chat.times.timestamps import local

_HOUR = timedelta(hours=1)

_STEP = timedelta(days=6)
"""Since 1988 no zone has set its clock twice within less than a week (Brazil did so in 2000)."""


def hours_in_zone(
    by_hour: Sequence[int], zone: tzinfo, first: datetime, last: datetime
) -> Sequence[int] | None:
    """24 counts by hour of day, UTC, as counts by hour of day in a zone.

    None where they do not tell that: the clock of the zone was set between the first and the last
    moment that was counted, or is no whole number of hours ahead of UTC.
    """
    ahead = _steady_offset(zone, first, last)
    if ahead is None or ahead % _HOUR:
        return None
    return [by_hour[(hour - ahead // _HOUR) % 24] for hour in range(24)]


def _steady_offset(zone: tzinfo, first: datetime, last: datetime) -> timedelta | None:
    """By how much a zone is ahead of UTC from one moment to another; None if that changes."""
    if (always := zone.utcoffset(None)) is not None:  # UTC, mostly: nothing is to be looked for
        return always
    ahead = local(last, zone).utcoffset()
    steps = range((last - first) // _STEP + 1)
    is_steady = all(local(first + n * _STEP, zone).utcoffset() == ahead for n in steps)
    return ahead if is_steady else None
