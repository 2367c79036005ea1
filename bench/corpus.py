"""Made-up talk of any length from a fixed seed.

Words are as frequent as in English, and follow on each other as there: without that, the phrases
that are looked for would be some that nobody says. People and channels are as unequal as on IRC:
the biggest of 400 channels has 17.5 % of the lines. People talk with each other: most lines are by
somebody who has just said something there. One line of 200 is in Chinese, without spaces. Making a
line takes 18 us of CPU.
"""

import random
from bisect import bisect
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from itertools import count as count_from

from terrarium_mcp.chat.records import MessageType, NewMessage, Origin

SEED = 469
CHANNELS = 400
NICKS = 60_000
MEAN_GAP = 9.46
"""Seconds between two lines: 10 M lines are three years."""

TALKING, LATELY = 0.68, 10
"""The part of the lines by somebody who has one of the channel's last ten lines. Counted in 11,115
lines of #ubuntu, the development split of the Ubuntu IRC conversations (Kummerfeld et al. 2019)."""

CHINESE = 0.005
"""The part of the lines that is in Chinese."""

_BATCH = 20_000
_KINDS = (
    MessageType.PRIVMSG,
    MessageType.ACTION,
    MessageType.NOTICE,
    MessageType.JOIN,
    MessageType.PART,
    MessageType.QUIT,
    MessageType.TOPIC,
)
_KIND_WEIGHTS = (860, 20, 10, 50, 30, 29, 1)


@dataclass(frozen=True)
class Words:
    """Words of a language, with cumulative weights."""

    words: list[str]
    weights: list[float]

    def some(self, rng: random.Random, count: int) -> list[str]:
        """`count` of them, the frequent ones more often."""
        return rng.choices(self.words, cum_weights=self.weights, k=count)


@dataclass(frozen=True)
class Language:
    """Words that follow on each other, by which every word is said as often as in `alone`.

    `after` a word come others, each with its share of these. What remains are words that follow a
    `common` one, none of which is common too, or words that follow any other.
    """

    alone: Words
    after: Mapping[str, Words]
    common: Collection[str]
    after_common: Words
    after_others: Words

    def lines(self, rng: random.Random, lengths: Sequence[int]) -> Iterator[str]:
        """Lines of so many words."""
        firsts = iter(self.alone.some(rng, len(lengths)))
        unusual = iter(self.after_common.some(rng, sum(lengths)))
        any_word = iter(self.after_others.some(rng, sum(lengths)))
        for length in lengths:
            word = next(firsts)
            line = [word]
            for _ in range(length - 1):
                following, share = self.after.get(word, _NONE), rng.random()
                if share < following.weights[-1]:
                    word = following.words[bisect(following.weights, share)]
                else:
                    word = next(unusual if word in self.common else any_word)
                line.append(word)
            yield " ".join(line)


_NONE = Words([], [0.0])


@dataclass(frozen=True)
class Vocabulary:
    """The languages of the talk."""

    english: Language
    chinese: Words


def talk(
    count: int,
    *,
    ended: datetime,
    vocabulary: Vocabulary,
    seed: int = SEED,
    origin: Origin = Origin.IMPORT,
    gap: float = MEAN_GAP,
) -> Iterator[NewMessage]:
    """`count` lines up to `ended`, in the order they were said, one in each `gap` seconds."""
    rng = random.Random(seed)  # noqa: S311 -- made-up talk
    other = random.Random(~seed)  # noqa: S311 -- what is not in Chinese does not depend on what is
    channels = _unequal([f"#chan{n}" for n in range(CHANNELS)], 1.05)
    nicks = _unequal([f"nick{n}" for n in range(NICKS)], 1.0)
    slots = count_from(-count)
    lately: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=LATELY))
    for start in range(0, count, _BATCH):
        size = min(_BATCH, count - start)
        lengths = [max(1, int(rng.gammavariate(1.7, 5.3))) for _ in range(size)]
        rows = zip(
            rng.choices(channels[0], cum_weights=channels[1], k=size),
            rng.choices(nicks[0], cum_weights=nicks[1], k=size),
            rng.choices(_KINDS, _KIND_WEIGHTS, k=size),
            lengths,
            vocabulary.english.lines(rng, lengths),
            strict=True,
        )
        for channel, somebody, kind, length, words in rows:
            talking = lately[channel]
            nick = rng.choice(talking) if talking and rng.random() < TALKING else somebody
            talking.append(nick)
            said_at = ended + timedelta(seconds=(next(slots) + rng.random()) * gap)
            text = words + _ending(rng)
            if other.random() < CHINESE:
                text = "".join(vocabulary.chinese.some(other, length))
            yield NewMessage(
                network="bench",
                channel=channel,
                nick=nick,
                text="" if kind is MessageType.JOIN else text,
                kind=kind,
                said_at=said_at,
                user="user",
                host="host.example",
                origin=origin,
            )


def _ending(rng: random.Random) -> str:
    """What now and then stands behind the words of a line: a word of its own, a link, a mark."""
    if (chance := rng.random()) < 0.015:
        return f" {rng.getrandbits(40):x}"
    if chance < 0.025:
        return f" https://example.org/{rng.randrange(50_000)}"
    return "?" if chance < 0.1 else ""


def lasting(count: int) -> timedelta:
    """How long talk of `count` lines takes."""
    return timedelta(seconds=MEAN_GAP * count)


def _unequal(names: list[str], power: float) -> tuple[list[str], list[float]]:
    return names, list(accumulate(1 / (n + 1) ** power for n in range(len(names))))
