"""`!stats`: how much was said: in a channel, by a person, with some words, at some time."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from terrarium_mcp.chat.identity import NICK_CHARACTERS
from terrarium_mcp.chat.legacy_search import BadSearchValue, SearchWords, search_words
from terrarium_mcp.chat.times.query_dates import parse_period
from terrarium_mcp.chat.times.timestamps import from_iso, local
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import (
    channel_and_rest,
    in_the_last,
    listed,
    nick_in,
    nothing_found,
    other_spellings,
    refused,
    without_cutoff,
)
from terrarium_mcp.irc_bridge.toolbox import ToolAnswer
from terrarium_mcp.offload import offload
from terrarium_mcp.wording import people, quantity, shown

_MOST_TALKERS = 5
_MOST_CHANNELS = 5

_NAME = re.compile(rf"[{NICK_CHARACTERS}]+")
"""A single word that may be a nick; in quotes it is none."""

_MAY_BE_A_WORD = re.compile(r"(?!today|yesterday)[a-z]+", re.IGNORECASE)
"""A time that people may mean as a word: `may`, `sun`, `now`."""


async def stats(context: CommandContext) -> list[str]:
    """!stats [NICK, WORDS or TIME]: how many lines, by whom, from when to when."""
    channel, rest = channel_and_rest(context.command.rest)
    try:
        words = search_words(rest)
    except BadSearchValue as error:
        return [str(error)]
    if not (words.query or words.hours):
        return await _of_channels(context, channel)
    nick = nick_in(rest)
    if _NAME.fullmatch(nick):
        said = await _counted(context, {"channel": channel, "nick": nick})
        if said.failed or said.facts.get("lines") or said.facts.get("asides"):
            return _of_person(said, shown(nick), context)
    when = rest if await _is_time(rest, context) else ""
    if when:
        words = SearchWords(f'on:"{when}"')
    after = f"{words.hours}h" if words.hours else ""
    arguments = {"channel": channel, "query": words.query, "after": after}
    return _of_words(await _counted(context, arguments), words, when, context)


async def _counted(context: CommandContext, arguments: Mapping[str, object]) -> ToolAnswer:
    view = without_cutoff(context.view)
    return await context.toolbox.call("get_channel_stats", arguments, view)


async def _is_time(text: str, context: CommandContext) -> bool:
    """Whether all of it names a time, such as `last week`; in quotes these are words."""
    if set(text) & set('":'):
        return False
    # The first time loads dateparser: a third of a second.
    parse = partial(parse_period, text, datetime.now(UTC), context.settings.zone)
    return await offload(parse) is not None


async def _of_channels(context: CommandContext, channel: str) -> list[str]:
    """One line for each channel; of one also who talks most, of several how much is an aside."""
    found = await _counted(context, {"channel": channel})
    if found.failed:
        return refused(found, context)
    talkers, asides = found.facts.get("top_talkers") or {}, found.facts.get("asides", 0)
    channels = listed(found, "channels")
    if len(channels) > 1:  # the tool counts the asides of all of them together
        return [*_asides_of_all(asides), *(_of_channel(one, 0) for one in channels)]
    lines = [_of_channel(one, asides) for one in channels]
    return [*lines, f"Most talkative: {_largest(talkers)}"] if talkers else lines


def _asides_of_all(asides: int) -> list[str]:
    if not asides:
        return []
    are = "1 is a command or mine" if asides == 1 else f"{asides:,} are commands or mine"
    return [f"Of all these lines {are}:"]


def _of_channel(figures: Mapping[str, Any], asides: int) -> str:
    """`#tea: 12 lines by 3 people, 2 in the last 24 h, 8 in 7 d`; 0 `asides` are not mentioned."""
    if not figures["lines"]:
        return f"{figures['channel']}: no line is recorded yet"
    if figures["people"]:
        of_them = f", {asides:,} of them commands or mine," if asides else ""
        by = f"{of_them} by {people(figures['people'])}"
    else:  # of whom nobody is the speaker are asides
        by = ", a command or mine" if figures["lines"] == 1 else ", all of them commands or mine"
    return (
        f"{figures['channel']}: {quantity(figures['lines'], 'line')}{by},"
        f" {figures['last_24_hours']:,} in the last 24 h, {figures['last_7_days']:,} in 7 d"
    )


def _of_person(found: ToolAnswer, nick: str, context: CommandContext) -> list[str]:
    """How much somebody said: `alice: 12 lines, first 2026-01-03, last 2026-11-05`."""
    if found.failed:
        return refused(found, context)
    commands = quantity(found.facts.get("asides", 0), "command")
    if not found.facts["lines"]:
        return [f"{nick}: only {commands}"]
    besides = f", besides {commands}" if found.facts.get("asides") else ""
    return [f"{nick}: {_total(found, context)}{besides}{_places(found)}"]


def _of_words(
    found: ToolAnswer, words: SearchWords, when: str, context: CommandContext
) -> list[str]:
    """How often it was said, and by whom; of a time `when`, how much was said."""
    if found.failed:
        return refused(found, context)
    hours = in_the_last(words.hours)
    if not found.facts.get("lines"):
        what = f" of {shown(when)}" if when else f" with exactly these words{hours}"
        return [nothing_found(found, what)]
    talkers = found.facts.get("top_talkers") or {}
    speakers = found.facts.get("people", 0)
    by = f"; by {people(speakers)}: {_largest(talkers)}" if speakers else ""
    if when:
        asides = found.facts.get("asides", 0)
        besides = f", {asides:,} of them commands or mine" if asides else ""
        as_word = f'; "{when}" in quotes is the word' if _MAY_BE_A_WORD.fullmatch(when) else ""
        return [f"{shown(when)}: {_total(found, context)}{besides}{by}{_places(found)}{as_word}"]
    what = shown(words.query) or "Everybody"
    otherwise = other_spellings(found)
    return [f"{what}{hours}: {_total(found, context)}{by}{_places(found)}{otherwise}"]


def _total(found: ToolAnswer, context: CommandContext) -> str:
    lines = quantity(found.facts["lines"], "line")
    first, last = (
        f"{local(from_iso(found.facts[end]), context.settings.zone):%Y-%m-%d}"
        for end in ("first", "last")
    )
    return f"{lines}, first {first}, last {last}"


def _places(found: ToolAnswer) -> str:
    """In which channels, where there are several."""
    channels = found.facts.get("lines_by_channel") or {}
    return f"; in {_largest(channels, _MOST_CHANNELS)}" if len(channels) > 1 else ""


def _largest(counts: Mapping[str, int], most: int = _MOST_TALKERS) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in list(counts.items())[:most])
