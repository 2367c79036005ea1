"""Quiet channels: what the weights, learnt where talk never pauses, cannot know of pauses.

In a busy channel somebody's own last line is the best guess at what they go on about, and hardly
anybody is answered who is not named. In a quiet one a new topic follows a pause, and the next line
answers the one before. Between two lines of which one names the speaker of the other, what was
learnt holds everywhere.

Chosen on small channels written for it, in which nobody is named, and on the annotated Ubuntu
logs laid out as quiet channels, with and without the names: see bench/README.md.
"""

import math
from collections.abc import Sequence

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
    start, *answering = scores
    return [
        start - START_PENALTY,
        *(score + _shift(this, one) for one, score in zip(candidates, answering, strict=True)),
    ]


def _shift(this: UtteranceFeatures, candidate: PlacedUtterance) -> float:
    """What a pause, or the lack of one, adds to the score of answering a candidate."""
    that = candidate.features
    if that.by in this.named or this.by in that.named:
        return 0.0
    age, is_own = this.minute - that.minute, that.by == this.by
    shift = 0.0
    if age > PAUSE_MINUTES:
        shift -= (OWN_FADE if is_own else OTHERS_FADE) * math.log2(age / PAUSE_MINUTES)
    is_next = this.index - that.index == 1 and age <= NEXT_LINE_MINUTES
    if is_next and not is_own and not (this.named or that.named):
        shift += NEXT_LINE_BONUS
        if that.asks and not this.asks and candidate.answers is None:
            shift += ANSWER_BONUS
    return shift
