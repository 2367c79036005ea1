"""LimeChat: `<channel>/2026-10-24_<network>.txt`, local times, in minutes; by documentation.

What a person does is written as if they had said it. So is what the server answers whoever joins,
as if somebody called Topic or Mode had.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_OF_24,
    FILE_DAY,
    USER_HOST,
    WHY,
    TextFormat,
    chatter,
    message,
)

_NICK = r"[^\s:<>\x00-\x1f]+"
_PERSON = rf"(?P<nick>{_NICK})"

LIMECHAT = TextFormat(
    name="limechat",
    program="LimeChat",
    stamp=re.compile(rf"{CLOCK_OF_24} "),
    rules=(
        chatter(rf"Topic:(?: |\Z)|Mode: [+-]|Names: |Created at: |{_NICK} set the topic at: "),
        chatter(r"(?:You have joined|Disconnected)\Z"),
        message(MessageType.PRIVMSG, rf"{_PERSON}: (?P<text>.*)"),
        message(MessageType.JOIN, rf"{_PERSON} has joined \({USER_HOST}\)"),
        message(MessageType.QUIT, rf"{_PERSON} has left IRC{WHY}"),
        message(MessageType.PART, rf"{_PERSON} has left{WHY}"),
        message(MessageType.KICK, rf"{_PERSON} has kicked (?P<target>{_NICK}){WHY}"),
        message(MessageType.NICK, rf"{_PERSON} is now known as (?P<new>{_NICK})"),
        message(MessageType.MODE, rf"{_PERSON} has changed mode: (?P<text>[+-].*)"),
        message(MessageType.TOPIC, rf"{_PERSON} has set topic: (?P<text>.*)"),
    ),
    paths=(re.compile(rf"(?P<channel>[#&+!][^/]*)/{FILE_DAY}_(?P<network>[^/]+)\.txt\Z"),),
    by_documentation=True,
)
