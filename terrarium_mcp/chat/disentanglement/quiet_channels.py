"""Quiet channels: what the weights, learnt where talk never pauses, cannot know of pauses.

In a busy channel somebody's own last line is the best guess at what they go on about, and hardly
anybody is answered who is not named. In a quiet one a new topic follows a pause, and the next line
answers the one before. Between two lines of which one names the speaker of the other, what was
learnt holds everywhere.

Chosen on small channels written for it, in which nobody is named, and on the annotated Ubuntu
logs laid out as quiet channels, with and without the names: see bench/README.md.
"""

from collections.abc import Sequence
from math import log2

from terrarium_mcp.chat.disentanglement.tables import SCALE
from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures

QUIET_MINUTES = 1.0
"""Mean minutes between utterances from which a channel counts as quiet."""

START_PENALTY = 1.0 * SCALE
"""Subtracted from the score of starting a conversation: people answer late."""

PAUSE_MINUTES = 10
"""Age from which an utterance that names nobody concerned fades."""

OWN_FADE, OTHERS_FADE = 1.0 * SCALE, 0.5 * SCALE
"""Subtracted for each doubling of its age beyond that: from the speaker's own utterances more, for
who comes back after a pause has something new to say, or answers somebody."""

NEXT_LINE_MINUTES = 30
"""Age up to which the utterance just before, by another person, is what the next one answers if
neither names anybody..."""

NEXT_LINE_BONUS = 1.5 * SCALE
"""... and what is added to its score for that. With 2.0, overlapping conversations are joined."""

ANSWER_BONUS = 1.0 * SCALE
"""Added to that, if it opens a conversation with a question and the next one asks nothing."""


def scores_in_quiet(
    this: UtteranceFeatures, candidates: Sequence[PlacedUtterance], scores: Sequence[float]
) -> list[float]:
    """The scores of starting a conversation, and of answering each candidate, in a quiet channel.

    `candidates` come latest first.
    """
    shifted = [scores[0] - START_PENALTY]
    now, me, named = this.minute, this.by, this.named
    for candidate, score in zip(candidates, scores[1:], strict=True):
        that = candidate.features
        age, by = now - that.minute, that.by
        if age <= PAUSE_MINUTES or by in named or me in that.named:
            shifted.append(score)
        else:
            fade = OWN_FADE if by == me else OTHERS_FADE
            shifted.append(score - fade * log2(age / PAUSE_MINUTES))
    if candidates:
        shifted[1] += _bonus_of_next_line(this, before=candidates[0])
    return shifted


def _bonus_of_next_line(this: UtteranceFeatures, before: PlacedUtterance) -> float:
    """What is added to the score of answering the line before."""
    that = before.features
    if (
        this.minute - that.minute > NEXT_LINE_MINUTES
        or this.by == that.by
        or this.named
        or that.named
    ):
        return 0.0
    is_answer = that.asks and not this.asks and before.answers is None
    return NEXT_LINE_BONUS + (ANSWER_BONUS if is_answer else 0.0)
