"""Queries in FTS5's language, and the conditions that only a line itself can answer."""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from terrarium_mcp.chat.identity import is_spelt_alike
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import SPEECH, MessageType, Room
from terrarium_mcp.chat.terms import Term, TermKind, encoded_words, indexed
from terrarium_mcp.store.search.scope import MOST_ROOMS, Clause
from terrarium_mcp.store.sqlite.engine.functions import TextConditions, pairs, storable
from terrarium_mcp.store.sqlite.engine.index_words import (
    ASIDE_WORD,
    COMMAND_WORD,
    LINK_WORD,
    SPOKEN_WORD,
    events_word,
    nick_words,
    room_word,
    type_word,
)
from terrarium_mcp.store.sqlite.engine.voices_sql import IS_ASIDE, IS_COMMAND, SPEAKER, TEXT
from terrarium_mcp.store.sqlite.index.fts_syntax import (
    all_speech,
    isolated,
    one_of,
    ordered_and,
    quoted,
)
from terrarium_mcp.store.sqlite.search.term_stats import TermStats, is_folded_alike, start_of
from terrarium_mcp.store.sqlite.search.vocabulary import string_of

_ORDERED = 8
"""Most terms that are ordered by rarity; FTS5's parser nests at most 50 levels."""

_KINDS = ", ".join(f"'{kind}'" for kind in MessageType)
_KIND = (
    f"CASE WHEN upper(m.message_type) IN ({_KINDS}) THEN upper(m.message_type) ELSE 'PRIVMSG' END"
)
"""The type of a message `m`; an unknown one counts as said, as in `MessageType.parse`."""

_SPOKEN = "message"
"""The index column of what was said."""

_CASEMAPPING = "(SELECT casemapping FROM networks WHERE name = m.network)"

_HOLDING = f"satisfies(CAST({TEXT} AS BLOB), :terms)"
_PLAINLY = f"instr(' ' || lower({TEXT}) || ' ', :plainly)"
"""Whether a line holds words between spaces, as most lines do: a tenth of a call to Python."""

_AS_TYPED = f"{SPEAKER} IN (SELECT value FROM json_each(:people))"
"""Whether a line is by one of these people, spelt exactly so: a tenth of a call to Python."""

_BY_PEOPLE = f"({_AS_TYPED} OR is_among(CAST({SPEAKER} AS BLOB), :people, {_CASEMAPPING}))"
_BY_OTHERS = f"NOT is_among(CAST({SPEAKER} AS BLOB), :others, {_CASEMAPPING})"
_MENTIONING = f"speaks_of(CAST({TEXT} AS BLOB), :mentioned, {_CASEMAPPING})"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Asides that a query does not ask for: as an FTS5 expression, and as an SQL condition."""

    expression: str
    condition: str


@dataclass(frozen=True, slots=True)
class FtsQuery:
    """How to find the lines of a query.

    Attributes:
        terms: the FTS5 expression for its words alone; "" if the index holds none of them.
        restriction: the FTS5 expression for types, rooms, people and links; "" if there is none.
        restriction_where: the same, apart from the rooms, as SQL conditions on `m`.
        where: SQL conditions on `m` that the index cannot answer, or not exactly.
        params: their parameters.
        is_exact: whether the index alone decides which lines match.
        without: the asides that are left out; None if none are.
    """

    terms: str
    restriction: str
    restriction_where: Sequence[str]
    where: Sequence[str]
    params: Mapping[str, object]
    is_exact: bool
    without: LeftOut | None = None

    @property
    def expression(self) -> str:
        """The whole FTS5 expression."""
        whole = " AND ".join(filter(None, [self.terms, self.restriction]))
        return f"({whole}) NOT {self.without.expression}" if self.without else whole

    def only_left_out(self) -> "FtsQuery":
        """How to find only the asides that this query leaves out."""
        left_out = self.without.expression if self.without else ""
        restriction = " AND ".join(filter(None, [self.restriction, left_out]))
        return replace(self, restriction=restriction, without=None)


def fts_query(
    query: Query,
    rooms: Sequence[Room],
    casemappings: Collection[str],
    stats: TermStats,
    *,
    has_asides: bool = False,
) -> FtsQuery:
    """How to find the lines of `query` in `rooms`; no rooms means all of them.

    `casemappings` are those of the networks searched, and only matter where `query` names people;
    `stats` cover its words; `has_asides` says whether there are any asides to leave out.
    """
    demand = _demand(query)
    alike = all(is_spelt_alike(nick, casemappings) for nick in query.people)
    conditions, params = _conditions(query, demand, alike=alike)
    restrictions = _restrictions(query, rooms, alike=alike)
    is_alone = len(query.clauses) == 1 and not (restrictions or query.excluded or query.mentions)
    terms = _terms(query, demand, stats, alone=is_alone)
    in_rooms = 0 < len(rooms) <= MOST_ROOMS
    if not (terms or query.kinds or in_rooms):
        restrictions.append(all_speech())
    without = _left_out(query, has_asides=has_asides)
    return FtsQuery(
        terms=terms,
        restriction=" AND ".join(restrictions),
        restriction_where=_restriction_where(query),
        where=conditions,
        params=params,
        is_exact=not conditions and len(rooms) <= MOST_ROOMS,
        without=without,
    )


def restriction_query(query: Query, rooms: Sequence[Room], *, has_asides: bool = False) -> FtsQuery:
    """All restrictions of `query` but its own words, for look-ups of other words that were said."""
    conditions, params = _conditions(query, TextConditions((), query.excluded), alike=False)
    without = _left_out(query, has_asides=has_asides)
    return FtsQuery(
        terms="",
        restriction=" AND ".join(_restrictions(query, rooms, alike=False)),
        restriction_where=_restriction_where(query),
        where=conditions,
        params=params,
        is_exact=False,
        without=without,
    )


def phrase_query(query: Query, *, has_asides: bool = False) -> FtsQuery | None:
    """How the phrase index finds candidates, which are then read for all of `query`.

    None if the query has no phrase that this index could find.
    """
    phrases = [clause[0] for clause in query.clauses if _is_phrase(clause)]
    if not phrases or not set(SPEECH).issuperset(query.kinds):
        return None
    words = [encoded_words(phrase.text) for phrase in phrases]
    found = dict.fromkeys(pair for its_words in words for pair in pairs(its_words).split())
    is_all = len(query.clauses) == 1 and not (query.excluded or phrases[0].literal)
    conditions, params = _conditions(
        query,
        TextConditions(query.clauses, query.excluded),
        alike=False,
        holding=f"({_PLAINLY} OR {_HOLDING})" if is_all else _HOLDING,
    )
    params["plainly"] = f" {' '.join(phrases[0].words)} "
    return FtsQuery(
        terms=" AND ".join(map(quoted, found)),
        restriction="",
        restriction_where=_restriction_where(query),
        where=conditions,
        params=params,
        is_exact=False,
        without=_left_out(query, has_asides=has_asides),
    )


def _conditions(
    query: Query, demand: TextConditions, *, alike: bool, holding: str = _HOLDING
) -> tuple[list[str], dict[str, object]]:
    """What only the lines themselves can answer, as SQL conditions with their parameters.

    `alike`: all networks fold the nicks alike, so that the index knows who said a line. `holding`
    is the condition that a line meets the demand.
    """
    conditions: list[str] = []
    params: dict[str, object] = {}
    if demand:
        conditions.append(holding)
        params["terms"] = demand.to_json()
    for name, nicks, condition in (
        ("people", query.people, "" if alike else _BY_PEOPLE),
        ("others", query.excluded_people, _BY_OTHERS),
        ("mentioned", query.mentions, _MENTIONING),
    ):
        if nicks:
            conditions += [condition] if condition else []
            params[name] = json.dumps([storable(nick) for nick in nicks])
    return conditions, params


def _demand(query: Query) -> TextConditions:
    """The terms for which a line has to be read."""
    return TextConditions(
        tuple(clause for clause in query.clauses if not all(map(_is_indexed, clause))),
        tuple(term for term in query.excluded if not _is_indexed(term)),
    )


def _is_indexed(term: Term) -> bool:
    """Whether the index alone decides which lines hold `term`."""
    return bool(term.words) and not term.literal


def _terms(query: Query, demand: TextConditions, stats: TermStats, *, alone: bool) -> str:
    """The words that have to occur and those that must not; `alone`: nothing else is asked."""
    column = _column(query.kinds or SPEECH)
    expanded = {
        start: expansion.words
        for start, expansion in stats.prefixes.items()
        # The words of events are in no statistics.
        if column == _SPOKEN and expansion.is_cheaper(alone=alone)
    }
    clauses = sorted(_indexed_clauses(query), key=stats.rarity)
    excluded = [term for term in query.excluded if term not in demand.excluded]
    if not clauses and not excluded:
        return ""
    parts = [f"{column} : {_any(clause, expanded)}" for clause in clauses]
    ordered, others = parts[:_ORDERED], parts[_ORDERED:]
    if others:
        ordered.append(" AND ".join(others))
    wanted = ordered_and(ordered) if ordered else _of_kinds(query.kinds)
    if excluded:
        return f"(({wanted}) NOT {column} : {_any(excluded, expanded)})"
    return isolated(wanted) if len(ordered) > 1 else wanted


def _indexed_clauses(query: Query) -> list[Clause]:
    """The clauses that the index can look up."""
    mentions: list[Clause] = [(Term(nick),) for nick in query.mentions if Term(nick).words]
    indexed = [clause for clause in query.clauses if all(term.words for term in clause)]
    return list(dict.fromkeys([*mentions, *indexed]))


def _is_phrase(clause: Clause) -> bool:
    """Whether the clause is one phrase of words that the index folds as we do."""
    first, *others = clause
    is_whole = first.kind is not TermKind.PREFIX
    return is_whole and len(first.words) > 1 and is_folded_alike(first) and not others


def _any(terms: Sequence[Term], expanded: Mapping[str, Sequence[str]]) -> str:
    return f"({' OR '.join(chain.from_iterable(_strings(term, expanded) for term in terms))})"


def _strings(term: Term, expanded: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The FTS5 strings of which a line that holds the term has one."""
    if words := expanded.get(start_of(term)):
        return map(string_of, words)
    whole = quoted(indexed(term.text))
    return iter([f"{whole} *" if term.kind is TermKind.PREFIX else whole])


def _column(kinds: Sequence[MessageType]) -> str:
    """The index columns with the words of these types."""
    spoken = [kind in SPEECH for kind in kinds]
    return _SPOKEN if all(spoken) else f"{{{_SPOKEN} event}}" if any(spoken) else "event"


def _restrictions(query: Query, rooms: Sequence[Room], *, alike: bool) -> list[str]:
    """The restrictions to types, rooms, people and links, as FTS5 expressions."""
    parts = [_of_kinds(query.kinds)] if query.kinds else []
    if 0 < len(rooms) <= MOST_ROOMS:
        words = []
        if not query.kinds or set(query.kinds) & set(SPEECH):
            words += [room_word(room.id) for room in rooms]
        if set(query.kinds) - set(SPEECH):
            words += [events_word(room.id) for room in rooms]
        parts.append(one_of(words))
    if query.people:
        spellings = [nick_words(nick) for nick in query.people]
        in_ascii = [words[:1] for words in spellings]
        parts.append(one_of(chain.from_iterable(in_ascii if alike else spellings)))
    if query.has_link:
        parts.append(one_of([LINK_WORD]))
    if query.only_commands:
        parts.append(one_of([COMMAND_WORD]))
    return parts


def _restriction_where(query: Query) -> list[str]:
    """The restrictions as SQL conditions for lines read.

    Without the rooms: `scope_where` has the condition for these.
    """
    kinds = ", ".join(f"'{kind}'" for kind in query.kinds)
    conditions = [f"{_KIND} IN ({kinds})"] if query.kinds else []
    if query.has_link:
        conditions.append("urls_of(CAST(m.message AS BLOB)) != '[]'")
    if query.people:
        conditions.append(_BY_PEOPLE)
    if query.only_commands:
        conditions.append(IS_COMMAND)
    return conditions


def _left_out(query: Query, *, has_asides: bool) -> LeftOut | None:
    """The asides that a query does not ask for; `from:` the bot asks for what that said."""
    if not has_asides or query.only_commands:
        return None
    if query.people:
        return LeftOut(one_of([COMMAND_WORD]), IS_COMMAND)
    return LeftOut(one_of([ASIDE_WORD]), IS_ASIDE)


def _of_kinds(kinds: Sequence[MessageType]) -> str:
    """Lines of one of these types; without any, everything that was said.

    PRIVMSG has no index word of its own: it is all speech except NOTICE and ACTION.
    """
    if not kinds or set(SPEECH) <= set(kinds):
        events = [kind for kind in kinds if kind not in SPEECH]
        return one_of([SPOKEN_WORD, *map(type_word, events)])
    parts = [one_of(type_word(kind) for kind in kinds if kind is not MessageType.PRIVMSG)]
    if MessageType.PRIVMSG in kinds:
        rest = one_of(type_word(kind) for kind in SPEECH if kind not in kinds)
        parts = [f"({all_speech()} NOT {rest})", *(parts if len(kinds) > 1 else [])]
    return f"({' OR '.join(parts)})"
