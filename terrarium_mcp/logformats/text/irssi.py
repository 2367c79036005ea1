"""irssi: `irclogs/<network>/<channel>.log`, by default in minutes; dates have their own lines."""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    NICK,
    RANK,
    USER_HOST,
    TextFormat,
    boundary,
    chatter,
    message,
)

_WEEKDAY = r"\w{2,9}\.?"
_DAY = rf"{_WEEKDAY} (?P<month>\w+) +(?P<day>\d+)"
_MOMENT = rf"{_DAY} (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) (?P<year>\d{{4}})"

IRSSI = TextFormat(
    name="irssi",
    program="irssi",
    stamp=re.compile(r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d))? "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?: |{RANK})(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf" \* (?P<nick>{NICK})(?: (?P<text>.*))?"),
        message(MessageType.NOTICE, rf"-(?P<nick>{NICK}?):(?P<channel>{CHANNEL})- (?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{NICK}?)\({USER_HOST}\)- (?P<text>.*)"),
        message(
            MessageType.NOTICE, rf"\[notice\((?P<channel>{CHANNEL})\)\] (?P<text>.*)", own=True
        ),
        message(
            MessageType.JOIN,
            rf"-!- (?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] has joined"
            rf" (?P<channel>{CHANNEL})",
        ),
        message(
            MessageType.PART,
            rf"-!- (?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] has left"
            rf" (?P<channel>{CHANNEL}) \[(?P<text>.*)\]",
        ),
        message(
            MessageType.QUIT,
            rf"-!- (?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] has quit \[(?P<text>.*)\]",
        ),
        message(
            MessageType.KICK,
            rf"-!- (?P<target>{NICK}) was kicked from (?P<channel>{CHANNEL}) by (?P<nick>{NICK})"
            r" \[(?P<text>.*)\]",
        ),
        message(MessageType.NICK, rf"-!- (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(
            MessageType.TOPIC,
            rf"-!- (?P<nick>{NICK}) changed the topic of (?P<channel>{CHANNEL}) to: (?P<text>.*)",
        ),
        message(
            MessageType.TOPIC,
            rf"-!- Topic unset by (?P<nick>{NICK}) on (?P<channel>{CHANNEL})",
        ),
        message(
            MessageType.MODE,
            rf"-!- (?:Server)?[Mm]ode/(?P<channel>{CHANNEL}) \[(?P<text>.*)\] by (?P<nick>{NICK})",
        ),
        message(
            MessageType.QUIT,
            r"-!- Netsplit (?P<text>\S+ <-> \S+) quits: (?P<people>.*?)(?: \(\+\d+ more.*\))?",
        ),
        message(
            MessageType.JOIN, r"-!- Netsplit over, joins: (?P<people>.*?)(?: \(\+\d+ more.*\))?"
        ),
        chatter(rf"-!- Irssi: {CHANNEL}: Total of \d+ nicks", owner_joined=True),
        chatter(r"-!- |\[|>"),
    ),
    unstamped=(
        boundary(Boundary.OPENED, rf"--- Log opened {_MOMENT}"),
        boundary(Boundary.CLOSED, rf"--- Log closed {_MOMENT}"),
        boundary(Boundary.DAY, rf"--- Day changed {_DAY} (?P<year>\d{{4}})"),
    ),
    paths=(
        re.compile(r"(?P<network>[^/]+)/(?P<window>status|\(status\)|(?P=network))\.log\Z"),
        re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)\.log\Z"),
    ),
)
