"""What a plain question asks for besides its words: what was said at a time, or by somebody."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import WEEKDAYS
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.query.notes import NO_TIME_LEFT
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import asks_what_was_said, is_put_as_a_question
from terrarium_mcp.chat.questions.forms import without_lately
from terrarium_mcp.chat.questions.narrowing import (
    about,
    likelier,
    narrowed_to,
    phrases_of,
)
from terrarium_mcp.chat.questions.people import (
    PersonQuestion,
    asks_for_their_words,
    names_a_speaker,
    names_a_stop_word,
    person_question,
)
from terrarium_mcp.chat.records import SPEECH
from terrarium_mcp.chat.terms import Term, TermKind, words_in
from terrarium_mcp.chat.times.foreign_words import foreign_time
from terrarium_mcp.chat.times.time_expressions import TimeExpression, without_times
from terrarium_mcp.chat.times.times_alone import word_for_a_time
from terrarium_mcp.request import Request
from terrarium_mcp.store import ENOUGH, Person, Search, Sort
from terrarium_mcp.tools.exact_hits import finds_exactly
from terrarium_mcp.tools.known_nicks import (
    look_up_everywhere,
    misspelt_nick_note,
    people_called,
)
from terrarium_mcp.tools.question_hints import A_SEARCH_COUNTS_NOTHING, question_hints
from terrarium_mcp.tools.question_times import Times, times_in, times_meant
from terrarium_mcp.tools.silence import is_silent
from terrarium_mcp.wording import quantity

_TIMES_TOLD = 8
"""Times of one question that have a note each."""


class QuestionReading(NamedTuple):
    """The search that a question asks for; of its notes the `hints` name what answers better."""

    search: Search
    hints: Sequence[str] = ()


class QuestionParts(NamedTuple):
    """The parts of a question: its times, and what is left of its words.

    Attributes:
        rest: its words without those that name the times, and without `recently` and the like.
        times: the times, the most certain first.
        is_lately: whether it said `recently`.
        is_selected: whether it has operators besides those of time.
        is_quoting: whether it has phrases, which are its topic even where they are of stop words.
    """

    rest: str
    times: Times
    is_lately: bool
    is_selected: bool
    is_quoting: bool

    @property
    def is_time_alone(self) -> bool:
        """Whether nothing but times is left of it."""
        return bool(self.times) and _is_blank(self.rest)

    @property
    def asks_for_all(self) -> bool:
        """Whether it asks for whatever was said, whoever said it."""
        is_general = not self.is_quoting and asks_what_was_said(self.rest)
        return is_general and not names_a_stop_word(self.rest)


async def read_as_question(
    search: Search, request: Request, why_uncounted: str = A_SEARCH_COUNTS_NOTHING
) -> QuestionReading:
    """The search that the words of `search` ask for; its notes say how they were read.

    The first of the readings below that fits is meant. Where a count is asked for, the note says
    `why_uncounted`.
    """
    asked_in_words = search.query.question
    if not (search.now and search.query.terms and _is_sentence(search.query)):
        return QuestionReading(search)
    times, search = await times_meant(search, request)
    rest = " ".join(without_times(times, asked_in_words).split())
    hints = await question_hints(rest, times, search, request, why_uncounted)
    parts = _parts(rest, times, search.query)
    return QuestionReading(await _meant(parts, _with_notes(search, hints), request), hints)


def _parts(rest: str, times: Times, query: Query) -> QuestionParts:
    """The parts of a question, of which `rest` is left without its times."""
    bare = without_lately(rest) if is_put_as_a_question(query.question) else rest
    is_quoting = bool(phrases_of(query))
    return QuestionParts(bare, times, bare != rest, _has_operators(query), is_quoting)


async def _meant(parts: QuestionParts, search: Search, request: Request) -> Search:
    """The search that a question asks for."""
    for reading in (_time_alone, _whole_time, _every_line, _by_person):
        if meant := await reading(parts, search, request):
            return meant
    return await _by_words(parts, search, request)


async def _time_alone(parts: QuestionParts, search: Search, request: Request) -> Search | None:
    """A time alone (`yesterday`) is for its conversations, unless that was said or is a nick.

    In a channel only a weekday may be a word: any other time alone is for every line of it.
    """
    query = search.query
    may_be_said = not parts.is_selected or (
        _is_weekday(query.question) and not _selects_lines(query)
    )
    if not (parts.is_time_alone and may_be_said and search.sort is Sort.RELEVANCE):
        return None
    if await _was_said(query.question, search, request):
        return _with_notes(search, [_as_words_note(parts, search)])
    return None if parts.is_selected else _conversations_of(parts.times, search)


async def _whole_time(parts: QuestionParts, search: Search, _: Request) -> Search | None:
    """A time and no topic (`what happened yesterday`) is for the conversations of that time."""
    if parts.times and parts.asks_for_all and not _selects_lines(search.query):
        return _conversations_of(parts.times, search)
    return None


async def _every_line(parts: QuestionParts, search: Search, _: Request) -> Search | None:
    """Operators with a time (`from:ada in May`) are for every such line.

    So is asking what a person said whom an operator names. `Recently` and no time (`what happened
    lately`) is for the newest lines.
    """
    is_of_a_time = (parts.times or parts.is_lately) and (
        parts.asks_for_all or (_is_blank(parts.rest) and parts.is_selected)
    )
    if not (is_of_a_time or (search.query.people and asks_for_their_words(parts.rest))):
        return None
    every_line = narrowed_to(parts.times, search.query).with_clauses()
    return _in_order(every_line, search, Sort.OLDEST if parts.times else Sort.NEWEST)


async def _by_person(parts: QuestionParts, search: Search, request: Request) -> Search | None:
    """A person and perhaps a time (`what did ada say in May`) is for that person's lines.

    With a topic they are ranked, unless nothing is: in order of time, or of events.
    """
    query = search.query
    asked = person_question(
        parts.rest, of_a_channel=bool(query.channels), of_a_time=bool(parts.times)
    )
    if asked is None or (asked.nick and query.people):  # operators name the people
        return None
    if parts.is_quoting and not asked.about:
        return None
    for nick in asked.nicks:
        people = await look_up_everywhere(request, nick, search.rooms)
        if not any(person.is_known for person in people):
            slips = await _slip_note(nick, people, parts.rest, search, request)
            return await _by_words(parts, _with_notes(search, slips), request)
    if not await _is_speaker(asked, parts.rest, search, request):
        return await _by_words(parts, search, request)
    if asked.about and _is_ranked(search):
        silent = await _silent_person_note(asked, parts.times, search, request)
        return await _by_words(parts, _with_notes(search, silent), request)
    return _said_by(asked, parts.times, search)


async def _by_words(parts: QuestionParts, search: Search, request: Request) -> Search:
    """Otherwise it is for its words, and the lines of the time named rank higher.

    Where nothing is ranked, a time narrows the search, and only the words that say something are
    searched for.
    """
    if not parts.times:
        foreign = await _foreign_time_notes(parts.rest, search)
        return _with_notes(search, foreign or await _bare_time_notes(parts, search, request))
    if _is_ranked(search):
        return await _with_time_notes(parts, search, request)
    return _with_query(search, about(parts.rest, parts.times, search.query))


def _is_ranked(search: Search) -> bool:
    """Whether hits are ranked: neither events nor what is sorted by time are."""
    return search.sort is Sort.RELEVANCE and set(SPEECH).issuperset(search.query.kinds)


def _is_sentence(query: Query) -> bool:
    """Whether it is words one after the other, phrases among them, no alternative or prefix."""
    kinds = {term.kind for term in query.terms}
    return (
        all(len(clause) == 1 for clause in query.clauses)
        and TermKind.WORD in kinds
        and TermKind.PREFIX not in kinds
    )


def _selects_lines(query: Query) -> bool:
    """Whether operators of the query select single lines wherever and whenever they were said."""
    people = query.people or query.excluded_people or query.mentions
    return bool(people or query.kinds or query.has_link or query.only_commands)


def _has_operators(query: Query) -> bool:
    """Whether the query has any operator besides those of time."""
    return _selects_lines(query) or bool(query.channels or query.excluded_channels)


def _is_weekday(text: str) -> bool:
    """Whether it is nothing but a weekday: as likely a word that was said as a time."""
    return text.strip(" ?!.,").lower() in WEEKDAYS


def _is_blank(text: str) -> bool:
    return not text.strip(" ?!.,")


def _conversations_of(times: Times, search: Search) -> Search:
    """The conversations of the times, the oldest first; or all lines, the newest first."""
    during = narrowed_to(times, search.query).with_clauses()
    if search.sort is Sort.NEWEST:
        return _with_query(search, during)
    return replace(_with_query(search, during), sort=Sort.OLDEST, by_conversation=True)


def _said_by(asked: PersonQuestion, times: Times, search: Search) -> Search:
    """The lines of a person, of all, or of all others: the oldest first if these or a time are."""
    by, not_by = ((), asked.nicks) if asked.is_for_others else (asked.nicks, ())
    query = replace(
        about(asked.about, times, search.query),
        people=by or search.query.people,
        excluded_people=(*search.query.excluded_people, *not_by),
        mentions=(asked.to,) if asked.to else search.query.mentions,
        has_link=asked.only_links or search.query.has_link,
    )
    is_oldest = asked.is_for_first or (times and not asked.is_for_last)
    return _in_order(query, search, Sort.OLDEST if is_oldest else Sort.NEWEST)


def _in_order(query: Query, search: Search, order: Sort) -> Search:
    """The search for the lines of a query, in that order unless it asks for another."""
    if search.sort is Sort.RELEVANCE:
        search = replace(search, sort=order)
    return _with_query(search, query)


def _with_query(search: Search, query: Query) -> Search:
    """The search for another query than its own, which a note shows."""
    notes = [f"read as {query.printed(search.zone) or 'every line'}"]
    if query.since and query.until and query.since >= query.until:
        notes.append(NO_TIME_LEFT)
    return _with_notes(replace(search, query=query), notes)


def _with_notes(search: Search, notes: Sequence[str]) -> Search:
    if not notes:
        return search
    return replace(search, query=search.query.with_notes(*notes))


async def _foreign_time_notes(rest: str, search: Search) -> list[str]:
    """The query for a time that is named in another language, whose words are no time here."""
    named = foreign_time(rest)
    if named is None:
        return []
    times = await times_in(named.english, search)
    during = narrowed_to(times, Query()).printed(search.zone)
    said = harmless(named.said)
    return [f"{said} is searched for as words; for the lines of {named.english}: {during}"]


async def _bare_time_notes(parts: QuestionParts, search: Search, request: Request) -> list[str]:
    """The query for the time that is meant by `saturday` or `2026`, if any line is of it."""
    named = word_for_a_time(parts.rest)
    if not named:
        return []
    asked = replace(search, query=replace(search.query, sentence=named))
    times, _ = await times_meant(asked, request)
    during = replace(search, query=narrowed_to(times, search.query))
    if not times or await is_silent(during, request):
        return []
    return [_as_words_note(parts._replace(rest="", times=times), search)]


async def _with_time_notes(parts: QuestionParts, search: Search, request: Request) -> Search:
    """The search with a note on each time whose lines lead, and whether it has any.

    Where enough lines hold all words, those that name the time too, no others are searched for.
    """
    if await finds_exactly(search.query, search, request, lines=ENOUGH):
        return _with_notes(search, [_as_words_note(parts, search)])
    named = likelier(parts.times)
    notes = [await _time_note(time, search, request) for time in named[:_TIMES_TOLD]]
    if more := named[_TIMES_TOLD:]:
        notes.append(f"any hits of {quantity(len(more), 'more time')} rank higher, too")
    return _with_notes(search, list(dict.fromkeys(notes)))


async def _time_note(time: TimeExpression, search: Search, request: Request) -> str:
    """Which time is meant by the words for it, and whether any line was said then."""
    during = narrowed_to((time,), Query())
    silent = await is_silent(replace(search, query=during), request)
    return f"{harmless(time.said)} is {during.printed(search.zone)}: " + (
        "nothing was said here then, so any hits are of other times"
        if silent
        else "any hits of that time, or near it, rank higher"
    )


async def _was_said(text: str, search: Search, request: Request) -> bool:
    """Whether somebody said these words one after the other, or is called so.

    The words of `in May` would be in many a line that names no time.
    """
    words = words_in(text)
    if len(words) == 1 and await people_called(request, words[0], search.rooms):
        return True
    phrase = ((Term(" ".join(words), TermKind.PHRASE),),)
    return await finds_exactly(search.query.with_clauses(*phrase), search, request)


def _as_words_note(parts: QuestionParts, search: Search) -> str:
    """The query for the lines of a time whose words are searched for as words, with the rest."""
    during = about(parts.rest, parts.times, search.query)
    return f"searched for as words; for the lines of that time: {during.printed(search.zone)}"


async def _is_speaker(asked: PersonQuestion, rest: str, search: Search, request: Request) -> bool:
    """Whether a question is for what its known nicks said: a program may be called so, too."""
    if not asked.nick or names_a_speaker(rest):
        return True
    said = Query(people=asked.nicks)
    if asked.is_general:
        is_speaker = await finds_exactly(said, search, request, lines=ENOUGH)
        return is_speaker and not await finds_exactly(search.query, search, request)
    return await finds_exactly(said, search, request)


async def _silent_person_note(
    asked: PersonQuestion, times: Times, search: Search, request: Request
) -> list[str]:
    """That those who are asked for said nothing at the time asked for: hits may be of others."""
    said = narrowed_to(times, Query(people=asked.nicks))
    if not (asked.nick and times) or await finds_exactly(said, search, request):
        return []
    return [f"the query {said.printed(search.zone)} finds no line: no hit is what they said then"]


async def _slip_note(
    nick: str, people: Sequence[Person], rest: str, search: Search, request: Request
) -> list[str]:
    """The nicks that a question may have misspelt, unless the question was said like that.

    `people` is what is known of the `nick`, under which nobody is recorded.
    """
    if not names_a_speaker(rest) or await finds_exactly(search.query, search, request):
        return []
    return await misspelt_nick_note(request, nick, people, search.rooms)
