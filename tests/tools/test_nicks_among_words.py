"""A search that finds nothing, for a word that is the nick of somebody who spoke."""

from datetime import timedelta

import pytest

from terrarium_mcp.chat.records import MessageType
from tests.store.scene import NOON, line_of
from tests.tools.scene import House, Told

TALK = """
    <KrisWood> the gate is open
    <KrisWood> and the shed
    <eve> hello all
    <\u00c4nne> roses need water
    <\u043f\u0451\u0442\u0440> \u043f\u0440\u0438\u0432\u0435\u0442
    <\u8336\u4eba> \u6c34\u304c\u8981\u308b
    <will> that works
"""


def notes(told: Told) -> list[str]:
    return [line for line in told.outside.splitlines() if line.startswith("note: ")]


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("KrisWood", "from:KrisWood finds 2 lines"),
        ("kriswood?", "from:kriswood finds 2 lines"),
        ("eve", "from:eve finds 1 line"),
        ("<eve>", "from:eve finds 1 line"),
        ("eve:", "from:eve finds 1 line"),
        ("eve in:#tea", "from:eve in:#tea finds 1 line"),
        ("\u00c4nne", "from:\u00c4nne finds 1 line"),
        ("what happened to \u00c4nne?", "from:\u00c4nne finds 1 line"),
        (
            "\u0447\u0442\u043e \u0441\u043a\u0430\u0437\u0430\u043b \u043f\u0451\u0442\u0440?",
            "from:\u043f\u0451\u0442\u0440 finds 1 line",
        ),
        ("\u8336\u4eba", "from:\u8336\u4eba finds 1 line"),
    ],
)
async def test_the_query_for_the_lines_of_a_nick_that_nobody_says_is_named(
    house: House, query: str, finds: str
) -> None:
    await house.hears(TALK)
    told = await house.learns("search_irc_history", query=query)
    assert told.ids == []
    assert notes(told) == [f"note: the query {finds}"]


async def test_a_nick_of_one_line_that_nobody_says_weighs_in_a_question(house: House) -> None:
    await house.hears(TALK)
    told = await house.learns("search_irc_history", query="what about eve?")
    assert told.lines[1].endswith("<eve> hello all")


@pytest.mark.parametrize(
    "query", ["zeppelin", "eve before:2026-04", "from:KrisWood eve", "will", "eve in:#mate"]
)
async def test_of_a_word_that_is_no_nick_with_lines_there_nothing_is_said(
    house: House, query: str
) -> None:
    await house.hears(TALK)
    await house.hears("<bo> hello", "#mate")
    told = await house.learns("search_irc_history", query=query)
    assert "the query from:" not in told.text


async def test_a_nick_that_is_said_is_a_word(house: House) -> None:
    (said,) = await house.hears("<bo> KrisWood, hello")
    await house.hears(TALK, at=NOON + timedelta(hours=1))
    told = await house.learns("search_irc_history", query="KrisWood")
    assert told.ids == [said]
    assert "the query from:" not in told.text


@pytest.mark.parametrize("view", [{"channel": "#mate"}, {"as_of": NOON.isoformat()}])
async def test_of_a_nick_beyond_the_view_nothing_is_said(
    house: House, view: dict[str, object]
) -> None:
    await house.hears("<bo> hello", "#mate", at=NOON - timedelta(days=1))
    await house.hears("<bo> hello", at=NOON - timedelta(days=1))
    await house.hears(TALK)
    told = await house.learns("search_irc_history", view, query="KrisWood")
    other = await house.learns("search_irc_history", view, query="CarlWood")
    assert told.everything == other.everything.replace("CarlWood", "KrisWood")


async def test_of_a_flood_of_nicks_a_few_are_tried(house: House) -> None:
    names = [f"zoe{n}" for n in range(20)]
    joins = [line_of(name, "", NOON, kind=MessageType.JOIN) for name in names]
    await house.store.messages.append(joins)
    told = await house.learns("search_irc_history", query=f"{' '.join(names)} type:join")
    assert len(notes(told)) == 8
