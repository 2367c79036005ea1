"""How well it suits a line to start a conversation."""

from typing import Any

from terrarium_mcp.chat.conversations.history import History, Turn
from terrarium_mcp.chat.conversations.people import NOBODY
from terrarium_mcp.chat.conversations.scales import (
    CONVERSATIONS,
    CROWD,
    LONGEST,
    MINUTES,
    NEVER,
    SPAN,
)
from terrarium_mcp.chat.conversations.tables import OPENINGS, Tables
from terrarium_mcp.chat.conversations.window import Said

_LATELY = 30
"""Who spoke within so many lines is still there."""


def score_of_starting(
    this: Said, history: History, tables: Tables, calls: int, echo: tuple[int, int]
) -> Any:
    """The sum of entries for starting a conversation.

    Args:
        this: the line.
        history: what was said before.
        tables: the entries.
        calls: how many of the lines it may answer name its speaker.
        echo: the largest step of words in common with one of them; 1 for a line of its own
            speaker, 2 for another's.
    """
    opening, silence, pause, length, called, echoed, crowd = tables.starting
    address = _addressing(this, history)
    own = history.speakers[this.by].said
    spoken = 1 if own else 0
    became = _became(own[-1]) if own else 0
    since_own = _minutes_since(own[-1], this) if own else NEVER
    since_any = _minutes_since(history.turns[-1], this) if history.turns else NEVER
    return (
        opening[((this.opening * 2 + this.asks) * 5 + address) * 2 + spoken]
        + silence[(since_own * 4 + became) * 5 + address]
        + pause[(since_any * 5 + address) * 2 + spoken]
        + length[(this.length * 2 + this.asks) * OPENINGS + this.opening]
        + called[(min(calls, 3) * 4 + became) * 2 + this.asks]
        + echoed[(echo[0] * 4 + echo[1]) * 5 + address]
        + crowd[_crowd(this, history)]
    )


def _addressing(this: Said, history: History) -> int:
    """0 nobody, 1 somebody besides, 2 somebody long silent, 3 somebody there, 4 a stranger."""
    if this.stranger:
        return 4
    if this.first == NOBODY:
        return 1 if this.named else 0
    said = history.speakers[this.first].said
    return 3 if said and this.place - said[-1].said.place <= _LATELY else 2


def _became(last: Turn) -> int:
    """What became of the speaker's last line: 2 it named somebody, 3 it is not alone, 1 it is."""
    if last.said.named:
        return 2
    return 3 if last.conversation.size > 1 else 1


def _minutes_since(turn: Turn, this: Said) -> int:
    return MINUTES[min(this.minute - turn.said.minute, LONGEST)]


def _crowd(this: Said, history: History) -> int:
    """How many people, conversations and minutes the latest lines hold, as one index."""
    if not history.turns:
        return 0
    people = min(len(set(history.people[-CROWD:])) - 1, 5)
    conversations = CONVERSATIONS[len(set(history.conversations[-CROWD:]))]
    minutes = this.minute - history.turns[-CROWD:][0].said.minute
    return (people * 5 + conversations) * 5 + SPAN[min(minutes, LONGEST)]
