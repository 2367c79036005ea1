"""rbot, a bot: `.rbot/logs/<channel>`, local times; by documentation.

Events are English sentences behind an `@`. Of private messages it writes the address of who sent
them beside the nick.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    NICK,
    SENDER,
    USER_HOST,
    TextFormat,
    boundary,
    chatter,
    message,
)

_PERSON = rf"@ (?P<nick>{NICK})"
_NAMED = rf"(?P<channel>{CHANNEL})"
_WHY = r" \((?P<text>.*)\)"
_WITH_ADDRESS = rf"(?P<nick>[^\s<>()]+)\({USER_HOST}\)"

RBOT = TextFormat(
    name="rbot",
    program="rbot",
    stamp=re.compile(
        r"\[(?P<year>\d{4})/(?P<month>\d\d)/(?P<day>\d\d)"
        rf" {CLOCK_WITH_SECONDS}\] "
    ),
    rules=(
        message(MessageType.PRIVMSG, rf"<{_WITH_ADDRESS}> ?(?P<text>.*)"),
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {_WITH_ADDRESS} (?P<text>.*)"),
        message(MessageType.ACTION, rf"\* (?P<nick>{NICK}) (?P<text>.*)"),
        message(MessageType.NOTICE, rf"-{_WITH_ADDRESS}- ?(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        boundary(Boundary.OPENED, r"@ Log started by "),
        boundary(Boundary.CLOSED, r"@ Log closed by "),
        chatter(
            r"@ (?:Joined channel|Left channel|You have been kicked|I set topic|Topic is"
            r"|Topic set by|quit \(|\S+ asked |\S+ pinged )"
        ),
        message(MessageType.JOIN, rf"{_PERSON} joined channel {_NAMED}"),
        message(MessageType.PART, rf"{_PERSON} left channel {_NAMED}{_WHY}"),
        message(MessageType.QUIT, rf"@ Quit: (?P<nick>{NICK}?): (?P<text>.*)"),
        message(
            MessageType.KICK,
            rf"@ (?P<target>{NICK}) has been kicked from {_NAMED} by (?P<nick>{NICK}){_WHY}",
        ),
        message(MessageType.NICK, rf"{_PERSON} is now known as (?P<new>{NICK})"),
        message(MessageType.MODE, rf"@ Mode (?P<text>[+-].*) by (?P<nick>{NICK})"),
        message(MessageType.TOPIC, rf'{_PERSON} set topic "(?P<text>.*)"'),
        chatter(r"MOTD: |joined server "),
    ),
    paths=(
        re.compile(r"\.rbot[^/]*/logs/(?P<window>server|\.unknown)\Z"),
        re.compile(r"\.rbot[^/]*/logs/(?P<channel>[^/]+)\Z"),
    ),
    by_documentation=True,
)
