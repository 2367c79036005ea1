"""The two directions through time: newest first, and oldest first."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from operator import gt, lt

from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position, from_text, to_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.index.sorted_runs import Run

_LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Order:
    """A direction through time; "before" and "first" are meant in this direction.

    `rowids` is the direction in which the index is read: its rowid is the negated id. `beyond` is
    the SQL operator by which a position compares with one before it.
    """

    newest_first: bool
    rowids: str
    beyond: str

    def is_before(self, one: str | Position, other: str | Position) -> bool:
        """Whether a timestamp, or a position, is before another."""
        return bool((gt if self.newest_first else lt)(one, other))

    def arranged(self, rows: Iterable[Row]) -> list[Row]:
        """Rows in this order."""
        return sorted(rows, key=_sort_key, reverse=self.newest_first)

    def following(self, rows: Iterable[Row], after: Position | None) -> list[Row]:
        """Those of the rows that come after a position, or all, in this order."""
        arranged = self.arranged(rows)
        if after is None:
            return arranged
        return [row for row in arranged if self.is_before(after, position_of(row))]

    def first(self, timestamps: Iterable[str]) -> str:
        """The first of some timestamps, of which "" stands for none."""
        return (max if self.newest_first else min)(filter(None, timestamps), default="")

    def opening(self, run: Run) -> str:
        """The first timestamp of a run."""
        return run.ended if self.newest_first else run.began

    def back(self, timestamp: str, milliseconds: int) -> str:
        """The timestamp this many milliseconds before another."""
        return moved(timestamp, milliseconds if self.newest_first else -milliseconds)

    def just_before(self, timestamp: str) -> Position:
        """The position right before all lines with this timestamp."""
        return Position(timestamp, _LAST if self.newest_first else 0)

    def upto(self, timestamp: str) -> tuple[str, str]:
        """The bounds (since, until) of the lines before a timestamp or with it."""
        if self.newest_first:
            return timestamp, EVERY_LINE.timestamp
        return BEGINNING.timestamp, timestamp

    def narrowed(self, since: str, until: str, position: Position) -> tuple[str, str]:
        """The part of these bounds that is not before a position."""
        if self.newest_first:
            return since, min(until, position.timestamp)
        return max(since, position.timestamp), until


NEWEST = Order(newest_first=True, rowids="ASC", beyond="<")
OLDEST = Order(newest_first=False, rowids="DESC", beyond=">")


def moved(timestamp: str, milliseconds: int) -> str:
    """A timestamp moved into the future, or into the past if negative."""
    if not milliseconds:
        return timestamp
    return to_text(from_text(timestamp) + timedelta(milliseconds=milliseconds))


def position_of(row: Row) -> Position:
    """The position of a line."""
    return Position(row["timestamp"], row["id"])


def _sort_key(row: Row) -> tuple[str, int]:  # sorts in a tenth of the time of a `Position`
    return row["timestamp"], row["id"]
