"""HexChat and XChat: `logs/<network>/<channel>.log`, without years.

What people do and what happens both begin with `*`. Events are known by their wording, which
somebody may act out; only a join and a part show user@host, and are certain.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    NICK,
    USER_HOST,
    MessageRule,
    TextFormat,
    boundary,
    chatter,
    message,
)

_MOMENT = (
    r"\w+ (?P<month>\w+) +(?P<day>\d+)"
    r" (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) (?P<year>\d{4})"
)
_MODES = (
    ("gives channel operator status to", "+o"),
    ("removes channel operator status from", "-o"),
    ("gives channel half-operator status to", "+h"),
    ("removes channel half-operator status from", "-h"),
    ("gives voice to", "+v"),
    ("removes voice from", "-v"),
    ("sets ban on", "+b"),
    ("removes ban on", "-b"),
    ("sets exempt on", "+e"),
    ("removes exempt on", "-e"),
    ("sets invite exempt on", "+I"),
    ("removes invite exempt on", "-I"),
    ("sets channel keyword to", "+k"),
    ("sets channel limit to", "+l"),
)


def _event(kind: MessageType, pattern: str, text: str = "") -> MessageRule:
    """An event that an action may imitate."""
    return message(kind, rf"\*\t(?P<nick>{NICK}) {pattern}", text=text, certain=False)


HEXCHAT = TextFormat(
    name="hexchat",
    program="HexChat or XChat",
    stamp=re.compile(
        r"(?P<month>\w{3,9}\.?) +(?P<day>\d{1,2})"
        r" (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) "
    ),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})>\t(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{NICK}?)/(?P<channel>{CHANNEL})-\t(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{NICK}?)-\t(?P<text>.*)"),
        message(MessageType.NOTICE, rf"->(?P<channel>{CHANNEL})<-\t(?P<text>.*)", own=True),
        message(MessageType.JOIN, rf"\*\t(?P<nick>{NICK}) \({USER_HOST}\) has joined"),
        message(
            MessageType.PART,
            rf"\*\t(?P<nick>{NICK}) \({USER_HOST}\) has left(?: \((?P<text>.*)\))?",
        ),
        _event(MessageType.QUIT, r"has quit \((?P<text>.*)\)"),
        _event(MessageType.NICK, rf"is now known as (?P<new>{NICK})"),
        _event(MessageType.TOPIC, r"has changed the topic to: ?(?P<text>.*)"),
        _event(
            MessageType.KICK,
            rf"has kicked (?P<target>{NICK}) from (?P<channel>{CHANNEL}) \((?P<text>.*)\)",
        ),
        *(
            _event(MessageType.MODE, rf"{words} (?P<target>\S+)", text=f"{mode} {{target}}")
            for words, mode in _MODES
        ),
        _event(MessageType.MODE, "removes channel keyword", text="-k *"),
        _event(MessageType.MODE, "removes user limit", text="-l"),
        _event(MessageType.MODE, rf"sets modes? (?P<text>[+-]\S+) on (?P<channel>{CHANNEL})"),
        chatter(r"\*\t(?:Now talking|Topic for|Received a CTCP|Disconnected|You |Looking up)\b"),
        message(MessageType.ACTION, rf"\*\t(?P<nick>{NICK})(?: (?P<text>.*))?", certain=False),
        chatter(r"\*\t|\*\*\*\t|>"),
    ),
    unstamped=(
        boundary(Boundary.OPENED, rf"\*{{4}} BEGIN LOGGING AT {_MOMENT}"),
        boundary(Boundary.CLOSED, rf"\*{{4}} ENDING LOGGING AT {_MOMENT}"),
        chatter(rf"\[{NICK} has address \S+\]\Z"),
    ),
    paths=(
        re.compile(r"(?P<network>[^/]+)/(?P<window>server|(?P=network)|)\.log\Z"),
        re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)\.log\Z"),
    ),
)
