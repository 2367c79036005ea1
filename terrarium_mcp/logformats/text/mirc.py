"""mIRC: `#channel.log` or `#channel.network.20261024.log`, `nick.network.log`; by documentation.

A folder for each network is an option, too. Whatever the name of the file, a session says whose it
is, and one file may have sessions of several.

Stamps are an option, of 24 or 12 hours, and never hold a date: lines of sessions do. As in
HexChat, an action may imitate most events. Lines may begin with the code of a colour.
"""

import re
from collections.abc import Sequence

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import IN_BRACKETS
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CTIME,
    DOES,
    FOLDER_OF_CHANNEL,
    ISO_DAY,
    NICK,
    PERSON,
    RANK,
    SAYS,
    SENDER,
    SENDER_TO_CHANNEL,
    SHOWS_ADDRESS,
    SPEAKER_TO_CHANNEL,
    WHY,
    LineRule,
    MessageRule,
    TextFormat,
    boundary,
    chatter,
    message,
)

_COLOUR = r"(?:\x03(?:\d{1,2}(?:,\d{1,2})?)?)?"
_LEFT_OF_COLOUR = r"(?:0\d|1[0-5])?"
"""The digits of a colour, of which an editor or a web page dropped the code."""

_SAYS = rf"<{_COLOUR}(?P<nick>{NICK})[\x03\x0f]?>"
"""Who says something: a nick in its colour, if mIRC colours nicks."""

_ANSWERS = (
    r"/|(?:L|Unl)oaded script '|Unable to (?:connect to|resolve) server\b"
    r"|(?:No such nick/channel|Connect cancelled|Timer \S+ (?:activated|halted)"
    rf"|Your nick is now {NICK})[\x03\x0f]?\Z"
)
"""How it begins to answer a command of its user, or the whole answer: `* No such luck` is what
somebody does. No nick begins with a slash."""


def events_of_mirc(mark: str) -> Sequence[MessageRule]:
    """What happens, in the words of mIRC, behind a pattern of how its lines begin.

    An action may imitate it unless it shows user@host.
    """

    def event(kind: MessageType, pattern: str, *, certain: bool = False) -> MessageRule:
        return message(kind, rf"{mark}{pattern}[\x03\x0f]?", certain=certain)

    return (
        event(
            MessageType.JOIN,
            rf"{PERSON} has joined (?P<channel>{CHANNEL})",
            certain=True,
        ),
        event(MessageType.JOIN, rf"Joins: {PERSON}", certain=True),
        event(MessageType.PART, rf"{PERSON} has left (?P<channel>{CHANNEL}){WHY}", certain=True),
        event(MessageType.PART, rf"Parts: {PERSON}{WHY}", certain=True),
        event(MessageType.JOIN, rf"(?P<nick>{NICK}) has joined (?P<channel>{CHANNEL})"),
        event(MessageType.PART, rf"(?P<nick>{NICK}) has left (?P<channel>{CHANNEL}){WHY}"),
        event(MessageType.QUIT, rf"{PERSON} Quit{WHY}", certain=True),
        event(MessageType.QUIT, rf"Quits: {PERSON}{WHY}", certain=True),
        event(MessageType.QUIT, rf"(?P<nick>{NICK}) has quit(?: IRC)? \((?P<text>.*)\)"),
        event(
            MessageType.KICK,
            rf"{RANK}(?P<target>{NICK}) was kicked by (?P<nick>{NICK}) \((?P<text>.*)\)",
        ),
        event(MessageType.NICK, rf"(?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        event(MessageType.MODE, rf"(?P<nick>{NICK}) sets mode: (?P<text>[+-]\S.*)"),
        event(MessageType.TOPIC, rf"(?P<nick>{NICK}) changes topic to '(?P<text>.*)'"),
    )


_RULES: Sequence[LineRule] = (
    message(
        MessageType.PRIVMSG,
        rf"{_COLOUR}<{_COLOUR}{SPEAKER_TO_CHANNEL}[\x03\x0f]?>{SAYS}",
    ),
    message(MessageType.PRIVMSG, rf"{_COLOUR}{_SAYS}{SAYS}"),
    message(MessageType.NOTICE, rf"{_COLOUR}-{SENDER_TO_CHANNEL}- (?P<text>.*)"),
    message(MessageType.NOTICE, rf"{_COLOUR}-(?P<nick>{SENDER}?)- (?P<text>.*)", private=True),
    *events_of_mirc(rf"{_COLOUR}\*(?:\*\*)? "),
    # The words of irclog.colabti.org, which has the others from mIRC: who quits "left", too.
    message(MessageType.JOIN, rf"\*\*\* (?P<nick>{NICK}) joined"),
    message(MessageType.PART, rf"\*\*\* (?P<nick>{NICK}) left"),
    message(MessageType.TOPIC, rf"\*\*\* (?P<nick>{NICK}) changes topic to: (?P<text>.*)"),
    chatter(
        rf"{_COLOUR}\*(?:\*\*)? (?:Now talking in|Topic is|Set by|Rejoined channel|Disconnected"
        r"|Attempting to rejoin channel|Retrieving \S+ (?:info|modes)|You were kicked|You're)\b"
    ),
    chatter(rf"{_COLOUR}\*(?:\*\*)? (?:{_ANSWERS})"),
    # Who comes or goes, in other words: which of the two, only the words say.
    chatter(rf"{_COLOUR}\* {PERSON} [^()#&+!]*(?:{CHANNEL}|\(.*\)\Z)"),
    message(MessageType.ACTION, rf"{_COLOUR}\*\* {DOES}"),
    message(
        MessageType.ACTION,
        rf"{_COLOUR}\* (?!\w+: ){DOES}[\x03\x0f]?",
        certain=False,
    ),
    chatter(
        rf"{_COLOUR}(?:\*(?!\*\* {SHOWS_ADDRESS})|->"
        rf"|\[[^]]*\b(?:VERSION|PING|TIME)\b|{CHANNEL} created on |-\Z)"
    ),
)

_NAMED = r"(?<![^/])(?P<channel>[#&+!][^/]*?)"
_DATE = r"(?P<date>\d{8})"
_OF_CHANNEL = r"(?P<network>(?!\d+\.)[^/.]+)"
"""The network behind a channel: not a year, or another number that somebody put there."""
_NETWORK = r"[^\W\d][^/.#\s]*(?:\.[^\W\d][^/.#\s]*)?"
"""Behind a nick, which has no dot; some names of networks have one (`Libera.Chat`). Not a channel
behind a name of a server: `irc.libera.chat-#tea`."""

MIRC = TextFormat(
    name="mirc",
    program="mIRC",
    stamp=re.compile(
        rf"(?:{_COLOUR}|{_LEFT_OF_COLOUR})(?:(?P<round>\()|\[)(?:{ISO_DAY} )?"
        r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
        r" ?(?P<half>[AaPp][Mm]?)?(?(round)\)|\]) "
    ),
    other_stamps=(IN_BRACKETS,),
    rules=_RULES,
    unstamped=(
        boundary(Boundary.OPENED, rf"Session Start: {CTIME}"),
        boundary(Boundary.DAY, rf"Session Time: {CTIME}"),
        boundary(Boundary.CLOSED, rf"Session Close(?: \({CHANNEL}\))?: {CTIME}"),
        chatter(r"Session Ident: (?P<room>\S+)"),  # of a person, the address follows
        chatter(r"Session Ident: "),
        *_RULES,
    ),
    paths=(
        re.compile(rf"{FOLDER_OF_CHANNEL}\.log\Z"),
        re.compile(rf"{_NAMED}\.{_OF_CHANNEL}\.{_DATE}\.log\Z"),
        re.compile(rf"(?:(?P<network>[^/]+)/)?{_NAMED}\.{_DATE}\.log\Z"),
        re.compile(rf"{_NAMED}\.{_OF_CHANNEL}\.log\Z"),
        re.compile(rf"(?:(?P<network>[^/]+)/)?{_NAMED}\.log\Z"),
        re.compile(r"(?<![^/])(?P<window>[Ss]tatus)(?:\.[^/]+)?\.log\Z"),
        re.compile(rf"(?<![^/])(?P<channel>[^/.]+)\.(?P<network>[^/#\s]+)\.{_DATE}\.log\Z"),
        re.compile(rf"(?<![^/])(?P<channel>[^/.]+)\.(?P<network>{_NETWORK})\.log\Z"),
    ),
    by_documentation=True,
)
