"""Confidence: when even the best lines are unlikely to answer a question."""

from dataclasses import replace
from math import log

import pytest

from terrarium_mcp.store.search.relevance.confidence import confidence, is_weak
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, TermGroup
from terrarium_mcp.store.search.relevance.ranking import JudgedLine, RankedAnswer

LINES = 10_000
RARE = TermGroup("submarine", {"submarine": 1.0}, 0, 0)
COMMON = TermGroup("gate", {"gate": 1.0}, 1_000, 1_000)


def answer(
    *near: int,
    people: tuple[str, ...] = (),
    takes_part: bool = False,
    lines_of_person: int = 500,
    lines: int = LINES,
    groups: tuple[TermGroup, ...] = (RARE, COMMON),
) -> RankedAnswer:
    """Judged lines near which these groups were said, one bit each, in the words asked."""
    parsed = ParsedQuestion(
        people,
        (),
        groups,
        asks_when=False,
        lines=lines,
        lines_in_rooms=lines,
        lines_by=dict.fromkeys(people, lines_of_person),
        length=9.0,
    )
    return RankedAnswer(parsed, (), [], [JudgedLine(whole(bits), takes_part) for bits in near])


def whole(bits: int) -> dict[int, float]:
    return {group: 1.0 for group in range(bits.bit_length()) if bits >> group & 1}


def share(group: TermGroup, lines: int = LINES) -> float:
    """The share of a group by its rarity to the power of one and a half."""
    weight = {
        one.word: log(1 + (lines - one.lines + 0.5) / (one.lines + 0.5)) ** 1.5
        for one in (RARE, COMMON)
    }
    return float(weight[group.word] / sum(weight.values()))


def test_the_rarest_word_of_a_question_is_most_of_it() -> None:
    assert confidence(answer(0b11)) == pytest.approx(1)
    assert confidence(answer(0b10)) == pytest.approx(share(COMMON))
    assert share(COMMON) < 0.2
    assert is_weak(answer(0b10))
    assert not is_weak(answer(0b01))


def test_the_best_of_the_judged_lines_counts() -> None:
    assert confidence(answer(0, 0b10, 0b01)) == pytest.approx(share(RARE))


def test_a_form_or_a_related_word_is_less_than_the_word() -> None:
    parsed = answer().parsed
    said = [JudgedLine({0: 0.8, 1: 0.3}, with_person=False)]
    expected = 0.8 * share(RARE) + 0.3 * share(COMMON)
    assert confidence(RankedAnswer(parsed, (), [], said)) == pytest.approx(expected)


def test_without_any_line_the_answer_is_weak() -> None:
    assert is_weak(answer())


def test_words_count_less_where_the_person_takes_no_part() -> None:
    assert confidence(answer(0b11, people=("ada",))) == pytest.approx(0.4)
    assert is_weak(answer(0b11, people=("ada",)))
    assert not is_weak(answer(0b01, people=("ada",), takes_part=True))


@pytest.mark.parametrize(("lines", "more"), [(60, 0.3), (61, 0.1)])
def test_a_person_who_takes_part_likely_answers_more_so_one_of_few_lines(
    lines: int, more: float
) -> None:
    said = answer(0b10, people=("ada",), takes_part=True, lines_of_person=lines)
    assert confidence(said) == pytest.approx(share(COMMON) + more)


def test_a_longer_history_needs_more() -> None:
    even = (TermGroup("gate", {"gate": 1.0}, 0, 0), TermGroup("key", {"key": 1.0}, 0, 0))
    third = (*even, TermGroup("tea", {"tea": 1.0}, 0, 0))
    assert is_weak(answer(0b1, groups=third))
    assert not is_weak(answer(0b1, groups=even, lines=100_000))
    assert not is_weak(answer(0b11, groups=third, lines=10_000_000))
    assert is_weak(answer(0b1, groups=even, lines=1_000_000))


def test_of_a_long_question_less_is_enough() -> None:
    words = [TermGroup(f"word{n}", {f"word{n}": 1.0}, 0, 0) for n in range(12)]
    assert is_weak(answer(0b1, groups=tuple(words[:3])))
    assert is_weak(answer(0b1, groups=tuple(words[:4])))
    assert not is_weak(answer(0b11, groups=tuple(words[:6])))
    assert is_weak(answer(0b1, groups=tuple(words)))
    assert not is_weak(answer(0b11, groups=tuple(words)))


def test_a_word_of_asking_is_little_of_a_question() -> None:
    asking = TermGroup("recommend", {"recommend": 1.0}, 1_000, 1_000)
    assert confidence(answer(0b01, groups=(COMMON, asking))) == pytest.approx(1 / 1.3)


def test_words_of_which_none_was_said_are_weak_whatever_stands_for_them() -> None:
    guessed = [replace(group, is_unsaid=True, is_guessed=True) for group in (RARE, COMMON)]
    assert not is_weak(answer(0b11))
    assert is_weak(answer(0b11, groups=tuple(guessed)))
    assert not is_weak(answer(0b11, groups=(guessed[0], COMMON)))
    assert not is_weak(answer(0b1, groups=(guessed[0],)))  # a slip
