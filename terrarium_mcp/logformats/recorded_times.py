"""From when to when a log recorded a channel, told from its first and last lines and boundaries.

A log that says when it was opened and closed is believed. One that does not is taken to have gone
on between its first line and its last; of files by day, a pause of more than `PAUSE` is a gap.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.logformats.entries import Boundary

PAUSE = timedelta(days=2)
"""A day without a line makes no file, which is no sign that nobody recorded. Two days may be."""

_INEXACT = timedelta(minutes=1)
"""irssi names the second in which a log was opened, and of its first line only the minute."""


@dataclass(slots=True)
class RecordedTimes:
    """The times of one log, collected line by line.

    `earliest` is the earliest moment of all: a time goes from its first line on, and one that is
    earlier, where a clock had lost the date, does not prolong it by the years between.
    `are_told`: the log began by saying that it was opened, and so tells each time that it was.
    """

    earliest: datetime | None = None
    are_told: bool = False
    closed: list[RecordedTime] = field(default_factory=list)
    _began: datetime | None = None
    _last: datetime | None = None

    def line(self, at: datetime) -> None:
        """A line of the log was said at this moment."""
        if self._last is None:
            self._began = self._last = at
            self.earliest = min(at, self.earliest or at)
        elif at > self._last:
            self._last = at
        elif self.earliest and self._began:
            self.earliest = min(at, self.earliest)
            if timedelta(0) < self._began - at < _INEXACT:
                self._began = at

    def boundary(self, at: datetime, kind: Boundary) -> None:
        """The log was opened or closed, or goes on at another day."""
        if kind is Boundary.DAY:
            return
        if kind is Boundary.OPENED:
            self.are_told |= self.earliest is None
            self._close()  # the program ended without a word
        self.line(at)
        if kind is Boundary.CLOSED:
            self._close()

    def all(self) -> Sequence[RecordedTime]:
        """The times so far, the open one included."""
        return [*self.closed, *self._open()]

    def _open(self) -> Iterator[RecordedTime]:
        if self._began and self._last:
            yield RecordedTime(self._began, max(self._began, self._last))

    def _close(self) -> None:
        self.closed.extend(self._open())
        self._began = self._last = None
