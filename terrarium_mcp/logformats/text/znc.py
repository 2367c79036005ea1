"""ZNC's log module and soju's file logs: one file for each channel and day, `2026-10-24.log`.

ZNC writes local time of the user's zone, soju of the server. Own lines look like those of others.
The module may be loaded for a network, a user and globally: the same lines are then in three files.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import NICK, USER_HOST, TextFormat, boundary, message

_DATE = r"(?P<date>\d{4}-\d\d-\d\d)"

ZNC = TextFormat(
    name="znc",
    program="ZNC or soju",
    stamp=re.compile(r"\[(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\] "),
    rules=(
        message(MessageType.PRIVMSG, rf"<(?P<nick>{NICK})> ?(?P<text>.*)"),
        message(MessageType.ACTION, rf"\* (?P<nick>{NICK})(?: (?P<text>.*))?"),
        message(MessageType.NOTICE, rf"-(?P<nick>{NICK}?)- ?(?P<text>.*)"),
        message(MessageType.JOIN, rf"\*\*\* Joins: (?P<nick>{NICK}) \({USER_HOST}\)"),
        message(
            MessageType.PART,
            rf"\*\*\* Parts: (?P<nick>{NICK}) \({USER_HOST}\)(?: \((?P<text>.*)\))?",
        ),
        message(
            MessageType.QUIT,
            rf"\*\*\* Quits: (?P<nick>{NICK}) \({USER_HOST}\)(?: \((?P<text>.*)\))?",
        ),
        message(
            MessageType.KICK,
            rf"\*\*\* (?P<target>{NICK}) was kicked by (?P<nick>{NICK})(?: \((?P<text>.*)\))?",
        ),
        message(MessageType.NICK, rf"\*\*\* (?P<nick>{NICK}) is now known as (?P<new>{NICK})"),
        message(MessageType.TOPIC, rf"\*\*\* (?P<nick>{NICK}) changes topic to '(?P<text>.*)'"),
        message(MessageType.MODE, rf"\*\*\* (?P<nick>{NICK}) sets mode: (?P<text>.*)"),
        boundary(Boundary.OPENED, r"Connected to IRC\b"),
        boundary(Boundary.CLOSED, r"Disconnected from IRC\b"),
    ),
    paths=(
        re.compile(rf"(?P<network>[^/]+)/(?P<window>status)/{_DATE}\.log\Z"),
        # A module of the user or a global one, or soju; last the module of a network.
        re.compile(rf"networks/(?P<network>[^/]+)/moddata/log/(?P<channel>[^/]+)/{_DATE}\.log\Z"),
        re.compile(rf"(?P<network>[^/]+)/(?P<channel>[^/]+)/{_DATE}\.log\Z"),
        re.compile(r"[^/_]+_(?P<network>[^/]+)_(?P<channel>[^/]+)_(?P<date>\d{8})\.log\Z"),
    ),
)
