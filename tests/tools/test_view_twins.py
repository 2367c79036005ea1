"""What a view hides leaves no trace: without it, every answer is the same.

HISTORIES in the environment sets how many random histories are asked: 300 in `make soak`, where
each of forty hidden words is asked for, too.
"""

import os
import random
import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.times.timestamps import to_iso
from tests.store.scene import NOON, line_of
from tests.tools.scene import House
from tests.tools.twins import END, History, ask_everything, histories, questions, twins, views

PAST: dict[str, Any] = {"as_of": to_iso(NOON + timedelta(days=4)), "now": to_iso(END)}

PICKS = st.lists(st.integers(0, 200), min_size=2, max_size=4)
HISTORIES = int(os.environ.get("HISTORIES", "8"))


@given(histories(), views(), questions(), PICKS)
@settings(
    max_examples=HISTORIES,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
async def test_with_and_without_the_hidden_lines_every_answer_is_the_same(
    history: History,
    view: dict[str, Any],
    calls: list[tuple[str, dict[str, Any]]],
    picks: list[int],
) -> None:
    async with twins(history, view) as pair:
        await ask_everything(pair, calls, picks)


@pytest.mark.parametrize(
    ("early", "later", "near"),
    [
        (["eve_", "eve_", "eve^"], ["eve^"] * 5, "eve^, eve_"),
        (["eve|", "eve|", "\u00e8ve_"], ["eve_"], "\u00e8ve_, eve|"),
    ],
    ids=["lines", "a nick"],
)
async def test_similar_nicks_are_in_the_same_order_whatever_was_said_later(
    early: Sequence[str], later: Sequence[str], near: str
) -> None:
    days = [[line_of(nick, "tea") for nick in early],
            [line_of(nick, "milk", NOON + timedelta(days=8)) for nick in later]]  # fmt: skip
    async with twins(History(days, [], [], []), PAST) as pair:
        told = await pair.answers("lookup_nick", nick="eve")
    assert f"similar nicks: {near}" in told.text


@pytest.mark.parametrize("asked", ["what did zed say about the kettle?", "did zed paint?"])
async def test_who_wrote_only_commands_before_they_spoke_is_no_speaker_yet(asked: str) -> None:
    days = [
        [line_of("ada", "the kettle is on"), line_of("zed", "!search tea"),
         line_of("ada", "zed told me of the kettle")],
        [line_of("zed", "good evening", NOON + timedelta(days=8))],
    ]  # fmt: skip
    async with twins(History(days, [], [], []), PAST) as pair:
        await pair.answers("search_irc_history", query=asked)


WORDS = 40
ASKED = slice(None, None, 1 if "HISTORIES" in os.environ else 3)
"""Which of them are asked for: every third is one of each number of lines in each place."""

VISIBLE = ["kettle", "gate", "garden", "window", "ladder", "basket", "bucket", "hammer"]
WEIGHTS = [34, 21, 13, 8, 5, 3, 2, 1]


def made_up(rng: random.Random, count: int) -> list[str]:
    """Words that nobody says, such as `gopuvari`."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aiou"]
    words = set[str]()
    while len(words) < count:
        words.add("".join(rng.choices(syllables, k=4)))
    return sorted(words, key=lambda _: rng.random())


async def talked_about(house: House, hidden: Sequence[str], rng: random.Random) -> None:
    """A channel of everyday things; a secret one beside it, and later lines, with the others."""
    for n in range(120):
        text = " ".join(rng.choices(VISIBLE, WEIGHTS, k=rng.randint(1, 6)))
        ending = rng.choice(["?", "", " yesterday"])
        await house.hears(f"<{rng.choice(['ada', 'bo', 'cy'])}> {text}{ending}", at=at(n))
    for n, word in enumerate(hidden):
        everyday = rng.choice(VISIBLE)
        secret = "\n".join([f"<{word}> {word} {everyday} {word}s"] * (1 + n % 7))
        if n % 2:
            await house.hears(secret, "#secret", at=at(n))
        else:
            await house.hears(secret, at=NOON + timedelta(days=5, minutes=10 * n))


def at(n: int) -> Any:
    return NOON + timedelta(minutes=7 * n)


ASKING = [
    "what did ada say about the {} and the garden ladder?", "kettle {} gate hammer",
    "when was the {} in the bucket yesterday?", "from:{} ladder", "{}x basket bo window",
]  # fmt: skip


@pytest.mark.parametrize(
    "view",
    [
        {"channel": "net/#tea", "as_of": to_iso(NOON + timedelta(days=3)), "now": to_iso(END)},
        {"channel": "net/#tea", "as_of": to_iso(NOON + timedelta(minutes=500))},
    ],
    ids=["the past", "the middle"],
)
async def test_forty_hidden_words_are_told_apart_no_better_than_chance(
    house: House, view: dict[str, Any]
) -> None:
    rng = random.Random(21)  # noqa: S311 -- made-up words
    words = made_up(rng, 2 * WORDS)
    hidden, unsaid = words[:WORDS], words[WORDS:]
    await talked_about(house, hidden, rng)
    # Whoever knows all answers but the word sees the same of a hidden word as of an unsaid one.
    usual = [await answer(house, view, ask, unsaid[0]) for ask in ASKING]
    for word in (*unsaid[ASKED], *hidden[ASKED]):
        assert [await answer(house, view, ask, word) for ask in ASKING] == usual, word


async def answer(house: House, view: dict[str, Any], ask: str, word: str) -> str:
    """What a search answers, but for the word and what is made from the question's text."""
    told = await house.learns("search_irc_history", view, query=ask.format(word), format="json")
    text = re.sub(r"\[(/?)irc [0-9a-f]{4}", r"[\1irc", f"{told.text}\n{told.facts}")
    text = re.sub(r"cursor=\S+|'next_cursor': '\S*'", "", text)
    return text.replace(word, "WORD")


async def test_without_a_view_the_whole_history_still_counts(house: House) -> None:
    rng = random.Random(21)  # noqa: S311 -- made-up words
    (word,) = made_up(rng, 1)
    await talked_about(house, [word], rng)
    told = await house.learns("search_irc_history", query=f"{word}x")
    assert f"<{word}> {word}" in told.text
