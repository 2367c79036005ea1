"""`!optout`, `!optin` and `!forget`: what people are told about the record of themselves."""

import logging

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.store import PersonTraces, PurgeResult
from terrarium_mcp.wording import and_more, quantity

_MOST_FILES = 3
"""Backlog files named in an answer."""

_WAITS = (
    "The disk cannot be written at the moment: what is said here is kept in memory until it can."
)
_OPTOUT_WAITS = f"{_WAITS} Then nothing is kept of what you say from now on. Ask again to be sure."
_OPTIN_WAITS = f"{_WAITS} Then you are recorded again. Ask again to be sure."
_FORGET_WAITS = (
    "The disk cannot be written at the moment, so nothing was removed. Say {prefix}forget again in"
    " a while."
)

_NOT_REMOVED = (
    "I could not remove everything: the history cannot be used at the moment. What is gone stays"
    " gone. Say {prefix}forget again in a while."
)

_UNREACHED = (
    "Not reached: {nicks}backups, exports, what others and I quoted or said of you, and single"
    " words in the index until the owner rewrites the file."
)
_OTHER_NICKS = "what you said under another nick{when} (take it, and ask again), "
_LOGGED_OUT = " without your account"

log = logging.getLogger(__name__)


async def optout(context: CommandContext) -> list[str]:
    """!optout: nothing is recorded of the asker from now on."""
    who, prefix = context.asker, context.settings.command_prefix
    if not who.is_proven:
        return [_unknown(context)]
    if not await context.consent.is_settled():
        return [_OPTOUT_WAITS]
    return [
        f"From now on nothing of you is recorded: no line, no event, no presence. {_known_by(who)}",
        (
            f"What was recorded before stays until you say {prefix}forget."
            f" {prefix}optin lets you be recorded again."
        ),
    ]


async def optin(context: CommandContext) -> list[str]:
    """!optin: the asker is recorded again."""
    who = context.asker
    if not who.is_proven:
        return [_unknown(context)]
    if context.command.only_speaks_of_recording:
        just = f"{context.settings.command_prefix}optin"
        return [f"Nothing has changed: to be recorded again, say just {just} and nothing else."]
    if not await context.consent.is_settled():
        return [_OPTIN_WAITS]
    if await context.consent.has_opted_out(who):
        return ["You opted out while logged in to services. Log in again, and repeat this."]
    return ["What you say is recorded."]


async def forget(context: CommandContext) -> list[str]:
    """!forget: removes what the asker said, after they confirmed it."""
    if not context.asker.is_proven:
        return [_unknown(context)]
    is_confirmed = context.command.confirms_removal
    if context.command.rest.strip() and not is_confirmed:
        return [f"I remove what you said yourself, nobody else's. {_ask_operator(context)}"]
    if not await context.consent.is_settled():
        return [_FORGET_WAITS.format(prefix=context.settings.command_prefix)]
    try:
        return await (_confirmed if is_confirmed else _counted)(context)
    except TerrariumError as error:
        log.warning("could not finish a removal: %s", error)
        return [_NOT_REMOVED.format(prefix=context.settings.command_prefix)]


async def _counted(context: CommandContext) -> list[str]:
    """What would be removed, and how to confirm it."""
    traces = await context.consent.traces(context.asker)
    if not (traces.total or traces.backlog.quoting):
        nothing = "Nothing is recorded that is demonstrably yours."
        return [f"{nothing} {_known_by(context.asker)} {_ask_operator(context)}"]
    removes = f"This removes {_amount(traces)} for good, also from the index and the backlog."
    confirm = f"Say {context.settings.command_prefix}forget yes within 2 minutes."
    when = _LOGGED_OUT if context.asker.account else ""
    unreached = _UNREACHED.format(nicks=_OTHER_NICKS.format(when=when))
    return [f"{removes} {confirm}", f"{_known_by(context.asker)} {unreached}"]


async def _confirmed(context: CommandContext) -> list[str]:
    result = await context.consent.forget(context.asker)
    prefix = context.settings.command_prefix
    if result is None:
        return [f"Say {prefix}forget first: it says what would be removed."]
    context.dialogue.history_changed()
    removed = quantity(result.messages, "message")
    return [f"Removed {removed} of yours{_turns(result.turns)}.{_files(result)}"]


def _amount(traces: PersonTraces) -> str:
    count = traces.lines.total() + traces.events.total() + traces.private
    messages = quantity(count, "message")
    channels = quantity(len({*traces.lines, *traces.events}), "channel")
    return (
        f"{messages} of yours (what you said, did, and when you came and went) in"
        f" {channels}{_turns(traces.turns)}"
    )


def _turns(count: int) -> str:
    """Questions that the asker put, or whose answers rest on a line of theirs."""
    return f", and {quantity(count, 'question')} to me with what I answered" if count else ""


def _files(result: PurgeResult) -> str:
    """The backlog files that no longer quote them, and those that name them still."""
    quoting, naming = result.backlog.quoting, result.backlog.naming
    return "".join(
        [
            f" No longer quoted in {and_more(quoting, _MOST_FILES)}." if quoting else "",
            f" Still named in {and_more(naming, _MOST_FILES)}." if naming else "",
        ]
    )


def _known_by(who: Identity) -> str:
    if who.account:
        return "I know you by your services account."
    return "I know you by your nick with this user@host; log in to services to be known anywhere."


def _unknown(context: CommandContext) -> str:
    return f"The network does not show who you are. {_ask_operator(context)}"


def _ask_operator(context: CommandContext) -> str:
    contact = context.settings.contact or "the bot's owner"
    return f"For more ask {contact}, who can run: terrarium-mcp purge --nick NICK"
