"""Decides where a text log belongs and how it is read: network, channel, date and zone. Pure.

Nothing that changes the result is guessed, but for the half of the day in which a clock of 12 hours
begins, which the report names. What a file does not tell is asked for, by the name of the option
that decides it.
"""

import shlex
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta, tzinfo
from itertools import chain

from terrarium_mcp.chat.identity import as_channel, fold, is_channel
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.server_address import network_name_of
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.decoding import texts_of
from terrarium_mcp.logformats.detection import Fit
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_origin import (
    LogOrigin,
    copied_from,
    is_perhaps,
    may_exist,
    origin_by_name,
    origins_in,
)
from terrarium_mcp.logformats.log_reader import LogReader
from terrarium_mcp.logformats.recognition import lines_read
from terrarium_mcp.logformats.sessions import only_of
from terrarium_mcp.logformats.twelve_hours import TwelveHourClock, WrittenClock
from terrarium_mcp.store import by_12_hours
from terrarium_mcp.wording import shown

NO_NETWORK = "its network is not named anywhere. Name it with --network."
NO_CHANNEL = "its path names no channel. Name it with --channel."
NO_ZONE = (
    "its times are local, and the time zone is unknown. Name the zone in which the program ran,"
    " e.g. --timezone Europe/Berlin."
)

_TALK = {MessageType.PRIVMSG, MessageType.ACTION}


class UndecidedLog(TerrariumError):
    """A file does not tell something that an option of the command must say."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class UnplacedLog(UndecidedLog):
    """A file does not tell where it belongs: its network, its channel, its days.

    It can be left out beside other files.
    """


@dataclass(frozen=True, slots=True)
class PlannedLog:
    """A text log and how it will be read.

    `origin` is what its path says, whatever the options say.
    `target` is a channel, or a person; "" for a window in which the client talks about itself.
    `is_spelt`: its lines, or the operator, spell the target; otherwise the name of the file does.
    `room`: whose sessions alone are read, if its lines tell whose each is; `is_first`: with what
    precedes them all. `announces_days`: one of its first lines says that another day begins.
    `are_zones_written`: its first stamps name their zones, so that of one without is unknown.
    `clock`: that by which its stamps are written; unless `is_clock_told`, the half of the day in
    which it begins is taken for the first.
    `happens_in`: the channels in which its lines say that something happened, where the path names
    none and an option does.
    """

    file: LogFile
    format: TextFormat
    origin: LogOrigin
    network: str
    target: str
    day: date | None
    zone: tzinfo
    encoding: str
    resolution: timedelta
    bytes_per_line: float
    is_spelt: bool = False
    room: str = ""
    is_first: bool = True
    announces_days: bool = False
    happens_in: frozenset[str] = frozenset()
    are_zones_written: bool = False
    clock: WrittenClock = WrittenClock.HOURS_24
    is_clock_told: bool = True

    @property
    def zone_name(self) -> str:
        """How its times are read, as a LogSource has it."""
        zone = str(self.zone)
        has_24_hours = self.clock is WrittenClock.HOURS_24
        return zone if has_24_hours else by_12_hours(zone, self.clock.value)

    @property
    def may_have_12_hours(self) -> bool:
        """Whether its lines must be asked for the clock by which they are written."""
        return bool(self.target and self.day and self.day < self.format.may_have_12_hours_until)

    def reader(self) -> LogReader:
        """A reader for all of its lines."""
        return LogReader(
            self.format,
            None if self.are_zones_written else self.zone,
            channel=self.target,
            day=self.day,
            is_one_day=self.format.has_file_a_day and self.day == self.origin.day is not None,
            is_of_a_day=self.origin.day is not None,
            announces_days=self.announces_days,
            twelve_hours=self._twelve_hours(),
            encoding=self.encoding,
        )

    def _twelve_hours(self) -> TwelveHourClock | None:
        if self.day is None or self.clock is WrittenClock.HOURS_24:
            return None
        return TwelveHourClock(self.day, from_noon=self.clock is WrittenClock.FROM_NOON)

    def lines(self, every: Iterable[bytes]) -> Iterable[bytes]:
        """Of every line of its file its own, the others blank."""
        if not self.room:
            return every
        return only_of(self.room, every, self.format, is_first=self.is_first)


@dataclass(frozen=True, slots=True)
class ImportContext:
    """What the logs of an import are planned by, beside themselves.

    Attributes:
        choices: what the operator decided.
        networks: those that are known, by the database or from other files.
        beside: the names of all files of the import.
        is_alone: whether it is of one file.
    """

    choices: Choices
    networks: Sequence[str] = ()
    beside: Container[str] = ()
    is_alone: bool = False


def planned(
    file: LogFile,
    head: Sequence[bytes],
    fit: Fit,
    context: ImportContext,
    *,
    room: str = "",
    is_first: bool = True,
) -> PlannedLog:
    """How a text log will be read, decided from its path and its first lines.

    Args:
        file: the file.
        head: its first lines.
        fit: how its format reads it.
        context: the import.
        room: the channel or the person whose sessions are meant, if lines tell whose each is.
        is_first: what precedes the first session is meant, too.

    Raises:
        UnplacedLog: options must say its network or its channel, and perhaps its time zone.
        UndecidedLog: an option must say its time zone.
    """
    choices = context.choices
    lines = texts_of(head)
    origin = path_origin(file.name, lines, fit.format, context)
    origin = origin._replace(target=room or origin.target)
    target = _target(origin, choices, is_alone=context.is_alone and not room)
    if target == origin.target and fold(target) not in choices.renamed:
        target = _original(file, target, _rooms(lines, fit.format), context.beside)
        if target != origin.target:  # a day that its path tells is that of the copy
            origin = origin._replace(day=None)
    network = choices.network or origin.network
    are_zones_written = not choices.zone and _are_zones_written(head, fit.format, choices.encoding)
    zone = UTC if are_zones_written else choices.zone
    if origin.is_window and not target:
        zone = zone or UTC  # nothing is asked for where nothing is recorded
    if zone is None or not (origin.is_window or (network and target)):
        raise _undecided(file, network, target, zone, "" if choices.format else fit.format.program)
    log = PlannedLog(
        file,
        fit.format,
        origin,
        network,
        target,
        choices.day or origin.day,
        zone,
        choices.encoding,
        fit.format.resolution(lines),
        1 + sum(map(len, head)) / (len(head) or 1),
        is_spelt=bool(room),
        room=room,
        is_first=is_first,
        announces_days=fit.format.announces_days(lines),
        are_zones_written=are_zones_written,
    )
    if renamed := choices.renamed.get(fold(target)):
        return replace(log, target=renamed, is_spelt=True)
    return _spelt(log, head)


def _original(file: LogFile, target: str, rooms: Iterable[str], beside: Container[str]) -> str:
    """The channel of a log whose file may be a copy of another.

    Args:
        file: the file.
        target: the channel or the person that its name tells.
        rooms: the channels that its lines spell.
        beside: the names of all files of the import.

    Raises:
        UnplacedLog: no channel can have its name, and nothing tells whose it is.
    """
    original = copied_from(target) if is_channel(target) else ""
    if not is_channel(target) or (not original and may_exist(target)):
        return target
    spelt = [*rooms]
    if any(is_perhaps(target, room) for room in spelt):
        return target
    before, _, after = file.name.rpartition(target)
    if original and (
        f"{before}{original}{after}" in beside or any(is_perhaps(original, room) for room in spelt)
    ):
        return original
    if may_exist(target):
        return target
    pair = shlex.quote(f"{target}={original or '#channel'}")
    raise UnplacedLog(
        file.path,
        f"{shown(target)} cannot be the name of a channel. If this is a copy of a channel's log,"
        f" name that channel: --map {shown(pair)}.",
    )


def _undecided(
    file: LogFile, network: str, target: str, zone: tzinfo | None, recognised: str
) -> UndecidedLog:
    """All that a file does not tell, at once.

    `recognised` is the program as whose log it was recognised; empty if the operator named that.
    """
    unplaced = [text for known, text in ((network, NO_NETWORK), (target, NO_CHANNEL)) if not known]
    first, *others = unplaced if zone else [*unplaced, NO_ZONE]
    problem = " ".join([first, *(text[0].upper() + text[1:] for text in others)])
    if unplaced and recognised:
        problem += f" It looks like a log of {recognised}; if it is not, --format names its format."
    return (UnplacedLog if unplaced else UndecidedLog)(file.path, problem)


def path_origin(
    path: str, lines: Sequence[str], form: TextFormat, context: ImportContext
) -> LogOrigin:
    """What the path of a log tells; of several origins that it may name, that of its lines.

    Where they name no channel, a network that is known decides. Else the channel is whole if
    its folder names a network, and one was chosen; of several dots, none is told to separate both.
    """
    choices = context.choices
    found = origins_in(path, form.paths, context.networks)
    origins = list(dict.fromkeys(found)) or [origin_by_name(path, choices.renamed)]
    first = origins[0]
    if first.is_window:
        return _of_person(first, origins, lines, form)
    if len({one.target for one in origins}) == 1:  # nearly always: the lines are not asked
        return first
    chosen = [as_channel(choices.channel)] if choices.channel else []
    for room in chain(chosen, _rooms(lines, form)):
        for one in origins:
            if is_perhaps(one.target, room):
                return one
    for known in ([choices.network], context.networks):
        names = {network_name_of(network) for network in known} - {""}
        for one in origins:
            if network_name_of(one.network) in names:
                return one
    name = f"{first.target}.{first.network}"
    if sum(f"{one.target}.{one.network}" == name for one in origins) > 1:
        return LogOrigin(day=first.day)
    whole = next((one for one in origins if one.target == name), first)
    return whole if choices.network and whole.network else first


def _of_person(
    window: LogOrigin, origins: Iterable[LogOrigin], lines: Iterable[str], form: TextFormat
) -> LogOrigin:
    """The private conversation of a log that has the name of its folder, as a window may have it.

    The folder is then that of a person, and its network's is above. People talk only here.
    """
    events = (event for line in lines if (read := form.read(line)) for event in read.events)
    if not (window.network and any(one.kind in _TALK and one.certain for one in events)):
        return window
    others = (one for one in origins if one.network not in ("", window.network))
    return next((one for one in others if one.target == window.network), window)


def _rooms(lines: Iterable[str], form: TextFormat) -> Iterator[str]:
    """The channels and persons of whom lines say that they are, and where their events happen."""
    for line in filter(None, map(form.read, lines)):
        yield from filter(None, (line.room, *(event.channel for event in line.events)))


def _target(origin: LogOrigin, choices: Choices, *, is_alone: bool) -> str:
    """The channel or the person of a log.

    No option makes a channel of a client's window, nor of a conversation that lies beside other
    files: what is private would be public. A lone file may be a channel in spite of its name, but
    not of what its lines say.
    """
    is_person = bool(origin.target) and not is_channel(origin.target)
    if origin.is_window or not choices.channel or (is_person and not is_alone):
        return origin.target
    return as_channel(choices.channel)


def _spelt(log: PlannedLog, head: Sequence[bytes]) -> PlannedLog:
    """The log with its channel as its first lines spell it."""
    if not log.format.spells_channels:
        return log
    reader = log.reader()
    for _ in reader.read(log.lines(head)):
        pass
    is_spelt = log.is_spelt or bool(reader.spelling)
    return replace(log, target=reader.spelling or log.target, is_spelt=is_spelt)


def _are_zones_written(head: Sequence[bytes], form: TextFormat, encoding: str) -> bool:
    """Whether all stamps name their zone, so that none is needed; else some are local times."""
    read = lines_read(head, form, encoding)
    return not any((line.stamp and not line.stamp.zone) or line.dated for line in read)
