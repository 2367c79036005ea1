"""irssi: `irclogs/<network>/<channel>.log`, by default in minutes; dates have their own lines.

Its `log_timestamp` may be another: with a date (`2026-10-24 23:57:13`, `24.10.2026 23:57`, or
`Oct 24 23:57`), in brackets, of 12 hours (`11:51 am`), without a blank after it, or seconds since
1970. It may keep its colours (`autolog_colors`). A theme changes its lines; those are read that
nothing else looks like. Bots of many kinds (MeetBot, Convos) write what people say in its manner,
but with one blank before an action. What is copied out of qwebirc has another mark before what
happens.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

from terrarium_mcp.chat.english.calendar_words import MONTHS, WEEKDAYS
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import dated_stamps
from terrarium_mcp.logformats.entries import Boundary, LogEvent
from terrarium_mcp.logformats.grammar import (
    BEFORE_MONTH,
    CHANNEL,
    CLOCK,
    CLOCK_WITH_SECONDS,
    DOES,
    FOLDER_OF_CHANNEL,
    ISO_OR_NAMED_DAY,
    NICK,
    RANK,
    SAYS,
    SENDER,
    SENDER_TO_CHANNEL,
    SPEAKER_TO_CHANNEL,
    USER_HOST,
    ZONE,
    TextFormat,
    boundary,
    chatter,
    message,
)
from terrarium_mcp.logformats.layout import (
    LogLayout,
    file_name,
    kicked,
    on_one_line,
    user_host,
    writable_nick,
)

_WEEKDAY = r"(?P<weekday>\S+)\s+"
"""Of one letter in Hungarian and Chinese; glibc pads those of Latvian."""
_DAY = rf"{_WEEKDAY}{BEFORE_MONTH}(?P<month>\w+\u05f3?)\.? +(?P<day>\d\d?)"
_MOMENT = rf"{_DAY} {CLOCK_WITH_SECONDS} (?P<year>\d{{4}})"
_AND_MORE = r"(?: \(\+\d+ more[^()]*\))?"
"""The end of a long list of people."""

_HAPPENS_ELSEWHERE = rf"{NICK} \({USER_HOST}\) (?:has (?:joined|left)|Quit)\b|\w+: "
"""In mIRC and HexChat. What is no action: it would show where people come from."""

_NICK_OF_THEME = r"(?:[^\W\d]|(?:[\[\]{}\\`^]|\|(?=\w))(?![^\s()]*[()]))[^\s<>]*?"
"""A nick with nothing around it. One that begins with a sign has no parenthesis, as irssi writes
what is private: `[ada(a@home)] hi`."""

_MARK = "(?:-!-|==)"
"""What precedes that which happens: the second in qwebirc, a web client with irssi's words."""

_SURELY_IRSSI = rf"(?=<[ @+%&~!]|{_MARK} | \* |-\S+[:(]\S+- )"
"""How lines go on that hardly any other program writes: mIRC's may have the same stamps."""

_COLOUR = re.compile(r"\x04(?:[a-i]|[&'+,.-].|#.{4}|..)")
"""A style, one of 256 colours, one of 24 bits, or those of text and ground (irssi's formats.h)."""

_IS_COLOURED = re.compile(
    r"(?:[^\W\d_]{2,12} )?(?:[\dT]|[^\w>\x04])*+(?:[AaPp][Mm][^\w>\x04]*+)?\x04"
)
"""A line whose first colour precedes any name: one behind that may be as its author typed it."""


def _without_colours(line: str) -> str:
    return _COLOUR.sub("", line) if "\x04" in line and _IS_COLOURED.match(line) else line


IRSSI = TextFormat(
    name="irssi",
    program="irssi",
    stamp=re.compile(
        r"(?:(?P<epoch>\d{9,11}) | ?(?P<bracket>\[)?"
        rf"(?:{ISO_OR_NAMED_DAY}[ T])?{CLOCK}{ZONE}?(?(bracket)\] |(?: |(?=<|-!-))))"
    ),
    other_stamps=dated_stamps(f" {_SURELY_IRSSI}"),
    rules=(
        # It names the channel where that is not the one in front of its user.
        message(MessageType.PRIVMSG, rf"< ?{SPEAKER_TO_CHANNEL}>{SAYS}"),
        message(MessageType.PRIVMSG, rf"< ?(?P<nick>{NICK})>{SAYS}"),
        message(MessageType.ACTION, rf" ?\* {SPEAKER_TO_CHANNEL}(?: (?P<text>.*))?"),
        message(MessageType.ACTION, rf" ?\* (?!{_HAPPENS_ELSEWHERE}){DOES}"),
        message(MessageType.NOTICE, rf"-{SENDER_TO_CHANNEL}- (?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER}?)\({USER_HOST}\)- (?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER}?)- (?P<text>.*)"),
        message(
            MessageType.NOTICE, rf"\[notice\((?P<channel>{CHANNEL})\)\] (?P<text>.*)", own=True
        ),
        message(
            MessageType.JOIN,
            rf"{_MARK} (?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] has joined"
            rf" (?P<channel>{CHANNEL})(?: \[account \S+\])?(?: \[realname .*\])?",
        ),
        message(
            MessageType.PART,
            rf"{_MARK} (?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] has left"
            rf" (?P<channel>{CHANNEL}) \[(?P<text>.*)\]",
        ),
        message(
            MessageType.QUIT,
            rf"{_MARK} (?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] has quit"
            r" \[(?P<text>.*)\]",
        ),
        message(
            MessageType.KICK,
            rf"{_MARK} (?P<target>{NICK}) was kicked from (?P<channel>{CHANNEL})"
            rf" by (?P<nick>{NICK}) \[(?P<text>.*)\]",
        ),
        message(MessageType.NICK, rf"{_MARK} You're now known as (?P<new>{NICK})", own=True),
        message(MessageType.NICK, rf"{_MARK} (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.NICK, rf"== (?P<nick>{NICK}) has changed nick to (?P<new>{NICK})"),
        message(
            MessageType.TOPIC,
            rf"{_MARK} (?P<nick>{NICK}) changed the topic of (?P<channel>{CHANNEL})"
            r" to: (?P<text>.*)",
        ),
        message(
            MessageType.TOPIC,
            rf"{_MARK} Topic unset by (?P<nick>{NICK}) on (?P<channel>{CHANNEL})",
        ),
        message(
            MessageType.MODE,
            rf"{_MARK} (?:Server)?[Mm]ode/(?P<channel>{CHANNEL}) \[(?P<text>.*)\]"
            rf" by (?P<nick>{NICK}?)(?:, .*)?",
        ),
        message(
            MessageType.QUIT,
            rf"{_MARK} Netsplit (?P<text>\S+ <-> \S+) quits: (?P<people>.*?){_AND_MORE}",
        ),
        message(MessageType.JOIN, rf"{_MARK} Netsplit over, joins: (?P<people>.*?){_AND_MORE}"),
        chatter(rf"{_MARK} Irssi: {CHANNEL}: Total of \d+ nicks", owner_joined=True),
        chatter(rf"{_MARK} |!\S+ "),
        # Themes: `ada | hi`, `ada> hi`, and with a sign of Unicode in the place of those.
        message(
            MessageType.PRIVMSG,
            rf" *+{RANK}(?P<nick>{_NICK_OF_THEME})(?: ?[>\u276f]| [|\u2502]) (?P<text>.*)",
        ),
        chatter(r"[\[>]"),
    ),
    unstamped=(
        boundary(Boundary.OPENED, rf"--- Log opened (?:{_MOMENT})?"),
        boundary(Boundary.CLOSED, rf"--- Log closed (?:{_MOMENT})?"),
        boundary(Boundary.DAY, rf"--- Day changed (?:{_DAY} (?P<year>\d{{4}}))?"),
    ),
    paths=(
        re.compile(rf"{FOLDER_OF_CHANNEL}\.log\Z"),
        re.compile(r"(?P<network>[^/]+)/(?P<window>status|\(status\)|(?P=network))\.log\Z"),
        re.compile(r"(?<![^/])(?P<network>[^/]+)/(?P<channel>[^/]+)/(?P=channel)\.log\Z"),
        # `autolog_path` may put both into the name of the file.
        re.compile(r"(?<![^/])(?P<network>[^/#&+!._-]+)[._-](?P<channel>[#&+!][^/]*)\.log\Z"),
        re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)\.log\Z"),
    ),
    text_of=_without_colours,
)

_DAYS, _MONTHS = ([name[:3].title() for name in names] for names in (WEEKDAYS, MONTHS))
"""As irssi writes them in the C locale; `strftime` goes by that of this process."""


def _lines(said_at: datetime, event: LogEvent, before: datetime | None) -> Sequence[str]:
    return [*_dates(said_at, before), f"{said_at:%H:%M} {_body(event)}"]


def _dates(said_at: datetime, before: datetime | None) -> Sequence[str]:
    """The line that precedes a message where the log begins, or another day does."""
    day = f"{_DAYS[said_at.weekday()]} {_MONTHS[said_at.month - 1]} {said_at.day:02}"
    if before is None:
        # The seconds are those of its first line, which shows none.
        return [f"--- Log opened {day} {said_at:%H:%M}:00 {said_at.year:04}"]
    if before.date() != said_at.date():
        return [f"--- Day changed {day} {said_at.year:04}"]
    return []


def _body(event: LogEvent) -> str:
    nick, text, channel = writable_nick(event.nick), on_one_line(event.text), event.channel
    who = f"-!- {nick} [{user_host(event)}]"
    match event.kind:
        case MessageType.PRIVMSG:
            return f"< {nick}> {text}"
        case MessageType.ACTION:
            return f" * {nick} {text}"
        case MessageType.NOTICE:
            return f"-{nick}:{channel}- {text}"
        case MessageType.JOIN:
            return f"{who} has joined {channel}"
        case MessageType.PART:
            return f"{who} has left {channel} [{text}]"
        case MessageType.QUIT:
            return f"{who} has quit [{text}]"
        case MessageType.KICK:
            target, why = kicked(event)
            return f"-!- {target} was kicked from {channel} by {nick} [{why}]"
        case MessageType.NICK:
            return f"-!- {nick} is now known as {writable_nick(event.text)}"
        case MessageType.MODE:
            return f"-!- mode/{channel} [{text}] by {nick}"
        case MessageType.TOPIC if text:
            return f"-!- {nick} changed the topic of {channel} to: {text}"
        case MessageType.TOPIC:
            return f"-!- Topic unset by {nick} on {channel}"


def _file(network: str, channel: str, _: datetime) -> PurePosixPath:
    return PurePosixPath(file_name(network, slash="_"), f"{file_name(channel, slash='_')}.log")


IRSSI_LAYOUT = LogLayout("irssi", _lines, _file)
"""In minutes, in the zone of the reader; a line before each day."""
