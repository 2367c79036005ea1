"""The commands that need no model: each handler returns the lines to say."""

from collections.abc import Mapping, Sequence
from typing import Any

from terrarium_mcp.chat.transcript import RenderOptions
from terrarium_mcp.irc_bridge.answer.budget import HARD_LIMIT
from terrarium_mcp.irc_bridge.answer.prompt import dated_line, messages_of
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext, CommandHandler
from terrarium_mcp.irc_bridge.ask.consent_commands import forget, optin, optout
from terrarium_mcp.irc_bridge.ask.help import help_
from terrarium_mcp.irc_bridge.toolbox import ToolAnswer, ViewMeta

SEARCH_LIMIT = 20
"""Hits that !search asks for: the first are said, the rest is kept for !more."""


async def ping(context: CommandContext) -> list[str]:
    """!ping: whether the bot and its history are reachable."""
    away = context.toolbox.trouble  # which may name an address, and is in the log
    return ["pong, but the history is unavailable at the moment" if away else "pong"]


async def search(context: CommandContext) -> list[str]:
    """!search WORDS: the best hits; the rest under !more."""
    if not context.command.rest:
        return [
            f"Search for what? For example: {context.settings.command_prefix}search deploy script"
        ]
    arguments = {"query": context.command.rest, "limit": SEARCH_LIMIT, "format": "json"}
    found = await context.toolbox.call("search_irc_history", arguments, context.view)
    if found.failed:
        return [found.text]
    options = RenderOptions(
        zone=context.settings.zone, budget=HARD_LIMIT, rooms_named=not context.command.channel
    )
    lines = [dated_line(message, options) for message in messages_of(found)]
    return lines or [f"Nothing found. The record covers: {found.facts.get('covered', 'unknown')}"]


async def stats(context: CommandContext) -> list[str]:
    """!stats: line counts of the channel and its top talkers."""
    found = await context.toolbox.call("get_channel_stats", {}, _without_cutoff(context.view))
    if found.failed:
        return [found.text]
    lines = [
        f"{one['channel']}: {one['lines']:,} lines by {one['people']:,} people,"
        f" {one['last_24_hours']:,} in the last 24 h, {one['last_7_days']:,} in 7 d"
        for one in _listed(found, "channels")
    ]
    talkers = found.facts.get("top_talkers") or {}
    top = ", ".join(f"{nick} {count:,}" for nick, count in list(talkers.items())[:5])
    return [*lines, f"Most talkative: {top}"] if top else lines


async def who(context: CommandContext) -> list[str]:
    """!who: the members of the channel."""
    found = await context.toolbox.call("get_current_users", {}, _without_cutoff(context.view))
    if found.failed:
        return [found.text]
    stale = "" if found.facts.get("live") else f" (not live: {found.facts.get('why_stale', '')})"
    by_channel: dict[str, list[str]] = {}
    for one in _listed(found, "users"):
        by_channel.setdefault(one["channel"], []).append(f"{one['rank']}{one['nick']}")
    return [
        f"{len(nicks)} in {channel}{stale}: {', '.join(nicks)}"
        for channel, nicks in by_channel.items()
    ] or [f"Nobody that I know of{stale}."]


HANDLERS: Mapping[str, CommandHandler] = {
    "forget": forget,
    "help": help_,
    "optin": optin,
    "optout": optout,
    "ping": ping,
    "search": search,
    "stats": stats,
    "who": who,
}


def _without_cutoff(view: ViewMeta) -> ViewMeta:
    """The view without its cutoff: these commands report the present."""
    return {key: value for key, value in view.items() if key != "as_of"}


def _listed(found: ToolAnswer, name: str) -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = found.facts.get(name, ())
    return rows
