"""A plain question and where its answer may stand, and what it was understood to ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from terrarium_mcp.chat.named_times import NamedTime
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.search.stretches import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A plain question.

    `match` (an FTS5 expression) and `where` (conditions on `m`, with their `params`) restrict which
    lines may answer; lines around them, which only lend their words, need none of it. `since` is a
    timestamp as text.
    """

    text: str
    rooms: Sequence[Room]
    now: datetime
    zone: tzinfo
    history: History
    since: str = BEGINNING.timestamp
    until: Position = EVERY_LINE
    match: str = ""
    where: Sequence[str] = ()
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """One telling word with what may stand for it, each with what it counts.

    So many `lines` hold the word in one of its forms; it is `found_in` so many at most, where all
    that may stand for it counts.
    """

    word: str
    words: Mapping[str, float]
    lines: int
    found_in: int


@dataclass(frozen=True, slots=True)
class Understood:
    """What a question asks: whose lines, of which time, with which words (the rarest first).

    `lines` is how many lines there are in all, `here` in the rooms asked, and `by` how many of
    these each of the people said; `length` is how many words a line has on average.
    """

    people: tuple[str, ...]
    times: tuple[NamedTime, ...]
    groups: tuple[Group, ...]
    asks_when: bool
    lines: int
    here: int
    by: Mapping[str, int]
    length: float
