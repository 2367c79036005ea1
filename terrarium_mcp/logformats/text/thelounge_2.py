"""The Lounge up to 2.x, and Shout: `logs/<user>/<server>/<channel>.log`; by documentation.

What happens has the form of an action, with the name of its kind for a verb, and an action too:
`* ada action waves`. Times are in UTC unless its owner set another zone. Of a kick either who or
why is written, and not which.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    FROM,
    ISO_DAY,
    NICK,
    TextFormat,
    chatter,
    message,
)
from terrarium_mcp.logformats.text.thelounge import THE_LOUNGE

_PERSON = rf"\* (?P<nick>{NICK}){FROM}"
_TEXT = r"(?: (?P<text>.*))?"
_SERVER = r"(?<![^/])(?P<network>[^/.]+\.[^/]+)"

THE_LOUNGE_2 = TextFormat(
    name="thelounge-2",
    program="The Lounge up to 2.x",
    stamp=re.compile(rf"\[{ISO_DAY} {CLOCK_WITH_SECONDS}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        # The topic, on joining: nobody sets it.
        chatter(r"\* (?:undefined)? "),
        message(MessageType.ACTION, rf"{_PERSON} action{_TEXT}"),
        message(MessageType.NOTICE, rf"{_PERSON} notice{_TEXT}"),
        message(MessageType.JOIN, rf"{_PERSON} join"),
        message(MessageType.PART, rf"{_PERSON} part{_TEXT}"),
        message(MessageType.QUIT, rf"{_PERSON} quit{_TEXT}"),
        message(MessageType.NICK, rf"{_PERSON} nick (?P<new>{NICK})"),
        message(MessageType.MODE, rf"{_PERSON} mode (?P<text>.*)"),
        message(MessageType.TOPIC, rf"{_PERSON} topic{_TEXT}"),
        chatter(
            rf"\* {NICK} (?:\(\S+\) )?(?:kick|invite|whois|ctcp|away|back|ban_?list|error|motd"
            r"|unhandled|topic_set_by|toggle|chghost)\b"
        ),
    ),
    paths=(
        *THE_LOUNGE.paths,
        re.compile(rf"{_SERVER}/(?P<window>(?P=network))\.log\Z"),
        re.compile(rf"{_SERVER}/(?P<channel>[^/]+)\.log\Z"),
    ),
    by_documentation=True,
)
