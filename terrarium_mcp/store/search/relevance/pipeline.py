"""The pipeline of a parsed question: find candidates, read around them, rank."""

from collections.abc import Collection

from terrarium_mcp.store.search.relevance.candidates import found_by, planned_lookups
from terrarium_mcp.store.search.relevance.corpus import Corpus
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion
from terrarium_mcp.store.search.relevance.ranking import (
    JudgedLine,
    RankedAnswer,
    RankedLine,
    Ranking,
)

IN_ONE_ROOM, IN_MANY = 40, 100
"""Candidates whose neighbours are read. On the development questions 60 find no more in a room, and
one answer in a thousand more where it is one of many rooms; among many rooms with a million lines
60 lose five in a thousand."""

FEW_HITS, FOR_FEW = 10, 24
"""For at most `FEW_HITS` hits in one room, as the bot wants before each question, the neighbours of
`FOR_FEW` candidates are read. It takes a sixth less time. Of the development questions it finds as
many; of LoCoMo's, recall at ten is 80.7 instead of 80.6, with those that ask for several things or
for nothing 80.7 instead of 81.6."""


async def answer(question: PlainQuestion, parsed: ParsedQuestion, corpus: Corpus) -> RankedAnswer:
    """The lines of the history that answer a question, the best first.

    Raises:
        TookTooLong: the deadline passed.
    """
    found = await found_by(planned_lookups(question, parsed), corpus)
    ids = {number for numbers in found.values() for number in numbers}
    ranked, judged = await _ranked(question, parsed, ids, corpus)
    return RankedAnswer(parsed, tuple(found), ranked, judged)


async def ranked_among(
    ids: Collection[int], question: PlainQuestion, parsed: ParsedQuestion, corpus: Corpus
) -> RankedAnswer:
    """Of these lines those that may answer a question, the best first.

    Raises:
        TookTooLong: the deadline passed.
    """
    ranked, _ = await _ranked(question, parsed, ids, corpus)
    known = set(ids)
    return RankedAnswer(parsed, (), [one for one in ranked if one.line.id in known])


async def _ranked(
    question: PlainQuestion, parsed: ParsedQuestion, ids: Collection[int], corpus: Corpus
) -> tuple[list[RankedLine], list[JudgedLine]]:
    """The lines around the most promising ones, ranked, and the best of them judged."""
    lines = await corpus.lines(ids)
    ranking = Ranking(parsed)
    promising = ranking.promising(lines, _most_read_around(question))
    passages = await corpus.around(promising)
    ranked = ranking.ranked(passages, lines)
    return ranked, ranking.judged(ranked, passages)


def _most_read_around(question: PlainQuestion) -> int:
    """How many candidates' neighbours are read."""
    if len(question.scope.rooms) > 1:
        return IN_MANY
    return FOR_FEW if question.hits <= FEW_HITS else IN_ONE_ROOM
