"""`!stats`: how much was said: in a channel, by a person, with some words, at some time."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, NamedTuple

from terrarium_mcp.chat.identity import NICK_CHARACTERS
from terrarium_mcp.chat.query.legacy_search import BadSearchValue, SearchWords, search_words
from terrarium_mcp.chat.times.query_dates import names_a_moment, parse_moment, parse_period
from terrarium_mcp.chat.times.timestamps import from_iso, local, minute, to_iso
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import (
    channel_and_rest,
    has_unknown_nick,
    how_read,
    in_the_last,
    listed,
    nicks_in,
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

_MOST_PEOPLE = 5
"""Nicks that are counted together: more words than that are words."""

_LENGTH = re.compile(
    r".*[\d\s](?:[smhdw]|(?:sec(?:ond)?|min(?:ute)?|h(?:ou)?r|day|week|month|year)s?)",
    re.IGNORECASE,
)
"""How a length of time ends: `24h`, `2 weeks`, `the last hour`; not `yesterday`, `2 hours ago`."""

_MAY_BE_A_WORD = re.compile(r"(?!today|yesterday)[a-z]+", re.IGNORECASE)
"""A time that people may mean as a word: `may`, `sun`, `now`."""


class NamedTime(NamedTuple):
    """A time as it was typed; of a length such as `24h`, also since when that is."""

    typed: str
    since: datetime | None = None

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of `get_channel_stats` that select it."""
        return {"after": to_iso(self.since)} if self.since else {"query": f'on:"{self.typed}"'}

    def text(self, zone: tzinfo) -> str:
        """`last week`, `24h (since 2026-05-05 14:23)`."""
        since = f" (since {minute(self.since, zone)})" if self.since else ""
        return f"{shown(self.typed)}{since}"


async def stats(context: CommandContext) -> list[str]:
    """!stats [NICK, WORDS or TIME]: how many lines, by whom, from when to when.

    Names are first taken for nicks, then all of it for a time, then for words.
    """
    channel, rest = channel_and_rest(context.command.rest)
    try:
        words = search_words(rest)
    except BadSearchValue as error:
        return [str(error)]
    if words.is_empty:
        return await _of_channels(context, channel)
    if by_people := await _of_people(context, channel, rest):
        return by_people
    when = await _time_named(rest, context)
    if when:
        found = await _counted(context, {"channel": channel} | when.arguments)
        return _of_time(found, when, context)
    after = f"{words.hours}h" if words.hours else ""
    arguments = {"channel": channel, "query": words.query, "after": after}
    return _of_words(await _counted(context, arguments), words, context)


async def _of_people(context: CommandContext, channel: str, rest: str) -> list[str]:
    """How much a person, or each of several, said; nothing if one of these is not recorded."""
    nicks = nicks_in(rest)
    if not (0 < len(nicks) <= _MOST_PEOPLE and all(map(_NAME.fullmatch, nicks))):
        return []
    said = await _counted(context, {"channel": channel, "nick": ",".join(nicks)})
    is_listed = len(nicks) > 1 and "," in rest  # words have none between them
    if said.failed:
        return refused(said, context)
    if not (said.facts.get("lines") or said.facts.get("asides")):
        return [nothing_found(said, context)] if is_listed else []
    if has_unknown_nick(said) and not is_listed:
        return []
    return _of_nicks(said, nicks, context)


async def _counted(context: CommandContext, arguments: Mapping[str, object]) -> ToolAnswer:
    view = without_cutoff(context.view)
    return await context.toolbox.call("get_channel_stats", arguments, view)


async def _time_named(text: str, context: CommandContext) -> NamedTime | None:
    """The time that all of it names, such as `last week`; in quotes these are words."""
    if set(text) & set('":'):
        return None
    # The first time loads dateparser: a third of a second.
    return await offload(partial(_read_time, text, datetime.now(UTC), context.settings.zone))


def _read_time(text: str, now: datetime, zone: tzinfo) -> NamedTime | None:
    if parse_period(text, now, zone) is None:
        return None
    is_length = _LENGTH.fullmatch(text) and names_a_moment(text, now, zone)
    return NamedTime(text, parse_moment(text, now, zone) if is_length else None)


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


def _of_nicks(found: ToolAnswer, nicks: Sequence[str], context: CommandContext) -> list[str]:
    """`alice: 12 lines, first 2026-01-03, last 2026-11-05`; of several also how many each."""
    name = shown(", ".join(nicks))
    commands = quantity(found.facts.get("asides", 0), "command")
    if not found.facts["lines"]:
        return [f"{name}: only {commands}"]
    besides = f", besides {commands}" if found.facts.get("asides") else ""
    talkers = (found.facts.get("top_talkers") or {}) if len(nicks) > 1 else {}
    each = f"; {_largest(talkers)}" if talkers else ""
    return [f"{name}: {_total(found, context)}{besides}{each}{_places(found)}"]


def _of_time(found: ToolAnswer, when: NamedTime, context: CommandContext) -> list[str]:
    """How much was said at a time, and by whom."""
    if found.failed:
        return refused(found, context)
    what = when.text(context.settings.zone)
    if not found.facts.get("lines"):
        return [nothing_found(found, context, f"{what}: no line found")]
    asides = found.facts.get("asides", 0)
    besides = f", {asides:,} of them commands or mine" if asides else ""
    may_be_said = _MAY_BE_A_WORD.fullmatch(when.typed)
    as_word = f'; "{when.typed}" in quotes is the word' if may_be_said else ""
    total = f"{_total(found, context)}{besides}"
    return [f"{what}: {total}{_speakers(found)}{_places(found)}{as_word}"]


def _of_words(found: ToolAnswer, words: SearchWords, context: CommandContext) -> list[str]:
    """How often it was said, by whom, and how the words were read."""
    if found.failed:
        return refused(found, context)
    hours = in_the_last(words.hours)
    if not found.facts.get("lines"):
        nothing = f"Nothing found with exactly these words{hours}"
        return [nothing_found(found, context, nothing)]
    what = shown(words.query) or "Everybody"
    figures = f"{_total(found, context)}{_speakers(found)}{_places(found)}"
    remarks = " ".join([*how_read(found), *other_spellings(found, context)])
    return [f"{what}{hours}: {figures}{f'. {remarks}' if remarks else ''}"]


def _speakers(found: ToolAnswer) -> str:
    """How many said it, and who said most of it; nothing where nobody is the speaker."""
    talkers, speakers = found.facts.get("top_talkers") or {}, found.facts.get("people", 0)
    return f"; by {people(speakers)}: {_largest(talkers)}" if speakers else ""


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
