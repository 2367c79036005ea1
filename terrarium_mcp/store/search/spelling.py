"""Spelling: similar words that were said, for a word that finds nothing."""

from collections.abc import Sequence

from terrarium_mcp.chat.english.words import is_stop_word, word_forms
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.store.search.compounds import as_two_words
from terrarium_mcp.store.search.scope import Clause, Clauses
from terrarium_mcp.store.search.vocabulary_queries import (
    LONGEST_WHOLE,
    Vocabulary,
    VocabularyQuery,
    WordsAmong,
    WordsBeginning,
    WordsHolding,
    WordsMisspelt,
)

MOST = 16
"""Most substitutes of each kind: longer words, words with it inside, misspellings."""

_SHORTEST_MISSPELT = 4
"""Letters of the shortest word that may be misspelt: shorter words have too many neighbours."""

_POSSESSIVE = ("'s", "\u2019s")


async def similar_clauses(clauses: Clauses, vocabulary: Vocabulary) -> Clauses:
    """The clauses, each word with the similar words that were said."""
    return tuple([await _similar_clause(clause, vocabulary) for clause in clauses])


async def _similar_clause(clause: Clause, vocabulary: Vocabulary) -> Clause:
    terms = [similar for term in clause for similar in await _similar_terms(term, vocabulary)]
    return tuple(dict.fromkeys(terms))


async def _similar_terms(term: Term, vocabulary: Vocabulary) -> Sequence[Term]:
    """The term and the words that may be meant by it; a phrase or a prefix stays alone.

    It may be a possessive, or a compound that others write as two words. It is no misspelt stop
    word: `wasm` for `was` would find any line.
    """
    words = _without_possessive(term)
    if len(words) != 1 or term.kind is not TermKind.WORD:
        return [term]
    (word,) = words
    pairs, forms = as_two_words(word), word_forms(word)
    queries: list[VocabularyQuery] = [
        WordsAmong({*forms, *(part for pair in pairs for part in pair.split())}),
        WordsBeginning(word, 2 * len(word) + MOST, MOST),
        WordsHolding(word, MOST),
    ]
    if len(word) >= _SHORTEST_MISSPELT:
        queries.append(WordsMisspelt(word, MOST))
    said, longer, holding, *meant = await vocabulary.most_frequent(*queries)
    corrections = (one for found in meant for one in found if not is_stop_word(one))
    found = {*longer, *holding, *corrections, *said.keys() & forms}
    two_words = [Term(pair, TermKind.PHRASE) for pair in pairs if said.keys() >= set(pair.split())]
    return [Term(word), *two_words, *(_substitute(similar) for similar in sorted(found))]


def _without_possessive(term: Term) -> Sequence[str]:
    """The words of a term; of `ada's` only the first, for its `s` is no word."""
    return term.words[:-1] if term.text.lower().endswith(_POSSESSIVE) else term.words


def _substitute(word: str) -> Term:
    return Term(word, TermKind.PREFIX if len(word) == LONGEST_WHOLE else TermKind.WORD)
