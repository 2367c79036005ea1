"""!who: a list that fits, however many there are."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from terrarium_mcp.chat.defusing import Unaddressed
from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.answer.reply import SHOWN
from tests.irc_bridge.answer.replies import replied
from tests.irc_bridge.ask.desk import TEXT_BYTES, Desk, desk
from tests.irc_bridge.house import said


async def seat(scene: Desk, channel: str, *people: Member) -> None:
    """Let these be the members of a channel."""
    await scene.store.presence.replace("local", channel, people, datetime.now(UTC))


async def test_ranks_are_counted_and_those_with_a_rank_named_first(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        await seat(scene, "#tea", Member("cy"), Member("bo", "+"), Member("Op", "@"))
        (line,) = await scene.asks("!who")
        assert line.startswith("3 in #tea")
        assert line.endswith(": 1 operator, 1 voiced, 1 other: @Op, +bo, cy")


@pytest.mark.parametrize(("people", "longest"), [(200, 9), (200, 30), (1500, 16), (160, 1)])
async def test_two_hundred_fit_into_the_lines_said_at_once(
    tmp_path: Path, people: int, longest: int
) -> None:
    nicks = [f"n{number}".ljust(longest, "x") for number in range(people)]
    async with desk(tmp_path, [said("tea")]) as scene:
        await seat(scene, "#tea", Member("chair", "@"), *map(Member, nicks))
        (line,) = await scene.asks("!who")
        assert line.startswith(f"{people + 1:,} in #tea")
        assert f": 1 operator, {people:,} others: @chair, " in line
        named, _, left = line.partition(": @chair, ")[2].partition(" and ")
        assert len(named.split(", ")) + int(left.removesuffix(" more") or 0) == people
        defused = Unaddressed(frozenset(nicks), str).defused(line)
        reply = replied([defused], to="n" * 30, mark="", line_bytes=TEXT_BYTES + 40)
        assert len(reply.now) <= SHOWN
        assert not reply.more
        assert longest > 1 or len(named.split(", ")) > 100


async def test_several_channels_share_the_lines(tmp_path: Path) -> None:
    channels = ["#tea", "#mate"]
    lines = [said("hello", channel=channel) for channel in channels]
    async with desk(tmp_path, lines) as scene:
        for channel in channels:
            await seat(scene, channel, *(Member(f"person{number}") for number in range(150)))
        both = await scene.asks("!who", channel="", shared=channels)
        assert [line.partition(" (")[0] for line in both] == ["150 in #mate", "150 in #tea"]
        assert all(line.endswith(" more") for line in both)
        reply = replied(both, to="", mark="", line_bytes=TEXT_BYTES)
        assert len(reply.now) <= SHOWN
        assert not reply.more
        (tea,) = await scene.asks("!who #TEA", channel="", shared=channels)
        assert tea.startswith("150 in #tea")


@pytest.mark.parametrize("typed", ["!who bo", "!who #tea bo", "!who is there?"])
async def test_an_argument_that_is_no_channel_is_not_ignored(tmp_path: Path, typed: str) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        await seat(scene, "#tea", Member("cy"))
        (line,) = await scene.asks(typed)
        assert line == "!who lists all who are here. For one person: !seen NICK."


async def test_nobody_there_is_said_so(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        (line,) = await scene.asks("!who")
        assert line.startswith("Nobody that I know of (not live: ")
