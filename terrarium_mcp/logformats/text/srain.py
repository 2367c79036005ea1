"""Srain: `<network>/2026-10-24.<channel>.log`, local times; by documentation.

A star follows the nick of its user where they say something. What happens is in the language of its
user, behind a sign that no action has: known is English. A topic stands in the next line, where
nothing tells it from another, so it is left out.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    COLON_WHY,
    DOES,
    FILE_DAY,
    NICK,
    TextFormat,
    chatter,
    message,
)

_HAPPENS = rf"= (?P<nick>{NICK})"

SRAIN = TextFormat(
    name="srain",
    program="Srain",
    stamp=re.compile(rf"\[{CLOCK_WITH_SECONDS}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK}?)\*?> (?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.JOIN, rf"{_HAPPENS} has joined"),
        message(MessageType.PART, rf"{_HAPPENS} has left{COLON_WHY}"),
        message(MessageType.QUIT, rf"{_HAPPENS} has quit{COLON_WHY}"),
        message(MessageType.NICK, rf"{_HAPPENS} is now known as (?P<new>{NICK})"),
        message(
            MessageType.MODE,
            rf"= mode (?P<channel>{CHANNEL}) (?P<text>[+-]\S+(?: \S+)*) +by (?P<nick>{NICK})",
        ),
        message(
            MessageType.KICK,
            rf"! (?P<target>(?!You ){NICK}) are kicked by (?P<nick>{NICK}?){COLON_WHY}",
        ),
        chatter("[=!] "),
    ),
    unstamped=(chatter(r"\t"),),
    paths=(re.compile(rf"(?P<network>[^/]+)/{FILE_DAY}\.(?P<channel>[^/]+)\.log\Z"),),
    has_file_a_day=True,
    has_own_names=True,
    by_documentation=True,
)
