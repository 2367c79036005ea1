"""An utterance, as the scorer reads it, and the link that is found for it."""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

_BRIDGE = re.compile(r"bot|bridge|relay|discord|matrix|telegram|slack|gateway", re.IGNORECASE)
_RELAYED = re.compile(r"<([^<>\s]{1,40})> (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message said in a channel. Joins, parts and other events are not utterances.

    `at` is in seconds. `reply_to` is the msgid that its reply tag names, "" without one.
    """

    id: int
    at: float
    nick: str
    text: str
    msgid: str = ""
    reply_to: str = ""

    @property
    def unwrapped(self) -> "Utterance":
        """The utterance by its real speaker: `<jo> hi`, sent by a bridge bot, was said by jo."""
        if not self.text.startswith("<") or not _BRIDGE.search(self.nick):
            return self
        relayed = _RELAYED.match(self.text)
        return replace(self, nick=relayed[1], text=relayed[2]) if relayed else self


DOUBTFUL = 0.5
"""Links below this probability are wrong at least half the time."""


class ReplyLink(NamedTuple):
    """Which message the message `line` answers, and the probability of that choice.

    `answers` is None if it starts a conversation, or if its reply tag names a message outside the
    window, whose msgid is then `outside`. A link from a reply tag is `tagged`, with probability 1.
    """

    line: int
    answers: int | None
    probability: float
    outside: str = ""
    tagged: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether it is more likely wrong than right."""
        return self.probability < DOUBTFUL
