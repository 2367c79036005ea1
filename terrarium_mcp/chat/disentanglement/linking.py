"""Reads a window from first to last and chooses for each utterance which earlier one it answers."""

import math
from collections.abc import Iterable, MutableSequence, Sequence

from terrarium_mcp.chat.disentanglement.quiet_channels import QUIET_MINUTES, scores_in_quiet
from terrarium_mcp.chat.disentanglement.scores import score_choices
from terrarium_mcp.chat.disentanglement.tables import SCALE, ScoreTables, shipped_weights
from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance, ThreadState
from terrarium_mcp.chat.disentanglement.utterance import ReplyLink, Utterance
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures, read_window

STALE_MINUTES = 90
"""Age from which an utterance fades. The weights come from a channel that never sleeps, and would
link a new topic to what its speaker said twenty hours ago."""

FADE = 1.0 * SCALE
"""Subtracted from a candidate's score for each doubling of its age beyond `STALE_MINUTES`."""


def find_links(
    utterances: Sequence[Utterance],
    bots: Iterable[str] = (),
    weights: ScoreTables | None = None,
) -> list[ReplyLink]:
    """A link for each of `utterances`, which are in the order they were said.

    Args:
        utterances: a window of one room. The first forty or so have few earlier ones to answer.
        bots: nicks of programs. Nicks that contain "bot" are recognised without being listed.
        weights: the shipped weights by default.
    """
    tables = weights or shipped_weights()
    window = read_window(utterances, bots)
    state = ThreadState(window)
    is_quiet = window.pace >= QUIET_MINUTES
    ids = {one.msgid: one.id for one in utterances if one.msgid}
    placed_by_msgid: dict[str, PlacedUtterance] = {}
    links = []
    for utterance, features in zip(utterances, window.utterances, strict=True):
        if utterance.reply_to and utterance.reply_to != utterance.msgid:
            link = _tagged(utterance, ids)
            placed = state.add(features, placed_by_msgid.get(utterance.reply_to))
            placed_by_msgid.setdefault(utterance.reply_to, placed)
        else:
            parent, probability = _best_choice(features, state, tables, is_quiet=is_quiet)
            placed = state.add(features, parent)
            answers = utterances[parent.features.index].id if parent else None
            link = ReplyLink(utterance.id, answers, probability)
        if utterance.msgid:
            placed_by_msgid[utterance.msgid] = placed
        links.append(link)
    return links


def _tagged(utterance: Utterance, ids: dict[str, int]) -> ReplyLink:
    """The link that a reply tag makes, to a message in the window or outside it."""
    answers = ids.get(utterance.reply_to)
    outside = utterance.reply_to if answers is None else ""
    return ReplyLink(utterance.id, answers, 1.0, outside, tagged=True)


def _best_choice(
    features: UtteranceFeatures, state: ThreadState, tables: ScoreTables, *, is_quiet: bool
) -> tuple[PlacedUtterance | None, float]:
    """The parent, or None for the start of a conversation, and the softmax probability."""
    candidates = state.candidates(features)
    scores = score_choices(features, candidates, state, tables)
    if is_quiet:
        scores = scores_in_quiet(features, candidates, scores)
    _fade(features.minute, candidates, scores)
    best = max(scores)
    choice = scores.index(best)
    probability = 1 / sum([math.exp((score - best) / SCALE) for score in scores])
    return (candidates[choice - 1] if choice else None), probability


def _fade(now: int, candidates: Sequence[PlacedUtterance], scores: MutableSequence[float]) -> None:
    """Lower the scores of answering old candidates, which come last."""
    for place in range(len(candidates), 0, -1):
        age = (now - candidates[place - 1].features.minute) / STALE_MINUTES
        if age <= 1:
            return
        scores[place] -= FADE * math.log2(age)
