"""The look-ups for a question: which, for how many lines, of which time, from strict to loose."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta

import pytest

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import MessageType, Room
from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position, to_text
from terrarium_mcp.store.search.relevance.candidates import planned_lookups
from terrarium_mcp.store.search.relevance.lookup import (
    AnyOf,
    ConditionKind,
    Lookup,
    any_word,
    by_speaker,
    in_scope,
    speech,
)
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion, TermGroup
from terrarium_mcp.store.search.scope import MOST_ROOMS, SearchScope
from tests.store.scene import NOON

ROOMS = [Room(id=n, network="net", channel=f"#room{n}") for n in range(1, MOST_ROOMS + 2)]
A, B, C, D, E, F, G = (
    TermGroup(word, {word: 1.0, f"{word}s": 0.8, f"kin-{word}": 0.7}, 250 * n, 1_000 * n)
    for n, word in enumerate("abcdefg", 1)
)
EVERY = (BEGINNING.timestamp, EVERY_LINE.timestamp)


def question(
    query: Query | None = None,
    rooms: Sequence[Room] = ROOMS,
    *,
    all_rooms: bool = True,
    since: str = EVERY[0],
    until: Position = EVERY_LINE,
) -> PlainQuestion:
    scope = SearchScope(
        query=query or Query(), rooms=rooms, all_rooms=all_rooms, since=since, until=until
    )
    return PlainQuestion(text="", scope=scope, now=NOON, zone=UTC, hits=20)


def parsed(
    *groups: TermGroup,
    people: Sequence[str] = (),
    times: Sequence[TimeExpression] = (),
    lines_in_rooms: int = 0,
) -> ParsedQuestion:
    by = {nick: 7 for nick in people if nick != "stranger"}
    return ParsedQuestion(
        tuple(people),
        tuple(times),
        groups,
        asks_when=False,
        lines=1_000_000,
        lines_in_rooms=lines_in_rooms or 1_000_000,
        lines_by=by,
        length=9.0,
    )


def form(group: TermGroup) -> AnyOf:
    return any_word([group.word, f"{group.word}s"], 0)


def anything(*groups: TermGroup) -> AnyOf:
    return any_word([word for group in groups for word in group.words], 0)


def tiers(*together: Sequence[AnyOf], most: int, besides: Sequence[AnyOf] = ()) -> list[Lookup]:
    return [Lookup((*parts, *besides), most) for parts in together]


def test_where_the_kin_of_a_word_are_much_more_frequent_it_is_looked_up_without_them() -> None:
    crowded, known, unknown = (TermGroup("a", A.words, lines, 1_001) for lines in (250, 251, 0))
    alone = tiers([anything(A)], [anything(B)], most=100)
    without = tiers([form(A)], most=100)
    assert planned_lookups(question(), parsed(crowded, B))[-3:] == [*alone, *without]
    assert planned_lookups(question(), parsed(known, B))[-2:] == alone
    assert planned_lookups(question(), parsed(unknown, B))[-2:] == alone
    assert planned_lookups(question(), parsed(B, C, crowded))[-2:] == tiers(
        [anything(B)], [anything(C)], most=100
    )


def test_words_are_looked_up_from_strict_to_loose() -> None:
    a, b, c, d, e, f = map(form, (A, B, C, D, E, F))
    any_a = anything(A)
    assert planned_lookups(question(), parsed(A, B, C, D, E, F, G)) == tiers(
        [a, b, c, d, e, f],
        [a, b, c, d],
        [a, b, c],
        [any_a, b],
        [any_a, c],
        [any_a, d],
        [any_a, e],
        [any_a, f],
        [b, c],
        [any_a],
        [anything(B)],
        most=100,
    )


def test_no_look_up_is_made_twice_and_none_without_words() -> None:
    assert planned_lookups(question(), parsed(A)) == tiers([form(A)], [anything(A)], most=100)
    a, b, c = map(form, (A, B, C))
    assert planned_lookups(question(), parsed(A, B, C)) == tiers(
        [a, b, c], [anything(A), b], [anything(A), c], [b, c], [anything(A)], [anything(B)],
        most=100,
    )  # fmt: skip
    assert planned_lookups(question(), parsed()) == []


def test_each_part_knows_about_how_many_lines_it_finds() -> None:
    first, *_, last = planned_lookups(question(), parsed(A, B))
    assert [part.lines for part in first.all_of] == [250, 500]
    assert [part.lines for part in last.all_of] == [2_000]


@pytest.mark.parametrize(
    "asked",
    [
        question(rooms=ROOMS[:1], all_rooms=False),
        question(rooms=ROOMS[:MOST_ROOMS], all_rooms=False),
        question(Query(kinds=(MessageType.ACTION,))),
        question(Query(people=("ada",))),
        question(Query(has_link=True)),
    ],
)
def test_within_a_scope_fewer_lines_of_each_look_up_are_enough(asked: PlainQuestion) -> None:
    planned = planned_lookups(asked, parsed(A, B))
    a, b = form(A), form(B)
    assert planned == tiers(
        [a, b], [anything(A), b], [b], [anything(A)], [anything(B)], most=60, besides=[in_scope(0)]
    )
    assert planned[0].all_of[-1].lines == 1_000_000


@pytest.mark.parametrize(
    "asked",
    [
        question(all_rooms=True),
        question(rooms=ROOMS, all_rooms=False),  # too many to be named in a look-up
        question(parse_query("tea -milk mentions:bo -from:cy")),
    ],
)
def test_what_an_index_cannot_restrict_is_looked_up_everywhere(asked: PlainQuestion) -> None:
    planned = planned_lookups(asked, parsed(A))
    assert planned == tiers([form(A)], [anything(A)], most=100)


@pytest.mark.parametrize(("in_rooms", "is_first"), [(33_332, True), (33_334, False)])
def test_where_hardly_any_line_holds_the_rarest_words_one_look_up_finds_them_all(
    in_rooms: int, is_first: bool
) -> None:
    """A and B are in 3,000 of a million lines: in a hundred of 33,333."""
    restricted = question(rooms=ROOMS[:1], all_rooms=False)
    first, *_ = planned_lookups(restricted, parsed(A, B, C, lines_in_rooms=in_rooms))
    widest = Lookup((anything(A, B, C), in_scope(0)), 200)
    assert (first == widest) is is_first
    assert planned_lookups(question(), parsed(A, B, C, lines_in_rooms=in_rooms))[0] != widest


def test_two_people_named_have_look_ups_of_their_own() -> None:
    planned = planned_lookups(question(), parsed(A, people=["ada", "stranger", "cy"]))
    ada, stranger = by_speaker("ada", 0), by_speaker("stranger", 0)
    assert planned == [
        *tiers([form(A)], [anything(A)], most=100),
        *tiers([form(A)], [anything(A)], most=50, besides=[ada]),
        Lookup((anything(A), ada), 200),
        Lookup((anything(A), any_word(["ada"], 0)), 100),
        Lookup((ada,), 100),  # of few lines: any of them may answer
        Lookup((any_word(["ada"], 0),), 100),
        *tiers([form(A)], [anything(A)], most=50, besides=[stranger]),
        Lookup((anything(A), stranger), 200),
        Lookup((anything(A), any_word(["stranger"], 0)), 100),
    ]
    assert [planned[number].all_of[-1].lines for number in (2, 8)] == [7, 0]


def test_a_word_that_may_be_a_nick_has_the_look_ups_of_a_person_for_the_other_words() -> None:
    either = replace(B, speaker="b")
    planned = planned_lookups(question(), parsed(A, either))
    nick, name = by_speaker("b", 0), any_word(["b"], 0)
    assert planned == [
        *planned_lookups(question(), parsed(A, B)),
        *tiers([form(A)], [anything(A)], most=50, besides=[nick]),
        Lookup((anything(A), nick), 200),
        Lookup((anything(A), name), 100),
    ]
    alone = planned_lookups(question(), parsed(either))
    assert Lookup((nick,), 200) in alone
    also_named = planned_lookups(question(), parsed(A, either, people=["b"]))
    assert len(also_named) == len(planned) + 2  # of few lines


def test_a_nick_without_letters_is_looked_up_by_its_own_lines_only() -> None:
    planned = planned_lookups(question(), parsed(A, people=["^_^"]))
    nick = by_speaker("^_^", 0)
    assert planned[2:] == [
        *tiers([form(A)], [anything(A)], most=50, besides=[nick]),
        Lookup((anything(A), nick), 200),
        Lookup((nick,), 100),
    ]


def test_two_times_named_have_look_ups_of_their_own() -> None:
    days = [
        TimeExpression("x", NOON + timedelta(days=n), NOON + timedelta(days=n + 1)) for n in (0, 50)
    ]
    planned = planned_lookups(question(), parsed(A, people=["ada"], times=[*days, days[0]]))
    ada = by_speaker("ada", 0)
    timed = [look for look in planned if (look.since, look.until) != EVERY]
    assert timed == [
        Lookup(parts, most, to_text(NOON + timedelta(days=n - 1)), to_text(NOON + timedelta(n + 8)))
        for n in (0, 50)
        for parts, most in [
            ((anything(A),), 100),
            ((form(A),), 50),
            ((anything(A),), 50),
            ((anything(A), ada), 100),
            ((speech(0), ada), 100),
            ((any_word(["ada"], 0),), 100),
        ]
    ]
    assert timed[-2].all_of[0].lines == 1_000_000


def test_a_time_named_is_looked_up_within_that_of_the_question() -> None:
    first, last = to_text(NOON), to_text(NOON + timedelta(hours=3))
    asked = question(since=first, until=Position(last, 4))
    day = TimeExpression("x", NOON, NOON + timedelta(days=1))
    for look in planned_lookups(asked, parsed(A, times=[day])):
        assert (look.since, look.until) == (first, last)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (Lookup((any_word("a", 1),), 1), Lookup((any_word("a", 2),), 9)),
        (Lookup((any_word("ab", 1),), 1), Lookup((any_word("a", 1),), 1)),
        (Lookup((any_word("ab", 1),), 1), Lookup((any_word("c", 1), any_word("b", 1)), 1)),
        (Lookup((), 1), Lookup((any_word("a", 1),), 1)),
        (Lookup((speech(1),), 1), Lookup((speech(2), by_speaker("ada", 1)), 1)),
        (Lookup((speech(1),), 1, "2", "5"), Lookup((speech(1),), 1, "3", "4")),
        (Lookup((speech(1),), 1, "2", "5"), Lookup((speech(1), in_scope(1)), 1, "2", "5")),
    ],
)
def test_a_look_up_includes_what_asks_for_more(wide: Lookup, narrow: Lookup) -> None:
    assert wide.includes(narrow)
    assert wide.includes(wide)
    is_same = (wide.all_of, wide.since, wide.until) == (narrow.all_of, narrow.since, narrow.until)
    assert narrow.includes(wide) is is_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Lookup((any_word("a", 1),), 1), Lookup((by_speaker("a", 1),), 1)),
        (Lookup((speech(1),), 1, "2", "4"), Lookup((speech(1),), 1, "3", "5")),
        (Lookup((any_word("ab", 1),), 1), Lookup((any_word("bc", 1),), 1)),
    ],
)
def test_neither_of_two_that_overlap_includes_the_other(one: Lookup, other: Lookup) -> None:
    assert not one.includes(other)
    assert not other.includes(one)


def test_the_kinds_of_conditions_are_those_that_an_index_answers() -> None:
    assert [kind.value for kind in ConditionKind] == ["word", "speaker", "speech", "scope"]


@pytest.mark.parametrize(
    ("rooms", "all_rooms", "besides"),
    [(ROOMS[:1], True, ()), (ROOMS[:1], False, (in_scope(0),)), (ROOMS, True, None)],
)
@pytest.mark.parametrize("days", [2, 3])
def test_of_a_short_time_all_that_was_said_there_is_looked_up_unless_in_many_rooms(
    rooms: Sequence[Room], days: int, *, all_rooms: bool, besides: Sequence[AnyOf] | None
) -> None:
    time = TimeExpression("x", NOON, NOON + timedelta(days=days))
    planned = planned_lookups(question(rooms=rooms, all_rooms=all_rooms), parsed(A, times=[time]))
    then = to_text(time.since), to_text(time.until)
    expected = [] if besides is None or days > 2 else [Lookup((speech(0), *besides), 60, *then)]
    assert [look for look in planned if (look.since, look.until) == then] == expected
