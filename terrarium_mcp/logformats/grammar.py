"""A text format as data: how its stamps look, and anchored patterns for what follows them. Pure.

A line is matched once, from its first character to its last, and what people said is never looked
at again: a forged line inside a message remains a message. A line may be made to cost time: no two
parts of a pattern that follow each other, and repeat, match the same characters
(tests/logformats/test_hostile_lines.py).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cached_property
from typing import Protocol

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.decoding import decoded
from terrarium_mcp.logformats.entries import (
    RANKS,
    TO_RANK,
    Boundary,
    LogEvent,
    LogLine,
    Stamp,
    split_mask,
)
from terrarium_mcp.logformats.month_names import (
    croatian_month,
    month_number,
    month_of_day,
)

NICK = r"[^\s<>\x00-\x1f]+"
SENDER = rf"(?=-*[^-\s])(?![!*:]-){NICK}"
"""A nick between dashes, as a notice has it: not of dashes alone, which are a line, and not the
`-!-` of irssi, the `-*-` of Quassel or the `-:-` of BitchX."""
RANK = rf"[{RANKS}]*+"
"""Prefixes that a client shows before a nick: of one or several ranks. Before the group `nick` none
need be named: a rule drops them from it."""
CHANNEL = r"[#&+!]\S*"


def to_channel(sender: str, mark: str = ":") -> str:
    """A pattern of who says something and of the channel, between which is a mark.

    No nick has the mark before a channel. Before that may be the ranks that alone are meant.
    """
    target = rf"(?P<rank>{TO_RANK})?(?P<channel>{CHANNEL})"
    return rf"(?>(?P<nick>{sender}?){mark}(?={TO_RANK}?[#&+!])){target}"


SENDER_TO_CHANNEL = to_channel(SENDER)
"""Who sends a notice, and the channel."""
SPEAKER_TO_CHANNEL = to_channel(NICK)
"""Who says something, and the channel, where a client names it."""
IN_FOLDER_OF_CHANNEL = r"(?<![^/])(?:(?P<network>[^/]+)/)?(?<![^/])(?P<channel>[#&+!][^/]*)/"
FOLDER_OF_CHANNEL = rf"{IN_FOLDER_OF_CHANNEL}(?P=channel)"
"""A file in a folder of its channel: one of the name of its folder may else be the client's own."""
NOT_OF_ERC = r"(?<![^/])(?![^/@]+![^/@]+@)"
"""The beginning of a file's name that ERC does not write: its names have who is connected behind
the channel, `#tea!ada@irc.example.org:6697.txt`. A channel itself may begin or end with a `!`."""
SAYS = r"(?!\t) ?(?P<text>.*)"
"""What follows `<ada>` where a theme may leave out the blank. Behind a tab it is HexChat's."""
DOES = rf"(?P<nick>{NICK})(?: (?P<text>.*))?"
"""Who does something, and what."""
USER_HOST = r"(?P<user>[^\s@()<>]*)@(?P<host>[^\s()<>]*) ?"
"""As it stands in parentheses; who publishes a log may have put a blank for the host."""
PERSON = rf"(?P<nick>{NICK}) \({USER_HOST}\)"
"""Who comes or goes, and from where."""
FROM = rf"(?: \({USER_HOST}\))?"
"""From where, behind a nick, where it may be left out."""
SHOWS_ADDRESS = r"[^()]+ \([^\s@()]+@[^\s()]+\)"
"""How a line begins that shows from where somebody comes. Where no rule knows its words, it is an
event of another language or program, and not what a client says to its user."""
WHY = r"(?: \((?P<text>.*)\))?"
"""Why somebody leaves or is kicked, in parentheses if a reason is told."""
COLON_WHY = r"(?:: (?P<text>.*))?"
"""The same behind a colon."""

CLOCK = r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?: ?(?P<half>[AaPp][Mm]))?"
"""Of 24 hours, or of 12 with their half."""
CLOCK_WITH_SECONDS = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
"""Of 24 hours, to the second."""
CLOCK_OF_24 = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
"""Of 24 hours, to the minute or the second."""
ISO_DAY = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
FILE_DAY = r"(?P<date>\d{4}-\d\d-\d\d)"
"""In the name of a file that has the lines of a day."""
ZONE = r"(?P<zone>[+-]\d\d:?\d\d|Z)"
BEFORE_MONTH = "(?:de |d['\u2019])?"
"""What Catalan puts before the name of a month."""
ISO_OR_NAMED_DAY = (
    rf"(?:(?P<year>\d{{4}})-| ?{BEFORE_MONTH})"
    r"(?P<month>(?(year)\d\d|(?:[^\W\d]{2,12}\u05f3?|\d\d?[\u6708\uc6d4])))"
    r"(?(year)-|\.? +)(?P<day>\d\d?)"
)
"""`2026-10-24`, or `Oct 24` without a year; East Asian months have a number,
Hebrew abbreviations a geresh."""
_CTIME_MINUTE = r"(?P<weekday>\w+) (?P<month>\w+) +(?P<day>\d\d?) (?P<hour>\d\d):(?P<minute>\d\d)"
_CTIME_REST = r":(?P<second>\d\d) (?P<year>\d{4})"
CTIME = _CTIME_MINUTE + _CTIME_REST
"""A moment as C's `ctime` prints it: `Sat Oct 24 23:57:13 2026`, in whatever language."""
CTIME_PERHAPS_CUT = rf"{_CTIME_MINUTE}(?:{_CTIME_REST})?"
"""The same, or its first 16 characters, without seconds and year."""


_SECONDS_OF_A_DAY = 86_400

_CLOCKS = defaultdict[str, dict[str, Stamp]](dict)
"""The stamps without a day that were read, by the pattern of a format and how they are written.

They are not in the format, which goes with each of 5,000 logs to the process that reads them.
"""

_GROUP = re.compile(r"\(\?P<\w+>")
"""The beginning of a named group, of which a pattern has no two of one name."""


class LineRule(Protocol):
    """A form of lines, known by an anchored pattern."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """What a line of this form looks like after its stamp."""

    def read(self, stamp: Stamp | None, body: str) -> LogLine | None:
        """What a line says whose text after the stamp is `body`; None: it has another form."""


@dataclass(frozen=True, slots=True)
class MessageRule:
    """A form of lines that stand for messages.

    Groups of its pattern: nick (for NICK the old one, for KICK who kicks), text, user, host,
    channel, rank (of that channel, whose people alone it was said to), target (who is kicked, or
    whose mode is set: perhaps several, with blanks between), new (a new nick), people (several
    nicks, each a message of its own). `text` is put together from them.
    """

    kind: MessageType
    pattern: re.Pattern[str]
    text: str
    certain: bool
    own: bool
    private: bool

    def read(self, stamp: Stamp | None, body: str) -> LogLine | None:
        """The messages of a line that has this form."""
        match = self.pattern.match(body)
        if not match:
            return None
        groups = match.groupdict("")
        people = groups.get("people")
        if people is None:
            return LogLine(stamp, (self._event(groups),))
        nicks = filter(None, people.split(", "))
        return LogLine(stamp, tuple(self._event({**groups, "nick": nick}) for nick in nicks))

    def _event(self, groups: Mapping[str, str]) -> LogEvent:
        known = groups.get
        nick, user, host = _without_rank(known("nick", "")), known("user", ""), known("host", "")
        if "!" in nick:  # no nick has one: some programs show the whole mask of who speaks
            nick, user, host = split_mask(nick)
        return LogEvent(
            kind=self.kind,
            nick=nick,
            text=self._composed(groups) if self.text else known("text", ""),
            user=user,
            host=host,
            channel=known("channel", ""),
            certain=self.certain,
            own=self.own,
            private=self.private or bool(known("rank")),
        )

    def _composed(self, groups: Mapping[str, str]) -> str:
        if self.kind is MessageType.KICK and not groups.get("text"):
            return groups["target"]  # as the bridge records it: no blank where no reason is
        text = self.text.format_map(groups)
        if self.kind is MessageType.MODE and (others := groups.get("target", "").count(" ")):
            return text[:2] + others * text[1] + text[2:]  # `+oo ada bob`: a letter for each
        return text


def _without_rank(nick: str) -> str:
    """A nick without the prefixes of its rank, with which themes and lists of a netsplit show it.

    No nick begins with one (RFC 2812, 2.3.1).
    """
    return (nick.lstrip(RANKS) or nick) if nick[:1] in RANKS else nick


def message(
    kind: MessageType,
    pattern: str,
    *,
    text: str = "",
    certain: bool = True,
    own: bool = False,
    private: bool = False,
) -> MessageRule:
    """A rule for messages, by a pattern of all that follows the stamp.

    `text` is a template such as `+o {target}`; without one it is the group `text`, for NICK the
    group `new`, for KICK the person and the reason.
    """
    compiled = re.compile(pattern + r"\Z", re.DOTALL)
    return MessageRule(kind, compiled, text or _TEXTS.get(kind, ""), certain, own, private)


_TEXTS = {MessageType.NICK: "{new}", MessageType.KICK: "{target} {text}"}


@dataclass(frozen=True, slots=True)
class ChatterRule:
    """A form of lines in which the client talks to its user: they are read, and not recorded.

    Group of its pattern: room, where it says of which channel or person the log is.
    """

    pattern: re.Pattern[str]
    owner_joined: bool

    def read(self, stamp: Stamp | None, body: str) -> LogLine | None:
        """An empty line of the log, if it has this form."""
        match = self.pattern.match(body)
        if not match:
            return None
        room = match.groupdict("").get("room", "")
        return LogLine(stamp, owner_joined=self.owner_joined, room=room)


def chatter(pattern: str, *, owner_joined: bool = False) -> ChatterRule:
    """A rule for what a client says, by a pattern of its beginning.

    `owner_joined`: it is only shown to who has just joined, so that tells whose log it is.
    """
    return ChatterRule(re.compile(pattern), owner_joined)


@dataclass(frozen=True, slots=True)
class BoundaryRule:
    """A form of lines at which the log begins, ends, or goes on at another day.

    Groups of its pattern as those of a stamp. If they are there, the line names a date, or without
    a year a stamp.
    """

    boundary: Boundary
    pattern: re.Pattern[str]

    def read(self, stamp: Stamp | None, body: str) -> LogLine | None:
        """The boundary of a line that has this form."""
        match = self.pattern.match(body)
        if not match:
            return None
        dated = _dated(match)
        if stamp is None and dated is None:
            stamp = _stamp_without_year(match)
        is_misdated = not (stamp or dated) and "month" in self.pattern.groupindex
        return LogLine(stamp, boundary=self.boundary, dated=dated, is_misdated=is_misdated)


def boundary(kind: Boundary, pattern: str) -> BoundaryRule:
    """A rule for boundaries, by a pattern of the beginning of their lines."""
    return BoundaryRule(kind, re.compile(pattern))


@dataclass(frozen=True)
class TextFormat:
    """A program's text logs.

    Attributes:
        name: as the option `--format` takes it.
        program: the program, for people to read.
        stamp: what a line begins with. Groups: year, month (a number or a name), day, weekday,
            hour, minute, second, fraction, half (AM or PM), zone, epoch.
        other_stamps: what lines begin with whose user writes days otherwise.
        rules: forms of what follows a stamp; the first that fits counts.
        unstamped: forms of lines without a stamp.
        paths: patterns of the end of a file's path, with `/`. Groups: network, channel (or a
            person), date; window, if the client talks about itself in that file.
        has_file_a_day: whether the program begins another file at midnight, named by the day.
        has_own_names: whether no other program calls its files so.
        may_have_12_hours_until: before this day its program may have written hours up to 12, with
            no word for the half of the day.
        by_documentation: whether it was written from documentation, not from genuine logs.
        text_of: makes the text that the patterns are for of a line in another form, such as HTML.
    """

    name: str
    program: str
    stamp: re.Pattern[str]
    rules: Sequence[LineRule]
    unstamped: Sequence[LineRule] = ()
    other_stamps: Sequence[re.Pattern[str]] = ()
    paths: Sequence[re.Pattern[str]] = ()
    has_file_a_day: bool = False
    has_own_names: bool = False
    may_have_12_hours_until: date = date.min
    by_documentation: bool = False
    text_of: Callable[[str], str] | None = None

    @cached_property
    def spells_channels(self) -> bool:
        """Whether lines of some form name their channel."""
        return any("channel" in rule.pattern.groupindex for rule in (*self.rules, *self.unstamped))

    @cached_property
    def tells_rooms(self) -> bool:
        """Whether lines of some form tell of which channel or person the log is."""
        return bool(self._telling_rooms)

    @cached_property
    def _telling_rooms(self) -> Sequence[re.Pattern[str]]:
        return [one.pattern for one in self.unstamped if "room" in one.pattern.groupindex]

    @cached_property
    def _may_tell_room(self) -> re.Pattern[bytes]:
        """What a line that tells a room looks like before it is decoded, and some others do."""
        return re.compile(
            b"|".join(
                b"(?:%b)" % _GROUP.sub("(", one.pattern).encode() for one in self._telling_rooms
            )
        )

    def room_in(self, raw: bytes) -> str:
        """The channel or the person of whom a line tells that the log is; empty if it tells none.

        Lines are asked once for each room of their file, so only those that may tell one are
        decoded.
        """
        if not self._may_tell_room.match(raw):
            return ""
        text = decoded(raw)[0]
        found = (pattern.match(text) for pattern in self._telling_rooms)
        return next((match["room"] for match in found if match), "")

    def resolution(self, lines: Iterable[str]) -> timedelta:
        """The unit of the stamps in some lines: a second, or a minute if any line names no second.

        A line that only begins as a stamp does, and is not read otherwise, tells nothing.
        """
        matches = [(line, self._stamped(self._text_of(line))) for line in lines]
        written = [(line, match.groupdict().get) for line, match in matches if match]
        to_minutes = [line for line, one in written if not (one("second") or one("epoch"))]
        if len(to_minutes) == len(written) or any(map(self.read, to_minutes)):
            return timedelta(minutes=1)
        return timedelta(seconds=1)

    def announces_days(self, lines: Iterable[str]) -> bool:
        """Whether one of some lines says that another day begins."""
        if not self._may_announce_days:
            return False
        read = map(self.read, lines)
        return any(line.boundary is Boundary.DAY for line in read if line)

    @cached_property
    def _may_announce_days(self) -> bool:
        return any(
            isinstance(rule, BoundaryRule) and rule.boundary is Boundary.DAY
            for rule in (*self.rules, *self.unstamped)
        )

    def read(self, line: str) -> LogLine | None:
        """What a line (without its line break) says; None if it is not of this format."""
        text = self._text_of(line)
        stamp, body, rules = None, text, self.unstamped
        if match := self._stamped(text):
            stamp, body, rules = self._stamp_in(match), text[match.end() :], self.rules
            if stamp is None:
                return None
        for one in rules:
            if (said := one.read(stamp, body)) is not None:
                return said
        return LogLine() if not text.strip() else None

    def _stamped(self, text: str) -> re.Match[str] | None:
        if match := self.stamp.match(text):  # nearly always
            return match
        return next((match for one in self.other_stamps if (match := one.match(text))), None)

    def _stamp_in(self, match: re.Match[str]) -> Stamp | None:
        """As `stamp_in`. A clock without a day shows the same again on every day."""
        known, written = _CLOCKS[self.stamp.pattern], match[0]
        if stamp := known.get(written):
            return stamp
        stamp = stamp_in(match)
        if stamp and not stamp.day and len(known) < _SECONDS_OF_A_DAY:
            known[written] = stamp
        return stamp

    def _text_of(self, line: str) -> str:
        return self.text_of(line) if self.text_of else line


def stamp_in(match: re.Match[str]) -> Stamp | None:
    """The stamp in a match; None if there is no such time or zone, or no such month in English."""
    groups = match.groupdict("")
    if epoch := groups.get("epoch"):
        moment = datetime.fromtimestamp(int(epoch), UTC)
        return _of_moment(moment)
    written = groups.get
    month = _month(groups)
    hour, minute = int(groups["hour"]), int(groups["minute"])
    if half := written("half"):
        hour = _hour(hour, half)
    zone = _zone(offset) if (offset := written("zone")) else None
    year = written("year")
    if month is None or hour > 23 or minute > 59 or (offset and not zone):
        return None
    return Stamp(
        hour,
        minute,
        min(int(written("second") or 0), 59),  # 60: a leap second
        int(fraction[:6].ljust(6, "0")) if (fraction := written("fraction")) else 0,
        _year(year) if year else None,
        month,
        int(written("day") or 0),
        zone,
        croatian_month(groups["month"]) if month and not year else 0,
    )


def _of_moment(moment: datetime) -> Stamp:
    return Stamp(
        moment.hour,
        moment.minute,
        moment.second,
        moment.microsecond,
        moment.year,
        moment.month,
        moment.day,
        moment.tzinfo,
    )


def _month(groups: Mapping[str, str]) -> int | None:
    """The number of a month, 0 if none is written, None if it is not understood."""
    written = groups.get("month", "")
    if not written:
        return 0
    if written.isdecimal():
        return int(written) if len(written) < 3 else None  # of thousands of digits `int` makes none
    weekday, year = groups.get("weekday"), groups.get("year")
    if weekday and year:
        return month_of_day(written, weekday, int(groups["day"]), int(year))
    return month_number(written)


def _year(written: str) -> int:
    """The year of four digits or two; of two it is of 1969 to 2068, as POSIX reads it."""
    year = int(written)
    return year if len(written) > 2 else year + (1900 if year > 68 else 2000)


def _hour(hour: int, half: str) -> int:
    """The hour of 24 that a clock of 12 shows: 12 AM is midnight."""
    return hour % 12 + (12 if half[0] in "Pp" else 0)


def _zone(written: str) -> tzinfo | None:
    """The zone of an offset; None if no zone is that far from UTC."""
    if written in ("Z", "z"):
        return UTC
    digits = written[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4] or 0))
    if offset >= timedelta(days=1):
        return None
    return timezone(-offset if written[0] == "-" else offset)


def _stamp_without_year(match: re.Match[str]) -> Stamp | None:
    """The day and time that a boundary names without a year."""
    groups = match.groupdict("")
    is_stamp = groups.get("hour") and groups.get("month") and not groups.get("year")
    return stamp_in(match) if is_stamp else None


def _dated(match: re.Match[str]) -> datetime | date | None:
    """The local moment, or the day, that a boundary names."""
    groups = match.groupdict("")
    month = _month(groups)
    if not month or not groups.get("year"):
        return None
    try:
        day = date(int(groups["year"]), month, int(groups["day"]))
    except ValueError:
        return None
    stamp = stamp_in(match) if groups.get("hour") else None
    return datetime.combine(day, stamp.clock) if stamp else day
