"""Made-up talk of any length from a fixed seed.

Words are as frequent as in English, people and channels as unequal as on IRC.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from wordfreq import top_n_list, word_frequency

from terrarium_mcp.chat.records import Heard, Kind, Origin

SEED = 469
CHANNELS = 400
NICKS = 60_000
WORDS = 250_000
MEAN_GAP = 9.46
"""Seconds between two lines: 10 M lines are three years."""

_BATCH = 20_000
_KINDS = (Kind.PRIVMSG, Kind.ACTION, Kind.NOTICE, Kind.JOIN, Kind.PART, Kind.QUIT, Kind.TOPIC)
_KIND_WEIGHTS = (860, 20, 10, 50, 30, 29, 1)


@dataclass(frozen=True)
class Vocabulary:
    """Words with cumulative weights."""

    words: list[str]
    weights: list[float]

    @classmethod
    def english(cls) -> "Vocabulary":
        """English as it is used, with a tail of words that only one channel knows."""
        words = top_n_list("en", WORDS)
        frequencies = [word_frequency(word, "en") or 1e-9 for word in words]
        return cls(words, list(accumulate(frequencies)))


def talk(
    count: int,
    *,
    began: datetime,
    vocabulary: Vocabulary,
    seed: int = SEED,
    origin: Origin = Origin.LIVE,
) -> Iterator[Heard]:
    """`count` lines from `began` on, in the order they were said."""
    rng = random.Random(seed)  # noqa: S311 -- made-up talk
    channels = _unequal([f"#chan{n}" for n in range(CHANNELS)], 1.05)
    nicks = _unequal([f"nick{n}" for n in range(NICKS)], 1.0)
    now = began
    for start in range(0, count, _BATCH):
        size = min(_BATCH, count - start)
        lengths = [max(1, int(rng.gammavariate(1.7, 5.3))) for _ in range(size)]
        words = iter(rng.choices(vocabulary.words, cum_weights=vocabulary.weights, k=sum(lengths)))
        rows = zip(
            rng.choices(channels[0], cum_weights=channels[1], k=size),
            rng.choices(nicks[0], cum_weights=nicks[1], k=size),
            rng.choices(_KINDS, _KIND_WEIGHTS, k=size),
            lengths,
            strict=True,
        )
        for channel, nick, kind, length in rows:
            now += timedelta(seconds=rng.expovariate(1 / MEAN_GAP))
            text = " ".join(next(words) for _ in range(length))
            if (chance := rng.random()) < 0.015:
                text += f" {rng.getrandbits(40):x}"
            elif chance < 0.025:
                text += f" https://example.org/{rng.randrange(50_000)}"
            elif chance < 0.1:
                text += "?"
            yield Heard(
                network="bench",
                channel=channel,
                nick=nick,
                text="" if kind is Kind.JOIN else text,
                kind=kind,
                said_at=now,
                user="user",
                host="host.example",
                origin=origin,
            )


def beginning(count: int) -> datetime:
    """When talk of `count` lines begins so that it ends in the autumn of 2026."""
    return datetime(2026, 9, 1, tzinfo=UTC) - timedelta(seconds=MEAN_GAP * count)


def _unequal(names: list[str], power: float) -> tuple[list[str], list[float]]:
    return names, list(accumulate(1 / (n + 1) ** power for n in range(len(names))))
