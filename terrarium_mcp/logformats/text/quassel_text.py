"""Quassel: what its user copied out of a chat, with the stamps shown there; by documentation.

Its history is in a database (`databases/quassel.py`). Stamps have a day if its user shows it.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    ISO_DAY,
    NICK,
    PERSON,
    TextFormat,
    chatter,
    message,
)

_NAMED = rf"(?P<channel>{CHANNEL})"
_WHY = r"(?: \((?P<text>.*)\))?"
_SERVERS = r"Netsplit between (?P<text>\S+ and \S+)"

QUASSEL_TEXT = TextFormat(
    name="quassel-text",
    program="Quassel, copied",
    stamp=re.compile(
        rf"\[(?:{ISO_DAY}[ T])?(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
        r"(?: ?(?P<half>[AaPp][Mm]))?\] "
    ),
    rules=(
        message(MessageType.NICK, rf"<-> You are now known as (?P<new>{NICK})", own=True),
        message(MessageType.NICK, rf"<-> (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.PRIVMSG, rf"<(?P<nick>(?!-){NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"-\*- (?P<nick>{NICK})(?: (?P<text>.*))?"),
        message(MessageType.NOTICE, rf"\[(?P<nick>{NICK}?)\] (?P<text>.*)"),
        message(MessageType.JOIN, rf"--> {PERSON} has joined {_NAMED}"),
        message(MessageType.PART, rf"<-- {PERSON} has left {_NAMED}{_WHY}"),
        message(MessageType.QUIT, rf"<-- {PERSON} has quit{_WHY}"),
        message(
            MessageType.KICK,
            rf"<-\* (?P<nick>{NICK}) has kicked (?P<target>{NICK}) from {_NAMED}{_WHY}",
        ),
        message(MessageType.MODE, rf"\*\*\* Mode {_NAMED} (?P<text>[+-].*) by (?P<nick>{NICK})"),
        message(
            MessageType.TOPIC,
            rf'\* (?P<nick>{NICK}) has changed topic for {_NAMED} to: "(?P<text>.*)"',
        ),
        message(
            MessageType.JOIN,
            rf"=> {_SERVERS} ended\. Users joined: (?P<people>.*?)(?: \(\d+ more\))?",
        ),
        message(
            MessageType.QUIT, rf"<= {_SERVERS}\. Users quit: (?P<people>.*?)(?: \(\d+ more\))?"
        ),
        chatter(r"(?:-->|<--) You |\*\*\* (?![^()]+ \([^\s@()]+@[^\s()]+\))|\* |- \{|<-x |-> "),
    ),
    by_documentation=True,
)
