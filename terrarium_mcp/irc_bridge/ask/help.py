"""`!help`: what the bot can do, what it keeps, and how to have that removed."""

from collections.abc import Mapping
from dataclasses import dataclass

from terrarium_mcp.errors import quantity
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """What follows a command, what it does, and what follows it in an example; "" where nothing."""

    arguments: str
    meaning: str
    example: str = ""


WORDS: Mapping[str, CommandHelp] = {
    "terrarium": CommandHelp(
        "QUESTION",
        "a model answers from what was said here; it may look things up",
        "who fixed the gate?",
    ),
    "ask": CommandHelp(
        "QUESTION",
        "the same as terrarium, and so is my nick in front of a question",
        "who fixed the gate?",
    ),
    "search": CommandHelp(
        "WORDS",
        'the best lines with these words; also "in quotes", user:NICK, hours:N, before:DATE',
        "user:alice hours:48 gate",
    ),
    "recent": CommandHelp(
        "[N] [NICK]", "the newest lines, 4 or N of them, perhaps of one person", "10 alice"
    ),
    "context": CommandHelp(
        "ID", "the lines around one that I quoted; its id is behind it", "184213"
    ),
    "stats": CommandHelp(
        "[NICK or WORDS]",
        "how much was said here, or by one person, or with these words, and by whom",
        "alice",
    ),
    "who": CommandHelp("", "who is here"),
    "status": CommandHelp("", "how long I am up, what is recorded, and whether the model answers"),
    "more": CommandHelp("", "the next lines of my last answer here"),
    "stop": CommandHelp("", "takes back what you asked me; an operator's takes back all here"),
    "quiet": CommandHelp(
        "1h", "for operators: I say nothing here for that long; off ends it", "30m"
    ),
    "ping": CommandHelp("", "whether I am awake, and my memory is"),
    "optout": CommandHelp("", "nothing of you is recorded from then on; you may still ask"),
    "optin": CommandHelp("", "you are recorded again"),
    "forget": CommandHelp("", "removes what you said yourself, after you confirmed it"),
    "help": CommandHelp("[COMMAND]", "lists the commands, or explains one", "search"),
}


async def help_(context: CommandContext) -> list[str]:
    """!help: the commands, what is kept, and how to have it removed; of one command: its line."""
    prefix = context.settings.command_prefix
    wanted = context.command.rest.strip().removeprefix(prefix).lower()
    if wanted in WORDS:
        return [_explained(prefix, wanted)]
    if wanted:
        return [f"I have no such command. Mine are: {_listed(prefix)}."]
    return [
        f"I remember what is said here. {_listed(prefix)}. {prefix}help search explains one.",
        f"In private just ask, without a prefix. {_kept(context)} {_model(context)}",
        (
            f"A line that starts with [off] is not recorded. {prefix}optout: nothing of you is,"
            f" from then on. {prefix}forget removes what you said.{_contact(context)}"
        ),
    ]


def _explained(prefix: str, name: str) -> str:
    """`!search WORDS: the best lines. For example: !search gate`."""
    command = WORDS[name]
    form = f"{prefix}{name} {command.arguments}".rstrip()
    example = f" For example: {prefix}{name} {command.example}" if command.example else ""
    return f"{form}: {command.meaning}.{example}"


def _listed(prefix: str) -> str:
    return ", ".join(f"{prefix}{name}" for name in WORDS)


def _kept(context: CommandContext) -> str:
    """What is recorded where the command was given, and for how long."""
    channel, settings = context.command.channel, context.settings
    if not channel:
        return "What we say in private is not recorded; the channels that I am in are."
    days = settings.days_kept(settings.network_name, channel)
    kept = f"for {quantity(days, 'day')}" if days else "with no limit of time"
    return f"This channel is recorded; its lines are kept {kept}."


def _model(context: CommandContext) -> str:
    """Whether questions and lines leave this machine; never for which address."""
    if context.settings.asks_model_here:
        return "For an answer, the question and recorded lines go to a model on my own machine."
    return "For an answer, the question and recorded lines leave my machine for a model elsewhere."


def _contact(context: CommandContext) -> str:
    return f" Contact: {context.settings.contact}." if context.settings.contact else ""
