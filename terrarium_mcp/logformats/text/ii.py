"""ii: `<server>/<channel>/out`, stamped with seconds since 1970, in UTC.

It does not record who sent a notice, so those are left out.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import CHANNEL, NICK, USER_HOST, TextFormat, chatter, message

_PERSON = rf"(?P<nick>[^\s<>(]+)\({USER_HOST}\)"

II = TextFormat(
    name="ii",
    program="ii",
    stamp=re.compile(r"(?P<epoch>\d{9,11}) "),
    rules=(
        message(MessageType.ACTION, rf"<(?P<nick>{NICK})> \x01ACTION(?: (?P<text>[^\x01]*))?\x01?"),
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"-!- {_PERSON} has joined (?P<channel>{CHANNEL})"),
        message(
            MessageType.PART,
            rf'-!- {_PERSON} has left (?P<channel>{CHANNEL})(?: "?(?P<text>.*?)"?)?',
        ),
        message(MessageType.QUIT, rf'-!- {_PERSON} has quit(?: "(?P<text>.*)")?'),
        message(MessageType.NICK, rf"-!- (?P<nick>{NICK}) changed nick to (?P<new>{NICK})"),
        message(
            MessageType.KICK, rf'-!- (?P<nick>{NICK}) kicked (?P<target>{NICK}) \("(?P<text>.*)"\)'
        ),
        message(
            MessageType.MODE,
            rf"-!- (?P<nick>{NICK}) changed mode/(?P<channel>{CHANNEL}) -> (?P<text>.*)",
        ),
        message(MessageType.TOPIC, rf'-!- (?P<nick>{NICK}) changed topic to "(?P<text>.*)"'),
        chatter(r"-!- "),
    ),
    paths=(re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)/out\Z"),),
)
