"""!recent: the newest lines, for who comes in, comes back, or looks for what somebody just said."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.irc_bridge.ask.short_commands.recent import MOST, RecentLines, recent_lines
from tests.irc_bridge.ask.desk import desk
from tests.irc_bridge.house import came, said


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("", RecentLines()),
        ("10", RecentLines(10)),
        ("alice", RecentLines(nicks=("alice",))),
        ("10 alice", RecentLines(10, nicks=("alice",))),
        ("alice #tea 2", RecentLines(2, "#tea", ("alice",))),
        ("9999999", RecentLines(MOST)),
        ("9" * 400, RecentLines(MOST)),
        ("0", None),
        ("1 2", None),
        ("alice bob", None),
        ("#tea #mate", None),
        ('"alice"', RecentLines(nicks=("alice",))),
        ('"', None),
        ("@alice?", RecentLines(nicks=("alice",))),
        ("?", None),
        ("alice,bo", RecentLines(nicks=("alice", "bo"))),
        ("5 alice , @bo #tea", RecentLines(5, "#tea", ("alice", "bo"))),
        (",", None),
    ],
)
def test_number_channel_and_nick_are_told_apart(typed: str, wanted: RecentLines | None) -> None:
    assert recent_lines(typed) == wanted


@given(st.text(max_size=100))
def test_any_words_select_lines_or_none(words: str) -> None:
    wanted = recent_lines(words)
    if wanted:
        assert 1 <= wanted.count <= MOST
        assert not any('"' in nick for nick in wanted.nicks)


async def test_the_newest_four_are_dated_oldest_first(tmp_path: Path) -> None:
    lines = [said(f"line {n}") for n in range(30)]
    async with desk(tmp_path, lines) as scene:
        quoted = await scene.asks("!recent")
        assert [line.partition("<bo> ")[2] for line in quoted] == [
            f"line {n} ({n + 1})" for n in range(26, 30)
        ]
        assert quoted[0].startswith(f"{lines[26].said_at:%Y-%m-%d %H:%M} <bo>")
        assert len(await scene.asks("!recent 7")) == 7
        assert len(await scene.asks("!recent 5000")) == MOST


async def test_of_one_person_in_any_case(tmp_path: Path) -> None:
    lines = [said("one", nick="Alice"), said("two"), said("three", nick="alice"), said("four")]
    async with desk(tmp_path, lines) as scene:
        quoted = await scene.asks("!recent ALICE")
        assert [line[17:] for line in quoted] == ["<Alice> one (1)", "<alice> three (3)"]
        assert [line[17:] for line in await scene.asks("!recent 1 alice")] == ["<alice> three (3)"]
        several = await scene.asks("!recent alice, cy,bo 3")
        assert [line[17:] for line in several] == [
            "<bo> two (2)",
            "<alice> three (3)",
            "<bo> four (4)",
        ]
        (nobody,) = await scene.asks("!recent alic")
        assert nobody.startswith("Nothing found. No one called alic is recorded here; similar")


async def test_joins_are_shown_and_several_in_one_line(tmp_path: Path) -> None:
    lines = [
        said("hello"),
        came("cy"),
        came("dee"),
        came("cy", MessageType.QUIT),
        said("hello cy", nick="ada"),
        came("eve"),
        came("op", MessageType.TOPIC),
    ]
    async with desk(tmp_path, lines) as scene:
        texts = [line[17:] for line in await scene.asks("!recent 20")]
        assert texts[:4] == [
            "<bo> hello (1)",
            "* cy, dee joined; cy left",
            "<ada> hello cy (5)",
            "* eve joined (6)",
        ]
        assert len(texts) == 5


async def test_who_is_back_behind_several_joins_is_not_shown_as_gone(tmp_path: Path) -> None:
    left, quit_ = MessageType.PART, MessageType.QUIT
    lines = [
        said("hello"),
        *(came("cy", left), came("cy")),
        *(came("dee"), came("dee", quit_), came("dee")),
        *(came("eve", quit_), came("eve"), came("eve", left)),
    ]
    async with desk(tmp_path, lines) as scene:
        text = (await scene.asks("!recent 20"))[-1]
        assert text[17:] == "* dee joined; eve left; cy left and came back"


async def test_behind_a_netsplit_the_spoken_lines_are_shown(tmp_path: Path) -> None:
    lines = [said(f"line {n}") for n in range(6)] + [came(f"n{n}") for n in range(400)]
    spoken = ["<bo> line 2 (3)", "<bo> line 3 (4)", "<bo> line 4 (5)", "<bo> line 5 (6)"]
    async with desk(tmp_path, lines) as scene:
        texts = [line[17:] for line in await scene.asks("!recent")]
        assert texts == [*spoken[1:], "* n0, n1, n2, n3, n4 and 395 more joined"]
        await scene.store.messages.append([came(f"m{n}") for n in range(200)])
        texts = [line[17:] for line in await scene.asks("!recent")]
        assert texts == spoken  # a number of joins that is not exact is not said


async def test_where_nobody_spoke_who_came_is_shown(tmp_path: Path) -> None:
    async with desk(tmp_path, [came("cy"), came("dee")]) as scene:
        assert [line[17:] for line in await scene.asks("!recent")] == ["* cy, dee joined"]


async def test_what_the_bot_says_of_its_further_lines_is_not_quoted(tmp_path: Path) -> None:
    lines = [
        said("| because (1 more: !more)", nick="Terra", own=True),
        said("(12 more: t! more)", nick="Terra", own=True),
        said("type (1 more: !more)"),
    ]
    async with desk(tmp_path, lines) as scene:
        of_bo, of_terra = "<bo> type (1 more: !more) (3)", "<Terra> | because (1)"
        assert [line[17:] for line in await scene.asks("!recent")] == [of_terra, of_bo]
        assert [line[17:] for line in await scene.asks("!recent Terra")] == [of_terra]
        assert [line[17:] for line in await scene.asks("!context 1")] == [of_terra, of_bo]


async def test_what_the_bot_said_is_shown(tmp_path: Path) -> None:
    lines = [said("!ask why?"), said("bo: [LLM] because", nick="Terra", own=True)]
    async with desk(tmp_path, lines) as scene:
        assert [line[17:] for line in await scene.asks("!recent")] == [
            "<bo> !ask why? (1)",
            "<Terra> bo: [LLM] because (2)",
        ]
        around = await scene.asks("!context 1")
        assert [line[17:] for line in around] == [
            "<bo> !ask why? (1)",
            "<Terra> bo: [LLM] because (2)",
        ]
        assert [line[17:] for line in await scene.asks("!recent Terra")] == [
            "<Terra> bo: [LLM] because (2)"
        ]


async def test_in_private_a_channel_is_named_or_all_that_we_share_are_read(tmp_path: Path) -> None:
    lines = [
        said("tea"),
        came("cy"),
        said("", nick="dee", channel="#mate", kind=MessageType.JOIN),
        said("mate", channel="#mate"),
    ]
    lines.append(said("secret", channel="#x"))
    shared = ("#tea", "#mate")
    async with desk(tmp_path, lines) as scene:
        both = await scene.asks("!recent", channel="", shared=shared)
        assert [line[17:] for line in both] == [
            "#tea <bo> tea (1)",
            "#tea * cy joined (2)",
            "#mate * dee joined (3)",
            "#mate <bo> mate (4)",
        ]
        (mate,) = await scene.asks("!recent 1 #MATE", channel="", shared=shared)
        assert mate[17:] == "#mate <bo> mate (4)"
        (other,) = await scene.asks("!recent #x", channel="", shared=shared)
        assert other == "No channel #x. Known channels: #mate, #tea."
        (around,) = await scene.asks("!context 4", channel="", shared=shared)
        assert around[17:] == "#mate <bo> mate (4)"
        (hidden,) = await scene.asks("!context 5", channel="", shared=shared)
        assert hidden.startswith("No message 5 here. ")
        (here,) = await scene.asks("!recent #mate")
        assert here.endswith("In private I read every channel that we are both in.")


async def test_who_asks_for_what_cannot_be_is_told_how_to_ask(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        assert await scene.asks("!recent 0") == [
            "Which lines? For example: !recent 10, !recent alice. 20 at most."
        ]
        assert await scene.asks("!recent a b", channel="", shared=["#tea"]) == [
            "Which lines? For example: !recent 10, !recent alice, !recent #tea. 20 at most."
        ]
