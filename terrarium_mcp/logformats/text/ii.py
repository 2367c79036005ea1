"""ii: `<server>/<channel>/out`, stamped with seconds since 1970, in UTC.

Up to 1.7 it stamped local time in minutes, `2026-10-24 23:57`; one file may hold both. It does not
record who sent a notice, so those are left out. In `<server>/out` it writes what the server says.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    ISO_DAY,
    NICK,
    USER_HOST,
    TextFormat,
    chatter,
    message,
)

_PERSON = rf"(?P<nick>[^\s<>(]+)\({USER_HOST}\)"

II = TextFormat(
    name="ii",
    program="ii",
    stamp=re.compile(rf"(?:(?P<epoch>\d{{9,11}})|{ISO_DAY} (?P<hour>\d\d):(?P<minute>\d\d)) "),
    rules=(
        message(MessageType.ACTION, rf"<(?P<nick>{NICK})> \x01ACTION(?: (?P<text>[^\x01]*))?\x01?"),
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        chatter('-!- "'),  # a notice, whatever it says
        message(MessageType.JOIN, rf"-!- {_PERSON} has joined (?P<channel>{CHANNEL})"),
        message(
            MessageType.PART,
            rf'-!- {_PERSON} has left (?P<channel>{CHANNEL})(?: "?(?P<text>.*?)"?)?',
        ),
        message(MessageType.QUIT, rf'-!- {_PERSON} has quit(?: "(?P<text>.*)")?'),
        message(MessageType.NICK, rf"-!- (?P<nick>{NICK}) changed nick to (?P<new>{NICK})"),
        message(
            MessageType.KICK,
            rf'-!- (?P<nick>{NICK}) kicked (?P<target>{NICK}) {{1,2}}\("(?P<text>.*)"\)',
        ),
        message(
            MessageType.MODE,
            rf"-!- (?P<nick>{NICK}) changed mode/(?P<channel>{CHANNEL}) -> (?P<text>.*)",
        ),
        message(MessageType.TOPIC, rf'-!- (?P<nick>{NICK}) changed topic to "(?P<text>.*)"'),
        chatter(r"-!- "),
    ),
    paths=(
        re.compile(r"(?<![^/])(?P<window>[^/#&+!]+\.[^/]+)/out\Z"),  # no nick has a dot
        re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)/out\Z"),
    ),
)
