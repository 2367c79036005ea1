"""The last day and the last week: from which moment on their lines are counted.

A read makes up for what has left them since, line by line. The counters let them begin later while
lines are written, and the keeper where nobody writes.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.when import to_text
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.derived.counting import SAID, SINCE

WINDOWS = {"day": timedelta(days=1), "week": timedelta(days=7)}
"""The times before the present whose lines are counted."""

LOOK_EVERY = 60.0
"""Seconds between two looks at how many lines have left them."""

_MANY = 50
"""Lines that a read makes up for in 0.03 ms (10 M lines): it need not be bothered with more."""

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


def moments(now: datetime) -> dict[str, str]:
    """From when on the lines of each window count, as text."""
    return {name: to_text(now - length) for name, length in WINDOWS.items()}


async def move(writer: Writer, now: datetime, counted_to: int) -> None:
    """Let the windows begin later, as the present goes on; they never go back.

    What is moved out of them is among the messages with smaller ids than `counted_to`.
    """
    for name, since in moments(now).items():
        moved = {"name": name, "since": since, "counted_to": counted_to}
        await writer.run(_MOVED_OUT.format(name=name, since=SINCE[name]), moved)
        await writer.run(
            "UPDATE last_windows SET since = max(since, :since) WHERE name = :name", moved
        )


class Windows:
    """The keeper's duty to move them where nobody writes. `clock` tells the present."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._clock = clock

    async def move_on(self) -> None:
        """Move them, if many lines have left them.

        Raises:
            StoreFailed: it cannot be written.
        """
        now = self._clock()
        if await self._database.value(_LEFT, moments(now)) < _MANY:
            return
        async with self._database.writing() as writer:
            sql = "SELECT upto + 1 FROM derived WHERE name = 'counters'"
            await move(writer, now, int(await writer.value(sql, default=0)))
