"""An explanation reads as a person who debugs a search needs it, whatever strangers said."""

from datetime import timedelta

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.cli.starting.explaining import explained
from terrarium_mcp.store.search import Explanation, Hits, Rung, RungReport, Search
from terrarium_mcp.store.search.relevance.corpus import CandidateLine
from terrarium_mcp.store.search.relevance.lookup import (
    Lookup,
    LookupReport,
    any_word,
    by_speaker,
    in_scope,
    speech,
)
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, TermGroup
from terrarium_mcp.store.search.relevance.ranking import RankedAnswer, RankedLine
from terrarium_mcp.store.search.scope import MOST_ROOMS
from tests.store.scene import NOON

TEA = Room(id=1, network="net", channel="#tea")


def message(number: int, text: str) -> Message:
    return Message(
        id=number, room=TEA, said_at=NOON, nick="ada", text=text, kind=MessageType.PRIVMSG
    )


def search(words: str, rooms: int = 1) -> Search:
    return Search(query=parse_query(words), rooms=[TEA] * rooms, limit=5)


def lookups(asked: Search, *planned: Lookup) -> list[str]:
    reports = [LookupReport(lookup, 7, 0.0123) for lookup in planned]
    why = Explanation([], Hits([], Rung.ANY_WORD, 0), lookups=reports)
    return explained(asked, why).splitlines()[1:]


def test_a_search_is_explained_from_the_query_to_the_points_of_each_line() -> None:
    day = TimeExpression("yesterday", NOON, NOON + timedelta(days=1))
    group = TermGroup("mend", {"mend": 1.0, "mended": 0.8}, 3, 4)
    version = TermGroup("11.04", {"11.04": 1.0}, 1, 2)
    either = TermGroup("jo", {"jo": 1.0}, 5, 2, speaker="jo")
    parsed = ParsedQuestion(
        ("bo", "cy"),
        (day,),
        (group, version, either),
        asks_when=False,
        lines=9,
        lines_in_rooms=9,
        lines_by={},
        length=4.0,
    )
    line = CandidateLine(2, 1, "2026-05-01 12:00:00.000", "ada", "mended", may_answer=True)
    answer = RankedAnswer(
        parsed, (), [RankedLine(line, {"all words": 1.0, "no question": 0.5, "x": 0})]
    )
    hits = Hits(
        [message(1, "mend it"), message(2, "mended " * 9), message(3, "x")],
        Rung.ANY_WORD,
        3,
        with_all_words=1,
    )
    tried = [RungReport(Rung.ALL_WORDS, 1, 0.0012), RungReport(Rung.ANY_WORD, 3, 0.25)]
    told = explained(
        search("what did bo mend type:nonsense"), Explanation(tried, hits, answer=answer)
    )
    query, note, *rest = told.splitlines()
    assert query.startswith("query: what did bo mend")
    assert note.startswith("note: ")
    assert rest == [
        "rung: all words: 1 line (1.2 ms)",
        "rung: any word: 3 lines (250.0 ms)",
        "people: bo, cy",
        "time: 'yesterday' is 2026-05-01 Fri to before 2026-05-02 Sat",
        "word: mend: in 3 lines; also mended 0.8",
        "word: 11.04: weighs as if in 1 line",
        "word: jo: in 5 lines, those by this nick included",
        " 1. 1 <ada> mend it: it holds all words",
        f" 2. 2 {('<ada> ' + 'mended ' * 9)[:40]}...: 1.5 points: all words 1.0, no question 0.5",
        " 3. 3 <ada> x: by its time",
    ]


def test_a_look_up_reads_as_its_conditions_the_rarest_first() -> None:
    found = "look-up:    7 lines   12.3 ms  "
    words, speaker = any_word(["mended", "mend"], 5), by_speaker("ada", 3)
    assert lookups(search("x"), Lookup((words, speaker), 50), Lookup((speech(9),), 100)) == [
        f'{found}newest 50: by "ada" AND ("mend" OR "mended")',
        f"{found}newest 100: anything said",
    ]


def test_a_scope_names_rooms_people_types_and_links() -> None:
    (told,) = lookups(search("tea from:ada type:action has:link"), Lookup((in_scope(1),), 1))
    assert told.endswith('newest 1: in ("#tea", by "ada", type action, with a link)')
    (told,) = lookups(search("tea from:ada", MOST_ROOMS + 1), Lookup((in_scope(1),), 1))
    assert told.endswith('newest 1: in (by "ada")')


def test_similar_words_are_named_for_each_word_typed() -> None:
    asked = search("gaet zebra OR gnu")
    clauses = (parse_query("gaet OR gate OR gates").clauses[0], asked.query.clauses[1])
    told = explained(asked, Explanation([], Hits([], Rung.SIMILAR, 0), clauses)).splitlines()
    assert told[1:] == [
        "word: gaet: also gate, gates",
        "word: zebra OR gnu: nothing like it was said",
    ]


def test_ten_lines_are_explained_and_wide_ones_are_cut() -> None:
    hits = Hits([message(n, "x") for n in range(1, 13)], Rung.EVERYTHING, 12)
    told = explained(search(""), Explanation([], hits)).splitlines()
    assert told[0] == "query: (everything)"
    assert len(told) == 11
    (wide,) = lookups(search("x"), Lookup((any_word([f"word{n}" for n in range(50)], 1),), 1))
    assert wide.endswith("...")
    assert len(wide) == len("look-up:    7 lines   12.3 ms  ") + 103


def test_control_codes_do_not_reach_the_terminal() -> None:
    hits = Hits([message(1, "\x1b[31mred\x07")], Rung.EVERYTHING, 1)
    told = explained(search("\x1b[31mred"), Explanation([], hits))
    assert "\x1b" not in told
    assert "\x07" not in told
