"""WeeChat: `irc.<server>.<channel>.weechatlog`, columns separated by tabs.

Up to 4.7 stamps are local and in whole seconds; later ones are UTC, `2026-10-24T21:57:03.123456Z`.
One file may hold both. Its user may have put another sign between the numbers, a name for the
month or a zone, or left the day out; another sign in front of what happens, or signs around nicks.
Behind such a sign an action may imitate an event. People who come and go may have no host
(`display_host_join`, `display_host_quit`). Lines may be coloured for a terminal
(`logger.file.color_lines`).

What happens is told in the language of its user. Who comes and goes, if with a host, and modes, are
known by their form, whatever the words are; other events in English, and a notice in some languages
more.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import dated_stamps
from terrarium_mcp.logformats.entries import Boundary, LogEvent
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    DOES,
    FOLDER_OF_CHANNEL,
    FROM,
    NICK,
    PERSON,
    RANK,
    USER_HOST,
    WHY,
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

# A prefix of WeeChat's own (-->, <--, --, =!=, *) never begins like a nick, nor do the signs of
# Unicode that its user may have put in their place: some of these look like letters.
_NICK = rf"(?P<nick>(?![-<=*\s]|[^\w\x00-\x7f]|[\u2100-\u214f]){NICK})"

_OWN_SIGN = r"(?!(?:-->|<--|--|=!=|=\?=|\*)\t)(?:[^\w\s\[\]\\`^{|}]|[\u2100-\u214f]){1,6}"
"""What its user may have put before what happens, or before actions: no nick has its characters."""

_WORDS = r" [^()#&+!]*+"
"""What people do who come or go, in any language."""

# A nick has no parentheses (RFC 2812, 2.3.1), in which WeeChat puts who sent a notice.
_SENDER = r"(?P<nick>[^\s<>()\x00-\x1f]+?)"

_WHO = rf"{_SENDER}(?<!:)"
"""Who does what happens: nobody whose name is in parentheses or before a colon, who sent a notice
in the same words."""

_NOTICE = "(?:Notice|Hinweis|Aviso|Notifica|Powiadomienie|Ozn\u00e1men\u00ed)"
"""English, and the languages that translate it; none translates `PvNotice` or `Msg`."""

_ENDING = r"(?:weechat)?log\Z"

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
"""Of a terminal: SGR of ECMA-48, 8.3.117."""

_IS_COLOURED = re.compile(r"[^\t]*\t\x1b\[")
"""A line whose nick or sign is coloured: all are, or none, and who speaks may type a colour."""


def _without_colours(line: str) -> str:
    return _COLOUR.sub("", line) if "\x1b" in line and _IS_COLOURED.match(line) else line


_EVENTS: Sequence[tuple[MessageType, str, str]] = (
    (
        MessageType.JOIN,
        "-->",
        (
            rf"{_WHO}(?: \[\S+\])?(?:(?: \(.*\))? \({USER_HOST}\)| \([^@]*\))?"
            rf" has joined (?P<channel>{CHANNEL})"
        ),
    ),
    (
        MessageType.PART,
        "<--",
        rf"{_WHO}{FROM} has left (?P<channel>{CHANNEL}){WHY}",
    ),
    (
        MessageType.QUIT,
        "<--",
        rf"{_WHO}{FROM} has quit{WHY}",
    ),
    (
        MessageType.KICK,
        "<--",
        rf"{_WHO} has kicked (?P<target>{NICK}){WHY}",
    ),
    (MessageType.NICK, "--", rf"{_WHO} is now known as (?P<new>{NICK})"),
    (
        MessageType.MODE,
        "--",
        rf"Mode (?P<channel>{CHANNEL}) \[(?P<text>.*)\] by {_WHO}",
    ),
    (
        MessageType.TOPIC,
        "--",
        (
            rf'{_WHO} has changed topic for (?=.*"\Z)(?P<channel>{CHANNEL})'
            r'(?: from ".*?")? to "(?P<text>.*)"'
        ),
    ),
    (
        MessageType.TOPIC,
        "--",
        (
            rf"{_WHO} has (?:unset|removed) topic for (?P<channel>{CHANNEL})"
            r"(?: \(old topic: .*\))?"
        ),
    ),
)
"""What happens, in English: the type, WeeChat's own prefix, and what follows."""

_RENAMED = rf"You are now known as (?P<new>{NICK})"

WEECHAT = TextFormat(
    name="weechat",
    program="WeeChat",
    stamp=re.compile(
        r"(?P<bracket>\[)?"
        r"(?:(?P<year>\d{4})[-/. ](?P<month>\d\d|[^\W\d]{3,9})[-/. ](?P<day>\d\d)[ T])?"
        r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?:\.(?P<fraction>\d+))?"
        rf"(?: ?(?P<half>[AaPp][Mm]))?(?: ?{ZONE})?(?(bracket)\])\t"
    ),
    other_stamps=dated_stamps(r"\t"),
    rules=(
        message(MessageType.PRIVMSG, rf"{RANK}{_NICK}(?<!:)\t(?P<text>.*)"),
        message(MessageType.ACTION, rf" \*\t{DOES}"),
        message(MessageType.NICK, rf"--\t{_RENAMED}", own=True),
        *(message(kind, rf"{prefix}\t{pattern}") for kind, prefix, pattern in _EVENTS),
        message(
            MessageType.MODE,
            rf"--\t\w+ (?P<channel>{CHANNEL}) \[(?P<text>[+-].*)\] \w+ (?P<nick>{NICK})",
        ),
        message(
            MessageType.JOIN,
            rf"-->\t(?P<nick>{NICK}) (?:\[\S+\] )?(?:\(.*\) )?\({USER_HOST}\)"
            rf"{_WORDS}(?P<channel>{CHANNEL})(?: [^()]*)?",
        ),
        message(
            MessageType.PART,
            rf"<--\t{PERSON}{_WORDS}(?P<channel>{CHANNEL})"
            r"(?: [^()]*+)?(?:\((?P<text>.*)\))?",
        ),
        message(MessageType.QUIT, rf"<--\t{PERSON}{_WORDS}(?:\((?P<text>.*)\))?"),
        # To people of some ranks of the channel (STATUSMSG).
        message(MessageType.PRIVMSG, rf"--\tMsg:{RANK}\({_SENDER}\): (?P<text>.*)", private=True),
        message(MessageType.NOTICE, rf"--\t\w+:{RANK}\({_SENDER}\): (?P<text>.*)", private=True),
        message(MessageType.NOTICE, rf"--\t{_NOTICE}\({_SENDER}\): (?P<text>.*)"),
        # To one person, about the channel.
        message(MessageType.NOTICE, rf"--\tPvNotice\({_SENDER}\): (?P<text>.*)", private=True),
        message(
            MessageType.NOTICE,
            rf"--\t{_NOTICE}(?:\({NICK}?\))? -> (?P<channel>{CHANNEL}): (?P<text>.*)",
            own=True,
        ),
        # Whose nick is in front of a colon sent a notice to one person.
        message(MessageType.NOTICE, rf"--\t(?!irc:){_SENDER}: (?P<text>.*)", private=True),
        # `nick_prefix` and `nick_suffix` of its user: `<ada>`, `ada:`.
        message(MessageType.PRIVMSG, rf"<{RANK}{_NICK}>\t(?P<text>.*)"),
        message(MessageType.PRIVMSG, rf"{RANK}{_NICK}:\t(?P<text>.*)"),
        # Behind the user's own sign, which may be that of actions.
        message(MessageType.NICK, rf"{_OWN_SIGN}\t{_RENAMED}", own=True, certain=False),
        *(message(kind, rf"{_OWN_SIGN}\t{pattern}", certain=False) for kind, _, pattern in _EVENTS),
        chatter(rf"(?:--|{_OWN_SIGN})\tChannel {CHANNEL}: \d+ nicks? ", owner_joined=True),
        chatter(r"(?:-->|<--|--|=!=|=\?=)?\t"),
        # `logger.file.info_lines`, in the language of its user too.
        boundary(Boundary.OPENED, r"\*{4}  Beginning of log  \*{4}\Z"),
        boundary(Boundary.CLOSED, r"\*{4}  End of log  \*{4}\Z"),
        chatter(r"\*{4}  [^\t]+  \*{4}\Z"),
    ),
    paths=(
        re.compile(rf"(?P<window>(?:core|irc\.server)\.[^/]*)\.{_ENDING}"),
        re.compile(rf"irc\.(?P<network>[^/]+?)\.(?P<channel>[#&+!][^/]*)\.{_ENDING}"),
        re.compile(rf"irc\.(?P<network>[^/.]+)\.(?P<channel>[^/]+)\.{_ENDING}"),
        # A folder for each server, as WeeChat's help of its logger proposes, or for each channel.
        re.compile(rf"{FOLDER_OF_CHANNEL}\.{_ENDING}"),
        re.compile(rf"(?P<network>[^/]+)/(?P<window>server|(?P=network))\.{_ENDING}"),
        re.compile(rf"(?P<network>[^/]+)/(?P<channel>[#&+!][^/]*|[^/.]+)\.{_ENDING}"),
    ),
    text_of=_without_colours,
)


def _lines(said_at: datetime, event: LogEvent, _: datetime | None) -> Sequence[str]:
    stamp = said_at.astimezone(UTC).isoformat("T", "microseconds").replace("+00:00", "Z")
    return [f"{stamp}\t{_columns(event)}"]


def _columns(event: LogEvent) -> str:
    nick, text = writable_nick(event.nick), on_one_line(event.text)
    reason = f" ({text})" if text else ""
    match event.kind:
        case MessageType.PRIVMSG:
            return f"{nick}\t{text}"
        case MessageType.ACTION:
            return f" *\t{nick} {text}"
        case MessageType.NOTICE:
            return f"--\tNotice({nick}): {text}"
        case MessageType.JOIN:
            return f"-->\t{nick} ({user_host(event)}) has joined {event.channel}"
        case MessageType.PART:
            return f"<--\t{nick} ({user_host(event)}) has left {event.channel}{reason}"
        case MessageType.QUIT:
            return f"<--\t{nick} ({user_host(event)}) has quit{reason}"
        case MessageType.KICK:
            target, why = kicked(event)
            return f"<--\t{nick} has kicked {target}" + (f" ({why})" if why else "")
        case MessageType.NICK:
            return f"--\t{nick} is now known as {writable_nick(event.text)}"
        case MessageType.MODE:
            return f"--\tMode {event.channel} [{text}] by {nick}"
        case MessageType.TOPIC if text:
            return f'--\t{nick} has changed topic for {event.channel} to "{text}"'
        case MessageType.TOPIC:
            return f"--\t{nick} has unset topic for {event.channel}"


def _file(network: str, channel: str, _: datetime) -> PurePosixPath:
    names = (file_name(name, slash="_") for name in (network, channel))
    return PurePosixPath(f"irc.{'.'.join(names)}.weechatlog")


WEECHAT_LAYOUT = LogLayout("weechat", _lines, _file)
"""As WeeChat 4.8 and later writes: UTC, so that no hour is ambiguous."""
