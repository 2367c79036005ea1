"""Word overlap: the words an utterance shares with earlier utterances and with whole threads."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance, Thread, ThreadState
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures

_LATEST = 12
"""Utterances with a word that are considered. A word used more often says little anyway."""


@dataclass(frozen=True, slots=True)
class WordOverlap:
    """Weights of shared words: their sum and maximum by utterance, and their sum by thread.

    `total` is the weight of all words of the utterance, shared or not.
    """

    with_utterance: dict[PlacedUtterance, float]
    rarest: dict[PlacedUtterance, float]
    with_thread: dict[Thread, float]
    total: float

    def buckets(self, earlier: PlacedUtterance) -> tuple[int, int]:
        """How much of the utterance an earlier one repeats (1 to 4), and how rare (1 to 3)."""
        part, rarest = self.with_utterance[earlier] / self.total, self.rarest[earlier]
        share = 1 if part < 0.2 else 2 if part < 0.4 else 3 if part < 0.7 else 4
        return share, 1 if rarest < 3.2 else 2 if rarest < 4.6 else 3

    def thread_bucket(self, thread: Thread) -> int:
        """How much of the utterance a thread repeats, from 0 to 3."""
        weight = self.with_thread.get(thread)
        if not weight:
            return 0
        part = weight / self.total
        return 1 if part < 0.25 else 2 if part < 0.5 else 3


def word_overlap(
    features: UtteranceFeatures, candidates: Iterable[PlacedUtterance], state: ThreadState
) -> WordOverlap:
    """What the next utterance shares with each of `candidates`, and with all threads so far."""
    with_word, shared = state.with_word, state.window.shared[features.index]
    known = [(word, with_word[word][-_LATEST:]) for word in shared if word in with_word]
    if not known:
        return _NOTHING
    rarity, considered = state.window.rarity, set(candidates)
    with_utterance: dict[PlacedUtterance, float] = {}
    rarest: dict[PlacedUtterance, float] = {}
    with_thread: dict[Thread, float] = defaultdict(float)
    for word, latest in known:
        weight = rarity[word]
        for earlier in considered.intersection(latest):
            if earlier not in with_utterance:
                with_utterance[earlier] = rarest[earlier] = weight
                continue
            with_utterance[earlier] += weight
            rarest[earlier] = max(rarest[earlier], weight)
        for thread in {earlier.thread for earlier in latest}:
            with_thread[thread] += weight
    total = 0.0
    for word in features.words:  # sum() rounds differently from Python 3.12 on
        total += rarity[word]
    return WordOverlap(with_utterance, rarest, with_thread, total)


_NOTHING = WordOverlap({}, {}, {}, 1.0)
