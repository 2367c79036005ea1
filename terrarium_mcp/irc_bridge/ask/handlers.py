"""The commands that need no model: each handler returns the lines to say."""

from collections.abc import Mapping, Sequence
from typing import Any

from terrarium_mcp.chat.transcript import RenderOptions, dated_line
from terrarium_mcp.errors import quantity, shown
from terrarium_mcp.irc_bridge.answer.budget import HARD_LIMIT
from terrarium_mcp.irc_bridge.answer.prompt import messages_of
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext, CommandHandler
from terrarium_mcp.irc_bridge.ask.consent_commands import forget, optin, optout
from terrarium_mcp.irc_bridge.ask.digest_commands import catchup, seen
from terrarium_mcp.irc_bridge.ask.help import help_
from terrarium_mcp.irc_bridge.toolbox import ToolAnswer
from terrarium_mcp.store import Rung

SEARCH_LIMIT = 20
"""Hits that !search asks for: the first are said, the rest is kept for !more."""

_LOOSE_RUNGS = (Rung.ANY_WORD, Rung.SIMILAR)
"""How a search finds lines that need not hold all words."""

_AROUND = {"before": 1, "after": 8}
"""Lines around one for !context: it is among the first four, which are said at once."""

_UNKNOWN_MESSAGE = "No message"
"""How the tool begins to say that there is none of this id; it goes on about transcripts."""


async def ping(context: CommandContext) -> list[str]:
    """!ping: whether the bot and its history are reachable."""
    away = context.toolbox.trouble  # which may name an address, and is in the log
    return ["pong, but the history is unavailable at the moment" if away else "pong"]


async def search(context: CommandContext) -> list[str]:
    """!search WORDS: the best hits, each with the id that !context takes; the rest under !more."""
    if not context.command.rest:
        return [
            f"Search for what? For example: {context.settings.command_prefix}search deploy script"
        ]
    arguments = {"query": context.command.rest, "limit": SEARCH_LIMIT, "format": "json"}
    found = await context.toolbox.call("search_irc_history", arguments, context.view)
    if found.failed:
        return [found.text]
    lines = _nearest_marked(_quoted(found, context), found.facts)
    return lines or [f"Nothing found. The record covers: {found.facts.get('covered', 'unknown')}"]


async def context_(context: CommandContext) -> list[str]:
    """!context ID: the lines around one that !search found, oldest first."""
    message_id = context.command.rest.strip("()")
    prefix = context.settings.command_prefix
    if not message_id:
        return [f"The lines around which one? For example: {prefix}context 184213"]
    arguments = {"message_id": message_id, "format": "json", **_AROUND}
    found = await context.toolbox.call("get_message_context", arguments, context.view)
    if not found.failed:
        return _quoted(found, context)
    if not found.text.startswith(_UNKNOWN_MESSAGE):
        return [found.text]
    where = f"in brackets at the end of each line that {prefix}search quotes"
    return [f"{_UNKNOWN_MESSAGE} {shown(message_id)} here. The id is the number {where}."]


async def stats(context: CommandContext) -> list[str]:
    """!stats: line counts of the channel and its top talkers."""
    found = await context.toolbox.call("get_channel_stats", {}, context.present_view)
    if found.failed:
        return [found.text]
    talkers = found.facts.get("top_talkers") or {}
    lines = [
        f"{one['channel']}: {quantity(one['lines'], 'line')}{_asides(one, talkers)}"
        f" by {_people(one['people'])},"
        f" {one['last_24_hours']:,} in the last 24 h, {one['last_7_days']:,} in 7 d"
        for one in _listed(found, "channels")
    ]
    top = ", ".join(f"{nick} {count:,}" for nick, count in list(talkers.items())[:5])
    return [*lines, f"Most talkative: {top}"] if top else lines


async def who(context: CommandContext) -> list[str]:
    """!who: how many are in the channel, of what rank, and who."""
    found = await context.toolbox.call("get_current_users", {}, context.present_view)
    if found.failed:
        return [found.text]
    stale = "" if found.facts.get("live") else f" (not live: {found.facts.get('why_stale', '')})"
    by_channel: dict[str, list[Mapping[str, Any]]] = {}
    for one in _listed(found, "users"):
        by_channel.setdefault(one["channel"], []).append(one)
    return [
        f"{len(users)} in {channel}{stale}: {_ranks(users)}: {_names(users)}"
        for channel, users in by_channel.items()
    ] or [f"Nobody that I know of{stale}."]


HANDLERS: Mapping[str, CommandHandler] = {
    "catchup": catchup,
    "forget": forget,
    "help": help_,
    "optin": optin,
    "optout": optout,
    "ping": ping,
    "search": search,
    "seen": seen,
    "context": context_,
    "stats": stats,
    "who": who,
}


WITHOUT_HISTORY = frozenset(("help", "ping"))
"""Those that ask the history nothing."""


def _asides(totals: Mapping[str, Any], talkers: Mapping[str, int]) -> str:
    """How many lines of a channel are no talk, if its `talkers` are all who talk there."""
    if len(talkers) < totals["people"]:
        return ", commands and mine included,"
    asides = totals["lines"] - sum(talkers.values())
    return f", {asides:,} of them commands or mine," if asides else ""


def _quoted(found: ToolAnswer, context: CommandContext) -> list[str]:
    """The lines of a tool's answer, dated and with their ids."""
    options = RenderOptions(
        zone=context.settings.zone, budget=HARD_LIMIT, rooms_named=not context.command.channel
    )
    return [dated_line(message, options) for message in messages_of(found)]


def _nearest_marked(lines: Sequence[str], facts: Mapping[str, Any]) -> list[str]:
    """The lines a search found; the first that need not hold all its words says so."""
    exact = facts.get("with_all_words", 0) if facts.get("rung") in _LOOSE_RUNGS else len(lines)
    found, nearest = lines[:exact], lines[exact:]
    if not nearest:
        return [*found]
    none = "nothing else" if found else "nothing"
    return [*found, f"{none} with all these words; the nearest: {nearest[0]}", *nearest[1:]]


def _ranks(users: Sequence[Mapping[str, Any]]) -> str:
    """`2 operators, 3 voiced, 9 others`."""
    voiced = sum(one["rank"] == "+" for one in users)
    others = sum(not one["rank"] for one in users)
    operators = len(users) - voiced - others
    counts = [
        (operators, "operator" if operators == 1 else "operators"),
        (voiced, "voiced"),
        (others, "other" if others == 1 else "others"),
    ]
    return ", ".join(f"{count} {what}" for count, what in counts if count)


def _names(users: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{one['rank']}{one['nick']}" for one in users)


def _listed(found: ToolAnswer, name: str) -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = found.facts.get(name, ())
    return rows


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"
