"""Decides what a file of an import is: format, network, channel, date and zone. Pure.

Nothing that changes the result is guessed, but for the half of the day in which a clock of 12 hours
begins, which the report names. What a file does not tell is asked for, by the name of the option
that decides it.
"""

import codecs
import re
import shlex
import tarfile
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, timedelta, tzinfo
from itertools import chain

from terrarium_mcp.chat.identity import as_channel, fold, is_channel
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.decoding import decoded, texts_of
from terrarium_mcp.logformats.detection import ENOUGH, Fit, best_fit
from terrarium_mcp.logformats.entries import LogLine
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.formats import TEXT_FORMATS
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
from terrarium_mcp.logformats.sessions import only_of
from terrarium_mcp.logformats.twelve_hours import TwelveHourClock, WrittenClock, clock_of
from terrarium_mcp.settings.hosts import network_name_of
from terrarium_mcp.store import by_12_hours
from terrarium_mcp.wording import shown
from terrarium_mcp.zstd import ZSTD_MAGIC

NO_NETWORK = "its network is not named anywhere. Name it with --network."
NO_CHANNEL = "its path names no channel. Name it with --channel."
NO_ZONE = (
    "its times are local, and the time zone is unknown. Name the zone in which the program ran,"
    " e.g. --timezone Europe/Berlin."
)


_UTF_16 = tuple(decoded(mark)[0] for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
"""What a byte order mark of UTF-16 looks like when it is read as all other lines are."""

_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ\0", ZSTD_MAGIC, b"BZh")
"""How a zip, gzip, xz, zstd or bzip2 file begins."""

_STAMP = 10
"""Bytes at the beginning of a line of UTF-16 that are of its stamp."""

_TALK = {MessageType.PRIVMSG, MessageType.ACTION}

_CLOCK = re.compile(r"\d:\d\d")

_UNCERTAIN_DAY = re.compile(
    r"\[?\d\d?(?:([/-])\d\d?(?:\1\d{2,4})?|\.(?:\d\d?\.\d\d|(?:1[3-9]|[2-9]\d)\.\d{4})),? "
)
"""Two numbers, of which one is the month. Between dots that is the second one, if a year of four
digits follows."""

_DOTTED_DAY = re.compile(rb"\[?\d\d?\.(?P<month>\d\d?)\.\d{4},? ")

_MARKED = (
    (re.compile(r"\{|\[\s*(?:\{|\Z)"), "JSON"),
    (re.compile(r"<(?:[?!]|/?[a-z][\w-]*(?:\s[^>]*=|>$))", re.IGNORECASE), "XML or HTML"),
)

NO_DATE = "its lines have no date. Name the day of the first line with --date 2015-10-24."


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


class NoLog(TerrariumError):
    """A file is no log in any format that is known, or not in the one that was named."""


class UnknownFormat(NoLog):
    """A file is a text, but no format reads it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command's options say; an empty one leaves the decision to the files.

    `day` is that of the first line. `clock` tells the half of the day in which a log of 12 hours
    begins if no line does, or that its hours are 24 whatever its lines tell.
    `renamed` maps channels as files spell them (folded) to channels as they are.
    """

    format: str = ""
    network: str = ""
    channel: str = ""
    day: date | None = None
    zone: tzinfo | None = None
    clock: WrittenClock | None = None
    encoding: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def moves_nothing(self) -> bool:
        """Whether networks and channels keep their names.

        For an export that is all there is to choose: it says its times and its format itself.
        """
        return not (self.network or self.channel or self.renamed)

    def target(self, named: str) -> str:
        """Where what an export or a database says of a room goes; a person is made no channel."""
        chosen = as_channel(self.channel) if self.channel and is_channel(named) else named
        return self.renamed.get(fold(chosen), chosen)


@dataclass(frozen=True, slots=True)
class PlannedLog:
    """A text log and how it will be read.

    `origin` is what its path says, whatever the options say.
    `target` is a channel, or a person; "" for a window in which the client talks about itself.
    `is_spelt`: its lines, or the operator, spell the target; otherwise the name of the file does.
    `room`: whose sessions alone are read, if its lines tell whose each is; `is_first`: with what
    precedes them all. `announces_days`: one of its first lines says that another day begins.
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
            self.zone,
            channel=self.target,
            day=self.day,
            is_one_day=self.format.has_file_a_day and self.day == self.origin.day is not None,
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


def planned(
    file: LogFile,
    head: Sequence[bytes],
    choices: Choices,
    fit: Fit,
    *,
    networks: Sequence[str] = (),
    beside: Container[str] = (),
    room: str = "",
    is_first: bool = True,
    is_alone: bool = False,
) -> PlannedLog:
    """How a text log will be read, decided from its path and its first lines.

    Args:
        file: the file.
        head: its first lines.
        choices: what the operator decided.
        fit: how its format reads it.
        networks: those that the database knows.
        beside: the names of all files of the import.
        room: the channel or the person whose sessions are meant, if lines tell whose each is.
        is_first: what precedes the first session is meant, too.
        is_alone: it is the only file of the import.

    Raises:
        UnplacedLog: options must say its network or its channel, and perhaps its time zone.
        UndecidedLog: an option must say its time zone.
    """
    lines = texts_of(head)
    origin = path_origin(file.name, lines, fit.format, choices, networks)
    origin = origin._replace(target=room or origin.target)
    target = _target(origin, choices, is_alone=is_alone and not room)
    if target == origin.target and fold(target) not in choices.renamed:
        target = _original(file, target, _rooms(lines, fit.format), beside)
        if target != origin.target:  # a day that its path tells is that of the copy
            origin = origin._replace(day=None)
    network = choices.network or origin.network
    zone = choices.zone or _written_zone(head, fit.format, choices.encoding)
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


def require_date(log: PlannedLog, lines: Iterable[bytes]) -> None:
    """Refuse a log of which no line tells a date; its lines are read up to the first that does.

    Raises:
        UnplacedLog: no day is known for any line.
    """
    if log.day or not log.target:
        return
    foreign = ""
    for text in (decoded(raw, log.encoding or "cp1252")[0] for raw in lines):
        line = log.format.read(text)
        if line and (line.dated or (line.stamp and line.stamp.year)):
            return
        if line and line.boundary and not (line.stamp or foreign):
            foreign = f" Its dates are in a language that is not known: {shown(text)}"
    raise UnplacedLog(log.file.path, NO_DATE + foreign)


def with_clock(log: PlannedLog, lines: Iterable[bytes], choices: Choices) -> PlannedLog:
    """The log with the clock that its lines tell, or the operator; all of its lines are read."""
    if choices.clock is WrittenClock.HOURS_24:
        return log
    stamps = (line.stamp for line in _read(lines, log.format, log.encoding) if line.stamp)
    clock = clock_of(stamps) or choices.clock
    return replace(log, clock=clock or WrittenClock.FROM_MIDNIGHT, is_clock_told=clock is not None)


def require_day_first(log: PlannedLog, lines: Iterable[bytes]) -> None:
    """Refuse a log that has days between dots, `11.10.2026`, if any line has the month first.

    Raises:
        UnknownFormat: a line names a thirteenth month, so the days of all others are uncertain.
    """
    for raw in lines:
        if (match := _DOTTED_DAY.match(raw)) and int(match["month"]) > 12:
            text = decoded(raw, log.encoding or "cp1252")[0]
            raise UnknownFormat(f"{log.file.path}: {_quoted([text])}")


def has_dotted_days(lines: Iterable[bytes]) -> bool:
    """Whether any line begins with a day such as `24.10.2026`."""
    return any(map(_DOTTED_DAY.match, lines))


def channels_of_events(lines: Iterable[bytes], form: TextFormat, encoding: str) -> frozenset[str]:
    """The channels, as a log spells them first, in which its lines say that something happened.

    A client may show in one channel what is said in another, but not who comes and goes there.
    """
    told: dict[str, str] = {}
    for line in _read(lines, form, encoding):
        for event in line.events:
            if event.channel and event.kind not in SPEECH:
                told.setdefault(fold(event.channel), event.channel)
    return frozenset(told.values())


def path_origin(
    path: str, lines: Sequence[str], form: TextFormat, choices: Choices, networks: Sequence[str]
) -> LogOrigin:
    """What the path of a log tells; of several origins that it may name, that of its lines.

    Where they name no channel, a network that is known decides. Else the channel is whole if
    its folder names a network, and one was chosen; of several dots, none is told to separate both.
    """
    found = origins_in(path, form.paths, networks)
    origins = list(dict.fromkeys(found)) or [origin_by_name(path)]
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
    for known in ([choices.network], networks):
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


def fitting(
    file: LogFile, head: Sequence[bytes], choices: Choices, more: Iterable[str] = ()
) -> Fit:
    """How its format reads a text log, told from its path and its first lines.

    `more` are the lines behind these, as in `best_fit`.

    Raises:
        NoLog: it is no log in a known format.
    """
    lines = texts_of(head)
    if head and _is_packed(head[0]):
        raise NoLog(
            f"{file.path}: a packed file within a packed file, or under a name that hides it."
            " Unpack it first."
        )
    if lines and lines[0].startswith(_UTF_16):
        raise NoLog(
            f"{file.path}: encoded as UTF-16. Convert it first: iconv -f UTF-16 -t UTF-8 FILE"
        )
    written = [line for line in head if line]  # half of a line break of UTF-16 looks blank
    if sum(map(_is_utf_16, written)) > ENOUGH * len(written):
        raise NoLog(
            f"{file.path}: encoded as UTF-16. Convert it first: iconv -f UTF-16LE -t UTF-8 FILE,"
            " or -f UTF-16BE"
        )
    zeros = sum(0 in line for line in written)
    if zeros and zeros >= ENOUGH * len(written):
        raise NoLog(f"{file.path}: not a text file.")
    formats = [one for one in TEXT_FORMATS if choices.format in ("", one.name)]
    if not formats:
        raise NoLog(f"{file.path}: not a database of the format {choices.format}")
    fit = best_fit(file.name, lines, formats, more)
    if fit.is_enough:
        return fit
    if fit.is_timed and fit.read >= ENOUGH:
        raise UnknownFormat(
            f"{file.path}: no line of talk in it can be read, although it has lines of"
            f" {fit.format.program}. The first unreadable one: {shown(fit.unread)}"
        )
    quoted = _quoted([line for line in lines if fit.format.read(line) is None] or lines)
    if choices.format:
        raise NoLog(f"{file.path}: not a log of {fit.format.program}. {quoted}")
    raise UnknownFormat(f"{file.path}: not a log of a known format. {quoted}")


def _is_utf_16(raw: bytes) -> bool:
    """Whether a line is perhaps UTF-16, but for a zero byte before it: its stamp is of ASCII."""
    return raw[1:_STAMP:2].count(0) == len(raw[1:_STAMP:2]) > 0 and 0 not in raw[:_STAMP:2]


def _quoted(lines: Sequence[str]) -> str:
    """What shows the format of a file, for people who report it, from lines that cannot be read.

    A folder of logs may also hold its program's settings, and passwords in them: of these nothing
    is shown. What shows the form of a log is a line with a time.
    """
    first = next((line.lstrip() for line in lines if line.strip()), "")
    if kind := next((kind for form, kind in _MARKED if form.match(first)), ""):
        return f"It is {kind}, in an unknown form"
    timed = next((line for line in lines if _CLOCK.search(line)), "")
    if not timed:
        return "Its first lines have no time"
    told = f"It has lines such as: {shown(timed)}"
    if _UNCERTAIN_DAY.match(timed):
        return f"It is unclear which number of its dates is the month; write 2026-10-24. {told}"
    return told


def _is_packed(beginning: bytes) -> bool:
    """Whether a file that begins so holds others, or is compressed."""
    return beginning.startswith(_PACKED) or _begins_tar(beginning)


def _begins_tar(beginning: bytes) -> bool:
    """Whether the first block is a header of tar: its checksum tells that, in all its dialects."""
    try:
        tarfile.TarInfo.frombuf(beginning[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _written_zone(head: Sequence[bytes], form: TextFormat, encoding: str) -> tzinfo | None:
    """UTC if all stamps name their zone, so that none is needed; None if some are local times."""
    read = _read(head, form, encoding)
    if any((line.stamp and not line.stamp.zone) or line.dated for line in read):
        return None
    return UTC


def _read(lines: Iterable[bytes], form: TextFormat, encoding: str) -> Iterator[LogLine]:
    """What those lines say that a format reads."""
    return filter(None, (form.read(decoded(raw, encoding or "cp1252")[0]) for raw in lines))
