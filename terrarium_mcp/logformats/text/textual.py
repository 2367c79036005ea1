"""Textual 7: `<client> (<id>)/Channels/<channel>/2026-10-24.txt`; by documentation.

Events are English sentences without a prefix.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    NICK,
    SENDER,
    USER_HOST,
    TextFormat,
    chatter,
    message,
)

TEXTUAL = TextFormat(
    name="textual",
    program="Textual",
    stamp=re.compile(
        r"\[(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)T"
        r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?P<zone>[+-]\d\d:?\d\d|Z)\] "
    ),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\u2022 (?P<nick>{NICK}?):(?: (?P<text>.*))?"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"(?P<nick>{NICK}) \({USER_HOST}\) joined the channel\.?"),
        message(
            MessageType.PART,
            rf"(?P<nick>{NICK}) \({USER_HOST}\) left the channel\.?(?: \((?P<text>.*)\))?",
        ),
        message(
            MessageType.QUIT,
            rf"(?P<nick>{NICK}) \({USER_HOST}\) left IRC\.?(?: \((?P<text>.*)\))?",
        ),
        message(
            MessageType.KICK,
            rf"(?P<nick>{NICK}) kicked (?P<target>{NICK}) from the channel\.(?: \((?P<text>.*)\))?",
        ),
        message(MessageType.NICK, rf"(?P<nick>{NICK}) is now known as (?P<new>{NICK}?)\.?"),
        message(MessageType.MODE, rf"(?P<nick>{NICK}) sets mode (?P<text>[+-].*?)\.?"),
        message(MessageType.TOPIC, rf"(?P<nick>{NICK}) changed the topic to (?P<text>.*)"),
        chatter(r"(?:Topic|The topic|Topic set by|You|Disconnected|Connecting)\b"),
    ),
    paths=(
        re.compile(r"(?P<network>[^/]+) \(\w{5}\)/(?P<window>Console)(?:/[^/]+)?\.txt\Z"),
        re.compile(
            r"(?P<network>[^/]+) \(\w{5}\)/(?:Channels|Queries)/(?P<channel>[^/]+)/"
            r"(?P<date>\d{4}-\d\d-\d\d)\.txt\Z"
        ),
    ),
    by_documentation=True,
)
