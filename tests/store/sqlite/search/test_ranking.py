"""Ranking: what each line gets points for, on talk small enough to reckon by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log

import pytest

from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.search.relevance.corpus import CandidateLine
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, TermGroup
from terrarium_mcp.store.search.relevance.ranking import JudgedLine, RankedLine, Ranking
from terrarium_mcp.store.search.relevance.scoring import AROUND, TAKES_PART
from tests.store.scene import NOON

LINES, LENGTH = 100, 5.0
"""Lines of the history, and words in each on average."""

GATE = TermGroup("gate", {"gate": 1.0, "gates": 0.8, "door": 0.5, "hole": 0.2}, 3, 9)
PAINT = TermGroup("paint", {"paint": 1.0, "painted": 0.8}, 1, 2)
KEY = TermGroup("key", {"key": 1.0}, 2, 2)


def question(
    *groups: TermGroup,
    people: Sequence[str] = (),
    times: Sequence[TimeExpression] = (),
    asks_when: bool = False,
    length: float = LENGTH,
) -> ParsedQuestion:
    return ParsedQuestion(
        people=tuple(people),
        times=tuple(times),
        groups=groups,
        asks_when=asks_when,
        lines=LINES,
        lines_in_rooms=LINES,
        lines_by=dict.fromkeys(people, 10),
        length=length,
    )


def talk(*said: str, apart: float = 60, at: datetime = NOON) -> list[CandidateLine]:
    """`nick: text` lines of one room, so many seconds apart."""
    lines = []
    for n, line in enumerate(said, 1):
        nick, _, text = line.partition(": ")
        moment = to_text(at + timedelta(seconds=apart * (n - 1)))
        lines.append(CandidateLine(n, 1, moment, nick, text, may_answer=True))
    return lines


def points(
    parsed: ParsedQuestion, lines: Sequence[CandidateLine], found: Sequence[CandidateLine] = ()
) -> dict[int, Mapping[str, float]]:
    """The points of each line, by its place in the talk."""
    return {one.line.id: one.points for one in Ranking(parsed).ranked([lines], found)}


def idf(holding: int) -> float:
    return float(log(1 + (LINES - holding + 0.5) / (holding + 0.5)) ** 0.7)


def bm25(times: int, words: int, average: float = LENGTH) -> float:
    return times * 1.9 / (times + 0.9 * (0.6 + 0.4 * words / average))


HERE = "words here and close by"
SHARE = "share of the words here"
NEAR = "share of the words nearby"


def test_a_word_counts_by_its_frequency_and_the_length_of_the_line() -> None:
    got = points(question(GATE), talk("bo: gate", "x: a", "x: b", "x: c", "bo: the gate is a gate"))
    # The words of a question weigh ten points; the line itself holds half of them...
    assert got[1][HERE] == pytest.approx(0.5 * 10 * bm25(1, 1))
    assert got[5][HERE] == pytest.approx(0.5 * 10 * bm25(2, 5))
    # ... and its share of them counts besides, as does the share of what is said around it.
    assert got[1][SHARE] == pytest.approx(0.2 * 10)
    assert got[1][NEAR] == pytest.approx(0.35 * 10)
    assert got[1]["no question"] == 0.5
    assert set(got[1]) == {HERE, SHARE, NEAR, "no question"}


def test_beside_a_person_few_words_and_words_of_asking_are_less_than_all_that_is_asked() -> None:
    def share(*groups: TermGroup, people: Sequence[str] = ()) -> float:
        return points(question(*groups, people=people), talk("bo: gate"))[1][SHARE]

    asking = TermGroup("recommend", {"recommend": 1.0}, 3, 3)
    of_all = idf(3) / (idf(1) + idf(2) + idf(3))
    assert share(GATE) == pytest.approx(0.2 * 10)
    assert share(GATE, people=["ada"]) == pytest.approx(0.2 * 10 / 3)
    assert share(GATE, PAINT, KEY, people=["ada"]) == pytest.approx(0.2 * 10 * of_all)
    assert share(GATE, asking) == pytest.approx(0.2 * 10 / 1.3)
    assert share(GATE, asking, people=["ada"]) == pytest.approx(0.2 * 10 / 3)


def test_the_average_length_is_that_of_the_history() -> None:
    got = points(question(GATE, length=2.0), talk("bo: the old gate"))
    assert got[1][HERE] == pytest.approx(0.5 * 10 * bm25(1, 3, 2.0))


def test_rare_words_count_more_and_all_words_together_ten_points() -> None:
    got = points(question(GATE, PAINT), talk("bo: gate", *["x: a"] * 9, "bo: paint"))
    both = idf(3) + idf(1)
    assert got[1][HERE] == pytest.approx(0.5 * 10 * idf(3) / both * bm25(1, 1))
    assert got[11][SHARE] == pytest.approx(0.2 * 10 * idf(1) / both)
    assert got[11][SHARE] > got[1][SHARE]


def test_of_several_forms_in_a_line_the_best_counts_for_each_time() -> None:
    got = points(question(GATE), talk("bo: door gates hole"))
    assert got[1][HERE] == pytest.approx(0.5 * 10 * 0.8 * bm25(3, 3))


def test_a_word_that_hardly_stands_for_the_asked_one_is_no_share_of_it() -> None:
    got = points(question(GATE), talk("bo: hole", *["x: a"] * 9, "bo: door"))
    assert (got[1][SHARE], got[1][NEAR]) == (0, 0)
    assert got[1][HERE] > 0
    assert got[11][SHARE] == pytest.approx(2)


def test_words_fade_over_two_lines_to_each_side() -> None:
    got = points(question(GATE), talk(*["x: a"] * 3, "bo: the gate", *["x: a"] * 3))
    whole = 0.5 * 10 * bm25(1, 2)
    assert {at: one[HERE] for at, one in got.items()} == pytest.approx(
        {2: 0.36 * whole, 3: 0.6 * whole, 4: whole, 5: 0.6 * whole, 6: 0.36 * whole}
    )
    assert got[3][SHARE] == 0


@pytest.mark.parametrize(
    ("said", "points_less"),
    [("hola max", 0), ("bo: yes", 0.7), ("lol", 0.7), ("", 0.7), ("bo: hinges need oil", 0)],
)
def test_a_line_beside_that_says_little_counts_for_less(said: str, points_less: float) -> None:
    got = points(question(GATE), talk("bo: the gate", f"ada: {said}"))
    assert got[2].get("says little", 0) == -points_less
    assert "says little" not in got[1]


def test_an_answer_may_say_little() -> None:
    got = points(question(GATE), talk("bo: which gate?", "ada: mine", "ada: gate"))
    assert not any("says little" in one for one in got.values())


def test_the_strongest_of_the_lines_around_counts_for_a_word() -> None:
    got = points(question(GATE), talk("bo: gate gate", "x: a", "bo: gate"))
    assert got[2][HERE] == pytest.approx(0.5 * 10 * 0.6 * bm25(2, 2))


def test_words_near_by_count_within_four_lines() -> None:
    got = points(question(GATE, PAINT), talk("bo: gate", *["x: a"] * 3, "bo: paint", "bo: paint"))
    both = idf(3) + idf(1)
    assert got[5][NEAR] == pytest.approx(0.35 * 10)
    assert got[1][NEAR] == pytest.approx(0.35 * 10)
    assert got[6][NEAR] == pytest.approx(0.35 * 10 * idf(1) / both)


def test_a_question_hands_its_words_to_the_line_that_follows_it() -> None:
    got = points(question(GATE), talk("bo: which gate?", "ada: mine", "x: yes", "x: no"))
    whole = bm25(1, 2)
    assert got[2][HERE] == pytest.approx(0.5 * 10 * 0.9 * whole)
    assert got[2]["answers a question"] == pytest.approx(0.25 * 10 * whole)
    assert got[3][HERE] == pytest.approx(0.5 * 10 * 0.36 * whole)
    assert "answers a question" not in got[3]
    assert "no question" not in got[1]


def test_only_words_that_an_answer_lacks_are_handed_to_it() -> None:
    got = points(question(GATE, PAINT), talk("bo: which gate paint?", "ada: the gate"))
    share = 10 / (idf(3) + idf(1))
    lacks = idf(1) * bm25(1, 3)
    # The gate of the shorter line weighs more than that of the question.
    assert got[2]["answers a question"] == pytest.approx(0.25 * share * lacks)


def test_words_before_a_question_do_not_reach_it_as_an_answer_does() -> None:
    got = points(question(GATE), talk("ada: mine", "bo: which gate?"))
    assert got[1][HERE] == pytest.approx(0.5 * 10 * 0.6 * bm25(1, 2))


def test_no_word_reaches_over_a_silence_of_more_than_a_quarter_of_an_hour() -> None:
    for apart, reached in ((900, {1, 2}), (900.001, {1})):
        got = points(question(GATE), talk("bo: the gate", "ada: mine", apart=apart))
        assert set(got) == reached, apart
    got = points(question(GATE), talk("ada: mine", "bo: the gate", apart=901))
    assert set(got) == {2}


def test_a_line_with_all_words_gets_a_point_where_there_are_several() -> None:
    assert points(question(GATE, PAINT), talk("bo: gates painted"))[1]["all words"] == 1.0
    assert "all words" not in points(question(GATE, PAINT), talk("bo: gate"))[1]
    assert "all words" not in points(question(GATE), talk("bo: gate"))[1]
    unsaid = TermGroup("zebra", {"zebra": 1.0}, 0, 0)
    assert points(question(GATE, unsaid), talk("bo: gate"))[1]["all words"] == 1.0
    assert "all words" not in points(question(GATE, PAINT, unsaid), talk("bo: gate"))[1]


def test_a_line_by_the_person_named_gets_points_and_more_about_oneself() -> None:
    lines = talk("Ada: the gate", "x: gate", "ada: I like my gate", *["x: gate"] * 5)
    got = points(question(GATE, people=["ada"]), lines)
    assert [got[at].get("said by the person") for at in (1, 2, 3)] == [1.2, None, 1.2]
    assert [got[at].get("of himself or herself") for at in (1, 2, 3)] == [None, None, 0.6]
    assert [got[at].get("the person takes part") for at in (1, 2, 7, 8)] == [5, 5, 5, None]
    several = points(question(GATE, people=["ada", "x"]), lines)
    assert [several[at].get("said by the person") for at in (1, 2, 3)] == [0.6, None, 0.6]
    nobody = points(question(GATE), lines)
    assert "the person takes part" not in nobody[1]


def test_a_person_takes_part_before_as_well_as_after() -> None:
    lines = talk(*["x: gate"] * 5, "ada: hello")
    got = points(question(GATE, people=["ada"]), lines)
    assert ["the person takes part" in got[at] for at in range(1, 6)] == [False, *[True] * 4]


def test_where_the_question_asks_when_a_line_that_names_a_time_gets_points() -> None:
    lines = talk("bo: the gate opens on friday", "x: a", "x: b", "bo: the gate opens")
    got = points(question(GATE, asks_when=True), lines)
    assert [got[at].get("names a time") for at in (1, 4)] == [1.5, None]
    assert "names a time" not in points(question(GATE), lines)[1]


DAY = TimeExpression("on the day", NOON, NOON + timedelta(days=1))
MONTH = TimeExpression("that month", NOON, NOON + timedelta(days=21))


@pytest.mark.parametrize(
    ("time", "days", "near"),
    [
        *[(DAY, 0, 1), (DAY, 0.5, 1), (DAY, 1, 0.9), (DAY, 2, 0.9), (DAY, 2.1, 0.6)],
        *[(DAY, 8, 0.6), (DAY, 8.1, 0.3), (DAY, 15, 0.3), (DAY, 15.1, 0), (DAY, 40, 0)],
        *[(DAY, -0.1, 0.9), (DAY, -1, 0.9), (DAY, -1.1, 0.6), (DAY, -7, 0.6), (DAY, -14, 0.3)],
        *[(DAY, -14.1, 0), (MONTH, 35, 0.3), (MONTH, 36, 0.5), (MONTH, 52, 0.5), (MONTH, 52.1, 0)],
        *[(MONTH, -15, 0), (MONTH, 20.9, 1)],
    ],
)
def test_a_line_gets_points_by_how_near_it_is_to_the_time_named(
    time: TimeExpression, days: float, near: float
) -> None:
    lines = talk("bo: the gate", at=NOON + timedelta(days=days))
    got = points(question(GATE, times=[time]), lines)
    assert got[1]["of that time"] == pytest.approx(5 * near)
    both = points(question(GATE, times=[TimeExpression("x", NOON, NOON), time]), lines)
    assert both[1]["of that time"] >= got[1]["of that time"]


def order(
    parsed: ParsedQuestion, *talks: Sequence[CandidateLine], found: Sequence[CandidateLine] = ()
) -> list[str]:
    """The texts of the ranked lines of talks, the best first."""
    return [one.line.text for one in Ranking(parsed).ranked(talks, found)]


def later(lines: Sequence[CandidateLine]) -> list[CandidateLine]:
    """The same lines with other ids."""
    return [line._replace(id=line.id + 100) for line in lines]


YEARS_LATER = NOON + timedelta(days=1_000)


def test_a_line_of_the_time_named_leads_a_better_one_of_another_time() -> None:
    parsed = question(GATE, PAINT, people=["ada"], times=[DAY])
    then = talk("bo: the gate is green")
    by_her = later(talk("ada: I paint the gate", at=YEARS_LATER))
    assert order(parsed, then, by_her) == ["the gate is green", "I paint the gate"]
    no_time = question(GATE, PAINT, people=["ada"])
    assert order(no_time, then, by_her) == ["I paint the gate", "the gate is green"]


def test_the_best_line_of_the_time_named_leads_however_little_it_says() -> None:
    then = talk("bo: hello", "x: hm")
    others = later(talk("bo: the gate, paint the gate", at=YEARS_LATER))
    parsed = question(GATE, PAINT, times=[DAY])
    assert order(parsed, then, others, found=then) == ["hm", "the gate, paint the gate", "hello"]


def test_of_the_time_named_lines_lead_where_the_person_named_takes_part() -> None:
    parsed = question(GATE, PAINT, people=["ada"], times=[DAY])
    by_her = talk("ada: the gate", at=NOON)
    by_others = later(talk("bo: paint the gate", at=NOON + timedelta(hours=9)))
    of_another_time = talk("ada: I paint the gate", at=YEARS_LATER)
    of_another_time = [line._replace(id=300) for line in of_another_time]
    assert order(parsed, by_her, by_others, of_another_time) == [
        "the gate",
        "I paint the gate",
        "paint the gate",
    ]


def test_twenty_days_are_no_month() -> None:
    days = TimeExpression("twenty days", NOON, NOON + timedelta(days=20))
    got = points(question(GATE, times=[days]), talk("bo: gate", at=NOON + timedelta(days=36)))
    assert got[1]["of that time"] == 0


def test_of_a_named_time_a_line_that_was_found_answers_without_any_word() -> None:
    lines = talk("bo: hello", "x: hm")
    assert set(points(question(GATE, times=[DAY]), lines, lines[:1])) == {1}
    assert points(question(GATE), lines, lines[:1]) == {}
    assert points(question(GATE, times=[DAY]), lines) == {}


def test_lines_that_only_lend_their_words_are_not_ranked() -> None:
    first, second = talk("bo: gate", "x: a")
    got = points(question(GATE), [first._replace(may_answer=False), second])
    assert set(got) == {2}
    assert got[2][HERE] == pytest.approx(0.5 * 10 * 0.6 * bm25(1, 1))


def test_the_best_come_first_and_of_equals_the_newest() -> None:
    lines = talk("bo: gate", *["x: a"] * 9, "bo: gate", *["x: a"] * 9, "bo: gate gate")
    scored = Ranking(question(GATE)).ranked([lines], [])
    assert [one.line.id for one in scored][:3] == [21, 11, 1]
    assert scored[0].score == pytest.approx(sum(scored[0].points.values()))
    assert isinstance(scored[0], RankedLine)


def test_no_line_leads_by_the_words_of_others() -> None:
    parsed = question(GATE, PAINT)
    lines = talk("bo: is the gate at work?", "cy: ask again when I am back", "dan: paint it first")
    first, second, _ = (one.line.text for one in Ranking(parsed).ranked([lines], []))
    assert (first, second) == ("paint it first", "ask again when I am back")


def test_below_the_best_a_line_keeps_the_rank_that_others_lend_it() -> None:
    parsed = question(GATE, PAINT)
    best = later(talk("bo: paint the gate", at=YEARS_LATER))
    lines = talk("bo: is the gate at work?", "cy: ask again when I am back", "dan: paint it first")
    assert order(parsed, best, lines)[:2] == ["paint the gate", "ask again when I am back"]


def test_the_promising_are_the_best_by_themselves_the_newest_of_equals_first() -> None:
    lines = talk("bo: gate", "x: a", "bo: gate", "bo: gate paint key", "ada: I am here")
    parsed = question(GATE, PAINT, KEY, people=["ada"])
    by_themselves = Ranking(parsed).promising(lines, 10)
    assert [line.id for line in by_themselves] == [4, 5, 3, 1, 2]
    assert len(Ranking(parsed).promising(lines, 1)) == 1


def test_beyond_half_of_the_most_a_line_is_promising_only_near_the_best() -> None:
    parsed = question(GATE, PAINT, KEY)
    far = talk("bo: key", "bo: gate", "bo: gate", "bo: paint the gate now, and bring the key")
    assert [line.id for line in Ranking(parsed).promising(far, 4)] == [4, 1]
    near = talk("bo: paint key", "bo: gate key", "bo: gate paint", "bo: gate paint key")
    assert {line.id for line in Ranking(parsed).promising(near, 4)} == {1, 2, 3, 4}


def test_a_line_by_or_to_the_person_is_more_promising_than_a_few_words() -> None:
    """Its whole passage gets the points of a person who takes part, whatever the line says."""
    lines = talk("ada: the weather", "bo: Ada: sure", "x: gate", "bo: I saw ada")
    several = Ranking(question(GATE, PAINT, people=["ada"])).promising(lines, 2)
    assert {line.id for line in several} == {1, 2}
    nobody = Ranking(question(GATE, PAINT)).promising(lines, 1)
    assert [line.id for line in nobody] == [3]


def test_of_promising_lines_words_count_as_words_and_as_a_share() -> None:
    """Words count seven tenths of their points; a person who takes part 5, and 1.8 besides."""
    parsed = question(GATE, PAINT, KEY, people=["ada"], length=1.8)
    words = 0.7 * 10 * bm25(1, 3, 1.8)
    assert 5 + 1.2 < words + 0.5 < 5 + 1.8
    lines = talk("x: gate paint key", "ada: is that so?", "ada: I am here")
    assert [line.id for line in Ranking(parsed).promising(lines, 3)] == [3, 1, 2]


def test_a_word_that_more_lines_hold_than_there_are_counts_as_in_all() -> None:
    everywhere = TermGroup("the", {"the": 1.0}, LINES + 50, LINES + 50)
    got = points(question(everywhere), talk("bo: the"))
    assert got[1][SHARE] == pytest.approx(2)


def test_when_a_line_was_said_is_read_in_utc() -> None:
    (line,) = talk("bo: gate", at=datetime(2026, 5, 1, tzinfo=UTC))
    assert line.at == datetime(2026, 5, 1, tzinfo=UTC).timestamp()
    assert line._replace(said_by="BO[]").nick == "bo{}"


def test_a_line_that_calls_the_person_named_gets_points() -> None:
    lines = talk(
        "bo: Ada: the gate", "ada: gate", "bo: gate, ada", "ada: ada: gate", "bo: ADA> gate"
    )
    got = points(question(GATE, people=["ada"]), lines)
    assert [got[at].get("said to the person") for at in range(1, 6)] == [0.9, None, None, None, 0.9]
    assert "said to the person" not in points(question(GATE), lines)[1]
    timed = points(question(GATE, people=["ada"], times=[DAY]), lines)
    assert "said to the person" not in timed[1]
    both = points(question(GATE, people=["bo", "ada"]), lines)
    assert both[1]["said by the person"] == 0.6
    assert both[1]["said to the person"] == 0.9


def test_who_is_called_takes_part() -> None:
    lines = talk("bo: gate", "cy: a", "cy: b", "cy: c", "cy: ada: hi")
    got = points(question(GATE, people=["ada"]), lines)
    assert got[1]["the person takes part"] == 5


@pytest.mark.parametrize(("between", "reached"), [(6, True), (9, True), (10, False)])
def test_a_reply_that_names_whom_it_answers_takes_over_the_words_of_the_line(
    between: int, *, reached: bool
) -> None:
    lines = talk("ada: which gate?", *["x: a"] * between, "bo: ada: mine")
    got = points(question(GATE), lines)
    reply = len(lines)
    assert (reply in got) is reached
    if reached:
        whole = bm25(1, 2)
        assert got[reply][HERE] == pytest.approx(0.5 * 10 * 0.9 * whole)
        assert got[reply]["answers a question"] == pytest.approx(0.25 * 10 * whole)
        assert got[reply][NEAR] == pytest.approx(0.35 * 10)


def test_a_line_takes_over_the_words_of_a_reply_and_a_reply_those_of_a_statement() -> None:
    got = points(question(GATE), talk("ada: it broke", *["x: a"] * 6, "bo: ada: the gate"))
    assert got[1][HERE] == pytest.approx(0.5 * 10 * 0.6 * bm25(1, 3))
    got = points(question(GATE), talk("ada: the gate", *["x: a"] * 6, "bo: ada: open"))
    assert got[8][HERE] == pytest.approx(0.5 * 10 * 0.6 * bm25(1, 2))
    assert "answers a question" not in got[8]


def test_a_reply_answers_the_latest_line_with_a_word_of_the_person_it_names() -> None:
    def takes_over(*said: str) -> bool:
        lines = talk(*said, *["x: a"] * 3, "bo: ada: yes")
        return "answers a question" in points(question(GATE), lines).get(len(lines), {})

    assert takes_over("ada: which gate?", *["x: a"] * 3, "ada: any ideas?")
    assert not takes_over("ada: which gate?", *["x: a"] * 3, "ada: the gate")
    assert not takes_over("ada: which gate?", *["x: a"] * 6, "ada: any ideas?")  # too long ago


@pytest.mark.parametrize(
    ("said", "takes_over"),
    [
        (["ada: hi", "cy: the gate", "bo: ada: yes"], False),
        (["ada: hi", "cy: dee: the gate", "x: a", "bo: ada: yes"], False),
        (["ada: hi", "x: a", "x: a", "bo: ada: yes", "cy: the gate"], False),
        (["ada: hi", "bo: the gate", "bo: ada: yes"], True),
        (["ada: hi", "cy: bo: the gate", "bo: ada: yes"], True),
        (["ada: hi", "cy: ada: the gate", "bo: ada: yes"], True),
        (["x: a", "cy: the gate", "bo: ada: yes"], True),  # of ada nothing was heard
    ],
)
def test_a_reply_takes_no_words_from_the_talk_of_others_beside_it(
    said: Sequence[str], *, takes_over: bool
) -> None:
    reply = next(at for at, line in enumerate(said, 1) if line.startswith("bo: ada"))
    assert (reply in points(question(GATE), talk(*said))) is takes_over


def judged(parsed: ParsedQuestion, *talks: Sequence[CandidateLine]) -> list[JudgedLine]:
    ranking = Ranking(parsed)
    return ranking.judged(ranking.ranked(talks, []), talks)


def test_an_answer_is_judged_by_the_words_said_within_four_lines_of_the_best_three() -> None:
    parsed = question(GATE, PAINT)
    far = talk("bo: painted", *["x: a"] * 4, "bo: the gate")
    assert judged(parsed, far)[0].near == {1: 0.8}
    near = talk("bo: painted", *["x: a"] * 3, "bo: the gate")
    assert judged(parsed, near)[0].near == {0: 1.0, 1: 0.8}
    several = judged(parsed, talk(*["bo: gate"] * 9))
    assert [(line.near, line.with_person) for line in several] == [({0: 1.0}, False)] * 3
    assert judged(parsed, talk("bo: lunch")) == []


def test_an_answer_about_a_person_is_judged_where_that_person_takes_part() -> None:
    """The other talk has both words, and so ranks first."""
    parsed = question(GATE, PAINT, people=["ada"])
    theirs = talk("bo: gate paint", "bo: gate paint", "bo: paint the gate")
    hers = [
        line._replace(id=line.id + 10, room=2)
        for line in talk("ada: yes?", "x: gate?", at=NOON + timedelta(days=9))
    ]
    ranking = Ranking(parsed)
    ranked = ranking.ranked([theirs, hers], [])
    assert ranked[0].line.room == 1
    assert {(*line.near, line.with_person) for line in judged(parsed, theirs, hers)} == {(0, True)}
    assert {(*line.near, line.with_person) for line in judged(parsed, theirs)} == {(0, 1, False)}


@pytest.mark.parametrize(
    ("word", "held", "others"),
    [("11.04", "on 11.04!", "04 and 11, or 11, or 11-04"), ("c++", "my C++ gate", "c, c+, or c#")],
)
def test_a_word_with_signs_counts_where_it_stands_as_a_whole(
    word: str, held: str, others: str
) -> None:
    group = TermGroup(word, {word: 1.0}, 3, 9)
    lines = talk(f"bo: {held}", *["x: a"] * 9, f"bo: {others}")
    got = points(question(group), lines)
    assert [at for at, one in got.items() if one[SHARE]] == [1]
    (judged,) = Ranking(question(group)).judged([RankedLine(lines[0], {})], [lines[:3]])
    assert judged.near == {0: 1.0}


def test_what_a_better_line_says_counts_a_tenth_less() -> None:
    said = "the gate stands open at night, and why it does nobody knows"
    lines = talk(
        f"bo: {said}",
        *["x: a"] * 9,
        f"bo: cy: {said.upper()}",
        *["x: a"] * 9,
        f"bo: ada, {said}",
        *["x: a"] * 9,
        "dan: a gate",
    )
    got = points(question(GATE), lines)
    before = {at: one for at, one in got.items() if "said before" in one}
    assert before.keys() == {11, 21}  # the calls make them longer, so the first is the best
    for one in before.values():
        whole = sum(one.values()) - one["said before"]
        assert one["said before"] == pytest.approx(-0.1 * whole)
    assert [at for at in got if at % 10 == 1] == [31, 1, 21, 11]


@pytest.mark.parametrize(("length", "is_repeated"), [(39, False), (40, True)])
def test_short_texts_may_be_said_again(length: int, *, is_repeated: bool) -> None:
    said = "the gate".ljust(length, "!")
    got = points(question(GATE), talk(f"bo: {said}", *["x: a"] * 9, f"bo: {said}"))
    assert ("said before" in got[1]) is is_repeated
    assert "said before" not in got[11]  # of equals the newer one comes first


def test_a_line_by_a_nick_that_may_be_a_word_counts_a_little_less_than_one_with_the_word() -> None:
    lines = talk("ada: the gate", "gate: tea", "ada: tea", apart=10_000)
    got = points(question(replace(GATE, speaker="gate"), KEY), lines)
    assert got[1][AROUND] > got[2][AROUND] > 0
    assert 3 not in got
    assert TAKES_PART not in got[2]
    assert points(question(GATE, KEY), lines).keys() == {1}
