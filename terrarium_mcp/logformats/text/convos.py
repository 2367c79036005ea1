"""Convos: `irc-<network>/2026/10/<channel>.log`, times in UTC; by documentation.

A character of flags follows each stamp since version 4: whether the line mentions the user, and
whether it is preformatted.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    ISO_DAY,
    NICK,
    SENDER,
    TextFormat,
    chatter,
    message,
)

CONVOS = TextFormat(
    name="convos",
    program="Convos",
    stamp=re.compile(rf"{ISO_DAY}T{CLOCK_WITH_SECONDS} (?:[0-?] )?(?=[<*-])"),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> (?P<text>.*)"),
        message(MessageType.ACTION, rf"\* (?P<nick>{NICK}) (?P<text>.*)"),
        message(
            MessageType.KICK, rf"-!- (?P<nick>{NICK}) kicked (?P<target>{NICK}?)\. (?P<text>.*)"
        ),
        message(MessageType.NICK, rf"-!- (?P<nick>{NICK}) changed nick to (?P<new>{NICK})"),
        message(MessageType.PART, rf"-!- (?P<nick>{NICK}) parted\. (?P<text>.*)"),
        chatter(r"-!- "),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- (?P<text>.*)"),
    ),
    paths=(
        re.compile(r"(?<![^/])irc-(?P<network>[^/]+?)(?P<window>)(?:/(?:\d\d)?)?\.log\Z"),
        re.compile(r"(?<![^/])irc-(?P<network>[^/]+)/(?P<escaped>[^/]+)\.log\Z"),
    ),
    by_documentation=True,
)
