"""Rooms whose last live line is dated later than it is now, since the clock was wrong then.

No live line is dated before the one before it (live_clock.py), so until that time all lines of the
room get it. That cannot mend itself: a clock that is behind, as after the start of a machine, looks
the same.
"""

# ruff: noqa: S608 -- every statement is made of constants

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.live_clock import NOT_STORED
from terrarium_mcp.wording import and_more

TOLERATED = timedelta(minutes=1)
"""A server's clock may be ahead by so much; more is ignored when a line is received."""

LOOK_EVERY = 60.0
"""Seconds between two looks of the keeper."""

ROOMS_AHEAD = f"""
SELECT network, channel, max(live_until, ifnull(reached, '')) AS live
FROM rooms LEFT JOIN ({NOT_STORED}) ON room = id WHERE live > :until ORDER BY live DESC"""
"""The rooms whose last live line is dated after `until`, with its time, the latest first."""

_MOST_NAMED = 5

log = logging.getLogger(__name__)


def latest_tolerated(now: datetime) -> str:
    """The `until` of ROOMS_AHEAD."""
    return to_text(now + TOLERATED)


def names_of_rooms(rooms: Sequence[Row]) -> list[str]:
    """The names of the rooms of ROOMS_AHEAD, as `network/#channel`."""
    return [f"{as_text(network)}/{as_text(channel)}" for network, channel, _ in rooms]


def ahead(rooms: Sequence[Row], now: datetime) -> str:
    """What is wrong with the rooms of ROOMS_AHEAD, and the way out; empty if there are none."""
    if not rooms:
        return ""
    named = harmless(and_more(names_of_rooms(rooms), _MOST_NAMED))
    return (
        f"The newest line of {named} is dated {rooms[0][2][:19]} UTC, ahead"
        f" of this machine's clock ({to_text(now)[:19]}). Until then every line there gets that"
        " time. If the clock is right now, run: terrarium-mcp doctor --rebuild"
    )


async def set_back(writer: Writer, now: datetime) -> None:
    """Let the next live lines of all rooms be dated at `now` or later, whatever is before them.

    Open spans that began later, or are marked as alive until later, go on from `now`, too, and
    lists of members are as of then.
    """
    params = {"now": to_text(now)}
    await writer.run("UPDATE rooms SET live_until = :now WHERE live_until > :now", params)
    await writer.run(
        "UPDATE spans SET began = min(began, :now), alive = :now"
        " WHERE ended IS NULL AND alive > :now",
        params,
    )
    await writer.run("UPDATE presence_as_of SET as_of = :now WHERE as_of > :now", params)


class ClockAheadWatch:
    """The keeper's duty to say so in the log, once each time."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._clock = clock
        self._is_ahead = False

    async def look(self) -> None:
        """Look for rooms whose last line is dated in the future."""
        now = self._clock()
        rooms = await self._database.rows(ROOMS_AHEAD, {"until": latest_tolerated(now)})
        if rooms and not self._is_ahead:
            log.warning("%s", ahead(rooms, now))
        self._is_ahead = bool(rooms)
