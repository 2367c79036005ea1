"""A server whose clock differs from ours: each line is recorded once, and who asks is answered."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.times.timestamps import to_iso
from tests.irc_bridge.house import living, settings_for
from tests.servers.fake_ircd import fake_ircd
from tests.servers.logs import until_logged

PATIENCE = 15.0


@pytest.mark.parametrize("ahead", [-90, 0, 50, 70, 300, 86_400 * 400])
async def test_a_replay_by_a_clock_ahead_of_ours_adds_nothing_that_was_heard(
    tmp_path: Path, ahead: int
) -> None:
    def tagged(text: str, ago: float = 0) -> str:
        at = datetime.now(UTC) + timedelta(seconds=ahead - ago)
        return f"time={to_iso(at)} :ada!a@h PRIVMSG #tea :{text}"

    async with (
        fake_ircd(caps=["batch server-time"]) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            live = [tagged(text) for text in ("hi", "hi", "one")]
            await server.says(*(f"@{line}" for line in live))
            await server.settles()
            await house.bridge.flush()
            missed = tagged("missed", ago=20)
            for _ in range(2):
                await server.says(
                    f"@{tagged('').split()[0]} :srv PONG srv x",
                    ":srv BATCH +b chathistory #tea",
                    *(f"@batch=b;{line}" for line in [missed, *live]),
                    ":srv BATCH -b",
                )
                await server.settles()
                await house.bridge.flush()
            now = datetime.now(UTC)
            kept = await house.lines()
    assert sorted(line.text for line in kept) == ["hi", "hi", "missed", "one"]
    if ahead > 60:
        (at,) = [line.said_at for line in kept if line.text == "missed"]
        assert timedelta(seconds=5) < now - at < timedelta(seconds=60)
        assert all(line.said_at <= now for line in kept)


async def test_of_the_first_moment_that_there_is_a_line_is_recorded_once(tmp_path: Path) -> None:
    batch = [
        ":srv BATCH +b chathistory #tea",
        "@batch=b;time=0001-01-01T00:00:00.000Z :Terra!u@host.example PRIVMSG #tea :once",
        ":srv BATCH -b",
    ]
    async with (
        fake_ircd(caps=["batch server-time"]) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            for _ in range(2):
                await server.says(*batch)
                await server.settles()
                await house.bridge.flush()
            kept = await house.lines()
    assert [line.text for line in kept] == ["once"]


def at(ahead: float) -> str:
    """The tag of a line that is said now, by a clock so many seconds ahead of ours."""
    return f"@time={to_iso(datetime.now(UTC) + timedelta(seconds=ahead))}"


@pytest.mark.parametrize("ahead", [-86_400 * 400, -45, 45, 3600])
async def test_whoever_asks_is_answered_whatever_the_time_is_by_the_servers_clock(
    tmp_path: Path, ahead: int
) -> None:
    def welcoming(line: str) -> Sequence[str] | None:
        joined = [f"{at(ahead)} :Terra!u@h JOIN #tea", ":srv 366 Terra #tea :End"]
        return joined if line.startswith("JOIN") else None

    async with (
        fake_ircd(caps=["server-time"], answer=welcoming) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))),
    ):
        with anyio.fail_after(PATIENCE):
            await server.says(
                f"{at(ahead)} :srv PONG srv x", f"{at(ahead)} :bo!b@h PRIVMSG #tea :!ping"
            )
            await server.hears("PRIVMSG #tea :bo:")


@pytest.mark.parametrize(
    ("ahead", "told"),
    [
        (-45, "behind ours: lines are recorded with the server's times."),
        (45, "ahead of ours: lines are recorded with the server's times."),
        (90, "ahead of ours: lines are recorded with our times."),
    ],
)
async def test_the_log_says_once_in_a_connection_that_the_clocks_differ(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, ahead: int, told: str
) -> None:
    async with (
        fake_ircd(caps=["server-time"]) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            for _ in range(3):
                await server.says(f"{at(ahead)} :srv PONG srv x")
                await server.settles()
            (warning,) = warnings(caplog)
            await server.drops()
            await house.bridge.is_cut_off()
            await house.bridge.at_home.wait()
            await server.says(f"{at(ahead)} :srv PONG srv x", "PING x")
            await until_logged(caplog, "clock of the server", times=2)
    assert told in warning
    seconds = int(re.findall(r"is (\d+) s", warning)[0])
    assert abs(abs(ahead) - seconds) <= PATIENCE


async def test_of_clocks_that_nearly_agree_the_log_says_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd(caps=["server-time"]) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))),
    ):
        with anyio.fail_after(PATIENCE):
            await server.says(f"{at(ahead=15)} :srv PONG srv x")
            await server.settles()
    assert warnings(caplog) == []


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line for line in caplog.messages if "clock of the server" in line]
