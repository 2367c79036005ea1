"""The state of a window being read: who answered whom so far, and in which thread."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from terrarium_mcp.chat.disentanglement.buckets import FARTHEST
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures, Window

NEAR = 5
"""The nearest utterances, always candidates. (The weights were learnt with 8; 5 are as good.)"""

_RARE = 6
"""A word in more utterances than this is no reason to look further back."""


@dataclass(slots=True, eq=False)
class Thread:
    """A conversation so far: how many utterances, and who spoke or was named in them."""

    size: int = 0
    spoke: set[int] = field(default_factory=set)
    named: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class PlacedUtterance:
    """An utterance assigned to a thread; `answers` is its parent, None if it starts the thread.

    `rank_in_thread` counts the utterances of its thread, from 1. `replies` counts the answers it
    has had so far, and `since` the utterances its speaker has made since then; both stop at 2.
    """

    features: UtteranceFeatures
    answers: "PlacedUtterance | None"
    thread: Thread
    rank_in_thread: int
    replies: int = 0
    since: int = 0


@dataclass(slots=True, eq=False)
class SpeakerState:
    """A speaker so far: what they said, what named them, and what they answered."""

    said: list[PlacedUtterance] = field(default_factory=list)
    called: list[PlacedUtterance] = field(default_factory=list)
    answered: set[PlacedUtterance] = field(default_factory=set)


class ThreadState:
    """The utterances placed so far; `spoken_by` and `threads` run parallel to `placed`.

    `speakers` has one entry per person.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self.placed: list[PlacedUtterance] = []
        self.spoken_by: list[int] = []
        self.threads: list[Thread] = []
        self.speakers = [SpeakerState() for _ in range(window.people)]
        self.with_word: dict[str, list[PlacedUtterance]] = {}

    def add(self, features: UtteranceFeatures, answers: PlacedUtterance | None) -> PlacedUtterance:
        """Assign the next utterance to the thread of its parent, or to a new one."""
        speaker = self.speakers[features.by]
        if answers is None:
            thread = Thread()
        else:
            thread = answers.thread
            if answers.replies < 2:
                answers.replies += 1
            speaker.answered.add(answers)
        thread.size += 1
        thread.spoke.add(features.by)
        for count, earlier in enumerate(speaker.said[:-3:-1], 1):
            earlier.since = count
        placed = PlacedUtterance(features, answers, thread, thread.size)
        self.placed.append(placed)
        self.spoken_by.append(features.by)
        self.threads.append(thread)
        speaker.said.append(placed)
        for person in features.named:
            thread.named.add(person)
            self.speakers[person].called.append(placed)
        for word in self.window.shared[features.index]:
            self.with_word.setdefault(word, []).append(placed)
        return placed

    def candidates(self, features: UtteranceFeatures) -> Sequence[PlacedUtterance]:
        """The utterances that the next one may answer, latest first.

        These are the nearest, and farther back only those with some connection to it. Scoring all
        of the last hundred would cost eight times as much, and reach 2 % more of the true parents.
        """
        nearest = self.placed[: -NEAR - 1 : -1]
        if len(self.placed) <= NEAR:
            return nearest
        first, last = features.index - FARTHEST, features.index - NEAR
        far = {
            earlier.features.index: earlier
            for earlier in self._connected(features)
            if first <= earlier.features.index < last
        }
        return nearest + [far[index] for index in sorted(far, reverse=True)]

    def _connected(self, features: UtteranceFeatures) -> list[PlacedUtterance]:
        """The speaker's own, those naming the speaker, by people named, and with rare words."""
        speaker = self.speakers[features.by]
        own = speaker.said[-2:]
        found = own + speaker.called[-3:]
        for person in features.named:
            found += self.speakers[person].said[-4:]
        if own:
            for person in own[-1].features.named:
                found += self.speakers[person].said[-2:]
        for word in self.window.shared[features.index]:
            having = self.with_word.get(word)
            if having and len(having) <= _RARE:
                found.append(having[-1])
        return found
