"""ZNC's log module and soju's file logs: one file for each channel and day, `2026-10-24.log`.

ZNC writes local time of the user's zone, soju of the server. Own lines look like those of others.
The module may be loaded for a network, a user and globally: the same lines are then in three files.
Who publishes a log may leave out where people come from.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.dated_clocks import IN_BRACKETS
from terrarium_mcp.logformats.entries import Boundary, LogEvent
from terrarium_mcp.logformats.grammar import (
    CLOCK_WITH_SECONDS,
    DOES,
    FROM,
    ISO_DAY,
    NICK,
    SENDER,
    WHY,
    ZONE,
    TextFormat,
    boundary,
    chatter,
    message,
)
from terrarium_mcp.logformats.layout import (
    LogLayout,
    file_name,
    kicked,
    on_one_line,
    user_host,
    writable_nick,
)

_DATE = r"(?P<date>\d{4}(?:-\d\d-|/\d\d/|\d\d)\d\d)"
"""The name of a file. Its user may write it otherwise: `20261024`, or with folders `2026/10/24`."""

_PERSON = rf"(?P<nick>{NICK}){FROM}"

ZNC = TextFormat(
    name="znc",
    program="ZNC or soju",
    has_file_a_day=True,
    stamp=re.compile(rf"\[(?:{ISO_DAY}[ T])?{CLOCK_WITH_SECONDS}(?: {ZONE})?\] "),
    other_stamps=(IN_BRACKETS,),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        # Of mIRC is `* Joins: ada`, whose logs look alike else.
        message(MessageType.ACTION, rf"\* (?!\S+:(?: |\Z)){DOES}"),
        message(MessageType.NOTICE, rf"-(?P<nick>{SENDER})- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\*\*\* Joins:? {_PERSON}"),
        message(MessageType.PART, rf"\*\*\* Parts:? {_PERSON}{WHY}"),
        message(MessageType.QUIT, rf"\*\*\* Quits:? {_PERSON}{WHY}"),
        message(
            MessageType.KICK,
            rf"\*\*\* (?P<target>{NICK}) was kicked by (?P<nick>{NICK}){WHY}",
        ),
        message(MessageType.NICK, rf"\*\*\* (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.TOPIC, rf"\*\*\* (?P<nick>{NICK}) changes topic to '(?P<text>.*)'"),
        # Which modes the channel has, none: its server tells ZNC when it joins.
        chatter(r"\*\*\* Server sets mode: \+ ?\Z"),
        message(MessageType.MODE, rf"\*\*\* (?P<nick>{NICK}) sets mode: (?P<text>.*)"),
        boundary(Boundary.OPENED, r"Connected to IRC\b"),
        boundary(Boundary.CLOSED, r"Disconnected from IRC\b"),
    ),
    paths=(
        re.compile(rf"(?P<network>[^/]+)/(?P<window>status)/{_DATE}\.log\Z"),
        # A module of the user or a global one, or soju; last the module of a network.
        re.compile(rf"networks/(?P<network>[^/]+)/moddata/log/(?P<channel>[^/]+)/{_DATE}\.log\Z"),
        re.compile(rf"(?P<network>[^/]+)/(?P<channel>[^/]+)/{_DATE}\.log\Z"),
        # Up to 1.4, the date is in the name of the file; then the levels of the module are told
        # by the folder, or by how many names precede a channel. Both names may have a `_`.
        *(
            re.compile(pattern + r"_(?P<date>\d{8})\.log\Z")
            for pattern in (
                r"networks/(?P<network>[^/]+)/moddata/log/(?P<window>status)",
                r"networks/(?P<network>[^/]+)/moddata/log/(?P<channel>[^/]+)",
                r"users/[^/]+/moddata/log/(?P<network>[^/]+)_(?P<window>status)",
                r"users/[^/]+/moddata/log/(?P<network>[^/]+?)_(?P<channel>[#&+!][^/]*)",
                r"users/[^/]+/moddata/log/(?P<network>[^/#&+!_]+)_(?P<channel>[^/#&+!]+)",
                r"(?<![^/])[^/#&+!_]+_(?P<network>[^/]+)_(?P<window>status)",
                r"(?<![^/])[^/#&+!_]+_(?P<network>[^/#&+!]+?)_(?P<channel>[#&+!][^/]*)",
                r"(?<![^/])(?P<network>[^/#&+!_]+)_(?P<channel>[#&+!][^/]*)",
                r"(?<![^/])[^/#&+!_]+_(?P<network>[^/#&+!_]+)_(?P<channel>[^/#&+!]+)",
                r"(?<![^/])(?P<channel>[^/]+)",
            )
        ),
    ),
)


def _lines(said_at: datetime, event: LogEvent, _: datetime | None) -> Sequence[str]:
    return [f"[{said_at:%H:%M:%S}] {_body(event)}"]


def _body(event: LogEvent) -> str:
    nick, text = writable_nick(event.nick), on_one_line(event.text)
    reason = f" ({text})" if text else ""
    match event.kind:
        case MessageType.PRIVMSG:
            return f"<{nick}> {text}"
        case MessageType.ACTION:
            return f"* {nick} {text}"
        case MessageType.NOTICE:
            return f"-{nick}- {text}"
        case MessageType.JOIN:
            return f"*** Joins: {nick} ({user_host(event)})"
        case MessageType.PART:
            return f"*** Parts: {nick} ({user_host(event)}){reason}"
        case MessageType.QUIT:
            return f"*** Quits: {nick} ({user_host(event)}){reason}"
        case MessageType.KICK:
            target, why = kicked(event)
            return f"*** {target} was kicked by {nick}" + (f" ({why})" if why else "")
        case MessageType.NICK:
            return f"*** {nick} is now known as {writable_nick(event.text)}"
        case MessageType.MODE:
            return f"*** {nick} sets mode: {text}"
        case MessageType.TOPIC:
            return f"*** {nick} changes topic to '{text}'"


def _file(network: str, channel: str, said_at: datetime) -> PurePosixPath:
    folders = (file_name(name.replace("\\", "-"), slash="-") for name in (network, channel))
    return PurePosixPath(*folders, f"{said_at:%Y-%m-%d}.log")


ZNC_LAYOUT = LogLayout("znc", _lines, _file)
"""A file for each day of the reader's zone, as the log module of a user does it."""
