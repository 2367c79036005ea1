"""A server whose clock is ahead of ours: what it replays is recorded once, and when it was said."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.times.timestamps import to_iso
from tests.irc_bridge.house import living, settings_for
from tests.servers.fake_ircd import fake_ircd

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
