"""`!seen` and `!catchup`: of a person, and of what was said while one was away. Without a model."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from terrarium_mcp.chat.english.words import is_stop_word
from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.chat.times.timestamps import from_iso, minute
from terrarium_mcp.chat.transcript import dated_line
from terrarium_mcp.irc_bridge.answer.quotes import quote_options
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import (
    covered,
    nicks_in,
    refused_message,
    typed_notes,
    without_cutoff,
)
from terrarium_mcp.wording import and_more, people, quantity, shown

Facts = Mapping[str, Any]
"""Structured content of a tool's answer, or one item of it."""

_LINE_BYTES = 360
"""Most bytes of a line: it fits into the 512 of RFC 1459 2.3 behind any mask, target and asker."""

_LONGEST_QUOTE = 100
"""Characters of a line that is quoted beside others; `!context` shows the whole of it."""

_MOST_NAMES = 3
"""People of a conversation who are named."""

_MOST_SOUGHT = 3
"""Nicks that one `!seen` is answered for: with their other nicks these are up to six lines."""

_COUNTED = {
    "mentions": "mention",
    "questions": "unanswered question",
    "conversations": "conversation",
    "links": "link",
}
"""What `!catchup` counts, in its words."""


async def seen(context: CommandContext) -> list[str]:
    """!seen NICK: when a person last spoke and was last seen, and their other nicks; of several."""
    nicks = _nicks_in(context.command.rest)
    if not nicks:
        return [f"Who? For example: {context.settings.command_prefix}seen ada"]
    lines = [line for nick in nicks[:_MOST_SOUGHT] for line in await _signs_of(nick, context)]
    left = [shown(nick) for nick in nicks[_MOST_SOUGHT:]]
    again = f"Three nicks at most: ask again for {and_more(left, _MOST_SOUGHT)}."
    return [*lines, again] if left else lines


def _nicks_in(words: str) -> list[str]:
    """The nicks in an argument, each once: `bo`, `bo and cy?`, `@bo, cy please`."""
    named = nicks_in(words)
    others = [nick for nick in named[1:] if not is_stop_word(nick.lower())]
    return list({fold(nick): nick for nick in [*named[:1], *others]}.values())


async def _signs_of(nick: str, context: CommandContext) -> list[str]:
    """When a person last spoke and was last seen, and their other nicks."""
    if fold(nick) == fold(context.command.asker):
        return ["That is you, and you are here."]
    if fold(nick) == fold(context.settings.irc_nick):
        return ["That is me, and I am here."]
    found = await context.toolbox.call("lookup_nick", {"nick": nick}, context.view)
    if found.failed:
        return [found.text]
    is_here = await _is_here(found.facts["nick"], context)
    if not found.facts["known"]:
        return [_unknown(found.facts, is_here=is_here)]
    return [_last_signs(found.facts, context, is_here=is_here), *_other_nicks(found.facts)]


async def catchup(context: CommandContext) -> list[str]:
    """!catchup [CHANNEL] [SINCE]: what the asker missed, in four lines; the rest is under !more."""
    channel, since = _channel_and_since(context.command.rest)
    arguments = {"channel": channel, "since": since}
    found = await context.toolbox.call("catch_up", arguments, context.view)
    if found.failed:
        return [line.removeprefix("since=") for line in refused_message(found, context, since)]
    facts = found.facts
    quotes = {
        name: [_quote(line, context) for line in facts[name]]
        for name in ("mentions", "questions", "links")
    }
    moves = [f"{one['nick']} {one['text']}" for one in facts["arrivals"]]
    talk = [_conversation(one, context) for one in facts["conversations"]]
    talk += [_quote(line, context) for line in facts.get("said", ())]
    subjects = (
        _packed({"for you": quotes["mentions"], "unanswered": quotes["questions"]}),
        _packed({"talk": talk}),
        _packed({"links": quotes["links"], "came and went": moves}),
    )
    beginnings = [line for lines in subjects for line in lines[:1]]
    rest = [line for lines in subjects for line in lines[1:]]
    return [_missed(facts, context), *beginnings, *rest, *typed_notes(found, context)]


def _channel_and_since(words: str) -> tuple[str, str]:
    """The channel and the time in an argument, in any order: `#tea 2h`, `since yesterday #tea`."""
    given = words.split()
    channel = next(filter(is_channel, given), "")
    since = [word for word in given if word != channel]
    if since[:1] and since[0].lower() == "since":
        del since[0]
    return channel, " ".join(since)


def _unknown(facts: Facts, *, is_here: bool) -> str:
    if facts["relay"]:
        return f"{facts['summary']}. {covered(facts)}"
    if is_here:  # since before we came, without a word
        return f"{shown(facts['nick'])} is here now. Nothing of them is recorded. {covered(facts)}"
    near = f" Similar nicks: {', '.join(facts['near'])}." if facts["near"] else ""
    who = f"No one called {shown(facts['nick'])} is recorded here."
    return f"{who}{near} {covered(facts)}"


async def _is_here(nick: str, context: CommandContext) -> bool:
    """Whether a person is in a channel that the asker shares with them, as far as that is known."""
    there = await context.toolbox.call("get_current_users", {}, without_cutoff(context.view))
    users = there.facts.get("users", ()) if there.facts.get("live") else ()
    return any(fold(one["nick"]) == fold(nick) for one in users)


def _last_signs(facts: Facts, context: CommandContext, *, is_here: bool) -> str:
    """`ada last spoke 2026-05-01 12:10 <ada> see you (5); last seen 2026-05-01 12:40`."""
    signs = ["is here now"] if is_here else []
    if facts["spoke_at"]:
        spoke = {name: facts[f"spoke_{name}"] for name in ("at", "channel", "id", "text", "via")}
        signs.append(f"last spoke {_quote({**spoke, 'nick': facts['nick']}, context)}")
    if facts["seen_at"] > facts["spoke_at"] and not is_here:
        where = "" if context.command.channel else f" in {facts['seen_channel']}"
        seen_at = minute(from_iso(facts["seen_at"]), context.settings.zone)
        signs.append(f"last seen {seen_at}{where}")
    return f"{shown(facts['nick'])} {'; '.join(signs) or 'was never seen under this nick'}"


def _other_nicks(facts: Facts) -> list[str]:
    """Under which nicks the same person may be known, each with the evidence."""
    evidence: dict[str, list[str]] = {}
    for other in facts["other_nicks"]:
        evidence.setdefault(other["nick"], []).append(other["evidence"])
    nicks = [f"{nick} ({', '.join(why)})" for nick, why in evidence.items()]
    return [f"Perhaps also {line}" for line in _packed({"": nicks}, between=", ")[:1]]


def _missed(facts: Facts, context: CommandContext) -> str:
    """How much was missed since when: `Since 2026-05-01 11:30 (when ada left): 17 lines by ...`."""
    begun = minute(from_iso(facts["since"]), context.settings.zone)
    since = f"Since {begun} ({facts['why']})"
    if not facts["lines"]:
        return f"{since}: nothing was said. {covered(facts)}"
    newest = "the newest " if facts.get("read_from") else ""
    said = f"{newest}{quantity(facts['lines'], 'line')} by {people(facts['people'])}"
    counts = [
        quantity(facts["counts"][name], noun)
        for name, noun in _COUNTED.items()
        if name in facts["counts"]
    ]
    return f"{since}: {', '.join([said, *counts])}"


def _conversation(facts: Facts, context: CommandContext) -> str:
    names = and_more(facts["people"], _MOST_NAMES)
    return f"{_quote(facts, context)}, {facts['lines']:,} lines by {names}"


def _quote(line: Facts, context: CommandContext) -> str:
    """A line of a tool's answer, dated and with its id; its room where several are read.

    Without its permalink: several share a line, of which links would take more than what is said.
    """
    options = quote_options(context.command.channel, context.settings, linked=False)
    message = Message(
        id=int(line["id"]),
        room=Room(0, "", line["channel"]),
        said_at=from_iso(line["at"]),
        nick=line["nick"],
        text=shown(line["text"], _LONGEST_QUOTE),
        kind=MessageType.PRIVMSG,
        via=line.get("via", ""),
    )
    return dated_line(message, options)


def _packed(items: Mapping[str, Sequence[str]], between: str = " / ") -> list[str]:
    """Items in as few lines as hold them, the first of each kind after its name."""
    lines = list[str]()
    for piece in _named(items):
        longer = f"{lines[-1]}{between}{piece}" if lines else piece
        lines[-1:] = [longer] if len(longer.encode()) <= _LINE_BYTES else [*lines[-1:], piece]
    return lines


def _named(items: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, pieces in items.items():
        first: Iterable[str] = [f"{name}: {piece}" if name else piece for piece in pieces[:1]]
        yield from [*first, *pieces[1:]]
