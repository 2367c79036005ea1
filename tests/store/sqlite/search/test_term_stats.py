"""Term statistics: how rare words are, and which queries no line can hold."""

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Search
from terrarium_mcp.store.sqlite.search.snapshot import current_snapshot
from terrarium_mcp.store.sqlite.search.term_stats import (
    PrefixExpansion,
    TermStats,
    start_of,
    term_stats,
)
from tests.store.scene import chat

STATS = TermStats(
    100,
    {"tea": 50, "milk": 10, "zebra": 0},
    {"te": PrefixExpansion(["tea", "ten"], 60), "zeb": PrefixExpansion([], 0)},
)


def prefix(text: str) -> Term:
    return Term(text, TermKind.PREFIX)


def phrase(text: str) -> Term:
    return Term(text, TermKind.PHRASE)


def test_independent_words_are_expected_in_as_many_lines_as_chance_says() -> None:
    assert STATS.expected([]) == 100
    assert STATS.expected(["tea"]) == 50
    assert STATS.expected(["tea", "milk"]) == pytest.approx(5)
    assert STATS.expected(["tea", "zebra"]) == 0
    assert STATS.expected(["tea", "unknown"]) == 50


def test_a_clause_is_as_rare_as_its_terms_together_and_a_phrase_as_its_rarest_word() -> None:
    assert STATS.rarity([Term("tea")]) == 50
    assert STATS.rarity([Term("tea"), Term("milk")]) == 60
    assert STATS.rarity([phrase("tea milk")]) == 10
    assert STATS.rarity([Term("unknown")]) == 0
    assert STATS.rarity([Term("--")]) == 100
    assert STATS.rarity([prefix("te")]) == 60
    assert STATS.rarity([prefix("unknown")]) == 100
    assert STATS.rarity([prefix("zeb")]) == 0


@pytest.mark.parametrize(
    ("term", "may"),
    [
        (Term("tea"), True),
        (Term("zebra"), False),
        (Term("z\u00e9bra"), True),  # beyond ASCII the index may fold otherwise
        (Term("unknown"), True),
        (Term("--"), True),
        (phrase("tea zebra"), False),
        (phrase("tea milk"), True),
        (prefix("te"), True),
        (prefix("zeb"), False),
        (prefix("unknown"), True),
        (prefix("tea zebra"), True),  # as the beginning of a word that is not counted
        (prefix("zebra tea"), False),
    ],
)
def test_what_holds_a_word_that_nobody_said_is_unsaid(term: Term, may: bool) -> None:
    assert STATS.may_be_said(term) is may


def test_only_one_whole_word_in_ascii_begins_words() -> None:
    assert start_of(prefix("Te")) == "te"
    assert start_of(Term("te")) == ""
    assert start_of(prefix("te ten")) == ""
    assert start_of(prefix("t\u00e9")) == ""
    assert start_of(prefix("x" * 40)) == "x" * 40
    assert start_of(prefix("x" * 41)) == ""


@pytest.mark.parametrize(
    ("words", "lines", "alone", "beside"),
    [
        (1, 1, True, True),
        (32, 10**6, True, True),
        (33, 3_300, False, False),
        (33, 3_301, True, False),
    ],
)
def test_a_prefix_is_expanded_where_that_costs_less(
    words: int, lines: int, alone: bool, beside: bool
) -> None:
    expansion = PrefixExpansion(["x"] * words, lines)
    assert (expansion.is_cheaper(alone=True), expansion.is_cheaper(alone=False)) == (alone, beside)


def test_an_empty_history_has_a_line_to_divide_by() -> None:
    assert term_stats(0, "{}", "{}").total == 1
    assert term_stats(7, '{"a": 2}', '{"b": [["bc"], 3], "c": null}') == TermStats(
        7, {"a": 2}, {"b": PrefixExpansion(["bc"], 3)}
    )


async def test_the_words_of_a_whole_query_are_counted_once(store: Store) -> None:
    await store.messages.append(
        chat(
            "<ada> tea and ten\n<bo> tea, bo\n<cy> milk\n<cy> "
            + " ".join(f"m{n}" for n in range(9))
        )
    )
    query = parse_query('tea "ten milk" te* m* -milk -te* from:ada mentions:bo zebra zeb*')
    search = Search(query=query, rooms=await store.rooms.all(), limit=5)
    snapshot = await current_snapshot(store._indexer, search)  # noqa: SLF001 -- what every search begins with
    assert snapshot is not None
    stats = snapshot.stats
    assert (snapshot.last_id, snapshot.room_count) == (4, 1)
    assert [(run.first, run.last) for run in snapshot.runs] == [(1, 4)]
    assert stats.total == 4
    assert {"tea": 2, "ten": 1, "milk": 1, "bo": 1, "zebra": 0}.items() <= stats.lines.items()
    assert {start: ([*found.words], found.lines) for start, found in stats.prefixes.items()} == {
        "te": (["tea", "ten"], 3),
        "m": ([*sorted([*(f"m{n}" for n in range(9)), "milk"])], 10),
        "zeb": ([], 0),
    }


async def test_a_prefix_of_more_than_a_thousand_words_is_not_expanded(store: Store) -> None:
    await store.messages.append(chat("\n".join(f"<ada> a{n}" for n in range(1_000))))
    search = Search(query=parse_query("a*"), rooms=await store.rooms.all(), limit=5)
    snapshot = await current_snapshot(store._indexer, search)  # noqa: SLF001
    assert snapshot is not None
    assert len(snapshot.stats.prefixes["a"].words) == 1_000
    await store.messages.append(chat("<ada> another"))
    snapshot = await current_snapshot(store._indexer, search)  # noqa: SLF001
    assert snapshot is not None
    assert snapshot.stats.prefixes == {}
    assert (await store.search(search, "question")).total == 1_001
