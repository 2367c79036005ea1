"""What is asked: words by how often they were said or how they were typed, and lines to look for.

They are noted while the talk is made, so that asking needs neither the vocabulary nor an index.
"""

import json
import random
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from heapq import nlargest
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TypeVar

from bench.table import FULL
from terrarium_mcp.chat.records import SPEECH, NewMessage
from terrarium_mcp.chat.times.timestamps import to_text

OFTEN = {"rare": (20, 100), "medium": (1_000, 10_000), "common": (50_000, 300_000)}
"""In how many of ten million lines a word of each class is; fewer lines, fewer times."""

TYPED = ("begun", "inside", "misspelt")
"""Words as they may be typed: the beginning, a piece from within, with a wrong letter. Nobody said
such a piece or such a wrong word."""

RARE_PHRASE = "rare phrase"
"""Three words in a row, one of which is rare."""

CHINESE = "chinese"
"""Words of two to four characters, from within a line without spaces."""

VERY_COMMON = 20
"""The words said most often."""

SAMPLED = 2_000
"""Lines kept to ask about, of those in English and of those in Chinese."""

_LONG = 7
"""Letters of a word whose beginning or inside still tells something."""

T = TypeVar("T")

_WORD = re.compile(r"[a-z]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]{2,}")


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
        self._chinese: list[str] = []
        self._heard = 0

    def hear(self, lines: Sequence[NewMessage]) -> None:
        """Note how often words were said, and now and then a whole line."""
        texts = (line.text.split() for line in lines if line.kind in SPEECH)
        for word, times in Counter(chain.from_iterable(texts)).items():
            if word in self._said:
                self._said[word] += times
        for line in lines:
            self._heard += 1
            due = self._heard * SAMPLED // self._count
            if due > len(self._sampled):
                self._sample(line)
            if due > len(self._chinese) and _CHINESE.fullmatch(line.text):
                self._chinese.append(line.text)

    def questions(self) -> Questions:
        """What to ask."""
        rng = random.Random(1)  # noqa: S311 -- made-up questions
        words = {"very common": nlargest(VERY_COMMON, self._said, key=self._said.__getitem__)}
        for name in OFTEN:
            fitting = sorted(word for word in self._said if self._is_said(name, word))
            words[name] = rng.sample(fitting, min(SAMPLED, len(fitting)))
        rng.shuffle(self._sampled)
        words[RARE_PHRASE] = list(self._rare_phrases())
        words |= {name: list(self._typed(name, rng)) for name in TYPED}
        words[CHINESE] = [_some(text, rng) for text in self._chinese]
        return Questions(words, self._sampled)

    def _is_said(self, often: str, word: str) -> bool:
        """Whether a word is one of a class."""
        low, high = (max(1, limit * self._count // FULL) for limit in OFTEN[often])
        return low <= self._said.get(word, 0) <= high

    def _rare_phrases(self) -> Iterator[str]:
        """The rare words of the sampled lines, each with its neighbours."""
        for line in self._sampled:
            words = line.text.split()
            for around in zip(words, words[1:], words[2:], strict=False):
                if self._is_said("rare", around[1]):
                    yield " ".join(around)

    def _typed(self, name: str, rng: random.Random) -> Iterator[str]:
        """Words of the sampled lines, as somebody may type them."""
        typed = {"begun": _begun, "inside": _inside, "misspelt": _misspelt}[name]
        for line in self._sampled:
            if long := [word for word in plain_words(line.text) if len(word) >= _LONG]:
                word = typed(rng.choice(long), rng)
                if name == "begun" or word not in self._said:
                    yield word

    def _sample(self, line: NewMessage) -> None:
        if line.kind in SPEECH and len(plain_words(line.text)) >= 4:
            self._sampled.append(Line(line.channel, line.nick, line.text, to_text(line.said_at)))


def plain_words(text: str) -> list[str]:
    """The words of a text that are nothing but letters, as the index and LIKE both see them."""
    return [word for word in text.split() if _WORD.fullmatch(word)]


def _begun(word: str, rng: random.Random) -> str:
    return word[: rng.randint(4, len(word) - 2)]


def _inside(word: str, _: random.Random) -> str:
    return word[1:-1]


def _misspelt(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + rng.choice(string.ascii_lowercase) + word[at + 1 :]


def _some(text: str, rng: random.Random) -> str:
    """Two to four characters of a text."""
    at = rng.randrange(len(text) - 1)
    return text[at : at + rng.randint(2, 4)]


def enough(questions: Sequence[T], rounds: int) -> list[T]:
    """As many questions as there are rounds, the same again where there are fewer."""
    return list(islice(cycle(questions), rounds))
