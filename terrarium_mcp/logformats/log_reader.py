"""Reads one text log line by line: which messages it holds, when they were said, and by whom.

It keeps what later lines need of earlier ones: the date, the nick of the log's owner, and how the
channel is spelt. Nothing in it waits or does I/O.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.logformats.decoding import UTF_8, decoded
from terrarium_mcp.logformats.entries import Boundary, LogEvent, LogLine
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_clock import LogClock, NoDate, NoZone
from terrarium_mcp.logformats.log_origin import is_perhaps
from terrarium_mcp.logformats.twelve_hours import TwelveHourClock

LONGEST_LINE = 16 * 1024
"""Bytes. IRC's longest line has 512, and 8,191 of tags (IRCv3 message-tags)."""

TOO_LONG = "longer than any line of IRC"

_MISDATED = "its date cannot be read, so the date of the lines after it is unknown"

_NO_DATE = "its date is unknown; --date names the day of the first line"

_NO_ZONE = "its zone is unknown; --timezone names it"


class DatedEvent(NamedTuple):
    """A message of a log and its moment (UTC)."""

    said_at: datetime
    event: LogEvent


class DatedBoundary(NamedTuple):
    """A boundary of a log and its moment (UTC)."""

    at: datetime
    boundary: Boundary


class RejectedLine(NamedTuple):
    """A line that could not be read: its number in the file (from 1), its text, and why.

    In a database it is a row, with the number by which the database knows it.
    """

    number: int
    text: str
    why: str


LogItem = DatedEvent | DatedBoundary | RejectedLine | NewMessage
"""What a log holds. A NewMessage was recorded once: nothing about it is left to decide."""


@dataclass(slots=True)
class LineCounts:
    """What became of the lines of a log; `encodings` counts lines that are not UTF-8.

    Every line is rejected, or `empty`, or holds messages. Empty is what a client tells its user,
    and where a log begins or ends.
    """

    lines: int = 0
    messages: int = 0
    empty: int = 0
    rejected: int = 0
    uncertain: int = 0
    steps_back: int = 0
    """How often the clock was set back, with no repeated hour to explain it."""
    encodings: Counter[str] = field(default_factory=Counter)


class LogReader:
    """Reads the lines of one file, in its order.

    Attributes:
        counts: what became of the lines so far.
        spelling: how the lines spell the channel that the file's name gives; empty if they do not.
    """

    def __init__(
        self,
        form: TextFormat,
        zone: tzinfo | None,
        *,
        channel: str = "",
        day: date | None = None,
        is_one_day: bool = False,
        is_of_a_day: bool = False,
        announces_days: bool = False,
        twelve_hours: TwelveHourClock | None = None,
        encoding: str = "",
    ) -> None:
        self.counts = LineCounts()
        self.spelling = ""
        self._file_channel = channel
        self._format = form
        self._clock = LogClock(
            zone,
            day,
            is_one_day=is_one_day,
            is_of_a_day=is_of_a_day,
            announces_days=announces_days,
        )
        self._twelve_hours = twelve_hours
        self._counts_days = day is not None
        self._encoding = encoding
        self._owner = ""
        self._joined_last = ""

    def read(self, lines: Iterable[bytes]) -> Iterator[LogItem]:
        """What the lines (without their line breaks) hold, in their order."""
        for raw in lines:
            self.counts.lines += 1
            if not raw:  # so are most lines of a file of many rooms, for each of them
                self.counts.empty += 1
                continue
            if len(raw) > LONGEST_LINE:
                yield self._rejected(repr(raw[:80]), TOO_LONG)
                continue
            text, encoding = decoded(raw, self._encoding)
            if encoding != UTF_8:
                self.counts.encodings[encoding] += 1
            yield from self._items(text)

    def _items(self, text: str) -> Sequence[LogItem]:
        line = self._format.read(text)
        if line is None:
            return [self._rejected(text, f"not a line of {self._format.program}")]
        if line.is_misdated and not self._counts_days:
            self._clock.lose_date()
            return [self._rejected(text, _MISDATED)]
        try:
            return self._dated(line)
        except NoDate:
            return [self._rejected(text, _NO_DATE)]
        except NoZone:
            return [self._rejected(text, _NO_ZONE)]
        except (ValueError, OverflowError):
            return [self._rejected(text, "there is no such day")]

    def _rejected(self, text: str, why: str) -> RejectedLine:
        self.counts.rejected += 1
        return RejectedLine(self.counts.lines, text, why)

    def _dated(self, line: LogLine) -> Sequence[LogItem]:
        if line.owner_joined:
            self._owner = self._joined_last
        if line.is_chatter:
            self.counts.empty += 1
            return ()
        at = self._moment(line)
        self.counts.steps_back = self._clock.steps_back
        events = [DatedEvent(at, self._named(event)) for event in line.events]
        self.counts.messages += len(events)
        self.counts.empty += not events
        self.counts.uncertain += len([event for event in line.events if not event.certain])
        return [DatedBoundary(at, line.boundary), *events] if line.boundary else events

    def _moment(self, line: LogLine) -> datetime:
        if line.boundary is Boundary.DAY:
            self._clock.announces_days = True
        if line.dated:
            return self._clock.go_on(line.dated)
        if line.is_misdated and line.boundary is Boundary.DAY:
            return self._clock.go_on_next_day()
        stamp = line.stamp
        if stamp and self._twelve_hours:
            stamp = self._twelve_hours.dated(stamp)
        return self._clock.moment(stamp)

    def _named(self, event: LogEvent) -> LogEvent:
        """The event with the owner's nick where the line leaves it out."""
        if event.channel and is_perhaps(self._file_channel, event.channel):
            self.spelling = event.channel
        if event.own and not event.nick:
            event = event._replace(nick=self._owner)
        if event.kind is MessageType.JOIN:
            self._joined_last = event.nick
        elif event.kind is MessageType.NICK and (
            event.own or fold(event.nick) == fold(self._owner)
        ):
            self._owner = event.text
        return event
