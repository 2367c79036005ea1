"""The score tables: which facts select an entry of each, and the learnt weights.

A score is a sum of entries, one from each table. The weights are whole hundredths, so the sum does
not depend on the order of addition.

A table is stored as a flat list and read as nested lists, one level for each fact of its shape:
`length[words][question][kind]` is an entry of the table "length".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from math import prod
from typing import Any, TypeAlias

from terrarium_mcp.chat.disentanglement.words import UtteranceKind

SCALE = 100
"""A weight of this size is one unit of log odds."""

Table: TypeAlias = list[Any]
"""Nested lists of entries, as deep as the table has facts."""

_KINDS = len(UtteranceKind)

# "Whom" is three facts: is the earlier utterance another person's, how does this one address that
# person, and whom does the earlier one address. "When" is two: is the earlier utterance after, at
# or before my last one (or do I have none), and how often has its speaker spoken since.
_WHOM, _WHEN = (2, 4, 4), (4, 3)

ANSWERING = {
    "relation": (*_WHOM, *_WHEN, 2),  # whom, when, is it the nearest that names me
    "distance": (2, 10, 9),  # another's, utterances ago, minutes ago
    "openings": (_KINDS, _KINDS, 2, 2),  # kind of this one, of that, another's, spoken since
    "questions": (2, 2, 2, *_WHEN),  # is this one, is that, another's, when
    "lengths": (5, 5, 2, 4),  # of this one, of that, another's, utterances ago
    "words": (5, 4, 2, 4),  # share and rarity of the shared words, another's, utterances ago
    "topic": (4, 4, 2, 2),  # my part in the thread, words shared with it, with that, another's
    "talked": (4, *_WHOM),  # do the two of us talk elsewhere, whom
    "thread": (4, 2, 4, 3, 2),  # my part, another's, utterances since in it, replies, one is mine
    "above": (5, *_WHOM),  # whom that one answers itself, whom
    "callers": (4, 3, *_WHOM),  # after, at or before my last one, later ones naming me, whom
}
"""The shapes of the tables for answering an earlier utterance: the values of each of its facts."""

STARTING = {
    "opening": (_KINDS, 2, 5, 2),  # kind, question, addressing whom, have I spoken
    "silence": (9, 4, 5),  # minutes since I spoke, what became of that, addressing whom
    "pause": (9, 5, 2),  # minutes since anybody spoke, addressing whom, have I spoken
    "length": (5, 2, _KINDS),  # words, question, kind
    "called": (4, 4, 2),  # candidates naming me, what became of my last utterance, question
    "echo": (5, 4, 5),  # largest share of shared words, with whose utterance, addressing whom
    "crowd": (6, 5, 5),  # of the latest utterances: people, threads, minutes
}
"""The shapes of the tables for starting a conversation."""

_WEIGHTS = "weights.json"


@dataclass(frozen=True, slots=True)
class AnsweringTables:
    """The tables for answering. Those that share most of their facts are added up beforehand.

    The shapes are those of `ANSWERING`, except for the sums:

    - `relation`, with `callers`: whom, later utterances naming me, when
    - `talked`, with `above`: another's, addressed how, do the two of us talk elsewhere, whom that
      one addresses, whom it answers itself
    - `thread`, with `topic`: my part, words shared with the thread and with that one, another's,
      utterances since in it, replies, one is mine
    - `wordless`: `lengths`, with the entry of `words` for no shared word
    """

    relation: Table
    talked: Table
    thread: Table
    lengths: Table
    wordless: Table
    words: Table
    distance: Table
    openings: Table
    questions: Table


@dataclass(frozen=True, slots=True)
class StartingTables:
    """The tables for starting a conversation, shaped as in `STARTING`."""

    opening: Table
    silence: Table
    pause: Table
    length: Table
    called: Table
    echo: Table
    crowd: Table


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """All tables. The entries are weights, or anything else that can be added up."""

    answering: AnsweringTables
    starting: StartingTables

    @classmethod
    def from_flat(cls, flat: Mapping[str, Sequence[Any]]) -> "ScoreTables":
        """Shape flat tables, by name.

        Raises:
            KeyError: a table is missing.
            ValueError: a table has the wrong size.
        """
        for name, shape in (ANSWERING | STARTING).items():
            if len(flat[name]) != prod(shape):
                raise ValueError(f"table {name!r} has {len(flat[name])} entries")
        starting = {name: _nested(flat[name], shape) for name, shape in STARTING.items()}
        return cls(_answering(flat), StartingTables(**starting))


def _nested(flat: Sequence[Any], shape: Sequence[int]) -> Table:
    """Nested lists of the `shape`; the last fact varies fastest in the flat list."""
    if len(shape) == 1:
        return list(flat)
    size = prod(shape[1:])
    return [_nested(flat[n * size : (n + 1) * size], shape[1:]) for n in range(shape[0])]


def _answering(flat: Mapping[str, Sequence[Any]]) -> AnsweringTables:
    table = {name: _nested(flat[name], shape) for name, shape in ANSWERING.items()}
    relation, callers = table["relation"], table["callers"]
    talked, above = table["talked"], table["above"]
    topic, thread = table["topic"], table["thread"]
    lengths, words = table["lengths"], table["words"]
    shapes = {
        "relation": (*_WHOM, 3, *_WHEN),
        "talked": (2, 4, 4, 4, 5),
        "thread": (4, 4, 2, 2, 4, 3, 2),
        "wordless": ANSWERING["lengths"],
    }
    sums = {
        "relation": [
            relation[other][addressing][naming][where][since][calls == 0 and naming == 1]
            + callers[where][calls][other][addressing][naming]
            for other, addressing, naming, calls, where, since in _facts(shapes["relation"])
        ],
        "talked": [
            talked[elsewhere][other][addressing][naming] + above[up][other][addressing][naming]
            for other, addressing, elsewhere, naming, up in _facts(shapes["talked"])
        ],
        "thread": [
            topic[part][shared][overlap][other] + thread[part][other][after][replies][mine]
            for part, shared, overlap, other, after, replies, mine in _facts(shapes["thread"])
        ],
        "wordless": [
            lengths[this][that][other][near] + words[0][0][other][near]
            for this, that, other, near in _facts(shapes["wordless"])
        ],
    }
    return AnsweringTables(
        **{name: _nested(entries, shapes[name]) for name, entries in sums.items()},
        lengths=lengths,
        words=words,
        distance=table["distance"],
        openings=table["openings"],
        questions=table["questions"],
    )


def _facts(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All combinations of facts, in the order of a flat table."""
    return product(*map(range, shape))


@cache
def shipped_weights() -> ScoreTables:
    """The weights that come with the package. The file names its source and licence."""
    text = files("terrarium_mcp.chat.disentanglement").joinpath(_WEIGHTS).read_text("utf-8")
    return ScoreTables.from_flat(json.loads(text)["tables"])
