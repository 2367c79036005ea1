"""`!help`: what the bot can do, what it keeps, and how to have that removed."""

from collections.abc import Mapping

from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.command_traits import TRAITS
from terrarium_mcp.settings.channel_ways import Askers
from terrarium_mcp.wording import quantity

_MAY_ASK: Mapping[Askers, str] = {
    "anyone": "",
    "voiced": " Only people with voice, or a higher rank, may ask it.",
    "account": " Only people who are logged in to services may ask it.",
}


async def help_(context: CommandContext) -> list[str]:
    """!help: the commands, what is kept, and how to have it removed; of one command: its line."""
    prefix = context.settings.command_prefix
    wanted = context.command.rest.strip().removeprefix(prefix).lower()
    if wanted in TRAITS:
        return [_explained(prefix, wanted)]
    if wanted:
        return [f"I have no such command. Mine are: {_listed(prefix)}."]
    return [
        f"{_purpose(context)} {_listed(prefix)}. {prefix}help search explains one.",
        f"In private just ask, without a prefix. {_kept(context)} {_model(context)}",
        f"{_consent(context)}{_contact(context)}",
    ]


def _explained(prefix: str, name: str) -> str:
    """`!search WORDS: the best lines. For example: !search gate`."""
    traits = TRAITS[name]
    form = f"{prefix}{name} {traits.arguments}".rstrip()
    example = f" For example: {prefix}{name} {traits.example}" if traits.example else ""
    return f"{form}: {traits.meaning}.{example}"


def _listed(prefix: str) -> str:
    return ", ".join(f"{prefix}{name}" for name in TRAITS)


def _purpose(context: CommandContext) -> str:
    """What the bot does where the command was given, and where to ask if not there."""
    channel = context.command.said_in
    if not context.ways.is_recorded:
        return "I answer questions here."
    if context.ways.is_answered or not channel:
        return "I remember what is said here."
    elsewhere = "" if context.settings.private == "off" else ": ask me here, in private"
    return f"I remember what is said in {channel} and answer nobody there{elsewhere}."


def _kept(context: CommandContext) -> str:
    """What is recorded where the command was given, and for how long."""
    channel, settings = context.command.said_in, context.settings
    if not channel:
        prefix = context.settings.command_prefix
        talk = f"but I keep your questions and my answers, until {prefix}forget"
        return f"What we say in private is not recorded, {talk}; {_recorded_channels(context)}."
    if not context.ways.is_recorded:
        return "Nothing that is said in this channel is recorded."
    days = settings.days_kept(settings.network_name, channel)
    kept = f"for {quantity(days, 'day')}" if days else "with no limit of time"
    this = "This channel" if context.command.channel else channel
    return f"{this} is recorded; its lines are kept {kept}."


def _recorded_channels(context: CommandContext) -> str:
    """Which of the channels that the bot is in are recorded; none is named to others."""
    settings = context.settings
    ways = [settings.channel_ways(one.name) for one in settings.irc_channels]
    if all(one.is_recorded for one in ways):
        return "the channels that I am in are"
    return f"{context.settings.command_prefix}help in a channel says whether that one is"


def _model(context: CommandContext) -> str:
    """Whether questions and lines leave this machine, never for which address; and who may ask."""
    here = context.settings.asks_model_here
    may_ask = _MAY_ASK[context.ways.askers] if context.command.said_in else ""
    if not context.settings.has_model:
        return f"No language model answers: questions get lines of the record.{may_ask}"
    if not context.ways.is_recorded:
        to = (
            "goes to a model on my own machine"
            if here
            else "leaves my machine for a model elsewhere"
        )
        return f"For an answer, the question alone {to}.{may_ask}"
    to = "go to a model on my own machine" if here else "leave my machine for a model elsewhere"
    return f"For an answer, the question and recorded lines {to}.{may_ask}"


def _consent(context: CommandContext) -> str:
    """How to have no part in the record."""
    prefix = context.settings.command_prefix
    if not context.ways.is_recorded:
        return f"{prefix}optout and {prefix}forget are for the channels where I record."
    return (
        f"A line that starts with [off] is not recorded. {prefix}optout: nothing of you is,"
        f" from then on. {prefix}forget removes what you said."
    )


def _contact(context: CommandContext) -> str:
    return f" Contact: {context.settings.contact}." if context.settings.contact else ""
