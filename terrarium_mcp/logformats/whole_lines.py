"""What only all lines of a text log tell: a date, its clock, the channels of its events."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import SPEECH
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.decoding import decoded
from terrarium_mcp.logformats.entries import LogLine
from terrarium_mcp.logformats.files import lines_of
from terrarium_mcp.logformats.log_reader import DatedBoundary, DatedEvent
from terrarium_mcp.logformats.planning import PlannedLog, UnplacedLog
from terrarium_mcp.logformats.recognition import UnknownFormat, lines_read, shown_form
from terrarium_mcp.logformats.twelve_hours import WrittenClock, clock_of
from terrarium_mcp.wording import shown

NO_DATE = "its lines have no date. Name the day of the first line with --date 2015-10-24."

NO_HALF = (
    "its clock has 12 hours, as the lines show that tell when it was opened and closed, and no word"
    " for the half of the day, so its times are not known. --clock 24 reads them as they are."
)

_MISTAKEN = timedelta(hours=6), timedelta(days=1)
"""A log is closed earlier than its last line by so much where half a day was mistaken: by less if
its clock was set back, by years if that lost the date."""

_DOTTED_DAY = re.compile(rb"\[?\d\d?\.(?P<month>\d\d?)\.\d{4},? ")


def with_all_told(log: PlannedLog, head: Sequence[bytes], choices: Choices) -> PlannedLog:
    """The log with what only all of its lines tell: most logs need not be read for it.

    Args:
        log: the log, as its path and its first lines tell it.
        head: its first lines.
        choices: what the operator decided.

    Raises:
        UnplacedLog: no day is known for any line, or not the half of a day.
        UnknownFormat: it is unclear which number of its dates is the month.
    """
    read = lines_read(head, log.format, log.encoding)
    if log.target and not (log.day or any(map(_is_dated, read))):
        _require_date(log)
    if any(map(_DOTTED_DAY.match, head)):
        _require_day_first(log)
    if choices.clock is not WrittenClock.HOURS_24:
        if log.target and _may_show_12_hours(log, head):
            _require_24_hours(log)
        if log.may_have_12_hours:
            log = _with_clock(log, choices)
    if choices.channel and not (log.origin.target or log.origin.is_window):
        log = replace(log, happens_in=_channels_of_events(log))
    return log


def _require_date(log: PlannedLog) -> None:
    """Refuse a log of which no line tells a date; its lines are read up to the first that does."""
    foreign = ""
    with _lines(log) as lines:
        for text in (decoded(raw, log.encoding)[0] for raw in lines):
            line = log.format.read(text)
            if line and _is_dated(line):
                return
            if line and line.boundary and not (line.stamp or foreign):
                foreign = f" Its dates are in a language that is not known: {shown(text)}"
    raise UnplacedLog(log.file.path, NO_DATE + foreign)


def _is_dated(line: LogLine) -> bool:
    return bool(line.dated or (line.stamp and line.stamp.year))


def _require_day_first(log: PlannedLog) -> None:
    """Refuse a log that has days between dots, `11.10.2026`, if any line has the month first.

    A line that names a thirteenth month makes the days of all others uncertain.
    """
    with _lines(log) as lines:
        for raw in lines:
            if (match := _DOTTED_DAY.match(raw)) and int(match["month"]) > 12:
                text = decoded(raw, log.encoding)[0]
                raise UnknownFormat(f"{log.file.path}: {shown_form([text])}")


def _may_show_12_hours(log: PlannedLog, head: Sequence[bytes]) -> bool:
    """Whether the first lines may be of a clock of 12 hours, and others tell moments of 24."""
    tells_moment = False
    for line in lines_read(head, log.format, log.encoding):
        if not _is_up_to_12(line):
            return False  # one of the first of most logs
        tells_moment = tells_moment or isinstance(line.dated, datetime)
    return tells_moment


def _is_up_to_12(line: LogLine) -> bool:
    return not line.stamp or (not line.stamp.day and 1 <= line.stamp.hour <= 12)


def _require_24_hours(log: PlannedLog) -> None:
    """Refuse a log with hours of 1 to 12 alone whose days go wrong if the clock had 24."""
    with _lines(log) as lines:
        if not all(map(_is_up_to_12, lines_read(lines, log.format, log.encoding))):
            return
    least, most = _MISTAKEN
    last: datetime | None = None
    with _lines(log) as lines:
        for item in log.reader().read(lines):
            if isinstance(item, DatedEvent):
                last = item.said_at
            elif isinstance(item, DatedBoundary) and last and least < last - item.at < most:
                raise UnplacedLog(log.file.path, NO_HALF)


def _with_clock(log: PlannedLog, choices: Choices) -> PlannedLog:
    """The log with the clock that its lines tell, or the operator."""
    with _lines(log) as lines:
        read = lines_read(lines, log.format, log.encoding)
        clock = clock_of(line.stamp for line in read if line.stamp) or choices.clock
    return replace(log, clock=clock or WrittenClock.FROM_MIDNIGHT, is_clock_told=clock is not None)


def _channels_of_events(log: PlannedLog) -> frozenset[str]:
    """The channels, as a log spells them first, in which its lines say that something happened.

    A client may show in one channel what is said in another, but not who comes and goes there.
    """
    told: dict[str, str] = {}
    with _lines(log) as lines:
        for line in lines_read(lines, log.format, log.encoding):
            for event in line.events:
                if event.channel and event.kind not in SPEECH:
                    told.setdefault(fold(event.channel), event.channel)
    return frozenset(told.values())


@contextmanager
def _lines(log: PlannedLog) -> Iterator[Iterable[bytes]]:
    """Every line of the file of a log."""
    with log.file.opened() as stream:
        yield lines_of(stream)
