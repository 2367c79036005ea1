"""The score of starting a conversation."""

from typing import Any

from terrarium_mcp.chat.disentanglement.addressees import NOBODY
from terrarium_mcp.chat.disentanglement.buckets import (
    CONVERSATIONS,
    CROWD,
    CROWD_MINUTES,
    MAX_MINUTES,
    MINUTES,
    NEVER,
)
from terrarium_mcp.chat.disentanglement.tables import StartingTables
from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance, ThreadState
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures

_LATELY = 30
"""A person who spoke within this many utterances is still present."""


def score_of_starting(
    this: UtteranceFeatures,
    state: ThreadState,
    tables: StartingTables,
    calls: int,
    echo: tuple[int, int],
) -> Any:
    """The sum of entries for starting a conversation.

    Args:
        this: the utterance.
        state: what was said before it.
        tables: the entries.
        calls: how many of its candidates name its speaker.
        echo: the largest share of words repeated from a candidate (0 to 4), and whose that is: 0
            no such candidate, 1 the speaker's own, 2 another person's.
    """
    addressing = _addressing(this, state)
    own = state.speakers[this.by].said
    spoken = 1 if own else 0
    became = _became(own[-1]) if own else 0
    since_own = _minutes_since(own[-1], this) if own else NEVER
    since_any = _minutes_since(state.placed[-1], this) if state.placed else NEVER
    people, threads, minutes = _crowd(this, state)
    return (
        tables.opening[this.kind][this.asks][addressing][spoken]
        + tables.silence[since_own][became][addressing]
        + tables.pause[since_any][addressing][spoken]
        + tables.length[this.length][this.asks][this.kind]
        + tables.called[min(calls, 3)][became][this.asks]
        + tables.echo[echo[0]][echo[1]][addressing]
        + tables.crowd[people][threads][minutes]
    )


def _addressing(this: UtteranceFeatures, state: ThreadState) -> int:
    """Whom it is addressed to.

    0 nobody, 1 nobody but it names somebody, 2 a person long silent, 3 a person present, 4 a name
    that nobody in the window has.
    """
    if this.stranger:
        return 4
    if this.first == NOBODY:
        return 1 if this.named else 0
    said = state.speakers[this.first].said
    return 3 if said and this.index - said[-1].features.index <= _LATELY else 2


def _became(last: PlacedUtterance) -> int:
    """The speaker's last utterance: 2 it named somebody, 3 its thread has others, 1 it is alone."""
    if last.features.named:
        return 2
    return 3 if last.thread.size > 1 else 1


def _minutes_since(earlier: PlacedUtterance, this: UtteranceFeatures) -> int:
    return MINUTES[min(this.minute - earlier.features.minute, MAX_MINUTES)]


def _crowd(this: UtteranceFeatures, state: ThreadState) -> tuple[int, int, int]:
    """How many people, threads and minutes the latest utterances span, as buckets."""
    if not state.placed:
        return 0, 0, 0
    people = min(len(set(state.spoken_by[-CROWD:])) - 1, 5)
    threads = CONVERSATIONS[len(set(state.threads[-CROWD:]))]
    minutes = this.minute - state.placed[-CROWD:][0].features.minute
    return people, threads, CROWD_MINUTES[min(minutes, MAX_MINUTES)]
