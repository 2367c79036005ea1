"""bip, a bouncer: `<network>/2026-10/<channel>.24.log`, local times.

What its user says has `>` before it, and at times no more than the nick. Notices look like
messages.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    NICK,
    TextFormat,
    chatter,
    message,
)

_PERSON = r"(?P<nick>[^\s!<>]+?)(?:!(?P<user>[^\s@]*)@(?P<host>\S*?))?"
_WHY = r"(?: \[(?P<text>.*)\])?"
_IN_FOLDERS = r"[#&+!][^/]*(?:/[^/#&+!][^/]*?)+"
"""A channel with slashes in its name, of which bip makes folders."""

BIP = TextFormat(
    name="bip",
    program="bip",
    stamp=re.compile(
        r"(?P<day>\d\d)-(?P<month>\d\d)-(?P<year>\d{4})"
        rf" {CLOCK_WITH_SECONDS} "
    ),
    rules=(
        message(MessageType.ACTION, rf"[<>] \* {_PERSON} (?P<text>.*)"),
        message(MessageType.PRIVMSG, rf"[<>] {_PERSON}: (?P<text>.*)"),
        message(MessageType.JOIN, rf"-!- {_PERSON} has joined (?P<channel>{CHANNEL})"),
        message(MessageType.PART, rf"-!- {_PERSON} has left (?P<channel>{CHANNEL}){_WHY}"),
        message(MessageType.QUIT, rf"-!- {_PERSON} has quit{_WHY}"),
        message(
            MessageType.KICK,
            rf"-!- (?P<target>{NICK}) has been kicked by {_PERSON}{_WHY}",
        ),
        message(MessageType.NICK, rf"-!- {_PERSON} is now known as (?P<new>{NICK})"),
        message(
            MessageType.TOPIC,
            rf"-!- {_PERSON} changed topic of (?P<channel>{CHANNEL}) to: (?P<text>.*)",
        ),
        message(
            MessageType.MODE, rf"-!- mode/(?P<channel>{CHANNEL}) \[(?P<text>.*)\] by {_PERSON}"
        ),
        chatter(r"-!- (?:Topic|Connected|Disconnected|Ping timeout)\b"),
    ),
    paths=(
        re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+?)(?:\.\d\d)?\.log\Z"),
        re.compile(rf"(?P<network>[^/]+)/(?P<channel>{_IN_FOLDERS})(?:\.\d\d)?\.log\Z"),
    ),
)
