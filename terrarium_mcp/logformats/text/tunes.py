"""tunes.org, the public logs of Lisp and other channels: `<channel>/18.01.31`; by documentation."""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    DOES,
    NICK,
    PERSON,
    WHY,
    TextFormat,
    chatter,
    message,
)

TUNES = TextFormat(
    name="tunes",
    program="tunes.org",
    stamp=re.compile(rf"{CLOCK_WITH_SECONDS} "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.JOIN, rf"--- join: {PERSON} joined (?P<channel>{CHANNEL})"),
        message(MessageType.PART, rf"--- part: (?P<nick>{NICK}) left (?P<channel>{CHANNEL}){WHY}"),
        message(MessageType.QUIT, rf"--- quit: (?P<nick>{NICK}){WHY}"),
        message(MessageType.NICK, rf"--- nick: (?P<nick>{NICK}) -> (?P<new>{NICK})"),
        message(
            MessageType.KICK,
            rf"--- kick: (?P<target>{NICK}) was kicked by (?P<nick>{NICK}){WHY}",
        ),
        message(MessageType.MODE, rf"--- mode: (?P<nick>{NICK}) set (?:mode )?(?P<text>[+-].*)"),
        chatter(r"--- (?:log|topic|names|mode|nick): "),
    ),
    paths=(re.compile(r"(?P<channel>[^/]+)/(?P<date>\d\d\.\d\d\.\d\d)\Z"),),
    by_documentation=True,
)
