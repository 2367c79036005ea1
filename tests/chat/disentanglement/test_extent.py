"""Which lines of a conversation are shown: all but those that are both far and doubtful."""

from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.disentanglement import (
    Extent,
    ReplyLink,
    Utterance,
    extent_of,
    find_links,
)
from terrarium_mcp.chat.disentanglement.extent import NEAR_LINES, SILENCE
from tests.chat.disentanglement.scene import (
    KETTLE,
    KETTLE_AND_TRAIN,
    LATE_REPLY,
    TRAIN_BACK,
    conversation_of,
    talk,
)


def lines(links: Sequence[ReplyLink]) -> list[int]:
    return [link.line for link in links]


def chain(
    probabilities: Sequence[float], pauses: Sequence[float]
) -> tuple[list[Utterance], list[ReplyLink]]:
    """Lines that each answer the one before, so many seconds later."""
    times = [0.0, *accumulate(pauses)]
    said = [Utterance(n, at, "ann", "tea") for n, at in enumerate(times, 1)]
    links = [ReplyLink(n, n - 1, chance) for n, chance in enumerate(probabilities, 2)]
    return said, [ReplyLink(1, None, 1.0), *links]


def test_talk_of_other_hours_is_left_out_and_the_late_reply_is_shown() -> None:
    said = talk(KETTLE_AND_TRAIN)
    links = find_links(said)
    assert set(TRAIN_BACK) < set(lines(conversation_of(1, links)))
    extent = extent_of(1, said, links)
    assert {*KETTLE, LATE_REPLY} <= set(lines(extent.shown))
    assert lines(extent.left_out) == TRAIN_BACK


def test_the_same_talk_without_a_silence_is_shown_whole() -> None:
    minutes = iter(range(100))
    said = [
        Utterance(one.id, 60.0 * next(minutes), one.nick, one.text)
        for one in talk(KETTLE_AND_TRAIN)
    ]
    links = find_links(said)
    assert extent_of(1, said, links) == Extent(conversation_of(1, links), [])


FAR = NEAR_LINES + 2
"""Lines of a chain whose last one is just far from the first."""


@pytest.mark.parametrize(
    ("weak", "pause", "shown"),
    [
        ([0.4, 0.04], SILENCE, False),
        ([0.4, 0.04], SILENCE - 1, True),  # no silence
        ([0.4, 0.1], SILENCE, True),  # two links that may be right
        ([0.4, 0.1], 9 * SILENCE, False),  # but hardly after an hour and a half
        ([0.4], 9 * SILENCE, True),
        ([0.4], 1000 * SILENCE, False),  # a week
        ([0.5], 1000 * SILENCE, True),
        ([0.6] * 9, SILENCE, True),  # hardly all right, but each more likely than not
        ([0.01], SILENCE, False),
    ],
)
def test_a_line_is_left_out_if_it_is_both_far_and_doubtful(
    weak: list[float], pause: float, shown: bool
) -> None:
    said, links = chain([1.0] * (FAR - 1 - len(weak)) + weak, [60] * (FAR - 2) + [pause])
    extent = extent_of(1, said, links)
    assert (FAR in lines(extent.shown)) == shown
    assert (FAR in lines(extent.left_out)) == (not shown)
    assert FAR - 1 in lines(extent.shown)  # a line of a near place is shown in any case


def test_it_is_the_same_before_the_message_and_after_it() -> None:
    probabilities = [0.05, 0.4, *[0.9] * 10]
    said, links = chain(probabilities, [60, 2 * SILENCE, *[60] * 10])
    assert lines(extent_of(13, said, links).left_out) == [1]
    assert lines(extent_of(13, said, links).shown) == list(range(2, 14))
    assert lines(extent_of(1, said, links).left_out) == [10, 11, 12, 13]


def test_a_line_is_known_by_its_chain_even_through_a_message_outside_the_window() -> None:
    said, links = chain([0.01] * 12, [SILENCE] * 12)
    tagged = {n: ReplyLink(n, None, 1.0, outside="gone", tagged=True) for n in (1, len(links))}
    extent = extent_of(1, said, [tagged.get(link.line, link) for link in links])
    assert len(links) in lines(extent.shown)


def test_a_message_that_is_not_in_the_window_has_no_extent() -> None:
    said, links = chain([0.9], [60])
    assert extent_of(7, said, links) == Extent()
    assert extent_of(7, [], []) == Extent()


@st.composite
def windows(draw: st.DrawFn) -> tuple[list[Utterance], list[ReplyLink]]:
    """Any links of any probability, also to later lines, at any times."""
    count = draw(st.integers(1, 40))
    pauses = draw(
        st.lists(st.sampled_from([0, 1, 60, SILENCE - 1, SILENCE, 90_000]), min_size=count - 1,
                 max_size=count - 1)
    )  # fmt: skip
    times = [0.0, *accumulate(pauses)]
    said = [Utterance(n, at, "ann", "tea") for n, at in enumerate(times)]
    links = []
    for n in range(count):
        answers = draw(st.none() | st.integers(0, count - 1))
        outside = draw(st.sampled_from(["", "", "m1", "m2"])) if answers is None else ""
        chance = draw(st.sampled_from([0.01, 0.1, 0.3, 0.49, 0.5, 0.9, 1.0]))
        links.append(ReplyLink(n, answers, chance, outside))
    return said, links


@given(windows(), st.data())
def test_every_line_of_the_conversation_is_shown_or_left_out_once_and_the_message_is_shown(
    window: tuple[list[Utterance], list[ReplyLink]], data: st.DataObject
) -> None:
    said, links = window
    message = data.draw(st.integers(0, len(said) - 1))
    extent = extent_of(message, said, links)
    assert sorted([*extent.shown, *extent.left_out]) == sorted(conversation_of(message, links))
    assert message in lines(extent.shown)
    assert lines(extent.shown) == sorted(lines(extent.shown))
    for link in extent.left_out:
        assert abs(link.line - message) > NEAR_LINES
        assert abs(said[link.line].at - said[message].at) >= SILENCE
