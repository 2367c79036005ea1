"""What distinguishes the commands of the bot from one another: one row for each. Pure.

Their names are in `chat/commands.py` (the store must recognise them too), what serves them in
`handlers`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial

from terrarium_mcp.irc_bridge.ask.bare_arguments import (
    is_count,
    is_message_id,
    is_nick,
    is_nothing,
    is_search,
    is_start,
    is_yes,
)

NEAR_MISS = "near miss"
"""The name of a command that is nearly one of COMMANDS, or our nick: its asker is told which."""


class Silence(Enum):
    """Why the bot says nothing in a channel. A few commands are served all the same."""

    QUIET = "an operator wants it quiet"
    ONLY_RECORDED = "the settings have it recorded, and nobody answered"


class HistoryUse(Enum):
    """Where a command asks the history something."""

    NOWHERE = "nowhere, so that it does not wait for the disk either"
    ANYWHERE = "also in a channel that is not recorded"
    WHERE_RECORDED = "only in a channel that is recorded; elsewhere it has nothing to say"


@dataclass(frozen=True, slots=True)
class CommandTraits:
    """What is particular about a command.

    Attributes:
        arguments: what follows it, in words for `!help`; "" where nothing does.
        meaning: what it does, for `!help`.
        example: what follows it in an example; "" where nothing does.
        is_bare_argument: whether a text is its argument where it needs no prefix, and not the rest
            of a sentence.
        takes_channel: whether its argument may be a channel, or have one in it.
        is_bare_behind_nick: whether it needs no prefix behind our nick in a channel either. Those
            that newcomers try first, and what is urgent.
        asks_model: whether a model is asked for it, which not everybody may have done.
        is_consent: whether it is a decision about the record of its asker. Neither it nor the
            answer is recorded, and everybody may decide, wherever they are.
        served_in: the silences in which it is served.
        history: where it asks the history something.
        keeps_more: whether `!more` continues after it what it would have before.
    """

    arguments: str
    meaning: str
    example: str = ""
    is_bare_argument: Callable[[str], bool] = is_nothing
    takes_channel: bool = False
    is_bare_behind_nick: bool = False
    asks_model: bool = False
    is_consent: bool = False
    served_in: Collection[Silence] = ()
    history: HistoryUse = HistoryUse.WHERE_RECORDED
    keeps_more: bool = False


_question = partial(CommandTraits, "QUESTION", asks_model=True)
_decision = partial(
    CommandTraits, is_consent=True, served_in=tuple(Silence), history=HistoryUse.ANYWHERE
)

TRAITS: Mapping[str, CommandTraits] = {
    "terrarium": _question(
        "a model answers from what was said here; it may look things up",
        "who fixed the gate?",
    ),
    "ask": _question(
        "the same as terrarium, and so is my nick in front of a question",
        "who fixed the gate?",
    ),
    "search": CommandTraits(
        "WORDS",
        'the best lines with these words; also "in quotes", user:NICK, hours:N, before:DATE',
        "user:alice hours:48 gate",
        is_bare_argument=is_search,
        takes_channel=True,
    ),
    "recent": CommandTraits(
        "[N] [NICK]",
        "the newest lines, 4 or N of them, perhaps of one person",
        "10 alice",
        is_bare_argument=is_count,
        takes_channel=True,
    ),
    "context": CommandTraits(
        "ID",
        "the lines around one that I quoted; its id is behind it",
        "184213",
        is_bare_argument=is_message_id,
    ),
    "stats": CommandTraits(
        "[NICK, WORDS or TIME]",
        "how much was said here, by one person, with these words or at that time, and by whom",
        "alice",
        takes_channel=True,
    ),
    "who": CommandTraits("", "who is here", takes_channel=True),
    "seen": CommandTraits(
        "NICK",
        "when a person was last here, and their other nicks",
        "alice",
        is_bare_argument=is_nick,
    ),
    "catchup": CommandTraits(
        "[SINCE]",
        "what you missed; since 2h, yesterday or a date, if you name one",
        "2h",
        is_bare_argument=is_start,
        takes_channel=True,
    ),
    "status": CommandTraits(
        "",
        "how long I have been up, what is recorded, and whether the model answers",
        history=HistoryUse.ANYWHERE,
    ),
    "more": CommandTraits("", "the next lines of my last reply to you here"),
    "clear": CommandTraits("", "our talk here starts over; what is recorded stays"),
    "compact": CommandTraits(
        "", "the older part of our talk here becomes a summary now", asks_model=True
    ),
    "stop": CommandTraits(
        "",
        "takes back what you asked me; a channel operator's takes back all here",
        is_bare_behind_nick=True,
    ),
    "quiet": CommandTraits(
        "TIME",
        "for channel operators: I say nothing here for that long; off ends it",
        "30m",
        served_in=(Silence.QUIET,),
    ),
    "ping": CommandTraits(
        "", "whether I am awake, and my memory is", history=HistoryUse.NOWHERE, keeps_more=True
    ),
    "optout": _decision("", "nothing of you is recorded from then on; you may still ask"),
    "optin": _decision("", "you are recorded again"),
    "forget": _decision(
        "[yes]",
        "says how much of what you said would be removed; yes, within 2 minutes after, removes it",
        "yes",
        is_bare_argument=is_yes,
    ),
    "help": CommandTraits(
        "[COMMAND]",
        "lists the commands, or explains one",
        "search",
        is_bare_behind_nick=True,
        served_in=(Silence.ONLY_RECORDED,),
        history=HistoryUse.NOWHERE,
    ),
}
"""Of each of COMMANDS, in the order in which `!help` lists them."""

TRAITS_OF_NEAR_MISS = CommandTraits(
    "", "tells which command was meant", history=HistoryUse.NOWHERE, keeps_more=True
)
