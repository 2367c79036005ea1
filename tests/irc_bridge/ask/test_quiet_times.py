"""Which channels are quiet is read as soon as the store can, and a long trouble fills no log."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.irc_bridge.ask.quiet_times import QuietTimes
from terrarium_mcp.store import open_store
from terrarium_mcp.store.errors import StoreFailed
from tests.patience import PATIENCE
from tests.store.scene import chat

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


async def test_a_channel_stays_quiet_where_names_compare_otherwise_from_then_on(
    tmp_path: Path,
) -> None:
    """`#a[` folds to `#a{` by rfc1459, and by ascii to itself."""
    until = NOW + timedelta(hours=1)
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append(chat("<ada> hi", channel="#A["))
        quiet = QuietTimes(store, "net")
        for channel in ("#a{", "#{tea}"):
            quiet.begin(channel, until)
            await quiet.save(channel, "ada", NOW)
        quiet.refold("rfc1459", "ascii", ["#A[", "#b"])
        await store.rooms.set_casemapping("net", "ascii")
        assert [quiet.covers(one, NOW) for one in ("#a[", "#a{", "#{tea}")] == [True, False, True]
        assert await store.quiet_channels.current("net", NOW) == {"#a[": until, "#{tea}": until}
        quiet.refold("ascii", "rfc1459", ["#a["])
        await store.rooms.set_casemapping("net", "rfc1459")
        assert quiet.covers("#a{", NOW)
        assert await store.quiet_channels.current("net", NOW) == {"#a{": until, "#{tea}": until}


async def test_reading_is_retried_until_it_succeeds_and_logged_once_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("terrarium_mcp.backoff.TRY_AGAIN", 0)
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.quiet_channels.begin("net", "#tea", NOW + timedelta(hours=1), "ada")
        failures = [StoreFailed("The disk is full.")] * 50
        current = store.quiet_channels.current

        async def failing(*args: object) -> object:
            if failures:
                raise failures.pop()
            return await current(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(store.quiet_channels, "current", failing)
        quiet = QuietTimes(store, "net")
        with anyio.fail_after(PATIENCE):
            await quiet.load(NOW)
    assert quiet.covers("#tea", NOW)
    assert caplog.messages == [
        "could not read which channels are quiet, will retry: The disk is full."
    ]
