"""The commands that need no model: each takes its errand and gives lines to say."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from terrarium_mcp.chat.transcript import Setting
from terrarium_mcp.irc_bridge.budget import HARD
from terrarium_mcp.irc_bridge.commands import Command
from terrarium_mcp.irc_bridge.context import dated, messages_of
from terrarium_mcp.irc_bridge.toolbox import ToolAnswer, Toolbox, View
from terrarium_mcp.settings import Settings

FOUND = 20
"""Lines that !search looks for; the first are shown, the rest stands under !more."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A command with all it takes to serve it."""

    command: Command
    view: View
    toolbox: Toolbox
    settings: Settings


Chore = Callable[[Errand], Awaitable[Sequence[str]]]


async def help_(errand: Errand) -> list[str]:
    """!help: what there is, that the channel is recorded, and whom to ask."""
    sign = errand.settings.command_prefix
    words = ("terrarium QUESTION", "search WORDS", "stats", "who", "more", "ping")
    commands = ", ".join(sign + word for word in words)
    contact = f" Contact: {errand.settings.contact}." if errand.settings.contact else ""
    return [
        f"I remember what is said here. Ask: {commands}.",
        (
            "This channel is recorded, and what is recorded is read by language models."
            f" A line that starts with [off] is not.{contact}"
        ),
    ]


async def ping(errand: Errand) -> list[str]:
    """!ping: whether we are there."""
    return [
        "pong"
        if not errand.toolbox.trouble
        else f"pong, but the history is away: {errand.toolbox.trouble}"
    ]


async def search(errand: Errand) -> list[str]:
    """!search WORDS: the best lines, the rest under !more."""
    if not errand.command.rest:
        return [
            f"Search for what? For example: {errand.settings.command_prefix}search deploy script"
        ]
    arguments = {"query": errand.command.rest, "limit": FOUND, "format": "json"}
    found = await errand.toolbox.call("search_irc_history", arguments, errand.view)
    if found.failed:
        return [found.text]
    setting = Setting(
        zone=errand.settings.zone, budget=HARD, rooms_named=not errand.command.channel
    )
    lines = [dated(message, setting) for message in messages_of(found)]
    return lines or [f"Nothing found. What is covered: {found.facts.get('covered', 'unknown')}"]


async def stats(errand: Errand) -> list[str]:
    """!stats: how much was said here, and by whom."""
    found = await errand.toolbox.call("get_channel_stats", {}, _of_now(errand.view))
    if found.failed:
        return [found.text]
    lines = [
        f"{one['channel']}: {one['lines']:,} lines by {one['people']:,} people,"
        f" {one['last_24_hours']:,} in the last 24 h, {one['last_7_days']:,} in 7 d"
        for one in _listed(found, "channels")
    ]
    talkers = found.facts.get("top_talkers") or {}
    told = ", ".join(f"{nick} {count:,}" for nick, count in list(talkers.items())[:5])
    return [*lines, f"Most talkative: {told}"] if told else lines


async def who(errand: Errand) -> list[str]:
    """!who: who is here."""
    found = await errand.toolbox.call("get_current_users", {}, _of_now(errand.view))
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


CHORES: Mapping[str, Chore] = {
    "help": help_,
    "ping": ping,
    "search": search,
    "stats": stats,
    "who": who,
}


def _of_now(view: View) -> View:
    """The view without its cutoff: these count the present."""
    return {key: value for key, value in view.items() if key != "as_of"}


def _listed(found: ToolAnswer, name: str) -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = found.facts.get(name, ())
    return rows
