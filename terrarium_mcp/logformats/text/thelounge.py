"""The Lounge, text logs: `logs/<user>/<network>-<end of its id>/<channel>.log`, in UTC.

The folder's name has as much of the end of the UUID as there is room for in 36 characters.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    DOES,
    ISO_DAY,
    NICK,
    PERSON,
    RANK,
    SENDER,
    WHY,
    TextFormat,
    chatter,
    message,
)

_HEX = "[0-9a-f]"
_UUID = (8, 4, 4, 4, 12)
"""The lengths of its parts (RFC 9562)."""

_END_OF_UUID = "|".join(
    "-".join([f"{_HEX}{{0,{first}}}", *(f"{_HEX}{{{length}}}" for length in rest)])
    for first, *rest in (_UUID[part:] for part in range(len(_UUID)))
)

THE_LOUNGE = TextFormat(
    name="thelounge",
    program="The Lounge",
    stamp=re.compile(rf"\[{ISO_DAY}T{CLOCK_WITH_SECONDS}(?:\.(?P<fraction>\d+))?(?P<zone>Z)\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\*\*\* {PERSON} joined"),
        message(MessageType.PART, rf"\*\*\* {PERSON} left{WHY}"),
        message(MessageType.QUIT, rf"\*\*\* {PERSON} quit{WHY}"),
        message(
            MessageType.KICK,
            rf"\*\*\* {RANK}(?P<target>{NICK}) was kicked by (?P<nick>{NICK}){WHY}",
        ),
        message(
            MessageType.NICK,
            rf"\*\*\* (?P<nick>{NICK}) changed nick to {RANK}(?P<new>{NICK})",
        ),
        message(MessageType.MODE, rf"\*\*\* (?P<nick>{NICK}) set mode (?P<text>.*)"),
        message(MessageType.TOPIC, rf"\*\*\* (?P<nick>{NICK}) changed topic to '(?P<text>.*)'"),
        chatter(r"\*\*\* .* changed host to "),
        chatter(r"\*\*\* "),
    ),
    paths=(
        # The shortest name whose rest has hyphens and digits where a UUID has them.
        re.compile(
            rf"(?<![^/])(?=[^/]{{36}}/)(?P<network>[^/]+?)-(?:{_END_OF_UUID})"
            r"/(?P<channel>[^/]+)\.log\Z"
        ),
        re.compile(r"(?<![^/])(?P<network>[^/]{36,})-/(?P<channel>[^/]+)\.log\Z"),
    ),
)
