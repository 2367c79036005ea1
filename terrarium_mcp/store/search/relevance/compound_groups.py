"""Compound groups: the words of a question as others write them, in two words or in one."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.compounds import MOST_SPLITS, as_one_word, as_two_words
from terrarium_mcp.store.search.relevance.corpus import Corpus
from terrarium_mcp.store.search.relevance.lookup import Lookup, any_word
from terrarium_mcp.store.search.relevance.question import TermGroup
from terrarium_mcp.store.search.relevance.weights import FORM
from terrarium_mcp.store.search.vocabulary_queries import WordsAmong

_COUNTED = 100
"""Up to this many lines with two words side by side are counted."""


async def with_compounds(groups: Sequence[TermGroup], text: str, corpus: Corpus) -> list[TermGroup]:
    """The groups of a text with the compounds that were said, each as a form of the word.

    A word that nobody said is tried as two that were said side by side, and two neighbours of the
    text that nobody said side by side as one: where both spellings are usual, the lines with the
    other one would hide some of the lines with that asked for.

    Raises:
        TookTooLong: the deadline passed.
    """
    pairs = {group.word: as_two_words(group.word) for group in groups if group.is_unsaid}
    joined = as_one_word(words_in(text))
    parts = {part for its in pairs.values() for pair in its for part in pair.split()}
    (known,) = await corpus.most_frequent(WordsAmong({*parts, *joined}))
    every = (pair for its in pairs.values() for pair in its)
    possible = (pair for pair in every if known.keys() >= set(pair.split()))
    both = {" ".join(joined[word]): word for word in joined if word in known}
    side_by_side = await _lines_with([*islice(possible, MOST_SPLITS), *both], corpus)
    said = {pair: lines for pair, lines in side_by_side.items() if pair not in both}
    said |= {word: known[word] for pair, word in both.items() if pair not in side_by_side}
    return [
        _with_forms(
            group,
            {
                one: lines
                for one, lines in said.items()
                if one in pairs.get(group.word, ()) or group.word in joined.get(one, ())
            },
        )
        for group in groups
    ]


async def _lines_with(pairs: Sequence[str], corpus: Corpus) -> dict[str, int]:
    """Of these pairs of words those that were said side by side, with how many lines hold them."""
    lookups = {pair: Lookup((any_word([pair], _COUNTED),), _COUNTED) for pair in pairs}
    found = await corpus.find(list(lookups.values())) if lookups else {}
    return {pair: len(found[one]) for pair, one in lookups.items() if found.get(one)}


def _with_forms(group: TermGroup, forms: dict[str, int]) -> TermGroup:
    if not forms:
        return group
    lines = sum(forms.values())
    return replace(
        group,
        words={**group.words, **dict.fromkeys(forms, FORM)},
        lines=lines if group.is_unsaid else group.lines,
        found_in=group.found_in + lines,
        is_guessed=False,
    )
