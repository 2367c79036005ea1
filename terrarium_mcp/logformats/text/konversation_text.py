"""Konversation: what its user copied out of a window, or saved of it, with the stamps shown there.

Its log is in another form (`konversation.py`). Stamps have a day if its user shows it. What happens
is read in English. In another language who comes or goes is known by the arrow and by the address,
but of who leaves the server it is only known that they leave the channel.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CLOCK,
    DOES,
    ISO_DAY,
    NICK,
    PERSON,
    USER_HOST,
    WHY,
    TextFormat,
    chatter,
    message,
)
from terrarium_mcp.logformats.text.konversation import events_of_konversation

_WORDS = r"[^()]*[^()\s]"
_MARKS = {"Join": "--> ", "Part": "<-- ", "Quit": "<-- "}

KONVERSATION_TEXT = TextFormat(
    name="konversation-text",
    program="Konversation, copied",
    stamp=re.compile(rf"\[(?:{ISO_DAY}[ T])?{CLOCK}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* {DOES}"),
        chatter(r"--> You have joined |<-- You have left "),
        *events_of_konversation(lambda word: _MARKS.get(word, r"\*\*\* ")),
        message(MessageType.JOIN, rf"--> {PERSON} {_WORDS}\."),
        message(MessageType.JOIN, rf"--> (?P<nick>{NICK}) {_WORDS} \({USER_HOST}\)\."),
        message(MessageType.PART, rf"<-- {PERSON} {_WORDS}{WHY}\."),
        chatter(r"\*\*\* (?:The (?:channel )?topic |Channel |This channel |You )"),
    ),
)
