"""The tables of the scorer: what chooses an entry of each, and the learnt weights.

A score is a sum of entries, one from each table. The weights are whole hundredths, so the sum is
the same in whatever order it is made.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from math import prod
from typing import Any

from terrarium_mcp.chat.conversations.words import Opening

SCALE = 100
"""A weight of so much is one unit of the logarithm of the odds."""

OPENINGS = len(Opening)

# For each table how many values each of its facts has, in the order of the index. "Whom": is it
# another person's line, how does this line address them, and whom does theirs address. "When": is
# their line after, at or before my last one, and what have they said since.
ANSWERING = {
    "relation": (2, 4, 4, 4, 3, 2),  # whom, when, is it the nearest that names me
    "distance": (2, 10, 9),  # another's, lines ago, minutes ago
    "openings": (OPENINGS, OPENINGS, 2, 2),  # of this line, of that, another's, spoken since
    "questions": (2, 2, 2, 4, 3),  # is this one, is that, another's, when
    "lengths": (5, 5, 2, 4),  # of this line, of that, another's, lines ago
    "words": (5, 4, 2, 4),  # share and rarity of the words in common, another's, lines ago
    "topic": (4, 4, 2, 2),  # my part in that conversation, words in common with it, with the line
    "talked": (4, 2, 4, 4),  # do we speak to each other elsewhere, whom
    "thread": (4, 2, 4, 3, 2),  # my part, another's, lines since in it, replies, one of them mine
    "above": (5, 2, 4, 4),  # whom that line answered itself, whom
    "callers": (4, 3, 2, 4, 4),  # after, at or before my last line, lines since naming me, whom
}
"""Tables for answering an earlier line."""

STARTING = {
    "opening": (OPENINGS, 2, 5, 2),  # of this line, question, addressed how, have I spoken
    "silence": (9, 4, 5),  # minutes since my last line, what became of it, addressed how
    "pause": (9, 5, 2),  # minutes since anybody's line, addressed how, have I spoken
    "length": (5, 2, OPENINGS),  # words, question, opening
    "called": (4, 4, 2),  # lines that name me, what became of my last line, question
    "echo": (5, 4, 5),  # best share of words in common, with whose line, addressed how
    "crowd": (6, 5, 5),  # of the last lines: people, conversations, minutes
}
"""Tables for starting a conversation."""

_WEIGHTS = "weights.json"


@dataclass(frozen=True, slots=True)
class Tables:
    """Entries that can be added up: weights to score with, or whatever a trainer puts there.

    For answering, tables that share most of their facts are added up beforehand: see `_joined`.
    """

    answering: tuple[Sequence[Any], ...]
    starting: tuple[Sequence[Any], ...]

    @classmethod
    def named(cls, entries: Mapping[str, Sequence[Any]]) -> "Tables":
        """Tables by name.

        Raises:
            KeyError: one is missing.
            ValueError: one is not of its size.
        """
        for name, facts in (ANSWERING | STARTING).items():
            if len(entries[name]) != prod(facts):
                raise ValueError(f"table {name!r} has {len(entries[name])} entries")
        return cls(_joined(entries), tuple(entries[name] for name in STARTING))


def _joined(entries: Mapping[str, Sequence[Any]]) -> tuple[Sequence[Any], ...]:
    """The tables for answering, in the order in which `scores` takes them apart.

    - `relation` and `callers`, by lines since naming me, when, whom;
    - `talked` and `above`, by whom that line answered, do we speak elsewhere, whom;
    - `topic` and `thread`, by the facts of a conversation, then the others of `thread`;
    - `lengths`, and the same with `words` where there are none in common.
    """
    relation, callers = entries["relation"], entries["callers"]
    talked, above = entries["talked"], entries["above"]
    topic, thread = entries["topic"], entries["thread"]
    lengths, words = entries["lengths"], entries["words"]
    return (
        [
            relation[(whom * 12 + when) * 2 + (few == 0 and whom % 4 == 1)]
            + callers[(when // 3 * 3 + few) * 32 + whom]
            for few, when, whom in product(range(3), range(12), range(32))
        ],
        [
            talked[elsewhere * 32 + whom] + above[up * 32 + whom]
            for up, elsewhere, whom in product(range(5), range(4), range(32))
        ],
        [
            topic[part * 16 + shared * 4 + line * 2 + other] + thread[part * 48 + other * 24 + rest]
            for part, shared, line, other, rest in product(
                range(4), range(4), range(2), range(2), range(24)
            )
        ],
        lengths,
        [one + words[place % 8] for place, one in enumerate(lengths)],
        words,
        entries["distance"],
        entries["openings"],
        entries["questions"],
    )


@cache
def shipped_weights() -> Tables:
    """The weights that come with the package; a note on their source stands in the file."""
    text = files("terrarium_mcp.chat.conversations").joinpath(_WEIGHTS).read_text("utf-8")
    return Tables.named(json.loads(text)["tables"])
