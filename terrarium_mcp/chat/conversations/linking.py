"""Which line answers which: reads a window from first to last and chooses for each line."""

import math
from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.conversations.history import History, Turn
from terrarium_mcp.chat.conversations.line import Line, Link
from terrarium_mcp.chat.conversations.scores import scores
from terrarium_mcp.chat.conversations.tables import SCALE, Tables, shipped_weights
from terrarium_mcp.chat.conversations.window import Said, read_window

STALE = 90
"""Minutes after which a line fades: the weights are from a channel that never sleeps, and would
hang a new topic on what its speaker said twenty hours ago."""

FADE = 1.0 * SCALE
"""What each doubling of its age beyond that takes off a line's score."""

QUIET = 1.0
"""Minutes between lines, on the average, from which on a channel is quiet."""

CLINGING = 1.0 * SCALE
"""What is taken off starting a conversation in a quiet channel, where people answer late."""


def linked(
    lines: Sequence[Line], bots: Iterable[str] = (), weights: Tables | None = None
) -> list[Link]:
    """A link for each of `lines`, which come in the order they were said.

    Args:
        lines: a window of one room; the first forty or so have little past to answer.
        bots: nicks behind which nobody sits; those with "bot" in them need not be told.
        weights: those that come with the package, if no others are given.
    """
    tables = weights or shipped_weights()
    window = read_window(lines, bots)
    history = History(window)
    penalty = CLINGING if window.pace >= QUIET else 0.0
    ids = {line.msgid: line.id for line in lines if line.msgid}
    tagged: dict[str, Turn] = {}
    links = []
    for line, said in zip(lines, window.lines, strict=True):
        if line.reply_to and line.reply_to != line.msgid:
            link = _tagged(line, ids)
            turn = history.add(said, tagged.get(line.reply_to))
            tagged.setdefault(line.reply_to, turn)
        else:
            answers, probability = _best(said, history, tables, penalty)
            turn = history.add(said, answers)
            link = Link(line.id, lines[answers.said.place].id if answers else None, probability)
        if line.msgid:
            tagged[line.msgid] = turn
        links.append(link)
    return links


def _tagged(line: Line, ids: dict[str, int]) -> Link:
    """The link that a reply tag makes; two answers to a line outside belong together."""
    answers = ids.get(line.reply_to)
    outside = line.reply_to if answers is None else ""
    return Link(line.id, answers, 1.0, outside, tagged=True)


def _best(
    said: Said, history: History, tables: Tables, penalty: float
) -> tuple[Turn | None, float]:
    """The turn that a line answers, or None if it starts a conversation, and the probability."""
    found = history.candidates(said)
    choices = scores(said, found, history, tables)
    choices[0] -= penalty
    if found and said.minute - found[-1].said.minute > STALE:
        choices[1:] = _faded(said, found, choices[1:])
    best = max(choices)
    which = choices.index(best)
    probability = 1 / sum([math.exp((score - best) / SCALE) for score in choices])
    return (found[which - 1] if which else None), probability


def _faded(said: Said, found: Sequence[Turn], answering: Sequence[float]) -> list[float]:
    """The scores of answering, less what the age of old lines takes off."""
    ages = [(said.minute - turn.said.minute) / STALE for turn in found]
    return [
        score - FADE * math.log2(age) if age > 1 else score
        for score, age in zip(answering, ages, strict=True)
    ]
