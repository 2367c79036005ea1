"""HexChat, `logs/<network>/<channel>.log`, and XChat, `xchatlogs/<network>-<channel>.log`.

Their stamps have no year unless the user writes them otherwise: `[23:57]`, `[11:57:13 PM]`,
`(23:57)`, seconds since 1970, or none, so that all is of the moment at which the log was opened.
Days are read whose month is certain: not those of numbers between slashes or dashes that begin with
no year, nor between dots if the year has two digits (`26.10.24`).

Behind what its lines begin with is a tab, or with a stamp such as `Oct 24 23:57:13` a blank, where
its user had texts of events with one: mIRC's wording is known there, too. Where XChat filled up
that column, more blanks may follow a mark.

In HexChat, what people do and what happens both begin with `*`: events are known by their wording,
which somebody may act out; only a join and a part show user@host, and are certain. XChat's default
theme begins what happens with an arrow, `-->`, `<--` or `---`, which no action has.

The words are those of the user's language where HexChat has them: French and Spanish are known
beside English, which German, Polish and Russian logs have too. In any other, what shows user@host
is no action, and is left out.
"""

import re
from collections.abc import Sequence

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import ZONED_CLOCK, dated_stamps
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CTIME,
    FOLDER_OF_CHANNEL,
    ISO_OR_NAMED_DAY,
    NICK,
    PERSON,
    SENDER,
    SENDER_TO_CHANNEL,
    WHY,
    LineRule,
    MessageRule,
    TextFormat,
    boundary,
    chatter,
    message,
    to_channel,
)
from terrarium_mcp.logformats.text.mirc import events_of_mirc

_MODES = (
    ("gives channel operator status to", "+o"),
    ("removes channel operator status from", "-o"),
    ("gives channel half-operator status to", "+h"),
    ("removes channel half-operator status from", "-h"),
    ("gives voice to", "+v"),
    ("removes voice from", "-v"),
    ("sets ban on", "+b"),
    ("removes ban on", "-b"),
    ("sets quiet on", "+q"),
    ("removes quiet on", "-q"),
    ("sets exempt on", "+e"),
    ("removes exempt on", "-e"),
    ("sets invite exempt on", "+I"),
    ("removes invite exempt on", "-I"),
    ("sets invite on", "+I"),  # XChat
    ("removes invite on", "-I"),
    ("sets channel keyword to", "+k"),
    ("sets channel limit to", "+l"),
)

_NICKS = r"\S+(?: \S+)*"

_SAYS_TO_ITS_USER = (
    r"Now talking|Topic for|Users on [#&+!]|Channel [#&+!]\S* (?:url|modes|created)|Cannot join",
    rf"You |You've invited|{NICK} has been invited to {CHANNEL} by {NICK} \(",
    r"Nickname (?:is erroneous|already in use)",
    rf"{NICK} is (?:already in use|erroneous)\. Retrying with ",
    r"Looking up|Connecting to|Connected\.|Connection failed|Disconnected|Stopped previous",
    r"Unknown host\.|No ping reply for \d|Ping reply|Capabilities |Authenticating via SASL as ",
    r"MOTD Skipped|Found your IP: |Notify:|\d+ users in notify list|(?:A|No) process is ",
    rf"{NICK} (?:added to|deleted from) notify list\.",
    r"DCC [A-Z]+|No such DCC|Offering (?:'|DCC CHAT to)|Already offering CHAT to|The file '",
    r"Received (?:'|a (?:CTCP|DCC CHAT|malformed DCC))|Contents of packet: ",
    rf"{NICK} has (?:offered|requested to resume) '",
    r"\[\S+\] (?:\([^\s@]+@\S+\): |[@%+]?[#&]|idle \d|is away \(|Real Host: |is logged in)",
    r"\[\S+\] (?:has ident|End of WHOIS)",
)
"""How begins what it says to its user, by its table of events: of the channel, invitations, nicks,
connections, files, and a person."""

_HAS_JOINED = "(?:has joined|vient de rentrer|se ha unido)"
_HAS_LEFT = "(?:has left|a quitt\u00e9 le canal|ha salido)"
_HAS_QUIT = "(?:has quit|se ha marchado)"
_HAS_KICKED = "(?:has kicked|a expuls\u00e9|ha expulsado a)"
_HAS_CHANGED_TOPIC = "(?:has changed the topic to|ha cambiado el tema a)"
_ENDING = (
    "(?:ENDING LOGGING AT|BEENDE LOGBUCH UM|FIN DU JOURNAL \u00c0|FINALIZANDO CONEXI\u00d3N EN"
    "|ZAKO\u0143CZ LOGOWANIE O)"
)

_TO_CHANNEL = to_channel(SENDER, "/")
"""Who sends a notice, and where to; a nick may hold a `/` too."""
_TO_OWNER = rf"(?P<nick>(?![^\s:(]*[:(]){SENDER}?)"
"""Who sends a notice to the owner; others write `ada:#tea` or `ada(a@home)` there."""
_ITS = rf"(?: (?P<channel>{CHANNEL}))?"
"""The channel, which only XChat names where people come and go."""


def _rules_of(gap: str, *of_its_user: LineRule) -> tuple[LineRule, ...]:
    """The rules of lines in which `gap`, a pattern, stands behind what they begin with.

    `of_its_user` precede those of what else begins as an action does.
    """
    filled = rf"{gap} {{0,2}}"
    star, arrow = rf"\*{filled}", rf"(?:-->|<--|---){filled}"
    mark = rf"(?:{star}|{arrow})"

    def event(kind: MessageType, pattern: str, text: str = "") -> tuple[MessageRule, MessageRule]:
        """An event, as HexChat writes it, where an action may imitate it, and as XChat does."""
        happens = rf"(?P<nick>{NICK}) {pattern}"
        return (
            message(kind, star + happens, text=text, certain=False),
            message(kind, arrow + happens, text=text),
        )

    def is_given(words: str, mode: str) -> tuple[MessageRule, MessageRule]:
        """A mode that somebody is given or loses; several people are named in one line.

        Behind a star so are operators alone: somebody may give voice to his anger.
        """
        whom = _NICKS if "operator" in words else r"\S+"
        does = rf"(?P<nick>{NICK}) {words} "
        text = f"{mode} {{target}}"
        return (
            message(MessageType.MODE, rf"{star}{does}(?P<target>{whom})", text=text, certain=False),
            message(MessageType.MODE, rf"{arrow}{does}(?P<target>{_NICKS})", text=text),
        )

    return (
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})>{gap}(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-{_TO_CHANNEL}-{gap}(?P<text>.*)"),
        message(MessageType.NOTICE, rf"-{_TO_OWNER}-{gap}(?P<text>.*)", private=True),
        message(MessageType.NOTICE, rf"->(?P<channel>{CHANNEL})<-{gap}(?P<text>.*)", own=True),
        message(MessageType.JOIN, rf"{mark}{PERSON} {_HAS_JOINED}{_ITS}"),
        message(MessageType.PART, rf"{mark}{PERSON} {_HAS_LEFT}{_ITS}{WHY}"),
        # As its user may have a quit shown: by default without user@host.
        message(MessageType.QUIT, rf"{mark}{PERSON} {_HAS_QUIT} \((?P<text>.*)\)"),
        message(MessageType.JOIN, rf"-->{filled}{PERSON} .*"),
        message(MessageType.PART, rf"<--{filled}{PERSON} .*"),
        *event(MessageType.QUIT, rf"{_HAS_QUIT} \((?P<text>.*)\)"),
        message(MessageType.NICK, rf"{mark}You are now known as (?P<new>{NICK})", own=True),
        *event(MessageType.NICK, rf"is now known as (?P<new>{NICK})"),
        *event(MessageType.TOPIC, rf"{_HAS_CHANGED_TOPIC}: ?(?P<text>.*)"),
        *event(
            MessageType.KICK,
            rf"{_HAS_KICKED} (?P<target>{NICK}) (?:from|de) (?P<channel>{CHANNEL})"
            r" \((?P<text>.*)\)",
        ),
        *(rule for words, mode in _MODES for rule in is_given(words, mode)),
        *event(MessageType.MODE, "removes channel keyword", text="-k *"),
        *event(MessageType.MODE, "removes user limit", text="-l"),
        *event(
            MessageType.MODE,
            rf"sets modes? (?P<modes>[+-]\S+) (?:on )?(?P<channel>{CHANNEL})(?P<of>(?: .*)?)",
            text="{modes}{of}",
        ),
        # As its user may have modes shown: as they come. They may hold the key of a channel.
        *event(MessageType.MODE, rf"sets modes \[(?P<channel>{CHANNEL}) (?P<text>.*)\]"),
        chatter(rf"{star}{NICK} sets modes \["),
        chatter(rf"{star}(?:{'|'.join(_SAYS_TO_ITS_USER)})"),
        *of_its_user,
        chatter(rf"{star}{PERSON} "),
        message(
            MessageType.ACTION,
            rf"{star}(?P<nick>(?![#*]|\w+: ){NICK})(?: (?P<text>.*))?",
            certain=False,
        ),
        chatter(rf"\*{gap}|\*\*\*{gap}|>|{arrow}"),
    )


_IN_MIRCS_WORDS: Sequence[LineRule] = (
    message(MessageType.NOTICE, rf"-{SENDER_TO_CHANNEL}- (?P<text>.*)"),
    *events_of_mirc(r"\* "),
    chatter(r"\* (?:Topic is|Set by) "),
)

HEXCHAT = TextFormat(
    name="hexchat",
    program="HexChat or XChat",
    stamp=re.compile(
        r"(?:(?P<epoch>\d{9,11})|(?:(?P<bracket>\[)|(?P<round>\())?"
        rf"(?:{ISO_OR_NAMED_DAY}[ T])?{ZONED_CLOCK}(?(bracket)\])(?(round)\)))"
        r" (?(month)(?(year)(?=\S+\t))|(?=\S+\t))"
    ),
    other_stamps=dated_stamps(r" (?=\S+\t)"),
    rules=_rules_of(r"[\t ]", *_IN_MIRCS_WORDS),
    unstamped=(
        boundary(Boundary.CLOSED, rf"\*{{4}} {_ENDING} {CTIME}"),
        # The moment is in English whatever the words are. Those of unknown languages do not tell
        # which of the two it is; a log that is opened was closed before.
        boundary(Boundary.OPENED, rf"\*{{4}} \D*\b{CTIME}"),
        chatter(rf"\[{NICK} has address \S+\]\Z"),
        *_rules_of(r"\t"),
    ),
    paths=(
        re.compile(r"xchatlogs/(?P<network>[^/]+)-(?P<window>server|(?P=network))\.log\Z"),
        re.compile(r"(?<![^/])(?P<network>[^/#&+!]+)-(?P<channel>[#&+!][^/]*)\.(?:xchat)?log\Z"),
        re.compile(r"xchatlogs/(?P<network>[^/-]+)-(?P<channel>[^/]+)\.log\Z"),
        re.compile(rf"{FOLDER_OF_CHANNEL}\.log\Z"),
        re.compile(r"(?P<network>[^/]+)/(?P<window>server|(?P=network)|)\.log\Z"),
        re.compile(r"(?<![^/])(?P<network>[^/]+)/(?P<channel>[^/]+)/(?P=channel)\.log\Z"),
        re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)\.log\Z"),
    ),
)
