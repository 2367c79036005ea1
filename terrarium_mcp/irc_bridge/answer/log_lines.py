"""Messages as lines for the model: under day headings, joins and parts in a row as one. Pure."""

from collections.abc import Sequence
from itertools import groupby

from terrarium_mcp.chat.irctext import harmless_nick
from terrarium_mcp.chat.records import Message, MessageType
from terrarium_mcp.chat.times.timestamps import day, local
from terrarium_mcp.chat.transcript import RenderOptions, line_of
from terrarium_mcp.wording import and_more

JOINS_AND_LEAVES = frozenset((MessageType.JOIN, MessageType.PART, MessageType.QUIT))

_NAMED = 5
"""Nicks named in a line that stands for several joins and parts."""


def collapsed_lines(messages: Sequence[Message], options: RenderOptions) -> list[str]:
    """The messages as lines under day headings; consecutive joins and parts become one line."""
    lines: list[str] = []
    today = None
    for in_a_row, group in groupby(messages, lambda message: message.kind in JOINS_AND_LEAVES):
        run = list(group)
        if in_a_row and len(run) > 1:
            lines.append(collapsed(run))
            continue
        for message in run:
            if (date := local(message.said_at, options.zone).date()) != today:
                lines.append(f"-- {day(message.said_at, options.zone)} --")
                today = date
            lines.append(line_of(message, options))
    return lines


def collapsed(run: Sequence[Message]) -> str:
    """Consecutive joins and leaves in one line, by where they leave each nick.

    `* ada, cy joined; cy left; bo left and came back`: who joined and left again is among both.
    """
    first = {one.nick: one.kind is MessageType.JOIN for one in reversed(run)}
    last = {one.nick: one.kind is MessageType.JOIN for one in run}
    parts = [
        _names([nick for nick in last if first[nick]], "joined"),
        _names([nick for nick in last if not last[nick]], "left"),
        _names([nick for nick in last if last[nick] and not first[nick]], "left and came back"),
    ]
    return "* " + "; ".join(part for part in parts if part)


def _names(nicks: Sequence[str], what: str) -> str:
    if not nicks:
        return ""
    return f"{and_more([harmless_nick(nick) for nick in nicks], _NAMED)} {what}"
