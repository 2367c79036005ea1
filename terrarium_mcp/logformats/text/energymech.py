"""EnergyMech: a file of any name, stamped `[Oct 24 2026 23:57:03]`; by documentation."""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    DOES,
    FROM,
    NICK,
    PERSON,
    SENDER,
    WHY,
    TextFormat,
    message,
)

ENERGYMECH = TextFormat(
    name="energymech",
    program="EnergyMech",
    stamp=re.compile(
        r"\[(?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) (?P<year>\d{4})"
        rf" {CLOCK_WITH_SECONDS}\] "
    ),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\*\*\* Joins: {PERSON}"),
        message(MessageType.PART, rf"\*\*\* Parts: {PERSON}{WHY}"),
        message(MessageType.QUIT, rf"\*\*\* Quits: (?P<nick>{NICK}){FROM}{WHY}"),
        message(
            MessageType.KICK,
            rf"\*\*\* (?P<target>{NICK}) was kicked by (?P<nick>{NICK}){WHY}",
        ),
        message(MessageType.NICK, rf"\*\*\* (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.TOPIC, rf'\*\*\* (?P<nick>{NICK}) changes topic to "(?P<text>.*)"'),
        message(MessageType.MODE, rf"\*\*\* (?P<nick>{NICK}) sets mode: (?P<text>.*)"),
    ),
    by_documentation=True,
)
