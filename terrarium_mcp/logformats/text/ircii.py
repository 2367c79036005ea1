"""ircII and its kin (EPIC, BitchX in plain letters), and ERC: any name; by documentation.

BitchX marks events with `-:-`, or `***` as ircII does, in words of its own.

Stamps are what their user made them, or none: all is then of the moment at which the log was
opened, which ircII cuts after the minute, before the year. ERC's are read on the left, where many
have them; by default it writes some of them, on the right, and breaks long lines. What is of
another channel than that of the window is left out.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import TO_RANK, Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK,
    COLON_WHY,
    CTIME_PERHAPS_CUT,
    DOES,
    FROM,
    ISO_DAY,
    NICK,
    SENDER,
    SENDER_TO_CHANNEL,
    SHOWS_ADDRESS,
    WHY,
    LineRule,
    TextFormat,
    boundary,
    chatter,
    message,
)

_PERSON = rf"\*\*\* (?P<nick>{NICK}){FROM}"
_NAMED = rf"(?P<channel>{CHANNEL}?)"
_BECAUSE = r"(?:(?: because)? \((?P<text>.*)\))?"

_BITCHX = r"(?:-:-|\*\*\*)"
_ITS_PERSON = rf"{_BITCHX} (?P<nick>{NICK}) \[(?P<user>[^\s@\]]*)@(?P<host>[^\s\]]*)\]"

_RULES_OF_BITCHX: tuple[LineRule, ...] = (
    message(MessageType.JOIN, rf"{_ITS_PERSON} has joined (?P<channel>{CHANNEL})"),
    message(
        MessageType.PART,
        rf"{_ITS_PERSON} has left (?P<channel>{CHANNEL})(?: \[(?P<text>.*)\])?",
    ),
    message(
        MessageType.QUIT,
        rf"{_BITCHX} SignOff (?P<nick>{NICK}?): (?P<channel>{CHANNEL}) \((?P<text>.*)\)",
    ),
    message(MessageType.QUIT, rf"{_BITCHX} SignOff: (?P<nick>{NICK}) \((?P<text>.*)\)"),
    message(
        MessageType.KICK,
        rf"{_BITCHX} (?P<target>{NICK}) was kicked off (?P<channel>{CHANNEL})"
        rf" by (?P<nick>{NICK}) \((?P<text>.*)\)",
    ),
    message(
        MessageType.NICK,
        rf"(?:{_BITCHX}|>>>) You\((?P<nick>[^\s<>()]+)\) are now known as (?P<new>{NICK})",
        own=True,
    ),
    message(MessageType.NICK, rf"-:- (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
    message(
        MessageType.MODE,
        rf"{_BITCHX} (?:ServerMode|mode(?:hack)?)/(?P<channel>{CHANNEL}) \[(?P<text>.*)\]"
        rf" by (?P<nick>{NICK})",
    ),
    message(
        MessageType.TOPIC,
        rf"{_BITCHX} Topic \((?P<channel>[#&+!][^\s()]*)\): changed by (?P<nick>{NICK}?):"
        r" (?P<text>.*)",
    ),
    message(
        MessageType.TOPIC,
        rf"{_BITCHX} Topic \((?P<channel>[#&+!][^\s()]*)\): unset by (?P<nick>{NICK})",
    ),
    # What is said in private, and what its client says.
    chatter(r"\[[^\s()\[\]]+\([^\s()]*\)\] |>>> |-:- "),
)

_RULES: tuple[LineRule, ...] = (
    # To another channel, or to people of some ranks (STATUSMSG).
    chatter(rf"<[^\s<>:/]+[:/](?:{TO_RANK})?[#&+!]\S*> |\* [^\s<>:/]+[:/](?:{TO_RANK})?[#&+!]\S* "),
    message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
    # EPIC names the channel, or the person to whom its user says or does something.
    message(MessageType.PRIVMSG, rf"(?:(?P<channel>{CHANNEL}?)|)> (?P<text>.*)", own=True),
    message(MessageType.NOTICE, rf"-(?P<channel>{CHANNEL}?)-> (?P<text>.*)", own=True),
    chatter(r"-[^\s<>:/]+-> |\*[^\s*<>]*\*?> "),
    message(MessageType.ACTION, rf"\* {DOES}"),
    message(MessageType.NOTICE, rf"-{SENDER_TO_CHANNEL}- ?(?P<text>.*)"),
    message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)", private=True),
    message(MessageType.JOIN, rf"{_PERSON} has joined channel (?P<channel>{CHANNEL})(?: \+\w+)?"),
    message(MessageType.PART, rf"{_PERSON} has left channel {_NAMED}{_BECAUSE}"),
    message(MessageType.PART, rf"{_PERSON} has left channel {_NAMED}{COLON_WHY}"),
    message(MessageType.QUIT, rf"\*\*\* Signoff: (?P<nick>{NICK}){WHY}"),
    message(MessageType.QUIT, rf"{_PERSON} has quit{COLON_WHY}"),
    message(
        MessageType.KICK,
        rf"\*\*\* (?P<target>{NICK}) has been kicked off channel {_NAMED} by (?P<nick>{NICK}){WHY}",
    ),
    message(
        MessageType.KICK,
        rf"{_PERSON} has kicked (?P<target>{NICK}) off channel {_NAMED}{COLON_WHY}",
    ),
    message(MessageType.NICK, rf"{_PERSON} is now known as (?P<new>{NICK})"),
    message(
        MessageType.MODE,
        rf'\*\*\* Mode change "(?P<text>.*)" on channel {_NAMED} by (?P<nick>{NICK})',
    ),
    message(MessageType.MODE, rf"{_PERSON} has changed mode for {_NAMED} to (?P<text>[+-].*)"),
    message(
        MessageType.TOPIC, rf"{_PERSON} has changed the topic on channel {_NAMED} to (?P<text>.*)"
    ),
    message(MessageType.TOPIC, rf'{_PERSON} has set the topic for {_NAMED}: "(?P<text>.*)"'),
    *_RULES_OF_BITCHX,
    chatter(rf"\*\*\* (?!{SHOWS_ADDRESS})|\*[^\s*]+\* |->|\Z"),
)

IRCII = TextFormat(
    name="ircii",
    program="ircII, EPIC, BitchX or ERC",
    stamp=re.compile(rf"(?P<bracket>\[)?(?:{ISO_DAY}[ T])?{CLOCK}(?(bracket)\]) "),
    rules=_RULES,
    unstamped=(
        boundary(Boundary.OPENED, rf"IRC log started {CTIME_PERHAPS_CUT}"),
        boundary(Boundary.CLOSED, rf"IRC log ended {CTIME_PERHAPS_CUT}"),
        *_RULES,
    ),
    paths=(
        re.compile(
            r"(?<![^/])(?P<channel>[^/!@]+)(?:![^/@]+)?@(?P<network>[^/:!]+)(?:[:!]\d+)?\.txt\Z"
        ),
    ),
    by_documentation=True,
)
