"""The public logs of irclogs.ubuntu.com: `2026/10/24/#channel.txt`, in minutes.

What happens has no stamp: it is of the minute of the line before it. Until 2007 what somebody does
looked like that, too, and the clock had 12 hours (`twelve_hours.py`).
"""

import re
from datetime import date

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    DOES,
    NICK,
    SENDER_TO_CHANNEL,
    TextFormat,
    chatter,
    message,
)

_HOURS_UP_TO_23 = date(2007, 10, 24)
"""Of the logs in the Ubuntu IRC conversations (Kummerfeld et al. 2019) that of this day is the
first with an hour after 12. In the 64 before it, up to 2007-09-07, midnight is 00, noon 12, and
what follows 12:59 is 01:00."""

_NAME = r"[A-Za-z\[\]\\`_^{|}][-\w\[\]\\`^{|}]*"
"""A nick as RFC 2812, 2.3.1 has it: `netjoined:` is none."""

_NO_EVENT = r"(?!(?:\S+ +)?(?:\[|is now known as ))"
"""Behind a nick: a blank follows each `]` in it, so that the rest of `a[b]c` looks like a word, and
what follows may be a host mask."""

_PERSON = rf"(?P<nick>{NICK}) +\[(?P<user>[^\s@]*)@(?P<host>\S*)\] +has"

UBUNTU = TextFormat(
    name="ubuntu",
    program="irclogs.ubuntu.com",
    stamp=re.compile(r"\[(?P<hour>\d\d):(?P<minute>\d\d)\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf" ?\* {DOES}"),
        message(MessageType.NOTICE, rf"-{SENDER_TO_CHANNEL}- ?(?P<text>.*)"),
    ),
    unstamped=(
        message(MessageType.NICK, rf"=== (?P<nick>{NICK}) +is now known as (?P<new>{NICK}) ?"),
        message(MessageType.JOIN, rf"=== {_PERSON} joined (?P<channel>{CHANNEL})"),
        message(
            MessageType.PART, rf'=== {_PERSON} left (?P<channel>{CHANNEL}) \["?(?P<text>.*?)"?\]'
        ),
        message(MessageType.QUIT, rf'=== {_PERSON} quit \["?(?P<text>.*?)"?\]'),
        message(
            MessageType.KICK,
            rf"=== (?P<target>{NICK}) +was kicked off (?P<channel>{CHANNEL}) by (?P<nick>{NICK})"
            r" +\((?P<text>.*)\)",
        ),
        message(
            MessageType.MODE,
            rf"=== mode/(?P<channel>{CHANNEL}) \[(?P<text>.*?) ?\] +by (?P<nick>{NICK}) ?",
        ),
        message(
            MessageType.TOPIC,
            rf"=== (?P<nick>{NICK}) +changed the topic of (?P<channel>{CHANNEL}) to: (?P<text>.*)",
        ),
        message(
            MessageType.TOPIC,
            rf"=== \.\.\[topic/(?P<channel>[^\s:]+):(?P<nick>{NICK}) ?\] : (?P<text>.*)",
        ),
        message(MessageType.ACTION, rf"=== (?P<nick>{_NAME}) ++{_NO_EVENT}(?P<text>.+)"),
        chatter(r"=== "),
    ),
    paths=(re.compile(r"(?<![^/])(?P<channel>[#&+!][^\s@/]*?)\.txt\Z"),),  # not `#tea@libera`
    may_have_12_hours_until=_HOURS_UP_TO_23,
)
