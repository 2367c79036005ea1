"""IRCCloud: the files of its export, `1-libera/12-#channel.txt`; by documentation.

Stamps are of the zone that its user set there; joins, parts and quits begin with arrows.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    DOES,
    FROM,
    ISO_DAY,
    NICK,
    SENDER,
    WHY,
    TextFormat,
    chatter,
    message,
)

_BARE_WHY = r"(?::? (?P<text>.*))?"
"""Behind a colon, or a blank alone."""

IRCCLOUD = TextFormat(
    name="irccloud",
    program="IRCCloud",
    stamp=re.compile(rf"\[{ISO_DAY} {CLOCK_WITH_SECONDS}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\u2192 (?P<nick>{NICK}) joined{FROM}"),
        message(MessageType.PART, rf"\u2190 (?P<nick>{NICK}) left{FROM}{_BARE_WHY}"),
        message(MessageType.QUIT, rf"\u21d0 (?P<nick>{NICK}) quit{FROM}{_BARE_WHY}"),
        message(MessageType.NICK, rf"[\u2014*] (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.NICK, rf"\* (?P<nick>{NICK}) \u2192 (?P<new>{NICK})"),
        message(MessageType.KICK, rf"\* (?P<target>{NICK}) was kicked by (?P<nick>{NICK}){WHY}"),
        message(MessageType.TOPIC, rf"\* (?P<nick>{NICK}) set the topic to \[(?P<text>.*)\]"),
        message(MessageType.TOPIC, rf"\* (?P<nick>{NICK}) set the topic to:? (?P<text>.*)"),
        message(MessageType.MODE, rf"\* (?P<nick>{NICK}) set (?P<text>[+-][A-Za-z].*)"),
        chatter(r"\* (?:Channel (?:mode|timestamp) is|Socket closed|Joined channel)\b"),
        message(MessageType.ACTION, rf"[\u2014*] {DOES}"),
        chatter(r"[\u2192\u2190\u21d0\u2014] "),
    ),
    paths=(re.compile(r"(?<![^/])\d+-(?P<network>[^/]+)/\d+-(?P<channel>[^/]+)\.txt\Z"),),
    by_documentation=True,
)
