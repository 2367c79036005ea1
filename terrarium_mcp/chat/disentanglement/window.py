"""The features of each utterance of a window by itself, and who talks to whom in the window."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from terrarium_mcp.chat.disentanglement.addressees import Participants, find_addressees
from terrarium_mcp.chat.disentanglement.buckets import FARTHEST, length_bucket
from terrarium_mcp.chat.disentanglement.utterance import Utterance
from terrarium_mcp.chat.disentanglement.words import (
    BOT,
    content_words,
    lowercase,
    utterance_kind,
    words_of,
)
from terrarium_mcp.chat.question_marks import has_question_mark

AHEAD = 40
"""Utterances ahead within which it counts that two people name each other."""

_OFTEN = 400
_RARITY = [math.log(_OFTEN / (count + 0.5)) for count in range(_OFTEN)]
"""The weight of a word by the number of utterances that contain it."""


@dataclass(slots=True, eq=False)  # a frozen one takes five times as long to create
class UtteranceFeatures:
    """An utterance by itself. People are numbers; `index` counts from 0 in the window.

    `minute` is a whole number, as in the training data, and never decreases. `first`, `named` and
    `stranger` are those of `Addressees`; `length` is a bucket; `asks` is 1 for a question mark.
    """

    index: int
    minute: int
    by: int
    first: int
    named: tuple[int, ...]
    stranger: bool
    kind: int
    asks: int
    length: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The utterances of a window, the number of people, and what utterances share.

    `rarity` is the weight of each word. `shared` lists, for each utterance, its words that another
    one contains too. `talks` maps two people to the indices where either names the other.
    """

    utterances: Sequence[UtteranceFeatures]
    people: int
    rarity: Mapping[str, float]
    shared: Sequence[Sequence[str]]
    talks: Mapping[int, Mapping[int, Sequence[int]]]

    def talked(self, one: int, other: int, index: int) -> int:
        """Whether one names the other: 1 before `index`, 2 soon after it, 3 both, 0 neither."""
        at = self.talks[one].get(other) if one in self.talks else None
        if at is None:
            return 0
        before, after = bisect_left(at, index), bisect_right(at, index)
        earlier = 1 if before and index - at[before - 1] <= FARTHEST else 0
        return earlier + (2 if after < len(at) and at[after] - index <= AHEAD else 0)

    @property
    def pace(self) -> float:
        """Mean minutes between utterances. Longer gaps, such as nights, count as an hour."""
        minutes = [features.minute for features in self.utterances]
        gaps = [min(b - a, 60) for a, b in pairwise(minutes)]
        return sum(gaps) / len(gaps) if gaps else 0.0


def read_window(utterances: Sequence[Utterance], bots: Iterable[str] = ()) -> Window:
    """Read utterances in the order they were said. `bots` are nicks of programs.

    Nicks that contain "bot" are recognised without being listed.
    """
    spoken = [one.unwrapped for one in utterances]
    nicks = dict.fromkeys(one.nick for one in spoken)
    people = Participants.from_nicks(nicks)
    speakers = {nick: people.number(nick) for nick in nicks}
    listed = frozenset(nick.lower() for nick in bots)
    programs = {nick for nick in nicks if "bot" in nick.lower() or nick.lower() in listed}
    minutes = accumulate((int(one.at // 60) for one in spoken), max)
    features = [
        _features(index, minute, one.text, speakers[one.nick], people, one.nick in programs)
        for index, (minute, one) in enumerate(zip(minutes, spoken, strict=True))
    ]
    counts = Counter([word for one in features for word in one.words])
    return Window(
        utterances=features,
        people=len(people.numbers),
        rarity={word: _RARITY[min(count, _OFTEN - 1)] for word, count in counts.items()},
        shared=[[word for word in one.words if counts[word] > 1] for one in features],
        talks=_talks(features),
    )


def _features(
    index: int, minute: int, text: str, me: int, people: Participants, is_bot: bool
) -> UtteranceFeatures:
    low = lowercase(text)
    first, named, rest, stranger = find_addressees(words_of(low), low, me, people)
    return UtteranceFeatures(
        index,
        minute,
        by=me,
        first=first,
        named=named,
        stranger=stranger,
        kind=BOT if is_bot else utterance_kind(low, rest),
        asks=1 if has_question_mark(text) else 0,
        length=length_bucket(len(rest)),
        words=content_words(rest),
    )


def _talks(utterances: Iterable[UtteranceFeatures]) -> dict[int, dict[int, list[int]]]:
    talks: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for features in utterances:
        for other in features.named:
            talks[features.by][other].append(features.index)
            talks[other][features.by].append(features.index)
    return talks
