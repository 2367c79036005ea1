"""Twisted's log bot, an example of its documentation that became many bots: a file of any name.

Its stamps are of local time, without a day. It says at which moment it was connected and
disconnected, so its days are known. It notes neither joins nor parts, and not what was said to it
alone as such.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    CTIME,
    DOES,
    NICK,
    TextFormat,
    boundary,
    chatter,
    message,
)

TWISTED = TextFormat(
    name="twisted",
    program="Twisted's log bot",
    stamp=re.compile(rf"\[{CLOCK_WITH_SECONDS}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.NICK, rf"(?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        boundary(Boundary.OPENED, rf"\[connected at {CTIME}\]\Z"),
        boundary(Boundary.CLOSED, rf"\[disconnected at {CTIME}\]\Z"),
        chatter(r"\[I have joined [#&+!]"),
    ),
    paths=(re.compile(r"(?<![^/])(?:(?P<network>[^/]+)/)?(?P<channel>[#&+!][^/]*)\.log\Z"),),
    by_documentation=True,
)
