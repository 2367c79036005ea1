"""!search: what people type, and what they are answered."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import NewMessage
from tests.irc_bridge.ask.desk import desk
from tests.irc_bridge.house import said


def earlier(hours: float, text: str, nick: str = "bo") -> NewMessage:
    """A line that was said some hours ago."""
    return said(text, nick=nick)._replace(said_at=datetime.now(UTC) - timedelta(hours=hours))


async def test_user_and_hours_are_understood_anywhere_and_in_any_case(tmp_path: Path) -> None:
    lines = [
        earlier(100, "the gate is old", nick="Alice"),
        earlier(3, "the gate is green", nick="Alice"),
        earlier(2, "the gate squeaks"),
        earlier(1, "the lock of the gate", nick="alice"),
    ]
    async with desk(tmp_path, lines) as scene:
        (lock, green, old) = sorted(await scene.asks("!search user:ALICE gate"))[::-1]
        assert "<alice> the lock of the gate (4)" in lock
        assert "<Alice> the gate is green (2)" in green
        assert "the gate is old" in old
        assert lock.startswith(f"{lines[3].said_at:%Y-%m-%d %H:%M} <")
        assert await scene.asks("!search gate HOURS:48 User:alice") == [lock, green]
        assert len(await scene.asks("!search hours:48")) == 3
        for both in ("gate + lock", "gate+lock", "+ lock gate +"):
            assert (await scene.asks(f"!search {both}"))[0] == lock
        assert await scene.asks("!search from:Alice in:#TEA lock") == [lock]


async def test_a_value_that_cannot_be_is_answered_with_how_to_write_it(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        assert await scene.asks("!search gate hours:soon") == [
            "hours: needs a number of hours directly after it, such as hours:48."
        ]
        assert await scene.asks("!search user: alice") == [
            "user: needs a nick directly after it, such as user:alice."
        ]
        (example,) = await scene.asks("!search")
        assert example == "Search for what? For example: !search deploy script"
        for nothing in ("+", '"', '" "'):
            assert await scene.asks(f"!search {nothing}") == [example]


async def test_what_only_looks_like_an_operator_is_said_also_beside_hits(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("deploy at noon")]) as scene:
        note, *hits = await scene.asks("!search before:2026-13-40 deploy")
        assert note.startswith("before:2026-13-40 was read as text")
        assert "deploy at noon" in hits[0]


async def test_what_is_left_out_and_what_is_an_option_is_said(tmp_path: Path) -> None:
    lines = [said("rm -rf it"), said("rm the rf file"), said("rm it"), said("kill -9 it")]
    async with desk(tmp_path, lines) as scene:
        note, *hits = await scene.asks("!search rm -rf")
        assert note == '-rf was read as text: -"rf" excludes the lines that hold rf.'
        assert "rm -rf it" in hits[0]
        note, *hits = await scene.asks("!search it -rm")
        assert note == 'Without lines that hold rm; "-rm" in quotes is text.'
        assert [hit[17:] for hit in hits] == ["<bo> kill -9 it (4)"]
        note, *hits = await scene.asks('!search rm -"rf"')
        assert [hit[17:] for hit in hits] == ["<bo> rm it (3)"]


async def test_a_line_without_any_of_the_words_says_so(tmp_path: Path) -> None:
    day = datetime.now(UTC).replace(hour=12) - timedelta(days=1)
    lines = [
        said("the gate is old", nick="alice")._replace(said_at=day),
        said("lunch at noon")._replace(said_at=day + timedelta(hours=1)),
        earlier(0.1, "green tea", nick="alice"),
    ]
    async with desk(tmp_path, lines) as scene:
        time, nearest, wordless = await scene.asks(
            "!search what did they say yesterday about lunch"
        )
        assert time.startswith("Yesterday is after:")
        assert nearest.startswith("the nearest: ")
        assert nearest.endswith("<bo> lunch at noon (2)")
        assert wordless.startswith("without any of them: ")
        assert wordless.endswith("<alice> the gate is old (1)")
        newest, oldest = await scene.asks("!search alice zebra")
        assert newest.startswith("nothing with any of these words; perhaps: ")
        assert not oldest.startswith("without")


async def test_which_time_was_read_is_said_and_no_word_is_denied_for_it(tmp_path: Path) -> None:
    in_may = datetime(2011, 5, 29, 18, tzinfo=UTC)
    lines = [
        said("wine stands for wine is no emulator")._replace(said_at=in_may),
        earlier(2, "tea"),
    ]
    async with desk(tmp_path, lines) as scene:
        time, nearest = await scene.asks("!search wine in may")
        assert time.startswith("In may is read as that of 2011: nothing was said here in any later")
        assert "In may is after:2011-05-01 before:2011-06-01: any hits of that time" in time
        assert (
            nearest == "the nearest: 2011-05-29 18:00 <bo> wine stands for wine is no emulator (1)"
        )
        time, nearest = await scene.asks("!search wine on 5 June 2012")
        assert time == (
            "On 5 June 2012 is after:2012-06-05 before:2012-06-06: nothing was said here then, so"
            " any hits are of other times."
        )
        assert nearest.startswith("the nearest: 2011-05-29")
        time, line = await scene.asks("!search what happened in may 2011?")
        assert time == "Read as after:2011-05-01 before:2011-06-01."
        assert line.startswith("2011-05-29")


async def test_of_lines_with_all_words_and_others_only_the_others_are_marked(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path, [said("old gate"), said("green gate"), said("tea")]) as scene:
        both, one, neither = await scene.asks("!search green gate")
        assert both.endswith("<bo> green gate (2)")
        assert "with" not in both
        assert one.startswith("nothing else with all these words; the nearest: ")
        assert one.endswith("<bo> old gate (1)")
        assert neither.startswith("without any of them: ")


async def test_nothing_found_says_in_which_time_and_which_nick_is_unknown(tmp_path: Path) -> None:
    async with desk(tmp_path, [earlier(5, "the gate", nick="alice")]) as scene:
        (answer,) = await scene.asks("!search gate hours:1")
        assert answer.startswith(
            "Nothing found in the last hour. No line is recorded here from that time; the nearest"
            " were said on "
        )
        (answer,) = await scene.asks("!search user:alicia gate")
        assert answer.startswith(
            "Nothing found. No one called alicia is recorded here; similar nicks: alice."
            " Nothing recorded yet."
        )


@pytest.mark.parametrize("typed", ["%", "_", "'", "';--", "100%"])
async def test_j_a_percent_sign_is_text_and_an_empty_search_is_asked_back(
    tmp_path: Path, typed: str
) -> None:
    lines = [said("100% ';-- sure_ly"), said("half of it")]
    async with desk(tmp_path, lines) as scene:
        (found,) = await scene.asks(f"!search {typed}")
        assert found.endswith("<bo> 100% ';-- sure_ly (1)")
        (nothing,) = await scene.asks("!search %%")
        assert nothing.startswith("Nothing found.")
        (asked,) = await scene.asks("!search   ")
        assert asked.startswith("Search for what?")


async def test_k_nick_and_channel_are_found_in_another_case(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("green tea", nick="Bo[x]", channel="#Tea")]) as scene:
        for typed in ("user:bO{X} GREEN", "from:BO[X] in:#tEA tea", "in:#TEA green"):
            (found,) = await scene.asks(f"!search {typed}", channel="#tEa")
            assert "<Bo[x]> green tea" in found


async def test_another_channel_is_read_in_private_and_not_in_a_channel(tmp_path: Path) -> None:
    lines = [said("green tea"), said("green mate", channel="#mate"), said("green", channel="#x")]
    async with desk(tmp_path, lines) as scene:
        (here,) = await scene.asks("!search in:#mate green")
        assert here == (
            "No channel #mate. Known channels: #tea."
            " In private I read every channel that we are both in."
        )
        shared = ("#tea", "#mate")
        (mate,) = await scene.asks("!search in:#mate green", channel="", shared=shared)
        assert "#mate <bo> green mate" in mate
        (none,) = await scene.asks("!search in:#x green", channel="", shared=shared)
        assert none == "No channel #x. Known channels: #mate, #tea."
