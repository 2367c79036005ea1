"""`!recent`: the newest lines of a channel, or of a person."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import minute
from terrarium_mcp.chat.transcript import RenderOptions, dated_line, room_name
from terrarium_mcp.irc_bridge.answer.gathering import messages_of
from terrarium_mcp.irc_bridge.answer.log_lines import JOINS_AND_LEAVES, collapsed
from terrarium_mcp.irc_bridge.answer.quotes import quote_options
from terrarium_mcp.irc_bridge.answer.reply import SHOWN
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import (
    nicks_in,
    nothing_found,
    quotable,
    quoted,
    refused,
)

USUAL = SHOWN
"""Lines without a number: as many as are said at once."""

MOST = 20
"""Lines at most: five times !more."""

_EVENTS = 500
"""Lines and events read at most to show who came and went: the limit of the tool."""

_COMMA = re.compile(r"\s*,\s+|\s+,")

_TOKENS = 100 * _EVENTS
"""Estimated tokens that these take as JSON."""


@dataclass(frozen=True, slots=True)
class RecentLines:
    """Which lines to quote: how many, of which channel, and whose; of anybody without nicks."""

    count: int = USUAL
    channel: str = ""
    nicks: tuple[str, ...] = ()


async def recent(context: CommandContext) -> list[str]:
    """!recent [N] [NICK]: the newest lines, oldest first, with joins and the bot's own."""
    wanted = recent_lines(context.command.rest)
    if wanted is None:
        return [_usage(context)]
    return await (_of_people if wanted.nicks else _of_everybody)(wanted, context)


def recent_lines(words: str) -> RecentLines | None:
    """The lines that a number, a channel and a nick name, in any order; None for anything else.

    Of several people the nicks have commas between them.
    """
    given = _COMMA.sub(",", words).split()
    found = {_kind(word): word for word in given}
    count = int(found.get("count", USUAL))
    nicks = tuple(nicks_in(found.get("nicks", "").replace('"', "")))
    if len(found) < len(given) or not count or ("nicks" in found and not nicks):
        return None
    return RecentLines(min(count, MOST), found.get("channel", ""), nicks)


def _kind(word: str) -> str:
    if word.isascii() and word.isdecimal():
        return "count"
    return "channel" if is_channel(word) else "nicks"


def _usage(context: CommandContext) -> str:
    command = f"{context.settings.command_prefix}recent"
    place = "" if context.command.channel else f", {command} #tea"
    return f"Which lines? For example: {command} 10, {command} alice{place}. {MOST} at most."


async def _of_people(wanted: RecentLines, context: CommandContext) -> list[str]:
    """What a person, or any of several, said last."""
    arguments = {
        "query": " ".join(f'from:"{nick}"' for nick in wanted.nicks),
        "channel": wanted.channel,
        "sort": "newest",
        "limit": wanted.count,
        "format": "json",
    }
    found = await context.toolbox.call("search_irc_history", arguments, context.view)
    if found.failed:
        return refused(found, context)
    return quoted(found, context)[::-1] or [nothing_found(found, context)]


async def _of_everybody(wanted: RecentLines, context: CommandContext) -> list[str]:
    """What was said last, and who came and went between."""
    arguments = {"channel": wanted.channel, "limit": wanted.count, "format": "json"}
    found = await context.toolbox.call("get_recent_irc_messages", arguments, context.view)
    if found.failed:
        return refused(found, context)
    messages = quotable(await _with_events(messages_of(found), wanted, context))
    options = quote_options(context.command.channel, context.settings, linked=True)
    return dated_lines(messages, options)[-wanted.count :] or [nothing_found(found, context)]


async def _with_events(
    spoken: Sequence[Message], wanted: RecentLines, context: CommandContext
) -> Sequence[Message]:
    """The spoken lines and all events since the first of them; without events if too many."""
    first = spoken[:1] if len(spoken) == wanted.count else ()
    arguments = {
        "channel": wanted.channel,
        "after_id": str(first[0].id) if first else "",
        "include_events": True,
        "limit": _EVENTS,
        "format": "json",
    }
    view = {**context.view, "max_tokens": _TOKENS}
    found = await context.toolbox.call("get_recent_irc_messages", arguments, view)
    return spoken if found.failed or found.facts.get("more") else [*first, *messages_of(found)]


def dated_lines(messages: Sequence[Message], options: RenderOptions) -> list[str]:
    """The messages as dated lines; consecutive joins and leaves of a channel become one line."""
    lines: list[str] = []
    for (comes_or_goes, room), group in groupby(messages, _run_key):
        run = list(group)
        if comes_or_goes and len(run) > 1:
            said_at = minute(run[-1].said_at, options.zone)
            place = f"{room_name(room, options)} " if options.rooms_named else ""
            lines.append(f"{said_at} {place}{collapsed(run)}")
        else:
            lines += [dated_line(message, options) for message in run]
    return lines


def _run_key(message: Message) -> tuple[bool, Room]:
    return message.kind in JOINS_AND_LEAVES, message.room
