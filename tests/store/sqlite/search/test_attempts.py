"""The ladder by itself: which rungs, with which terms, and when one has answered."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from terrarium_mcp.chat.cursors import Cursor
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.store.errors import RankedAnew
from terrarium_mcp.store.search import Hits, Rung, Search, Sort
from terrarium_mcp.store.search.hits import COUNTED, ENOUGH
from terrarium_mcp.store.search.ladder import Attempt, is_worth_trying, rungs
from terrarium_mcp.store.search.scope import SearchScope
from tests.store.scene import NOON

TEA = Room(id=1, network="net", channel="#tea")


def search(words: str, sort: Sort = Sort.RELEVANCE, rung: str = "") -> Search:
    cursor = Cursor("question", 1, rung) if rung else None
    return Search(query=parse_query(words), rooms=[TEA], limit=5, sort=sort, cursor=cursor)


def attempt(
    words: str, rung: Rung = Rung.ALL_WORDS, sort: Sort = Sort.RELEVANCE, few: Hits | None = None
) -> Attempt:
    asked = search(words, sort)
    scope = SearchScope(query=parse_query("other words"), rooms=[TEA])
    return Attempt(asked, rung, scope, few or hits(0))


def hits(shown: int, total: int | None = None, *, is_exact: bool = True) -> Hits:
    messages = [
        Message(id=n, room=TEA, said_at=NOON, nick="ada", text="tea", kind=MessageType.PRIVMSG)
        for n in range(1, shown + 1)
    ]
    total = shown if total is None else total
    return Hits(messages, Rung.ALL_WORDS, total, total_is_exact=is_exact)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", [Rung.EVERYTHING]),
        ("from:ada", [Rung.EVERYTHING]),
        ("--", [Rung.SCAN]),
        ("-- ++", [Rung.SCAN]),
        ("tea", [Rung.ALL_WORDS, Rung.SIMILAR]),
        ("te*", [Rung.ALL_WORDS, Rung.SIMILAR]),
        ('"green tea"', [Rung.ALL_WORDS, Rung.SIMILAR]),
        ("c++", [Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR]),
        ("tea --", [Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR]),
        ("tea milk", [Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR]),
        ("tea OR milk", [Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR]),
    ],
)
def test_a_query_has_the_rungs_that_its_terms_allow(words: str, expected: list[Rung]) -> None:
    assert rungs(search(words)) == expected


@pytest.mark.parametrize("words", ["", "tea", "tea milk", "--"])
def test_an_exact_search_tries_the_first_rung_alone(words: str) -> None:
    assert rungs(replace(search(words), is_exact=True)) == rungs(search(words))[:1]


def test_a_cursor_stays_on_its_rung_or_begins_where_the_query_does() -> None:
    assert rungs(search("tea milk", rung="any word")) == [Rung.ANY_WORD]
    assert rungs(search("tea", rung="any word")) == [Rung.ALL_WORDS]


@pytest.mark.parametrize(
    ("words", "rung", "sort", "is_ranked"),
    [
        ("tea milk", Rung.ALL_WORDS, Sort.RELEVANCE, True),
        ("tea tea", Rung.ALL_WORDS, Sort.RELEVANCE, False),
        ("tea", Rung.ALL_WORDS, Sort.RELEVANCE, False),
        ('"green tea"', Rung.ALL_WORDS, Sort.RELEVANCE, True),
        ("tea", Rung.SIMILAR, Sort.RELEVANCE, True),
        ("tea", Rung.SIMILAR, Sort.NEWEST, False),
        ("tea milk", Rung.ANY_WORD, Sort.RELEVANCE, True),
        ("tea milk", Rung.ANY_WORD, Sort.NEWEST, False),
        ("tea milk", Rung.ALL_WORDS, Sort.OLDEST, False),
        ("-- ++", Rung.SCAN, Sort.RELEVANCE, False),
        ("", Rung.EVERYTHING, Sort.RELEVANCE, False),
    ],
)
def test_several_words_are_ranked_by_relevance(
    words: str, rung: Rung, sort: Sort, is_ranked: bool
) -> None:
    assert attempt(words, rung, sort).is_ranked is is_ranked


@pytest.mark.parametrize(
    ("words", "sort", "found", "is_answered"),
    [
        ("tea milk", Sort.RELEVANCE, hits(0), False),
        ("tea milk", Sort.RELEVANCE, hits(ENOUGH - 1), False),
        ("tea milk", Sort.RELEVANCE, hits(ENOUGH), True),
        ("tea milk", Sort.RELEVANCE, hits(1, ENOUGH), True),
        ("tea milk", Sort.RELEVANCE, hits(1, is_exact=False), True),
        ("tea milk", Sort.NEWEST, hits(1), True),
        ("tea", Sort.RELEVANCE, hits(1), True),
        ("tea", Sort.OLDEST, hits(1), True),
        ("te*", Sort.RELEVANCE, hits(1), True),
        ('"green tea"', Sort.RELEVANCE, hits(1), True),
        ("c++", Sort.RELEVANCE, hits(1), True),
        ("c++ tea", Sort.RELEVANCE, hits(1), False),
    ],
)
def test_all_words_answer_with_enough_lines_or_where_nothing_else_is_meant(
    words: str, sort: Sort, found: Hits, is_answered: bool
) -> None:
    assert attempt(words, sort=sort).is_answered_by(found) is is_answered


@pytest.mark.parametrize(
    ("few", "found", "is_answered"),
    [
        (hits(2), hits(2), False),
        (hits(2), hits(3), True),
        (hits(2), hits(2, 3), True),
        (hits(1, 2), hits(1, 2), False),
        (hits(0), hits(1), True),
        (hits(0), hits(0), False),
    ],
)
def test_a_looser_rung_answers_with_more_than_the_few_before_it(
    few: Hits, found: Hits, is_answered: bool
) -> None:
    assert attempt("tea milk", Rung.ANY_WORD, few=few).is_answered_by(found) is is_answered


def test_similar_words_are_looked_for_only_where_none_was_found() -> None:
    assert not is_worth_trying(Rung.SIMILAR, hits(1))
    assert is_worth_trying(Rung.SIMILAR, hits(0))
    assert is_worth_trying(Rung.ANY_WORD, hits(1))


def test_a_page_that_reads_on_answers_though_it_shows_nothing() -> None:
    reading_on = Hits([], Rung.SCAN, 0, Cursor("question", 1, "bounded scan"))
    assert attempt("--", Rung.SCAN).is_answered_by(reading_on)


def test_the_question_is_what_was_typed_in_the_scope_of_the_rung() -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    asked = Search(query=parse_query("green tea from:ada"), rooms=[TEA], limit=1, now=now)
    scope = SearchScope(query=parse_query("x"), rooms=[TEA])
    one = Attempt(asked, Rung.ANY_WORD, scope, hits(0))
    assert (one.question.text, one.question.scope, one.question.now) == ("green tea", scope, now)
    assert (one.question.zone, one.all_words.query) == (UTC, asked.query)
    by_the_clock = attempt("tea").question.now
    assert abs((datetime.now(UTC) - by_the_clock).total_seconds()) < 60


def test_the_rungs_and_orders_have_the_names_that_answers_and_cursors_use() -> None:
    assert [rung.value for rung in Rung] == [
        "all words",
        "any word",
        "similar words",
        "bounded scan",
        "every line",
        "the line that opens each conversation",
    ]
    assert [sort.value for sort in Sort] == ["relevance", "newest", "oldest"]


def test_totals_read_as_people_say_them() -> None:
    assert COUNTED == 1_000
    assert hits(0, 1_000).total_text == "1000"
    assert hits(0, 1_001).total_text == "1,000+"
    assert hits(0, 14, is_exact=False).total_text == "14+"
    assert hits(0, 1_001, is_exact=False).total_text == "1,000+"


def test_hits_are_exact_and_have_no_next_page_unless_it_is_said() -> None:
    page = Hits([], Rung.SCAN, 0)
    assert (page.next, page.tried, page.total_is_exact, page.reached, page.with_all_words) == (
        None,
        (),
        True,
        None,
        0,
    )
    asked = Search(query=parse_query("x"), rooms=[], limit=1)
    assert (asked.sort, asked.since, asked.cursor, asked.now) == (Sort.RELEVANCE, None, None, None)


def test_a_lost_ranking_says_how_to_go_on() -> None:
    assert str(RankedAnew()) == (
        "The ranking that this cursor continues is gone: the server was restarted and the history"
        " has changed since. Omit the cursor to start at the first page, or page with sort=newest,"
        " whose order never changes."
    )
