"""Similar words: what may be meant by a word of a query that finds nothing as it stands."""

from collections.abc import Sequence

from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.search.words import Words, beginning, holding, misspelt

MOST = 16
"""Words that stand in for one, of each sort: it goes on, it is misspelt, it is within."""

_SHORTEST = 4
"""Letters of a word that may be misspelt: of shorter ones too many are one letter away."""

Clauses = tuple[tuple[Term, ...], ...]


class Similar:
    """Knows which words were said."""

    def __init__(self, database: Database) -> None:
        self._words = Words(database)

    async def clauses(self, clauses: Clauses) -> Clauses:
        """The same clauses, in which words that were said stand in for those that were not."""
        return tuple([await self._meant(clause) for clause in clauses])

    async def _meant(self, clause: tuple[Term, ...]) -> tuple[Term, ...]:
        terms = [other for term in clause for other in await self._instead_of(term)]
        return tuple(dict.fromkeys(terms))

    async def _instead_of(self, term: Term) -> Sequence[Term]:
        """The words that may be meant by one; what is more than a word stays as it is."""
        if len(term.words) != 1 or term.kind is not TermKind.WORD:
            return [term]
        (word,) = term.words
        wishes = [beginning(word, 2 * len(word) + MOST, MOST), holding(word, MOST)]
        if len(word) >= _SHORTEST:
            wishes.append(misspelt(word, MOST))
        found = {word}.union(*await self._words.usual(*wishes))
        return [Term(one) for one in sorted(found)]
