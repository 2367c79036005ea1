"""botbot.me, a service that logged channels until 2018: what was saved of its pages as text.

Stamps are UTC, or of the time zone that who saved it had asked for. They have no day, unless who
publishes a log has put it there. An action may imitate any event.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    DOES,
    ISO_DAY,
    NICK,
    TextFormat,
    chatter,
    message,
)

_WHO = rf"\* (?P<nick>{NICK})"

BOTBOT = TextFormat(
    name="botbot",
    program="botbot.me",
    stamp=re.compile(rf"(?:(?P<bracket>\[)|{ISO_DAY}T){CLOCK_WITH_SECONDS}(?(bracket)\]) "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> (?P<text>.*)"),
        message(MessageType.JOIN, rf"{_WHO} joined the channel", certain=False),
        message(MessageType.PART, rf"{_WHO} has left the channel", certain=False),
        message(MessageType.QUIT, rf"{_WHO} has quit", certain=False),
        message(MessageType.NICK, rf"{_WHO} is now known as (?P<new>{NICK})", certain=False),
        chatter(r"\* (?:-- BotBot disconnected, |[A-Z]+: )"),
        message(MessageType.ACTION, rf"\* {DOES}", certain=False),
    ),
)
