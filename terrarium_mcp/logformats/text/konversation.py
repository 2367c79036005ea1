"""Konversation: `<network>_<channel>.log`, local times with a date; by documentation.

Dates and events are in the language of its user. What people say and do is read in any of those
whose months are known; comings and goings in English only. What happens to the owner of the log
does not name them, so it is left out.
"""

import re
from collections.abc import Callable, Sequence

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CTIME,
    DOES,
    NICK,
    PERSON,
    USER_HOST,
    WHY,
    MessageRule,
    TextFormat,
    boundary,
    chatter,
    message,
)

_HOST = r"\((?:[^\s@()]*@)?[^\s@()]*\)"
_REASON = rf"{WHY}\."
_PRIVILEGES = (("owner", "q"), ("admin", "a"), ("operator", "o"))


def events_of_konversation(mark: Callable[[str], str]) -> Sequence[MessageRule]:
    """What happens, behind what `mark` says, a pattern, that its kind of lines begins with."""
    return (
        # Where people come and go, the forms without a host, or with it at the end, are older.
        message(
            MessageType.JOIN,
            rf"{mark('Join')}(?P<nick>{NICK}) has joined this channel"
            rf"(?: \({USER_HOST}\)\.|\. {_HOST})",
        ),
        message(MessageType.JOIN, rf"{mark('Join')}{PERSON} has joined this channel\."),
        message(MessageType.PART, rf"{mark('Part')}{PERSON} has left this channel{_REASON}"),
        message(
            MessageType.PART, rf"{mark('Part')}(?P<nick>{NICK}) has left this channel{_REASON}"
        ),
        message(MessageType.QUIT, rf"{mark('Quit')}{PERSON} has left this server{_REASON}"),
        message(MessageType.QUIT, rf"{mark('Quit')}(?P<nick>{NICK}) has left this server{_REASON}"),
        message(
            MessageType.NICK, rf"{mark('Nick')}You are now known as (?P<new>{NICK})\.", own=True
        ),
        message(
            MessageType.NICK, rf"{mark('Nick')}(?P<nick>{NICK}) is now known as (?P<new>{NICK})\."
        ),
        message(
            MessageType.KICK,
            rf"{mark('Kick')}(?P<target>{NICK}) has been kicked from the channel by"
            rf" (?P<nick>{NICK}?){_REASON}",
        ),
        message(
            MessageType.TOPIC,
            mark("Topic") + rf'(?P<nick>{NICK}) sets the channel topic to "(?P<text>.*)"\.',
        ),
        *(
            message(
                MessageType.MODE,
                rf"{mark('Mode')}(?P<nick>{NICK}) {does} channel {name} privileges {whom}"
                rf" (?!you\.)(?P<target>{NICK})\.",
                text=f"{sign}{letter} {{target}}",
            )
            for name, letter in _PRIVILEGES
            for does, whom, sign in (("gives", "to", "+"), ("takes", "from", "-"))
        ),
    )


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
        message(MessageType.ACTION, rf"\t \* {DOES}"),
        chatter(r"\w+\tYou (?!are now known as )"),
        message(
            MessageType.NOTICE,
            rf"Notice\t-(?P<nick>{NICK}) to (?P<channel>{CHANNEL})- (?P<text>.*)",
        ),
        *events_of_konversation(lambda word: rf"{word}\t"),
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
