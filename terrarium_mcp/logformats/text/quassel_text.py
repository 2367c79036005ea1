"""Quassel: what its user copied out of a chat, with the stamps shown there.

Its history is in a database (`databases/quassel.py`). Stamps have a day if its user shows it, and
brackets or parentheses. What happens is in the language of its user: known in any are comings,
goings and modes, by their signs and by what is in them that no language changes.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK,
    DOES,
    ISO_DAY,
    NICK,
    PERSON,
    SHOWS_ADDRESS,
    WHY,
    TextFormat,
    chatter,
    message,
)

_NAMED = rf"(?P<channel>{CHANNEL})"
_WORDS = r"(?:[^\s(#&+!]\S* )*"
"""Words of some language, before a channel."""
_SERVERS = r"Netsplit between (?P<text>\S+ and \S+)"

QUASSEL_TEXT = TextFormat(
    name="quassel-text",
    program="Quassel, copied",
    stamp=re.compile(rf"(?:(?P<round>\()|\[)(?:{ISO_DAY}[ T])?{CLOCK}(?(round)\)|\]) "),
    rules=(
        message(MessageType.NICK, rf"<-> You are now known as (?P<new>{NICK})", own=True),
        message(MessageType.NICK, rf"<-> (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.PRIVMSG, rf"<(?P<nick>(?!-){NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"-\*- {DOES}"),
        message(MessageType.NOTICE, rf"\[(?P<nick>{NICK}?)\] (?P<text>.*)"),
        message(MessageType.JOIN, rf"--> {PERSON} {_WORDS}{_NAMED}(?: [^\s(]+)*"),
        message(MessageType.PART, rf"<-- {PERSON} {_WORDS}{_NAMED}(?: [^\s(]+)*+{WHY}"),
        message(MessageType.QUIT, rf"<-- {PERSON} {_WORDS}[^\s(#&+!][^\s(]*{WHY}"),
        message(
            MessageType.KICK,
            rf"<-\* (?P<nick>{NICK}) has kicked (?P<target>{NICK}) from {_NAMED}{WHY}",
        ),
        message(
            MessageType.MODE,
            rf"\*\*\* \w+ {_NAMED} (?P<text>[+-]\S+(?: \S+)*) [^\W\d]+ (?P<nick>{NICK})",
        ),
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
        chatter(rf"(?:-->|<--) You |\*\*\* (?!{SHOWS_ADDRESS})|\* |- \{{|<-x |-> "),
    ),
)
