"""The words that a line has in common with earlier lines, and with whole conversations."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from terrarium_mcp.chat.conversations.history import Conversation, History, Turn
from terrarium_mcp.chat.conversations.window import Said

_LATEST = 12
"""So many of the lines with a word count; it goes around too much for more to tell anything."""


@dataclass(frozen=True, slots=True)
class Common:
    """Weights of words in common: by line all together and the rarest, by conversation, and all."""

    with_turn: dict[Turn, float]
    rarest: dict[Turn, float]
    with_conversation: dict[Conversation, float]
    whole: float

    def alike(self, turn: Turn) -> int:
        """What an earlier line repeats: how much (1 to 4) times 4, and how rare (1 to 3)."""
        part, rarest = self.with_turn[turn] / self.whole, self.rarest[turn]
        share = 1 if part < 0.2 else 2 if part < 0.4 else 3 if part < 0.7 else 4
        return share * 4 + (1 if rarest < 3.2 else 2 if rarest < 4.6 else 3)

    def topic(self, conversation: Conversation) -> int:
        """The step from 0 to 3 of how much of the line a conversation has."""
        weight = self.with_conversation.get(conversation)
        if not weight:
            return 0
        part = weight / self.whole
        return 1 if part < 0.25 else 2 if part < 0.5 else 3


def in_common(said: Said, found: Iterable[Turn], history: History) -> Common:
    """What the next line shares with those `found`, and with all conversations so far."""
    having, shared = history.having, history.window.shared[said.place]
    known = [(word, having[word][-_LATEST:]) for word in shared if word in having]
    if not known:
        return _NOTHING
    rarity, asked = history.window.rarity, set(found)
    with_turn: dict[Turn, float] = {}
    rarest: dict[Turn, float] = {}
    with_conversation: dict[Conversation, float] = defaultdict(float)
    for word, latest in known:
        weight = rarity[word]
        for turn in asked.intersection(latest):
            if turn not in with_turn:
                with_turn[turn] = rarest[turn] = weight
                continue
            with_turn[turn] += weight
            rarest[turn] = max(rarest[turn], weight)
        for conversation in {turn.conversation for turn in latest}:
            with_conversation[conversation] += weight
    whole = 0.0
    for word in said.words:  # sum() rounds otherwise from Python 3.12 on
        whole += rarity[word]
    return Common(with_turn, rarest, with_conversation, whole)


_NOTHING = Common({}, {}, {}, 1.0)
