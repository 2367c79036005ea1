"""catgirl: `<network>/<channel>/2026-10-24.log`, times with their zone; by documentation.

Events are English sentences without a prefix, as its handle.c writes them; nobody's user and host
is in them.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    COLON_WHY,
    DOES,
    FILE_DAY,
    ISO_DAY,
    NICK,
    SENDER,
    TextFormat,
    chatter,
    message,
)

_PERSON = rf"(?P<nick>{NICK})"
_NAMED = rf"(?P<channel>{CHANNEL})"
_BEFORE_TEXT = rf"(?P<channel>{CHANNEL}?)"
_MODE = (
    r"(?P<mode>[+-]\S)(?: (?:protected topic|protected|halfop|invite-only|key|client limit"
    r"|moderated|no external messages|operator|founder|secret|voice|except|invite))?"
)
"""A mode and the name that catgirl has for it, if any."""
_DAY = rf"{FILE_DAY}\.log\Z"

CATGIRL = TextFormat(
    name="catgirl",
    program="catgirl",
    has_file_a_day=True,
    stamp=re.compile(rf"\[{ISO_DAY}T{CLOCK_WITH_SECONDS}(?P<zone>[+-]\d{{4}})\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<{_PERSON}> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"{_PERSON} arrives in {_NAMED}"),
        message(MessageType.PART, rf"{_PERSON} leaves {_BEFORE_TEXT}{COLON_WHY}"),
        message(MessageType.QUIT, rf"{_PERSON} leaves{COLON_WHY}"),
        message(
            MessageType.KICK,
            rf"{_PERSON} kicks (?P<target>{NICK}) out of {_BEFORE_TEXT}{COLON_WHY}",
        ),
        message(MessageType.NICK, rf"{_PERSON} is now known as (?P<new>{NICK})"),
        message(MessageType.TOPIC, rf"{_PERSON} places a new sign in {_BEFORE_TEXT}: (?P<text>.*)"),
        message(MessageType.TOPIC, rf"{_PERSON} removes the sign in {_NAMED}"),
        message(  # the rank that the mode gives or takes is before the nick
            MessageType.MODE,
            rf"{_PERSON} (?:un)?sets \S(?P<target>{NICK}) {_MODE} in {_NAMED}",
            text="{mode} {target}",
        ),
        message(
            MessageType.MODE,
            rf"{_PERSON} (?:un)?sets {_NAMED} {_MODE}(?P<parameter> \S+)?",
            text="{mode}{parameter}",
        ),
        message(
            MessageType.MODE,
            rf"{_PERSON} (?:un)?bans (?P<mode>[+-]\S) (?P<target>\S+) from {_NAMED}",
            text="{mode} {target}",
        ),
        message(
            MessageType.MODE,
            rf"{_PERSON} (?:adds (?P<target>\S+) to|removes (?P<removed>\S+) from)"
            rf" the {_NAMED} {_MODE} list",
            text="{mode} {target}{removed}",
        ),
        chatter(rf"The sign in {CHANNEL} reads: |{NICK} (?:invites {NICK} to [#&+!]|is away: )"),
    ),
    paths=(
        re.compile(rf"(?P<network>[^/]+)/(?P<window><[^/]+>)/{_DAY}"),
        re.compile(rf"(?P<network>[^/]+)/(?P<channel>[^/]+)/{_DAY}"),
    ),
    by_documentation=True,
)
