"""A line of a window as the scorer sees it, and the link that is found for it."""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

_BRIDGE = re.compile(r"bot|bridge|relay|discord|matrix|telegram|slack|gateway", re.IGNORECASE)
_RELAYED = re.compile(r"<([^<>\s]{1,40})> (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """A line somebody said. Joins, parts and the like are no lines here.

    `at` is in seconds; `reply_to` is the msgid that its reply tag names, "" where it has none.
    """

    id: int
    at: float
    nick: str
    text: str
    msgid: str = ""
    reply_to: str = ""

    @property
    def unwrapped(self) -> "Line":
        """`<jo> hi`, sent by a bridge to another network, is jo speaking."""
        if not self.text.startswith("<") or not _BRIDGE.search(self.nick):
            return self
        relayed = _RELAYED.match(self.text)
        return replace(self, nick=relayed[1], text=relayed[2]) if relayed else self


class Link(NamedTuple):
    """Which line a line answers, and how probable that is.

    `answers` is None where it starts a conversation, and where its reply tag names a line that
    is not in the window: that one's msgid is then `outside`. A reply tag has probability 1.
    """

    line: int
    answers: int | None
    probability: float
    outside: str = ""
    tagged: bool = False
