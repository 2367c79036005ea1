"""ChatZilla: `<network>/channels/#channel.2026-10-24.log`, local times; by documentation.

In logs of 2008 and 2011 a topic stands between `` and ''.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    DOES,
    FROM,
    ISO_DAY,
    NICK,
    PERSON,
    SENDER,
    WHY,
    TextFormat,
    chatter,
    message,
)

_OWNER = r"YOU(?: \([^)]*\))? "
"""What its user does shows no nick of theirs."""

CHATZILLA = TextFormat(
    name="chatzilla",
    program="ChatZilla",
    stamp=re.compile(rf"\[{ISO_DAY} {CLOCK_WITH_SECONDS}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        chatter(rf"(?:-->\||<--\||\|<--|=-=) {_OWNER}"),
        message(MessageType.JOIN, rf"-->\| {PERSON} has joined (?P<channel>{CHANNEL})"),
        message(
            MessageType.KICK,
            rf"<--\| (?P<target>{NICK}) was booted from (?P<channel>{CHANNEL})"
            rf" by (?P<nick>{NICK}){WHY}",
        ),
        message(
            MessageType.PART,
            rf"<--\| (?P<nick>{NICK}){FROM} has left (?P<channel>{CHANNEL}){WHY}",
        ),
        message(MessageType.QUIT, rf"\|<-- (?P<nick>{NICK}){FROM} has left \S+{WHY}"),
        message(MessageType.NICK, rf"=-= (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(
            MessageType.MODE,
            rf"=-= Mode (?P<channel>{CHANNEL}) (?P<text>[+-].*) by (?P<nick>{NICK})",
        ),
        message(
            MessageType.TOPIC,
            rf"=-= (?P<nick>{NICK}) has changed the topic to (?:(?P<old>``)|[\u201c\"'])"
            r"(?P<text>.*)(?(old)''|[\u201d\"'])",
        ),
        message(MessageType.ACTION, rf"\* {DOES}"),
        chatter(r"-->\||<--\||\|<--|=-=|===|\[[A-Z]+\]"),
    ),
    paths=(re.compile(r"(?P<network>[^/]+)/(?:channels|users)/(?P<channel>[^/]+)\.log\Z"),),
    by_documentation=True,
)
