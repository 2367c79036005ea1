"""tiny: `<server>_<channel>.txt`, local times without a day; by documentation.

It says at which moment it began and ended to write, so its days are known. Who leaves is not said
to have left the channel or the network, and a topic has nobody who set it. What a person does has
no mark at all, `[23:57:13] ada waves`, so it is not read: a log of anything has such lines.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    ISO_DAY,
    NICK,
    TextFormat,
    boundary,
    chatter,
    message,
)

_PERSON = rf"(?P<nick>{NICK})"

TINY = TextFormat(
    name="tiny",
    program="tiny",
    stamp=re.compile(rf"\[{CLOCK_WITH_SECONDS}\] "),
    rules=(
        chatter(r"\[client\] |Channel topic: "),
        message(MessageType.PRIVMSG, r"(?P<nick>[^\s:<>\x00-\x1f]+): (?P<text>.*)"),
        message(MessageType.JOIN, rf"{_PERSON} joined the channel\.", certain=False),
        message(MessageType.PART, rf"{_PERSON} left\.", certain=False),
        message(MessageType.NICK, rf"{_PERSON} is now known as (?P<new>{NICK}?)\.", certain=False),
    ),
    unstamped=(
        boundary(Boundary.OPENED, rf"\*\*\* Logging started at {ISO_DAY} {CLOCK_WITH_SECONDS}\Z"),
        boundary(Boundary.CLOSED, rf"\*\*\* Logging ended at {ISO_DAY} {CLOCK_WITH_SECONDS}\Z"),
    ),
    paths=(
        re.compile(r"(?<![^/])(?P<window>mentions)\.txt\Z"),
        re.compile(r"(?<![^/])(?P<network>[^/#&+!]+)_(?P<channel>[#&+!][^/]*)\.txt\Z"),
        # Of a person: only the address of a server tells such a name from others.
        re.compile(r"(?<![^/])(?P<network>[^\W\d_][^/_.]*\.[^/_]+)_(?P<channel>[^/]+)\.txt\Z"),
    ),
    by_documentation=True,
)
