"""`!help`: what the bot can do, what it keeps, and how to have that removed."""

from collections.abc import Mapping

from terrarium_mcp.irc_bridge.ask.command_context import CommandContext

WORDS: Mapping[str, tuple[str, str]] = {
    "terrarium": ("QUESTION", "a model answers from what was said here; it may look things up"),
    "ask": ("QUESTION", "the same as terrarium, and so is my nick in front of a question"),
    "search": ("WORDS", "the best lines; also from:NICK, before:DATE, and words in quotes"),
    "context": ("ID", "the lines around one that search has quoted"),
    "stats": ("", "how much is said here, and by whom"),
    "who": ("", "who is here"),
    "seen": ("NICK", "when somebody was last here, and their other nicks"),
    "catchup": ("", "what you missed; since 2h, yesterday or a date, if you name one"),
    "more": ("", "the next lines of my last answer here"),
    "stop": ("", "takes back what you asked me; an operator's takes back all in the channel"),
    "quiet": ("1h", "for operators: I say nothing here for that long; off ends it"),
    "ping": ("", "whether I am awake, and my memory is"),
    "optout": ("", "nothing of you is recorded from then on; you may still ask"),
    "optin": ("", "you are recorded again"),
    "forget": ("", "removes what you said yourself, after you confirmed it"),
    "help": ("COMMAND", "explains a command"),
}
"""Each command: what follows it, and what it does."""


async def help_(context: CommandContext) -> list[str]:
    """!help: the commands, what is kept, and how to have it removed; of one command: its line."""
    prefix = context.settings.command_prefix
    wanted = context.command.rest.strip().removeprefix(prefix).lower()
    if wanted in WORDS:
        return [f"{_usage(prefix, wanted)}: {WORDS[wanted][1]}."]
    if wanted:
        return [f"I have no such command. Mine are: {_listed(prefix)}."]
    return [
        f"I remember what is said here. {_listed(prefix)}. {prefix}help COMMAND explains one.",
        f"{_kept(context)} {_model(context)}",
        (
            f"A line that starts with [off] is not recorded. {prefix}optout: nothing of you is,"
            f" from then on. {prefix}forget removes what you said.{_contact(context)}"
        ),
    ]


def _usage(prefix: str, name: str) -> str:
    argument = WORDS[name][0]
    return f"{prefix}{name} {argument}" if argument else f"{prefix}{name}"


def _listed(prefix: str) -> str:
    return ", ".join(_usage(prefix, name) for name in WORDS)


def _kept(context: CommandContext) -> str:
    """What is recorded where the command was given, and for how long."""
    channel, settings = context.command.channel, context.settings
    if not channel:
        return "What we say in private is not recorded; the channels that I am in are."
    days = settings.days_kept(settings.network_name, channel)
    kept = f"for {days:,} days" if days else "with no limit of time"
    return f"This channel is recorded; its lines are kept {kept}."


def _model(context: CommandContext) -> str:
    """Whether questions and lines leave this machine; never for which address."""
    if context.settings.asks_model_here:
        return "For an answer, the question and recorded lines go to a model on my own machine."
    return "For an answer, the question and recorded lines leave my machine for a model elsewhere."


def _contact(context: CommandContext) -> str:
    return f" Contact: {context.settings.contact}." if context.settings.contact else ""
