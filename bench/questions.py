"""What is asked: words by how often they were said, and lines to look around, in or after.

They are noted while the talk is made, so that asking needs neither the vocabulary nor an index.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from heapq import nlargest
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TypeVar

from bench.table import FULL
from terrarium_mcp.chat.records import SPEECH, Heard
from terrarium_mcp.chat.when import to_text

OFTEN = {"rare": (20, 100), "medium": (1_000, 10_000), "common": (50_000, 300_000)}
"""In how many of ten million lines a word of each class is; fewer lines, fewer times."""

VERY_COMMON = 20
"""The words said most often."""

SAMPLED = 2_000
"""Lines kept to ask about."""

T = TypeVar("T")

_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Line:
    """A line that was said."""

    channel: str
    nick: str
    text: str
    said_at: str


@dataclass(frozen=True)
class Questions:
    """Words by class, and lines from everywhere in the talk that have four plain words or more."""

    words: dict[str, list[str]]
    lines: list[Line]

    @classmethod
    def read(cls, path: Path) -> "Questions":
        """The questions that `write` wrote."""
        told = json.loads(path.read_text("utf-8"))
        return cls(told["words"], [Line(**line) for line in told["lines"]])

    def write(self, path: Path) -> None:
        """Keep them beside the databases."""
        path.write_text(json.dumps(asdict(self)), "utf-8")


class Listener:
    """Hears the talk of `count` lines, and knows afterwards what to ask about it."""

    def __init__(self, count: int, vocabulary: Iterable[str]) -> None:
        self._count = count
        # All words stand in it at first, so that it does not grow while memory is watched.
        self._said = dict.fromkeys(filter(_WORD.fullmatch, vocabulary), 0)
        self._sampled: list[Line] = []
        self._heard = 0

    def hear(self, lines: Sequence[Heard]) -> None:
        """Note how often words were said, and now and then a whole line."""
        texts = (line.text.split() for line in lines if line.kind in SPEECH)
        for word, times in Counter(chain.from_iterable(texts)).items():
            if word in self._said:
                self._said[word] += times
        for line in lines:
            self._heard += 1
            if self._heard * SAMPLED // self._count > len(self._sampled):
                self._sample(line)

    def questions(self) -> Questions:
        """What to ask."""
        rng = random.Random(1)  # noqa: S311 -- made-up questions
        words = {"very common": nlargest(VERY_COMMON, self._said, key=self._said.__getitem__)}
        for name, (least, most) in OFTEN.items():
            low, high = (max(1, limit * self._count // FULL) for limit in (least, most))
            fitting = sorted(word for word, times in self._said.items() if low <= times <= high)
            words[name] = rng.sample(fitting, min(SAMPLED, len(fitting)))
        rng.shuffle(self._sampled)
        return Questions(words, self._sampled)

    def _sample(self, line: Heard) -> None:
        if line.kind in SPEECH and len(plain_words(line.text)) >= 4:
            self._sampled.append(Line(line.channel, line.nick, line.text, to_text(line.said_at)))


def plain_words(text: str) -> list[str]:
    """The words of a text that are nothing but letters, as the index and LIKE both see them."""
    return [word for word in text.split() if _WORD.fullmatch(word)]


def enough(questions: Sequence[T], rounds: int) -> list[T]:
    """As many questions as there are rounds, the same again where there are fewer."""
    return list(islice(cycle(questions), rounds))
