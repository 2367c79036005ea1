"""What the commands share: the channel in their arguments, and a tool's answer as lines to say."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from terrarium_mcp.chat.commands import first_word
from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.transcript import dated_line
from terrarium_mcp.errors import UnknownChannel, UnknownMessage
from terrarium_mcp.irc_bridge.answer.gathering import messages_of
from terrarium_mcp.irc_bridge.answer.quotes import quote_options
from terrarium_mcp.irc_bridge.answer.reply import REST_NOTE
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.typed_commands import as_typed
from terrarium_mcp.irc_bridge.toolbox import ToolAnswer, ViewMeta
from terrarium_mcp.wording import NOTE, shown

_HOW_READ = (" was read as text", " is not an operator", "without lines that hold ")
"""What is in a note on how a query was read that must not pass unseen."""

_TIME_READ = re.compile(
    rf"{NOTE}(?:.* is (?:after:|before:|read as that of )"
    r"|(?:read|searched for) as .*(?:after|before):)"
)
"""A note on which time the words for one are taken for."""

_BETWEEN_NICKS = re.compile(r"\s*,\s*|\s+")

_AROUND_NICK = "@<>,:;.!?"
"""What people write around a nick; none of it may be in one."""


def channel_and_rest(words: str) -> tuple[str, str]:
    """The channel that an argument begins with, "" if it does not, and the rest: `#tea alice`."""
    first, rest = first_word(words.strip())
    return (first, rest) if is_channel(first) else ("", words.strip())


def nicks_in(words: str) -> list[str]:
    """The nicks in a list of them, as people type it: `@alice, <bo>`, `cy?`."""
    return [nick for word in _BETWEEN_NICKS.split(words) if (nick := word.strip(_AROUND_NICK))]


def without_cutoff(view: ViewMeta) -> ViewMeta:
    """The view without its cutoff, for a command that reports the present."""
    return {key: value for key, value in view.items() if key != "as_of"}


def refused(found: ToolAnswer, context: CommandContext) -> list[str]:
    """Why a tool refused; in a channel, where others can be read, if another was named."""
    if found.error == UnknownChannel.code and context.command.channel:
        return [f"{found.text} In private I read every channel that we are both in."]
    return [found.text]


def refused_message(found: ToolAnswer, context: CommandContext, message_id: str) -> list[str]:
    """Why a tool that takes a message id refused; where ids are, if there is none like it."""
    if found.error != UnknownMessage.code:
        return refused(found, context)
    prefix = context.settings.command_prefix
    where = f"in brackets at the end of each line that {prefix}search or {prefix}recent quotes"
    return [f"No message {shown(message_id)} here. The id is the number {where}."]


def quoted(found: ToolAnswer, context: CommandContext) -> list[str]:
    """The lines of a tool's answer, dated and with their ids."""
    return [*quoted_by_id(found, context).values()]


def quoted_by_id(found: ToolAnswer, context: CommandContext) -> dict[str, str]:
    """The same by the ids of their messages, in the same order."""
    options = quote_options(context.command.channel, context.settings, linked=True)
    messages = quotable(messages_of(found))
    return {str(message.id): dated_line(message, options) for message in messages}


def quotable(messages: Iterable[Message]) -> list[Message]:
    """The messages as they are quoted: ours without `(1 more: !more)`, which would not go on now.

    One that says nothing else is left out.
    """
    said = ((one, REST_NOTE.sub("", one.text) if one.own else one.text) for one in messages)
    return [one._replace(text=text) for one, text in said if text or not one.text]


def nothing_found(found: ToolAnswer, context: CommandContext, said: str = "Nothing found") -> str:
    """That there is nothing, as `said`, why perhaps, what to type instead, what is recorded."""
    why_perhaps = (NOTE, "searched only ")
    notes = [note for note in typed_notes(found, context) if note.startswith(why_perhaps)]
    why = "".join(f" {_sentence(note)}" for note in notes)
    return f"{said}.{why} {covered(found.facts)}"


def how_read(found: ToolAnswer) -> list[str]:
    """What of a query was searched as text, and which lines it leaves out: a sentence each."""
    return [_sentence(note) for note in _notes(found) if any(map(note.__contains__, _HOW_READ))]


def time_read(found: ToolAnswer) -> str:
    """Which time the words for one were taken for, and whether any line is of it, as sentences.

    Empty if no time was read. It is one line, or little of a reply would be left for the hits.
    """
    return " ".join(_sentence(note) for note in _notes(found) if _TIME_READ.match(note))


def other_spellings(found: ToolAnswer, context: CommandContext) -> list[str]:
    """That a version was also written otherwise, and what to type for both."""
    notes = typed_notes(found, context)
    return [_sentence(note) for note in notes if "the other spelling of a version" in note]


def typed_notes(found: ToolAnswer, context: CommandContext) -> list[str]:
    """What a tool noted of what it was asked, with the commands to type where it names calls."""
    prefix = context.settings.command_prefix
    return [typed for note in _notes(found) if (typed := as_typed(note, prefix))]


def covered(facts: Mapping[str, Any]) -> str:
    """What the record covers, beginning like a sentence: `Recorded 2026-01-03 to now. ...`."""
    text = str(facts.get("covered", "")) or "it is not known what was recorded."
    return f"{text[:1].upper()}{text[1:]}"


def in_the_last(hours: int) -> str:
    """` in the last 48 hours`; nothing for 0, which is all time."""
    if not hours:
        return ""
    return " in the last hour" if hours == 1 else f" in the last {hours:,} hours"


def has_unknown_nick(found: ToolAnswer) -> bool:
    """Whether a tool says of one of the nicks that it was asked for that nobody has it."""
    return any(note.startswith(f"{NOTE}no one called ") for note in _notes(found))


def listed(found: ToolAnswer, name: str) -> Sequence[Mapping[str, Any]]:
    """A list of objects in a tool's answer; empty if there is none of this name."""
    rows: Sequence[Mapping[str, Any]] = found.facts.get(name, ())
    return rows


def _notes(found: ToolAnswer) -> Sequence[str]:
    """What a tool noted of what it was asked."""
    return [str(note) for note in found.facts.get("notes", ())]


def _sentence(note: str) -> str:
    text = note.removeprefix(NOTE).rstrip(".")
    is_word = first_word(text)[0].isalpha()  # what somebody typed stays as it is: `before:foo`
    return f"{text[:1].upper() if is_word else text[:1]}{text[1:]}."
