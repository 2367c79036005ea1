"""History that a server replays behind our JOIN, in no batch: recorded once, and not obeyed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.irc_bridge.record.join_replays import repeated
from tests.irc_bridge.house import QUICK, House, living, said, settings_for
from tests.patience import PATIENCE
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.history import ago
from tests.servers.ircd import Ircd, program_of, running
from tests.servers.person import Person, person


@pytest.fixture(params=[("ircv3_batch",), ("ircv3_batch", "ircv3_servertime")])
def batchless(request: pytest.FixtureRequest, server_keys: Path) -> Iterator[Ircd]:
    """A server that keeps history, and replays it without a batch: with times, and without."""
    program = program_of("inspircd")
    if program is None:
        pytest.skip("inspircd is not installed")
    with running("inspircd", program, server_keys, without=request.param) as ircd:
        yield ircd


async def comes_back(house: House, ada: Person) -> None:
    """The bot is thrown off the network, returns, and has recorded what it is sent then."""
    seen = len(ada.lines)
    await ada.types("KILL Terra :try again")
    await ada.sees_after(seen, "Terra!", "JOIN")
    await house.bridge.at_home.wait()
    await ada.types("NOTICE #tea :you are back")
    await house.bridge.hears("you are back")
    await house.has_heard(ada)


async def test_a_replay_of_a_real_server_is_recorded_once_and_obeyed_by_nobody(
    batchless: Ircd, tmp_path: Path
) -> None:
    settings = settings_for(batchless, tmp_path, irc_channels=("#tea",))
    with anyio.fail_after(PATIENCE):
        async with person("ada", batchless.port) as ada:
            await ada.types("OPER oper operpw")
            await ada.joins("#tea")
            await ada.types("MODE #tea +H 50:1d")
            async with living(settings) as house:
                await ada.types("PRIVMSG #tea :before", "PRIVMSG #tea :!optout")
                await ada.sees("PRIVMSG", "!optin")
                await ada.types("PRIVMSG #tea :!optin")
                await ada.sees("PRIVMSG", "What you say is recorded")
                await ada.types("PRIVMSG #tea :one", "PRIVMSG #tea :one", "PRIVMSG #tea :!ping")
                await ada.sees("PRIVMSG #tea", "pong")
                for _ in range(2):
                    await comes_back(house, ada)
            async with living(settings) as house:
                await ada.types("PRIVMSG #tea :last")
                await house.has_heard(ada)
                lines = await house.lines()
    texts = [line.text for line in lines if line.kind.value == "PRIVMSG" and not line.own]
    assert texts == ["before", "one", "one", "!ping", "last"]
    assert len([line for line in ada.lines if "pong" in line]) == 1


async def replays(ircd: FakeIrcd, *lines: str) -> None:
    """The connection is lost; these lines come behind the next JOIN."""

    def answer(line: str) -> list[str] | None:
        if not line.startswith("JOIN"):
            return None
        ircd.answer = None
        joined = f"@time={to_iso(ago(0))} :Terra!u@host.example JOIN #tea"
        return [joined, ":srv 353 Terra = #tea :Terra @ada", ":srv 366 Terra #tea :End", *lines]

    ircd.answer = answer
    joins = len(ircd.heard("JOIN"))
    await ircd.drops()
    await ircd.hears("JOIN", times=joins + 1)
    await ircd.settles()


async def test_lines_dated_before_our_join_have_their_own_time_and_are_known_again(
    tmp_path: Path,
) -> None:
    def old(seconds: float, text: str) -> str:
        return f"@time={to_iso(ago(seconds).replace(microsecond=0))} :ada!a@h PRIVMSG #tea :{text}"

    async with (
        fake_ircd(caps=["server-time"]) as ircd,
        living(settings_for(ircd.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            lines = [old(3, "one"), old(2, "!ping"), old(1, "two")]
            await replays(ircd, *lines)
            await replays(ircd, *lines, old(0, "!ping"))
            await house.bridge.flush()
            kept = await house.lines()
            assert [line.text for line in kept] == ["one", "!ping", "two", "!ping"]
            assert [line.said_at.microsecond for line in kept] == [0] * 4
            assert ircd.heard("PRIVMSG") == []
            await ircd.says(f"@time={to_iso(ago(0))} :ada!a@h PRIVMSG #tea :!ping")
            await ircd.hears("PRIVMSG")


async def test_what_was_missed_follows_a_replay_without_times_and_is_not_answered(
    tmp_path: Path,
) -> None:
    def now(text: str) -> str:
        return f":ada!a@h PRIVMSG #tea :{text}"

    async with (
        fake_ircd() as ircd,
        living(settings_for(ircd.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ircd.says(now("one"), now("\x01ACTION waves\x01"), now("[off] hush"))
            await ircd.settles()
            heard = [now("one"), now("\x01ACTION waves\x01"), now("[off] hush")]
            await replays(ircd, *heard, now("!ping"), now("one"))
            await house.bridge.flush()
            kept = [line.text for line in await house.lines()]
            assert kept == ["one", "waves", "!ping", "one"]
            assert ircd.heard("PRIVMSG") == []


async def test_who_says_the_same_again_right_after_we_joined_said_it_again(tmp_path: Path) -> None:
    hi, ping = ":ada!a@h PRIVMSG #tea :hi", ":ada!a@h PRIVMSG #tea :!ping"
    async with (
        fake_ircd() as ircd,
        living(settings_for(ircd.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ircd.says(":bo!b@h PRIVMSG #tea :hello", hi)
            await ircd.settles()
            await replays(ircd, hi, ping)
            await ircd.hears("PRIVMSG #tea")
            await house.bridge.flush()
            kept = [line.text for line in await house.lines() if not line.own]
            assert kept == ["hello", "hi", "hi", "!ping"]


async def test_lines_that_are_held_back_when_the_connection_ends_are_recorded(
    tmp_path: Path,
) -> None:
    async with (
        fake_ircd() as ircd,
        living(settings_for(ircd.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await house.store.messages.append([said("one"), said("two")])
            await ircd.says(":bo!b@h PRIVMSG #tea :three", ":bo!b@h PRIVMSG #tea :four")
            await ircd.settles()

            def answer(line: str) -> list[str] | None:
                return [] if line.startswith("PING") else None

            ircd.answer = answer
            await ircd.drops()
            await house.bridge.is_cut_off()
            await house.bridge.at_home.wait()
            await ircd.says(":bo!b@h PRIVMSG #tea :five")
            await ircd.settles()
            await ircd.drops()
            await house.bridge.is_cut_off(2)
            await house.bridge.flush()
            assert [line.text for line in await house.lines()][-1] == "five"


@pytest.mark.parametrize(
    ("heard", "lines", "count"),
    [
        ("abcd", "cd", 2),
        ("abcd", "cdx", 2),
        ("abcd", "xcydz", 4),
        ("abcd", "cxd", 3),
        ("abcd", "dc", 0),
        ("abcd", "bc", 0),
        ("abcd", "d", 0),
        ("ahbh", "bhxh", 2),
        ("d", "d", 0),
        ("", "ab", 0),
        ("abcd", "", 0),
    ],
)
def test_a_replay_goes_on_to_the_newest_line_that_was_heard(
    heard: str, lines: str, count: int
) -> None:
    assert repeated(list(map(ord, heard)), list(map(ord, lines))) == count


@pytest.mark.parametrize("pongs", [[":srv PONG srv"], []], ids=["no token", "no answer"])
async def test_a_server_that_does_not_send_our_token_back_keeps_nobody_waiting(
    pongs: list[str], tmp_path: Path
) -> None:
    timeouts = replace(QUICK, confirm=QUICK.confirm if pongs else 0.1)
    async with fake_ircd(answer=lambda line: pongs if line.startswith("PING") else None) as ircd:
        settings = settings_for(ircd.port, tmp_path, irc_channels=("#tea",))
        with anyio.fail_after(PATIENCE):
            async with living(settings, timeouts=timeouts):
                for text in ("one", "two"):
                    await ircd.says(f":ada!a@h PRIVMSG #tea :{text}")
                await ircd.settles()
            async with living(settings, timeouts=timeouts) as house:
                await ircd.says(":ada!a@h PRIVMSG #tea :!ping")
                await ircd.hears("PRIVMSG #tea :ada: pong")
                await house.bridge.flush()
                assert [line.text for line in await house.lines()][:3] == ["one", "two", "!ping"]
