"""How far the clock is trusted when lines are removed for their age.

A machine may start with a wrong clock, and a year too late makes a year of lines look too old. What
is recorded cannot prove that so much time has passed: a bridge writes the wrong time as well. So
after a long time without any record, lines that are too old only since then are kept for another
day, in which a person reads the log and the clock is set.
"""

from datetime import datetime, timedelta

ONE_DAY_OF_RECORD = timedelta(days=1)
"""What must be recorded after a long gap, or how long this process must have run."""

LONGEST_GAP = timedelta(days=7)
"""A shorter gap in the record is believed, and so is a clock less than this far ahead."""

LAST_RECORD = """
SELECT max(at) FROM (
  SELECT max(timestamp) AS at FROM messages WHERE timestamp <= :until
  UNION ALL SELECT max(at) FROM heartbeats WHERE at <= :until
  UNION ALL SELECT max(began) FROM spans WHERE began <= :until
  UNION ALL SELECT max(alive) FROM spans WHERE alive <= :until
  UNION ALL SELECT max(ended) FROM spans WHERE ended <= :until
)"""
"""The newest time at which something was recorded, of those up to `until`; NULL if there is none.

`until` is ONE_DAY_OF_RECORD ago: what is newer may have been recorded with the same wrong clock.
"""


def trusted_time(now: datetime, last_record: datetime | None) -> datetime:
    """The time up to which lines may have become too old: `now`, unless the clock is in doubt.

    `last_record` is the time of LAST_RECORD.
    """
    if last_record is None or now - last_record <= ONE_DAY_OF_RECORD + LONGEST_GAP:
        return now
    return last_record + ONE_DAY_OF_RECORD


def clock_warning(now: datetime, last_record: datetime) -> str:
    """What is said where the clock is not trusted: why, what is done, and the way out."""
    return (
        f"By this machine's clock it is {now:%Y-%m-%d %H:%M} UTC, and nothing was recorded from"
        f" {last_record:%Y-%m-%d} until a day ago. In case the clock is wrong, lines that only now"
        " are too old are removed a day after terrarium-mcp was started. If it is right, there is"
        " nothing to do; else stop terrarium-mcp, set the clock, and start again."
    )


class SteadyClock:
    """How long this process has been running without the clock being set far from where it was.

    `running` is in seconds, of a clock that nobody sets.
    """

    def __init__(self, now: datetime, running: float) -> None:
        self._now, self._running = now, running

    def running_for(self, now: datetime, running: float) -> timedelta:
        """For how long; it begins again where the clock was set."""
        passed = timedelta(seconds=running - self._running)
        if abs(now - self._now - passed) <= LONGEST_GAP:
            return passed
        self._now, self._running = now, running
        return timedelta()
