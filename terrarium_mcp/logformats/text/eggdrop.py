"""Eggdrop: log files of its own naming, of which only the configuration knows the channel.

Stamps are of the bot's local time, without a date unless its `timestamp-format` has one. What is
said after midnight may still be in the file of the day before.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import IN_BRACKETS
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_OF_24,
    DOES,
    FROM,
    ISO_DAY,
    NICK,
    PERSON,
    SENDER_TO_CHANNEL,
    WHY,
    ZONE,
    TextFormat,
    boundary,
    chatter,
    message,
)

_MASK = r"(?P<user>[^\s@!]*)@(?P<host>\S*)"
_DAY = r"--- \w{3} (?P<month>\w{3}) +(?P<day>\d\d?) (?P<year>\d{4})"

EGGDROP = TextFormat(
    name="eggdrop",
    program="Eggdrop",
    stamp=re.compile(rf"\[(?:{ISO_DAY}[ T])?{CLOCK_OF_24}(?: {ZONE})?\] "),
    other_stamps=(IN_BRACKETS,),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"Action: {DOES}"),
        message(MessageType.NOTICE, rf"-{SENDER_TO_CHANNEL}- ?(?P<text>.*)"),
        # What is said to the bot alone, by whole masks, before what happens in the same words.
        chatter(r"\[[^\s!]+![^\s@]+@\S+\] |\([^\s!()]+![^\s@()]+@[^\s()]+\) "),
        message(
            MessageType.JOIN,
            rf"(?P<nick>{NICK}){FROM} joined (?P<channel>{CHANNEL}?)"
            r"(?: \(with [^()]*\))?\.",
        ),
        message(MessageType.PART, rf"{PERSON} left (?P<channel>{CHANNEL}?){WHY}\."),
        message(MessageType.QUIT, rf"{PERSON} left irc: (?P<text>.*)"),
        message(MessageType.QUIT, rf"{PERSON} got (?:lost in the )?net-?split\."),
        message(MessageType.JOIN, rf"{PERSON} returned to (?P<channel>{CHANNEL}?)\."),
        message(
            MessageType.KICK,
            rf"(?P<target>{NICK}) kicked from (?P<channel>{CHANNEL}) by (?P<nick>{NICK}):"
            r"(?: (?P<text>.*))?",
        ),
        message(MessageType.NICK, rf"Nick change: (?P<nick>{NICK}) -> (?P<new>{NICK})"),
        message(
            MessageType.MODE,
            rf"(?P<channel>{CHANNEL}): mode change '(?P<text>.*)'"
            rf" by (?P<nick>[^\s!]+)(?:!{_MASK})?",
        ),
        message(
            MessageType.TOPIC,
            rf"Topic changed on (?P<channel>{CHANNEL}) by (?P<nick>[^\s!]+)(?:!{_MASK})?:"
            r"(?: (?P<text>.*))?",
        ),
        boundary(Boundary.DAY, _DAY),
        chatter(r"Last message repeated \d+ time|@\S|[A-Z]"),
        # Commands to the bot, and notices to it alone.
        chatter(r"#[^\s#]+# |<<[^\s>]+>> |-\S+ \(\S+@\S+\)- "),
    ),
    unstamped=(boundary(Boundary.DAY, _DAY),),
    paths=(re.compile(r"(?P<channel>[^/]+)\.log\.(?P<date>\d{2}[A-Z][a-z]{2}\d{4}|\d{8})\Z"),),
)
