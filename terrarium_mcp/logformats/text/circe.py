"""Circe, of Emacs: `.lui-logs/#channel@network_2026-10-24.txt`, local times; by documentation.

What its user says has no nick before it.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_OF_24,
    COLON_WHY,
    DOES,
    FROM,
    ISO_DAY,
    NICK,
    NOT_OF_ERC,
    PERSON,
    SENDER,
    SHOWS_ADDRESS,
    TextFormat,
    chatter,
    message,
)

CIRCE = TextFormat(
    name="circe",
    program="Circe",
    stamp=re.compile(rf"\[(?:{ISO_DAY}[ T])?{CLOCK_OF_24}\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.PRIVMSG, r"> (?P<text>.*)", own=True),
        message(MessageType.ACTION, rf"\* {DOES}"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\*\*\* Join: {PERSON}.*"),
        message(
            MessageType.PART, rf"\*\*\* Part: {PERSON} left (?P<channel>{CHANNEL}?){COLON_WHY}"
        ),
        message(MessageType.QUIT, rf"\*\*\* Quit: {PERSON} left (?:IRC|{CHANNEL}?){COLON_WHY}"),
        message(
            MessageType.KICK,
            rf"\*\*\* Kick: (?P<target>{NICK}) kicked by (?P<nick>{NICK}?){FROM}{COLON_WHY}",
        ),
        message(
            MessageType.NICK,
            rf"\*\*\* Nick change: You are now known as (?P<new>{NICK})",
            own=True,
        ),
        message(
            MessageType.NICK,
            rf"\*\*\* Nick (?:change|regain): {PERSON} is now known as (?P<new>{NICK})",
        ),
        message(
            MessageType.MODE,
            rf"\*\*\* Mode change: (?P<text>[+-].*) on (?P<channel>{CHANNEL})"
            rf" by (?P<nick>{NICK}){FROM}",
        ),
        message(MessageType.TOPIC, rf"\*\*\* Topic change by {PERSON}: (?P<text>.*)"),
        chatter(rf"\*\*\* (?!(?:\S+: )?\S+ \(|{SHOWS_ADDRESS})"),
    ),
    paths=(re.compile(rf"{NOT_OF_ERC}(?P<channel>[^/@]+)@(?P<network>[^/@]+?)\.txt\Z"),),
    by_documentation=True,
)
