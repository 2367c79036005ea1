"""The offset of a log's clock is found where people's words show it, and nowhere else."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.store.recognition.clock_offset import (
    FARTHEST,
    FEWEST,
    LONG,
    ClockOffset,
    ClockStretch,
    distinctive,
    offsets_along,
)
from terrarium_mcp.store.recognition.comparison import ComparableLine
from tests.store.recognition.test_once import MINUTE, SECOND, said

HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE


def talk(count: int = 20, gap: float = 30.0, offset: float = 0) -> list[ComparableLine]:
    """Two people say long things; the clock of who wrote it down was fast by `offset` seconds."""
    return [
        said(f"sentence number {n} of a long conversation", n * gap + offset, ("ada", "bo")[n % 2])
        for n in range(count)
    ]


def in_minutes(lines: Sequence[ComparableLine]) -> list[ComparableLine]:
    """The same lines as a program writes them that names minutes only."""
    return [
        line._replace(at=line.at // MINUTE * MINUTE, resolution=MINUTE)  # as a clock shows it
        for line in lines
    ]


def stretches(
    lines: Sequence[ComparableLine], stored: Sequence[ComparableLine]
) -> list[ClockStretch]:
    every = [line.at for line in stored]
    return offsets_along(distinctive(lines), stored, (min(every), max(every)))


def found(lines: Sequence[ComparableLine], stored: Sequence[ComparableLine]) -> ClockOffset | None:
    found = stretches(lines, stored)
    assert len(found) < 2
    return found[0].offset if found else None


@pytest.mark.parametrize("seconds", [5, 37, -90, 3_600, -7_200])
def test_an_offset_is_found_to_the_second(seconds: int) -> None:
    assert found(talk(offset=seconds), talk()) == ClockOffset(seconds * SECOND, SECOND, 20)


@pytest.mark.parametrize(("seconds", "margin"), [(0, 1), (1, 2), (-3, 4)])
def test_what_the_rule_bridges_anyway_is_no_offset(seconds: int, margin: int) -> None:
    assert found(talk(offset=seconds), talk()) == ClockOffset(0, margin * SECOND, 20)


@given(st.integers(-2 * HOUR, 2 * HOUR), st.integers(7, 50))
def test_minutes_show_it_within_their_margin(offset: int, gap: int) -> None:
    minutes = in_minutes([line._replace(at=line.at + offset) for line in talk(gap=gap)])
    clock = found(minutes, talk(gap=gap))
    assert clock is not None
    assert abs(clock.milliseconds - offset) <= clock.margin + SECOND


def test_little_evidence_shows_nothing() -> None:
    assert found(talk(FEWEST, offset=37), talk(FEWEST))
    assert found(talk(FEWEST - 1, offset=37), talk(FEWEST - 1)) is None
    alone = [line._replace(nick="ada") for line in talk()]
    assert found([line._replace(at=line.at + 37 * SECOND) for line in alone], alone) is None
    short = [line._replace(text=line.text[: LONG - 1]) for line in talk()]
    assert distinctive(short) == []


def test_lines_that_disagree_show_nothing() -> None:
    jumping = [line._replace(at=line.at + n * 60 * SECOND) for n, line in enumerate(talk())]
    assert found(jumping, talk()) is None


def test_a_clock_that_was_set_has_an_offset_before_and_one_after() -> None:
    right, fast = talk(60), talk(60, offset=37)
    assert stretches([*fast[:20], *right[20:50], *fast[50:]], right) == [
        ClockStretch(0, 19, ClockOffset(37 * SECOND, SECOND, 20)),
        ClockStretch(20, 49, ClockOffset(0, SECOND, 30)),
        ClockStretch(50, 59, ClockOffset(37 * SECOND, SECOND, 10)),
    ]


def test_a_clock_that_drifts_has_several_offsets() -> None:
    drifting = [line._replace(at=line.at + n * SECOND // 10) for n, line in enumerate(talk(400))]
    every = stretches(drifting, talk(400))
    assert {n for one in every for n in range(one.first, one.last + 1)} == {*range(400)}
    for first, last, offset in every:
        assert abs(first * SECOND // 10 - offset.milliseconds) <= 5 * SECOND
        assert abs(last * SECOND // 10 - offset.milliseconds) <= 5 * SECOND


def test_a_few_lines_that_disagree_are_no_clock_that_was_set() -> None:
    lines = [*talk(20), *talk(20 + FEWEST - 1, offset=37)[20:], *talk(60)[20 + FEWEST - 1 :]]
    assert found(lines, talk(60)) == ClockOffset(0, SECOND, 60 - FEWEST + 1)


def test_what_bots_say_every_day_is_no_offset() -> None:
    def day(n: int) -> list[ComparableLine]:
        announcements = [
            said(f"announcement {k}: the weekly meeting is on Monday", n * DAY + k * HOUR, bot)
            for k, bot in enumerate(["robo", "newsbot"] * 6)
        ]
        people = [
            said(
                f"on day {n} the kettle said {k} times hello",
                n * DAY + k * 600,
                ("ada", "bo")[k % 2],
            )
            for k in range(30)
        ]
        return sorted(announcements + people)

    assert found([line._replace(at=line.at - DAY // 2) for line in day(1)], day(0)) is None


def test_no_offset_is_as_long_as_a_day() -> None:
    farther = FARTHEST // SECOND + 60
    assert found(talk(offset=farther), talk()) is None
    assert found(talk(offset=farther - 120), talk()) is not None


def test_logs_that_overlap_a_little_show_it_too() -> None:
    assert found(talk(40, offset=37)[20:], talk(30)) == ClockOffset(37 * SECOND, SECOND, 10)


def test_repeats_are_no_evidence() -> None:
    twice = [*talk(), *talk(offset=1_000)]
    assert distinctive(twice) == []
    assert found(talk(offset=37), sorted(twice)) is None
