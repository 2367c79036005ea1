"""The public logs of irclogs.ubuntu.com: `2026/10/24/#channel.txt`, in minutes.

What happens has no stamp: it is of the minute of the line before it. Until 2007 the clock had 12
hours (`twelve_hours.py`).
"""

import re
from datetime import date

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
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

_PERSON = rf"(?P<nick>{NICK}) \[(?P<user>[^\s@]*)@(?P<host>\S*)\] +has"

UBUNTU = TextFormat(
    name="ubuntu",
    program="irclogs.ubuntu.com",
    stamp=re.compile(r"\[(?P<hour>\d\d):(?P<minute>\d\d)\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf" ?\* (?P<nick>{NICK})(?: (?P<text>.*))?"),
        message(MessageType.NOTICE, rf"-{SENDER_TO_CHANNEL}- ?(?P<text>.*)"),
    ),
    unstamped=(
        message(MessageType.NICK, rf"=== (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.JOIN, rf"=== {_PERSON} joined (?P<channel>{CHANNEL})"),
        message(
            MessageType.PART, rf'=== {_PERSON} left (?P<channel>{CHANNEL}) \["?(?P<text>.*?)"?\]'
        ),
        message(MessageType.QUIT, rf'=== {_PERSON} quit \["?(?P<text>.*?)"?\]'),
        chatter(r"=== "),
    ),
    paths=(re.compile(r"(?<![^/])(?P<channel>[#&+!][^\s@/]*?)\.txt\Z"),),  # not `#tea@libera`
    may_have_12_hours_until=_HOURS_UP_TO_23,
)
