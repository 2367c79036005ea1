"""Queries in FTS5's language: what the index is asked, and what only a line can answer."""

import json

import pytest

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import SPEECH, MessageType, Room
from terrarium_mcp.chat.terms import RESERVED_PREFIX, Term, TermKind
from terrarium_mcp.store.search.scope import MOST_ROOMS
from terrarium_mcp.store.sqlite.index.fts_syntax import isolated, one_of, ordered_and, quoted
from terrarium_mcp.store.sqlite.search.fts_query import (
    FtsQuery,
    fts_query,
    phrase_query,
    restriction_query,
)
from terrarium_mcp.store.sqlite.search.term_stats import PrefixExpansion, TermStats

ROOMS = [Room(id=n, network="net", channel=f"#room{n}") for n in range(1, MOST_ROOMS + 2)]
MAPPINGS = ["rfc1459"]
FREQUENCIES = TermStats(1_000, {"tea": 300, "green": 20, "milk": 5, "zebra": 0})
OWN = RESERVED_PREFIX


def asked(
    words: str,
    rooms: list[Room] | None = None,
    stats: TermStats = FREQUENCIES,
    mappings: list[str] = MAPPINGS,
) -> FtsQuery:
    return fts_query(parse_query(words), rooms or [], mappings, stats)


def test_a_word_is_looked_up_among_what_was_said() -> None:
    assert asked("Tea").expression == 'message : ("Tea")'
    assert asked("tea OR milk").expression == 'message : ("tea" OR "milk")'
    assert asked('"green tea"').expression == 'message : ("green tea")'
    assert asked("te*").expression == 'message : ("te" *)'
    assert asked("tea").is_exact
    assert asked("tea").where == []


def test_the_rarest_word_comes_first_and_the_others_are_looked_up_where_it_is() -> None:
    milk, green, tea = (f'message : ("{word}")' for word in ("milk", "green", "tea"))
    two = f"{green} AND {tea}"
    assert asked("tea green").terms == isolated(two)
    three = f"{isolated(f'{milk} AND {green}')} AND {tea}"
    assert asked("tea milk green").terms == isolated(three)
    assert ordered_and([milk, green, tea]) == three


def test_beyond_eight_terms_the_others_are_one_part() -> None:
    words = [f"w{n}" for n in range(10)]
    stats = TermStats(1_000, {word: n + 1 for n, word in enumerate(words)})
    parts = [f'message : ("{word}")' for word in words]
    whole = ordered_and([*parts[:8], f"{parts[8]} AND {parts[9]}"])
    assert asked(" ".join(reversed(words)), stats=stats).terms == isolated(whole)
    eight = asked(" ".join(words[:8]), stats=stats).terms
    assert eight == isolated(ordered_and(parts[:8]))


def test_isolating_excludes_nothing_that_anybody_could_say() -> None:
    assert isolated("x") == f'((x) NOT message : ("{OWN}tnothing"))'


def test_excluded_words_are_taken_from_the_rest_or_from_all_that_was_said() -> None:
    said = f'message : ("{OWN}tsaid")'
    assert asked("tea -milk -green").terms == (
        '((message : ("tea")) NOT message : ("milk" OR "green"))'
    )
    assert asked("-milk").terms == f'(({said}) NOT message : ("milk"))'
    assert asked("-milk").is_exact


def test_without_any_restriction_all_that_was_said_is_found() -> None:
    said = f'message : ("{OWN}tsaid")'
    assert asked("").expression == said
    assert asked("mentions:bo").terms == 'message : ("bo")'
    assert asked("has:link").expression == f'message : ("{OWN}tlink") AND {said}'
    assert asked("type:action").expression == f'(message : ("{OWN}taction"))'
    assert asked("", ROOMS[:1]).expression == f'message : ("{OWN}r1")'


def test_rooms_are_index_words_up_to_sixteen_of_them() -> None:
    some, many = asked("tea", ROOMS[:MOST_ROOMS]), asked("tea", ROOMS)
    assert some.restriction == one_of([f"r{room.id}" for room in ROOMS[:MOST_ROOMS]])
    assert some.is_exact
    assert many.restriction == ""
    assert not many.is_exact
    assert many.where == []


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ("type:privmsg", "r1"),
        ("type:join", "e1"),
        ("type:privmsg type:join", "both"),
        ("", "r1"),
    ],
)
def test_events_have_room_words_of_their_own(types: str, words: str) -> None:
    expected = one_of(["r1", "e1"]) if words == "both" else one_of([words])
    assert asked(types, ROOMS[:1]).restriction.endswith(expected)


@pytest.mark.parametrize(
    ("kinds", "column"),
    [
        ([MessageType.JOIN], "event"),
        ([MessageType.PRIVMSG, MessageType.ACTION], "message"),
        ([MessageType.ACTION, MessageType.TOPIC], "{message event}"),
        ([], "message"),
    ],
)
def test_words_are_looked_up_in_the_column_of_their_types(
    kinds: list[MessageType], column: str
) -> None:
    query = Query(clauses=((Term("tea"),),), kinds=tuple(kinds))
    assert fts_query(query, [], MAPPINGS, FREQUENCIES).terms == f'{column} : ("tea")'


def test_types_are_index_words_and_privmsg_is_the_rest() -> None:
    notice, action, topic, said = (
        f'message : ("{OWN}{word}")' for word in ("tnotice", "taction", "ttopic", "tsaid")
    )
    others = f'message : ("{OWN}tnotice" OR "{OWN}taction")'
    assert [kind.value for kind in SPEECH] == ["PRIVMSG", "NOTICE", "ACTION"]
    assert asked("type:privmsg").restriction == f"(({said} NOT {others}))"
    assert asked("type:privmsg type:notice").restriction == f"(({said} NOT {action}) OR {notice})"
    assert (
        asked("type:notice type:action").restriction
        == f'(message : ("{OWN}tnotice" OR "{OWN}taction"))'
    )
    every = asked("type:privmsg type:notice type:action type:topic").restriction
    assert every == f'message : ("{OWN}tsaid" OR "{OWN}ttopic")'
    assert topic in asked("type:topic").restriction


def test_people_are_index_words_where_all_networks_fold_them_alike() -> None:
    ada = "n616461"
    query = asked("from:Ada")
    assert query.restriction == f"{one_of([ada])} AND {one_of(['tsaid'])}"
    assert (query.where, query.is_exact) == ([], True)
    assert json.loads(str(query.params["people"])) == ["Ada"]
    disputed = asked("from:Ada[]", mappings=["ascii", "rfc1459"])
    assert disputed.restriction.count(" OR ") == 1  # the spelling in ASCII and any other
    (condition,) = disputed.where
    assert "is_among" in condition
    assert not disputed.is_exact


def test_what_no_index_word_says_is_read_in_the_line() -> None:
    for words, function in (
        ("-from:ada", "is_among"),
        ("tea mentions:bo", "speaks_of"),
        ("c++", "satisfies"),
        ("-c++", "satisfies"),
        ("--", "satisfies"),
    ):
        query = asked(words)
        (condition,) = query.where
        assert function in condition, words
        assert not query.is_exact, words
    assert asked("c++").terms == 'message : ("c++")'
    assert asked("--").terms == ""
    assert asked("tea mentions:bo").terms == isolated('message : ("bo") AND message : ("tea")')
    assert json.loads(str(asked("tea c++ -d++").params["terms"])) == [
        [[["c++", "word"]]],
        [["d++", "word"]],
    ]


EXPANSIONS = TermStats(
    100_000,
    {"tea": 300},
    {
        "te": PrefixExpansion(["tea", "ten"], 400),
        "many": PrefixExpansion([f"many{n}" for n in range(33)], 3_300),
        "often": PrefixExpansion([f"often{n}" for n in range(33)], 3_301),
        "long": PrefixExpansion(["long" + "g" * 36], 1),
        "none": PrefixExpansion([], 0),
    },
)


def test_a_prefix_with_few_words_is_looked_up_by_them() -> None:
    assert asked("te*", stats=EXPANSIONS).terms == 'message : ("tea" OR "ten")'
    assert asked("x -te*", stats=EXPANSIONS).terms.endswith('NOT message : ("tea" OR "ten"))')
    assert asked("none*", stats=EXPANSIONS).terms == 'message : ("none" *)'
    assert asked("long*", stats=EXPANSIONS).terms == f'message : ("long{"g" * 36}" *)'
    assert asked("te* type:topic", stats=EXPANSIONS).terms == 'event : ("te" *)'


def test_a_prefix_with_many_words_only_if_they_are_frequent_and_nothing_else_is_asked() -> None:
    assert asked("many*", stats=EXPANSIONS).terms == 'message : ("many" *)'
    assert asked("often*", stats=EXPANSIONS).terms.count(" OR ") == 32
    prefix = 'message : ("often" *)'
    for words in ("often* tea", "often* -tea", "often* mentions:bo", "often* has:link"):
        assert prefix in asked(words, stats=EXPANSIONS).terms, words
    assert asked("often*", ROOMS[:1], EXPANSIONS).terms == prefix


def test_the_rarest_prefix_comes_first_by_all_of_its_words() -> None:
    terms = asked("many* tea te*", stats=EXPANSIONS).terms
    assert terms.index('"tea")') < terms.index('"ten"') < terms.index('"many"')


def test_whatever_a_word_contains_is_one_string() -> None:
    assert quoted('a"b') == '"a""b"'
    assert quoted("a\0b") == '"a b"'
    assert quoted("a\ud800") == '"a?"'


def test_the_phrase_index_is_asked_for_the_pairs_of_whole_phrases_of_what_was_said() -> None:
    found = phrase_query(parse_query('"green tea"'))
    assert found is not None
    assert (found.restriction, found.is_exact) == ("", False)
    assert found.terms.count('"') == 2
    assert "instr" in found.where[0]
    assert found.params["plainly"] == " green tea "
    three = phrase_query(parse_query('"green tea green tea" milk'))
    assert three is not None
    assert three.terms.count(" AND ") == 1  # each pair once
    assert "instr" not in three.where[0]
    for words in ("tea", "te*", 'tea OR "green tea"', '"gr\u00fcn tea"', '"green tea" type:join'):
        assert phrase_query(parse_query(words)) is None, words
    cut = Query(clauses=((Term("green te", TermKind.PREFIX),),))
    assert phrase_query(cut) is None
    assert phrase_query(parse_query('"green tea" type:action')) is not None


@pytest.mark.parametrize("words", ['"green tea" -milk', '"green c++"', '"green tea" "tea milk"'])
def test_a_phrase_between_spaces_is_enough_only_where_it_is_all_that_is_asked(words: str) -> None:
    found = phrase_query(parse_query(words))
    assert found is not None
    assert "instr" not in found.where[0]
    assert "satisfies" in found.where[0]


def test_other_words_are_looked_up_under_the_restrictions_of_a_query() -> None:
    found = restriction_query(parse_query("tea -milk from:ada has:link type:action"), ROOMS[:2])
    assert found.terms == ""
    assert found.restriction.split(" AND ")[:2] == [
        f'(message : ("{OWN}taction"))',
        one_of(["r1", "r2"]),
    ]
    assert found.restriction.endswith(one_of(["tlink"]))
    assert ["satisfies" in found.where[0], "is_among" in found.where[1]] == [True, True]
    assert json.loads(str(found.params["terms"])) == [[], [["milk", "word"]]]
    assert not found.is_exact
    assert [part.split("(")[0].split(" ")[0] for part in found.restriction_where] == [
        "CASE",
        "urls_of",
        "",
    ]
