"""The rolling windows: how many messages `room_counts` has for the last day and the last week.

Each window is counted from a moment in `last_windows` on. The counters advance it while messages
are written, the keeper while none are; a read subtracts the messages that have left it since, one
by one.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import SAID, SINCE
from terrarium_mcp.store.sqlite.index.structure import watermark_sql

WINDOWS = {"day": timedelta(days=1), "week": timedelta(days=7)}
"""The windows, and how long each is."""

LOOK_EVERY = 60.0
"""Seconds between two checks of how many messages have left the windows."""

_MANY = 50
"""Messages that a read subtracts in 0.03 ms (10 M messages). With more, the windows are
advanced."""

_MOVED_OUT = f"""
UPDATE room_counts SET last_{{name}} = last_{{name}} - moved.lines
FROM (
  SELECT m.room, count(*) AS lines FROM messages m
  WHERE m.timestamp >= {{since}} AND m.timestamp < :since
    AND m.id < :counted_to AND {SAID} AND EXISTS (SELECT 1 FROM room_counts)
  GROUP BY m.room
) moved
WHERE moved.room = room_counts.room"""

_LEFT = f"""
SELECT count(*) FROM (
  SELECT 1 FROM messages WHERE timestamp >= {SINCE["day"]} AND timestamp < :day
  UNION ALL
  SELECT 1 FROM messages WHERE timestamp >= {SINCE["week"]} AND timestamp < :week
  LIMIT {_MANY})"""


def window_starts(now: datetime) -> dict[str, str]:
    """The moment at which each window begins, as text."""
    return {name: to_text(now - length) for name, length in WINDOWS.items()}


async def advance(writer: Writer, now: datetime, counted_to: int) -> None:
    """Move the windows forward to the present; they never move back.

    Only messages with ids below `counted_to` leave them: later ones are not counted yet.
    """
    for name, since in window_starts(now).items():
        window = {"name": name, "since": since, "counted_to": counted_to}
        await writer.run(_MOVED_OUT.format(name=name, since=SINCE[name]), window)
        await writer.run(
            "UPDATE last_windows SET since = max(since, :since) WHERE name = :name", window
        )


class RollingWindows:
    """The keeper's duty to advance them while no messages are written."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._clock = clock

    async def advance(self) -> None:
        """Advance the windows if many messages have left them.

        Raises:
            StoreFailed: the file cannot be written.
        """
        now = self._clock()
        if await self._database.value(_LEFT, window_starts(now)) < _MANY:
            return
        async with self._database.writing(patiently=True) as writer:
            counted = await writer.value(f"SELECT {watermark_sql('counters')}")
            await advance(writer, now, counted + 1)
