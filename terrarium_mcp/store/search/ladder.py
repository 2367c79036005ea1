"""The ladder: which rungs a search tries, in which order, and when one has answered.

First all words; if that finds nothing, what answers a plain question; if that finds nothing either,
words similar to those typed. Of several words, sorted by relevance, it also goes on to the question
if fewer than `ENOUGH` lines have all of them: those lines come first, and its hits follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from terrarium_mcp.chat.question import says_something
from terrarium_mcp.chat.terms import BEGINNING, Term, TermKind
from terrarium_mcp.store.search.hits import ENOUGH, Hits, Rung, Search, Sort
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion
from terrarium_mcp.store.search.relevance.weights import FORM
from terrarium_mcp.store.search.scope import Clause, Clauses, SearchScope
from terrarium_mcp.store.search.spelling import similar_clauses
from terrarium_mcp.store.search.stand_ins import NO_STAND_INS, StandIns, stand_ins
from terrarium_mcp.store.search.vocabulary_queries import Vocabulary

_LONGEST_WORD = 3
"""Characters of the longest word in a script without spaces: most have two."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A search on one rung.

    `scope` has the terms of that rung; `few` are the lines with all words, if too few.
    """

    search: Search
    rung: Rung
    scope: SearchScope
    few: Hits

    @property
    def is_ranked(self) -> bool:
        """Whether the page begins with ranked lines. Of a single word, the newest line leads."""
        if self.rung is Rung.CONVERSATIONS:
            return True
        if self.search.sort is not Sort.RELEVANCE:
            return False
        if self.rung is Rung.ALL_WORDS:
            return len({word for term in self.search.query.terms for word in term.words}) > 1
        return self.rung in (Rung.ANY_WORD, Rung.SIMILAR)

    @property
    def all_words(self) -> SearchScope:
        """Its scope with the terms as they were typed."""
        return replace(self.scope, query=self.search.query)

    @property
    def stand_ins(self) -> StandIns:
        """The words that are searched for beside those typed, on the rung that does so."""
        if self.rung is not Rung.SIMILAR:
            return NO_STAND_INS
        return stand_ins(self.search.query.clauses, self.scope.query.clauses)

    @property
    def question(self) -> PlainQuestion:
        """The query as a plain question, restricted by everything but its words."""
        query = self.search.query
        cut = {term.text: term for term in query.terms if _is_beginning(term)}
        words = query.question.split() if cut else [query.question]
        return PlainQuestion(
            text=" ".join(word for word in words if word not in cut),
            beginnings=tuple(dict.fromkeys(str(_as_indexed(term)) for term in cut.values())),
            scope=self.scope,
            now=self.search.now or datetime.now(UTC),
            zone=self.search.zone,
            hits=self.search.limit,
        )

    def of_any_form(self, parsed: ParsedQuestion) -> SearchScope:
        """Its scope with any word of the question, in any form, in place of the words typed.

        The words for a time and the nicks of people are none. If there are no others, these remain.
        """
        forms = [
            _as_indexed(_form(word))
            for group in parsed.groups
            for word, weight in group.words.items()
            if weight >= FORM
        ]
        if not forms:
            return self.scope
        clauses: Clauses = (tuple(dict.fromkeys(forms)),)
        return replace(self.scope, query=replace(self.scope.query, clauses=clauses))

    def is_answered_by(self, hits: Hits) -> bool:
        """Whether the ladder ends with these hits.

        It does if there are enough of them, or if the looser rung found more than the exact one.
        """
        if self.rung is Rung.ALL_WORDS and hits.messages and _may_continue(self.search):
            return hits.total >= ENOUGH or not hits.total_is_exact
        if self.few.messages:
            more = len(hits.messages) > len(self.few.messages)
            return more or hits.total > self.few.total
        return bool(hits.messages or hits.next)


def rungs(search: Search) -> list[Rung]:
    """The rungs to try, in order. A cursor stays on the rung it came from."""
    terms = search.query.terms
    words = [term for term in terms if term.words]
    if not terms:
        overview = [Rung.CONVERSATIONS] if search.by_conversation else []
        return _continued([*overview, Rung.EVERYTHING], search)
    if not words:
        return [Rung.SCAN]
    looser = len(terms) > 1 or any(term.literal or _is_sentence(term) for term in words)
    ladder = [Rung.ALL_WORDS, *([Rung.ANY_WORD] if looser else []), Rung.SIMILAR]
    return _continued(ladder, search)


def _continued(ladder: list[Rung], search: Search) -> list[Rung]:
    """The ladder, its first rung if that is all, or the rung on which a cursor stays."""
    if search.is_exact:
        return ladder[:1]
    on = [rung for rung in ladder if search.cursor and rung == search.cursor.rung]
    return on or (ladder[:1] if search.cursor else ladder)


def is_worth_trying(rung: Rung, few: Hits) -> bool:
    """Whether to try a rung after one that found `few` lines with all words.

    Words similar to those typed are not looked for once these have been found.
    """
    return rung is not Rung.SIMILAR or not few.messages


async def relaxed(scope: SearchScope, rung: Rung, vocabulary: Vocabulary) -> SearchScope:
    """The scope with the terms that are searched for on a rung.

    A looser rung leaves out stop words, which would find any line or, with the others, none.
    """
    query = scope.query
    if rung is Rung.ANY_WORD:
        clauses: Clauses = (_any_word(query.terms),)
    elif rung is Rung.SIMILAR:
        clauses = await similar_clauses(_telling(query.clauses), vocabulary)
    else:
        return scope
    return replace(scope, query=replace(query, clauses=clauses))


def _any_word(terms: Sequence[Term]) -> Clause:
    """The clause of any word that is no stop word; if there are none but stop words, of these."""
    words = [term for term in terms if term.words]
    words = [term for term in words if _says_something(term)] or words
    return tuple(dict.fromkeys(map(_as_indexed, words)))


def _as_indexed(term: Term) -> Term:
    """What the index knows of a term: its words, of which the last may be only a beginning."""
    kind = TermKind.PREFIX if _is_beginning(term) else TermKind.PHRASE
    return Term(" ".join(term.words), kind)


def _form(word: str) -> Term:
    """A word of a question's term group; `lat*` is any word that begins so."""
    begins = word.endswith(BEGINNING)
    return Term(word.removesuffix(BEGINNING), TermKind.PREFIX if begins else TermKind.PHRASE)


def _is_beginning(term: Term) -> bool:
    return term.kind is TermKind.PREFIX and bool(term.words)


def _telling(clauses: Clauses) -> Clauses:
    """The clauses without those of stop words alone; if there are no others, all of them."""
    return tuple(clause for clause in clauses if any(map(_says_something, clause))) or clauses


def _says_something(term: Term) -> bool:
    """Whether a term is more than a stop word; a phrase or a beginning was meant as typed."""
    return term.kind is not TermKind.WORD or says_something(term.text)


def _is_sentence(term: Term) -> bool:
    """Whether a term is no word but a sentence in a script without spaces: `谁有会议室的钥匙`."""
    return term.kind is TermKind.WORD and len(term.words) > _LONGEST_WORD


def _may_continue(search: Search) -> bool:
    """Whether lines without some of the words may follow those with all of them."""
    return search.sort is Sort.RELEVANCE and len(search.query.terms) > 1
