"""Imports: the logs that were read, and what became of their lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.recorded_times import RecordedTime

_BY_12_HOURS = " by a 12-hour clock from "


def by_12_hours(zone: str, half: str) -> str:
    """The `zone` of a log whose clock had 12 hours: in which it was, and where the log begins.

    Args:
        zone: the name of the time zone.
        half: the half of the day in which the log begins, `am` or `pm`.
    """
    return f"{zone}{_BY_12_HOURS}{half}"


def zone_and_half(zone: str) -> tuple[str, str]:
    """The name of the time zone of a log, and in which half of the day a clock of 12 hours begins.

    The half is empty of a clock of 24 hours.
    """
    name, _, half = zone.partition(_BY_12_HOURS)
    return name, half


@dataclass(frozen=True, slots=True)
class LogSource:
    """A log that is imported: a file, or what a database of another program holds of one channel.

    `format` is the name of the program that wrote it, as people are shown it; `channel` may be the
    nick of a private conversation. `size` is in bytes. `resolution` is how exact its stamps are: a
    second, or a minute. `series` names the files of which it is one, where a program writes one for
    each day: they have one clock, and no day says what another said. Empty for a log that is whole.
    `zone` names the time zone, as `by_12_hours` does where the clock had 12 hours.
    """

    path: str
    format: str
    network: str
    channel: str
    zone: str
    sha256: str
    size: int
    resolution: timedelta
    series: str = ""


@dataclass(frozen=True, slots=True)
class LogEnd:
    """What is known of a log once it was read to its end.

    `sha256` is that of what was read, if it is known: a log may be written, or emptied, meanwhile.
    `times` are those in which it was open: between two that are at most `pause` apart it was, too.
    `are_told`: the log says so itself; else they are those of its lines.
    """

    sha256: str = ""
    times: Sequence[RecordedTime] = ()
    pause: timedelta = timedelta(0)
    are_told: bool = False


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """A run of an import: what it read, and what became of it.

    `lines` were read from `sources` logs, the first and last of them said at `first` and `last`.
    `added` of them were new, `known` were stored already, or left out. `undone_at` is when an undo
    began, which `is_partly_undone` says is not finished.
    """

    id: int
    at: datetime
    command: str
    finished: bool
    undone_at: datetime | None
    is_partly_undone: bool
    sources: int
    lines: int
    added: int
    known: int
    first: datetime | None
    last: datetime | None


class EarlierReading(NamedTuple):
    """A log was read whole before: by which import, and in which time zone."""

    import_id: int
    zone: str


class EarlierCommand(NamedTuple):
    """An import that read a log of some path before, and its command: by which options."""

    import_id: int
    command: str


@dataclass(frozen=True, slots=True)
class ImportTotals:
    """What became of the lines of a log: added, known already, or left out.

    `offset` is by how much the log's clock was fast; the times of its lines were corrected by it.
    Where the `clock_was_set` within the log, it is the largest of several. `left_out` counts the
    lines of people who opted out, or had theirs removed. `said` is when the first and the last of
    all lines were said, by the corrected times.
    """

    lines: int
    added: int
    known: int
    offset: timedelta
    left_out: int = 0
    clock_was_set: bool = False
    said: tuple[datetime, datetime] | None = field(default=None, compare=False)  # the lines have it


@dataclass(frozen=True, slots=True)
class UndoResult:
    """How many messages of an import were removed, and how many stay.

    Those stay that were there before it, or that another import has too. `again`: it was undone
    before, perhaps not to the end.
    """

    removed: int
    kept: int
    again: bool = False
