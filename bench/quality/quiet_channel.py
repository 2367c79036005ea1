"""Lays busy talk out as a quiet channel: bursts of talk by the same few people, hours apart.

The logs of Ubuntu IRC never pause, and hardly anybody is there twice. In most channels a dozen
regulars talk now and then, nights included, and somebody answers an hour later. This is where
unrelated talk is taken for one conversation. Who talks to whom, in which words and at which pace
stays as it was; the names of those they talk to may be left out, as they are in small channels.
"""

import math
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from terrarium_mcp.chat.disentanglement import Utterance

REGULARS = (
    *("ann", "bert", "carla", "dimitri", "elke", "farid"),
    *("gustav", "hanna", "ivo", "jelena", "kurt", "lotte"),
)
"""The nicks of those who are there every day."""

REGULAR = 0.75
"""How many of the people of a burst are regulars."""

BETWEEN_MINUTES = 20.0
"""Mean minutes between two bursts that do not overlap."""

NIGHT = 0.06
"""How many bursts precede a night, 4 to 9 hours long."""

LATE = 0.03
"""How many lines of a conversation come late, 20 to 150 minutes after the one before."""

OVERLAPPING = 0.3
"""How many conversations begin during the one before."""


@dataclass(frozen=True, slots=True)
class Burst:
    """Lines of an annotated log, by their numbers from 0, that are laid out together."""

    log: Any
    lines: Sequence[int]


@dataclass(frozen=True, slots=True)
class QuietLine:
    """A line of the quiet channel: line `number` of its burst's log, as said there."""

    burst: int
    number: int
    said: Utterance


def quiet_channel(
    bursts: Iterable[Burst], layout: int, *, conversations: bool, names: bool = True
) -> list[QuietLine]:
    """The lines of all bursts in the order in which they are said; ids count from 0.

    Args:
        bursts: in the order in which they begin.
        layout: a number; each stands for other pauses and other people.
        conversations: whether each burst is an annotated conversation: then some overlap, and
            some replies come late.
        names: whether the lines keep the names of people in them.
    """
    chance = random.Random(layout)  # noqa: S311 -- a layout that is the same every time
    start, lines = 0.0, list[tuple[float, int, int, str, str]]()
    for number, burst in enumerate(bursts):
        cast = _cast(burst, chance)
        pace = math.exp(chance.gauss(0.5, 0.7))  # quiet channels answer slower
        at, before = start, burst.log.minute[burst.lines[0]]
        for line in burst.lines:
            minute = burst.log.minute[line]
            at += (minute - before) * pace + 0.8 * chance.random()
            if conversations and chance.random() < LATE and line != burst.lines[0]:
                at += math.exp(chance.uniform(math.log(20), math.log(150)))
            before = minute
            nick = burst.log.nick[line]
            text = (_renamed if names else _unnamed)(burst.log.text[line], cast)
            lines.append((at, number, line, cast[nick.lower()], text))
        if conversations and chance.random() < OVERLAPPING:
            start += chance.random() * (at - start)
        else:
            start = at + chance.expovariate(1 / BETWEEN_MINUTES)
        if chance.random() < NIGHT:
            start += 60 * chance.uniform(4, 9)
    return [
        QuietLine(burst, number, Utterance(place, 60 * at, nick, text))
        for place, (at, burst, number, nick, text) in enumerate(sorted(lines))
    ]


def _cast(burst: Burst, chance: random.Random) -> dict[str, str]:
    """Who speaks for each person of a burst, by lowercase nick."""
    regulars = [*REGULARS]
    chance.shuffle(regulars)
    people = dict.fromkeys(burst.log.nick[line] for line in burst.lines)
    return {
        nick.lower(): regulars.pop() if regulars and chance.random() < REGULAR else nick
        for nick in people
    }


def _renamed(text: str, cast: dict[str, str]) -> str:
    """A line with the people it names under their names in the quiet channel."""
    return _nick_of(cast).sub(lambda found: cast[found[1].lower()] + found[2], text)


def _unnamed(text: str, cast: dict[str, str]) -> str:
    """A line without the people it names; as it was if nothing else is in it."""
    return _nick_of(cast).sub(" ", text).strip() or text


def _nick_of(cast: dict[str, str]) -> re.Pattern[str]:
    """A nick of the burst, and what sets it off from the rest of the line."""
    longest_first = sorted(map(re.escape, cast), key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(longest_first)})(?!\w)([:,]?\s*)", re.IGNORECASE)
