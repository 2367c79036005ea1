"""Limnoria and Supybot, plugin ChannelLogger: ISO 8601 stamps, two spaces, the line.

Names of files lose their slashes; joins and parts spell the channel. The folders are an option:
`<network>/<channel>/October/<channel>.log`, each of them or none. Sopel writes alike, but for
topics, and with microseconds if it is told to.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import dated_stamps
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_OF_24,
    DOES,
    FILE_DAY,
    FOLDER_OF_CHANNEL,
    IN_FOLDER_OF_CHANNEL,
    ISO_DAY,
    NICK,
    SENDER,
    WHY,
    ZONE,
    TextFormat,
    chatter,
    message,
)

_PERSON = rf"(?P<nick>{NICK})(?: <[^\s<>!]+!(?P<user>[^\s@>]*)@(?P<host>[^\s>]*)>)?"
"""Supybot, before Limnoria, wrote the nick alone."""

_NETWORK = r"(?P<network>[^/#&+!][^/]*)"
_NAMED = r"(?P<channel>[#&+!][^/]*)"
_DATE = r"(?P<date>\d{4}-\d\d-\d\d|\d\d-[^\W\d]+\.?-\d{4})"
"""Behind a channel, as its user sets it; by default `24-Sat-2026`, which names no month."""

LIMNORIA = TextFormat(
    name="limnoria",
    program="Limnoria",
    stamp=re.compile(
        rf"(?P<bracket>\[)?(?:{ISO_DAY}[T ])?{CLOCK_OF_24}(?:\.(?P<fraction>\d+))?"
        rf"(?: ?{ZONE})?(?(bracket)\])  "
    ),
    other_stamps=dated_stamps("  "),
    rules=(
        chatter(rf"<{NICK}> -= THIS MESSAGE NOT LOGGED =-\Z"),
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\*\*\* {_PERSON} has joined (?P<channel>{CHANNEL})"),
        message(MessageType.PART, rf"\*\*\* {_PERSON} has left (?P<channel>{CHANNEL}){WHY}"),
        message(MessageType.QUIT, rf"\*\*\* {_PERSON} has quit IRC{WHY}"),
        message(
            MessageType.KICK,
            rf"\*\*\* (?P<target>{NICK}) was kicked by (?P<nick>{NICK}){WHY}",
        ),
        message(MessageType.NICK, rf"\*\*\* (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.TOPIC, rf'\*\*\* (?P<nick>{NICK}) changes topic to "(?P<text>.*)"'),
        message(MessageType.TOPIC, rf"\*\*\* (?P<nick>{NICK}) changed the topic to (?P<text>.*)"),
        message(MessageType.MODE, rf"\*\*\* (?P<nick>{NICK}) sets mode: (?P<text>.*)"),
        chatter(rf"\*\*\* {NICK} (?:<\S+> )?(?:invited|is now away|is back)\b"),
    ),
    paths=(
        re.compile(
            r"ChannelLogger/(?P<network>[^/]+)/(?P<channel>[^/]+)/(?:[^/]+/)?"
            r"(?P=channel)(?:\.(?P<date>[^/]+))?\.log\Z"
        ),
        re.compile(rf"{FOLDER_OF_CHANNEL}\.log\Z"),
        re.compile(rf"{IN_FOLDER_OF_CHANNEL}(?:[^/]+/)?(?P=channel)(?:\.(?P<date>[^/]+))?\.log\Z"),
        re.compile(rf"ChannelLogger/{_NETWORK}/(?:[^/]+/)*{_NAMED}\.{_DATE}\.log\Z"),
        re.compile(rf"ChannelLogger/{_NETWORK}/(?:[^/]+/)*{_NAMED}\.log\Z"),
        re.compile(rf"(?P<network>[^/]+)/{_NAMED}\.log\Z"),
        # Of Sopel, which leaves out the `#` and names people alike.
        re.compile(rf"(?<![^/])(?P<channel>[^/]+)-{FILE_DAY}\.log\Z"),
    ),
)
