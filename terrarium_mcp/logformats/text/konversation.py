"""Konversation: `<network>_<channel>.log`, local times with a date; by documentation.

Dates and events are in the language of its user. What people say and do is read in any of those
whose months are known; comings and goings in English only. What happens to the owner of the log
does not name them, so it is left out.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CTIME,
    NICK,
    PERSON,
    USER_HOST,
    TextFormat,
    boundary,
    chatter,
    message,
)

_HOST = r"\((?:[^\s@()]*@)?[^\s@()]*\)"
_REASON = r"(?: \((?P<text>.*)\))?\."
_PRIVILEGES = (("owner", "q"), ("admin", "a"), ("operator", "o"))

KONVERSATION = TextFormat(
    name="konversation",
    program="Konversation",
    stamp=re.compile(  # `[Saturday, October 24, 2026] [11:57:13 PM CEST] `, by the user's locale
        r"\[(?=\D*(?P<day>\d\d?)\b)(?P<weekday>[^\s\]]+) (?:\d\d?\.? (?:de )?)?(?P<month>[^\W\d]++)"
        r"[^\]]*?\b(?P<year>\d{4})\]"
        r" \[(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?:\s(?P<half>[AaPp][Mm]))?[^\]]*\] "
    ),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})>\t(?P<text>.*)"),
        message(MessageType.ACTION, rf"\t \* (?P<nick>{NICK})(?: (?P<text>.*))?"),
        chatter(r"\w+\tYou (?!are now known as )"),
        message(
            MessageType.NOTICE,
            rf"Notice\t-(?P<nick>{NICK}) to (?P<channel>{CHANNEL})- (?P<text>.*)",
        ),
        # Where people come and go, the forms without a host, or with it at the end, are older.
        message(
            MessageType.JOIN,
            rf"Join\t(?P<nick>{NICK}) has joined this channel(?: \({USER_HOST}\)\.|\. {_HOST})",
        ),
        message(MessageType.JOIN, rf"Join\t{PERSON} has joined this channel\."),
        message(MessageType.PART, rf"Part\t{PERSON} has left this channel{_REASON}"),
        message(MessageType.PART, rf"Part\t(?P<nick>{NICK}) has left this channel{_REASON}"),
        message(MessageType.QUIT, rf"Quit\t{PERSON} has left this server{_REASON}"),
        message(MessageType.QUIT, rf"Quit\t(?P<nick>{NICK}) has left this server{_REASON}"),
        message(MessageType.NICK, rf"Nick\tYou are now known as (?P<new>{NICK})\.", own=True),
        message(MessageType.NICK, rf"Nick\t(?P<nick>{NICK}) is now known as (?P<new>{NICK})\."),
        message(
            MessageType.KICK,
            rf"Kick\t(?P<target>{NICK}) has been kicked from the channel by"
            rf" (?P<nick>{NICK}?){_REASON}",
        ),
        message(
            MessageType.TOPIC,
            rf'Topic\t(?P<nick>{NICK}) sets the channel topic to "(?P<text>.*)"\.',
        ),
        *(
            message(
                MessageType.MODE,
                rf"Mode\t(?P<nick>{NICK}) {does} channel {name} privileges {whom}"
                rf" (?!you\.)(?P<target>{NICK})\.",
                text=f"{sign}{letter} {{target}}",
            )
            for name, letter in _PRIVILEGES
            for does, whom, sign in (("gives", "to", "+"), ("takes", "from", "-"))
        ),
        chatter(r"(?!(?:Join|Part|Quit)\t)[^\t<]+\t"),
    ),
    unstamped=(
        boundary(Boundary.OPENED, rf"\*{{3}} \D*\b{CTIME}"),
        chatter(r"\*{3} "),
    ),
    paths=(
        re.compile(r"(?<![^/])(?P<network>[^/#&+!]+?)_(?P<channel>[#&+!][^/]*)\.log\Z"),
        re.compile(r"(?<![^/])(?P<network>[^/#&+!_]+)_(?P<channel>[^/]+)\.log\Z"),
    ),
    by_documentation=True,
)
