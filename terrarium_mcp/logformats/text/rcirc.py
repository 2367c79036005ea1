"""rcirc, of Emacs: `rcirc-log/#channel@server`, local times in minutes; by documentation.

Its stamps have no date unless its user put one into `rcirc-time-format`. Events name the IRC
command: `*** ada JOIN`.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_OF_24,
    ISO_DAY,
    NICK,
    NOT_OF_ERC,
    SENDER,
    TextFormat,
    chatter,
    message,
)

_PERSON = rf"\*\*\* (?P<nick>{NICK})"
_NAMED = rf"(?P<channel>{CHANNEL})"

RCIRC = TextFormat(
    name="rcirc",
    program="rcirc",
    stamp=re.compile(rf"\[?(?:{ISO_DAY}[ T])?{CLOCK_OF_24}\]? "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"{_PERSON} JOIN ?(?:{_NAMED})?"),
        message(MessageType.PART, rf"{_PERSON} PART {_NAMED}(?: (?P<text>.*))?"),
        message(MessageType.QUIT, rf"{_PERSON} QUIT(?: (?P<text>.*))?"),
        message(
            MessageType.KICK,
            rf"{_PERSON} KICK (?P<target>(?![#&+!]){NICK}) {_NAMED}(?: (?P<text>.*))?",
        ),
        message(MessageType.NICK, rf"{_PERSON} NICK (?P<new>{NICK})"),
        message(MessageType.MODE, rf"{_PERSON} MODE (?P<text>[+-].*)"),
        message(MessageType.TOPIC, rf"{_PERSON} TOPIC ?(?P<text>.*)"),
        chatter(r"\*\*\* \S+ [A-Z\d]+\b|!!! |\((?:FAIL|WARN|NOTE)-\) "),
        message(MessageType.ACTION, rf"\[(?P<nick>{NICK}) (?P<text>.*)\]"),
    ),
    paths=(
        re.compile(r"(?<![^/])(?P<window>\*[^/]+\*)\Z"),
        re.compile(rf"{NOT_OF_ERC}(?P<channel>[^/@]+)@(?P<network>[^/@]+?)(?:\.log|\.txt)?\Z"),
    ),
    by_documentation=True,
)
