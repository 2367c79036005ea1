"""Which channels are quiet is read as soon as the store can, and a long trouble fills no log."""

from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.irc_bridge.ask.quiet_times import LONGEST, QuietTimes
from terrarium_mcp.store import open_store
from terrarium_mcp.store.errors import StoreFailed
from tests.irc_bridge.record.clocks import NOON, ScriptedClocks
from tests.patience import PATIENCE
from tests.store.scene import chat

HOUR = timedelta(hours=1)
YEAR = timedelta(days=365)


@pytest.mark.parametrize("step", [-YEAR, -HOUR, HOUR, YEAR])
async def test_a_clock_that_is_set_neither_prolongs_the_silence_nor_ends_it(
    step: timedelta, tmp_path: Path
) -> None:
    clocks = ScriptedClocks()
    async with open_store(tmp_path / "irc_logs.db") as store:
        quiet = QuietTimes(store, "net", clocks)
        quiet.begin("#tea", HOUR)
        clocks.go_on(HOUR / 2, by_the_time_of_day=step)
        assert quiet.covers("#tea")
        await quiet.save("#tea", "ada")
        assert await store.quiet_channels.current("net", clocks.now) == {
            "#tea": clocks.now + HOUR / 2
        }
        clocks.go_on(HOUR / 2)
        assert not quiet.covers("#tea")


async def test_what_a_clock_far_ahead_has_stored_ends_after_the_longest_silence(
    tmp_path: Path,
) -> None:
    clocks = ScriptedClocks()
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.quiet_channels.begin("net", "#tea", NOON + YEAR, "ada")
        quiet = QuietTimes(store, "net", clocks)
        await quiet.load()
        assert quiet.covers("#tea")
        clocks.go_on(LONGEST)
        assert not quiet.covers("#tea")


async def test_a_channel_stays_quiet_where_names_compare_otherwise_from_then_on(
    tmp_path: Path,
) -> None:
    """`#a[` folds to `#a{` by rfc1459, and by ascii to itself."""
    until = NOON + HOUR
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.messages.append(chat("<ada> hi", channel="#A["))
        quiet = QuietTimes(store, "net", ScriptedClocks())
        for channel in ("#a{", "#{tea}"):
            quiet.begin(channel, HOUR)
            await quiet.save(channel, "ada")
        quiet.refold("rfc1459", "ascii", ["#A[", "#b"])
        await store.rooms.set_casemapping("net", "ascii")
        assert [quiet.covers(one) for one in ("#a[", "#a{", "#{tea}")] == [True, False, True]
        assert await store.quiet_channels.current("net", NOON) == {"#a[": until, "#{tea}": until}
        quiet.refold("ascii", "rfc1459", ["#a["])
        await store.rooms.set_casemapping("net", "rfc1459")
        assert quiet.covers("#a{")
        assert await store.quiet_channels.current("net", NOON) == {"#a{": until, "#{tea}": until}


async def test_reading_is_retried_until_it_succeeds_and_logged_once_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("terrarium_mcp.backoff.TRY_AGAIN", 0)
    async with open_store(tmp_path / "irc_logs.db") as store:
        await store.quiet_channels.begin("net", "#tea", NOON + HOUR, "ada")
        failures = [StoreFailed("The disk is full.")] * 50
        current = store.quiet_channels.current

        async def failing(*args: object) -> object:
            if failures:
                raise failures.pop()
            return await current(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(store.quiet_channels, "current", failing)
        quiet = QuietTimes(store, "net", ScriptedClocks())
        with anyio.fail_after(PATIENCE):
            await quiet.load()
    assert quiet.covers("#tea")
    assert caplog.messages == [
        "could not read which channels are quiet, will retry: The disk is full."
    ]
