"""Textual: `<client> (<id>)/Channels/<channel>/2026-10-24.txt`; by documentation.

Events are English sentences without a prefix. Its first versions wrote no id, stamps of local time
without a day (`[23:57:13]`), and nicks as its user had them shown: `<@ada> hi`, or `ada: hi`. What
is copied out of a window has such stamps, too, and tabs between its columns.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    FILE_DAY,
    ISO_DAY,
    NICK,
    SENDER,
    SHOWS_ADDRESS,
    USER_HOST,
    WHY,
    ZONE,
    TextFormat,
    chatter,
    message,
)

_CLIENT = r"(?<![^/])(?P<network>[^/]+?)(?: \(\w{5}\))?"
"""The name of a connection, and the beginning of its id."""
_NICK = rf"(?P<nick>{NICK})(?<!:)"
"""Who does what happens: behind `ada:` it is said, whatever its words."""
_PERSON = rf"{_NICK} \({USER_HOST}\)"

TEXTUAL = TextFormat(
    name="textual",
    program="Textual",
    stamp=re.compile(
        rf"\[(?:(?P<iso>){ISO_DAY}T)?{CLOCK_WITH_SECONDS}"
        rf"(?(iso){ZONE})\] (?:\t| (?=<))?"
    ),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})>[ \t]?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\u2022 (?P<nick>{NICK}?):?(?: (?P<text>.*))?"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"{_PERSON} joined the channel\.?"),
        message(MessageType.PART, rf"{_PERSON} left the channel\.?{WHY}"),
        message(MessageType.QUIT, rf"{_PERSON} left IRC\.?{WHY}"),
        message(
            MessageType.KICK,
            rf"{_NICK} kicked (?P<target>{NICK}) from the channel\.{WHY}",
        ),
        message(MessageType.NICK, rf"{_NICK} is now known as (?P<new>{NICK}?)\.?"),
        message(MessageType.MODE, rf"{_NICK} sets mode (?P<text>[+-].*?)\.?"),
        message(MessageType.TOPIC, rf"{_NICK} changed the topic to (?P<text>.*)"),
        # Logs of others look alike else: `* ada waves` is catgirl's, and ZNC's is
        # `*** Joins: ada (~ada@host)`.
        chatter(
            r"(?:Topic|The topic|Topic set by|You|Disconnected|Connecting)\b"
            rf"|[-\u2014 ]|\*(?! |\*\* {SHOWS_ADDRESS})|\Z"
        ),
        message(MessageType.PRIVMSG, rf"(?P<nick>{NICK}?): (?P<text>.*)"),
    ),
    paths=(
        re.compile(rf"{_CLIENT}/(?P<window>Console)(?:/[^/]+)?\.txt\Z"),
        re.compile(rf"{_CLIENT}/(?:Channels|Queries)/(?P<channel>[^/]+)/{FILE_DAY}\.txt\Z"),
    ),
    by_documentation=True,
)
