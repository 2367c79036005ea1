"""Who is here stands in the store soon after it changed, and only then."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity, fold
from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.record import presence_sync as attending
from terrarium_mcp.irc_bridge.record.presence_sync import PresenceSync
from terrarium_mcp.store import PurgeTarget, Store, open_store
from terrarium_mcp.store.errors import StoreFailed
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.servers.logs import until_logged

ADA = Member("ada", "@", account="ada_")
BO = Member("bo", away=True)
NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)


class Channels(dict[str, list[Member]]):
    """Where we are, and who is there."""


@asynccontextmanager
async def attended(
    store: Store, channels: Channels, folded: Callable[[str], str] = fold
) -> AsyncIterator[PresenceSync]:
    sync = PresenceSync(
        store, "local", lambda: list(channels), lambda name: channels.get(name, []), folded
    )
    async with beside(sync.run):
        yield sync


async def nicks(store: Store, channel: str) -> list[str]:
    for room in await store.rooms.all():
        if room.channel == channel:
            return [one.nick for one in (await store.presence.current(room)).people]
    return []


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    monkeypatch.setattr(attending, "PAUSE", 0.01)
    monkeypatch.setattr("terrarium_mcp.backoff.TRY_AGAIN", 0.01)
    async with open_store(tmp_path / "irc_logs.db") as opened:
        yield opened


async def test_a_change_is_written_with_rank_absence_and_account(store: Store) -> None:
    channels = Channels({"#tea": [ADA, BO]})
    async with attended(store, channels) as sync:
        sync.schedule_check()
        with anyio.fail_after(PATIENCE):
            while await nicks(store, "#tea") != ["ada", "bo"]:
                await anyio.lowlevel.checkpoint()
    (room,) = await store.rooms.all()
    ada, bo = (await store.presence.current(room)).people
    assert (ada.rank, ada.away, ada.account) == ("@", False, "ada_")
    assert (bo.rank, bo.away, bo.account) == ("", True, "")


async def test_only_lists_that_differ_are_written_again_unless_we_came_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    channels = Channels({"#tea": [ADA], "#mate": [BO]})
    written: list[str] = []
    replace = store.presence.replace

    async def watched(network: str, channel: str, *rest: object) -> int:
        count = await replace(network, channel, *rest)  # type: ignore[arg-type]
        written.append(channel)
        return count

    monkeypatch.setattr(store.presence, "replace", watched)
    with anyio.fail_after(PATIENCE):
        async with attended(store, channels) as sync:

            async def after(times: int) -> None:
                while len(written) < times:
                    await anyio.lowlevel.checkpoint()

            sync.schedule_check()
            await after(2)
            channels["#mate"] = [ADA, BO]
            sync.schedule_check()
            await after(3)
            sync.channel_joined("#tea")
            sync.members_complete("#TEA")
            await after(4)
    assert written == ["#tea", "#mate", "#mate", "#tea"]


async def test_a_channel_joined_while_its_list_is_written_is_written_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    channels = Channels({"#tea": [ADA]})
    written: list[str] = []
    again = anyio.Event()
    replace = store.presence.replace
    async with attended(store, channels) as sync:

        async def joined_meanwhile(network: str, channel: str, *rest: object) -> int:
            count = await replace(network, channel, *rest)  # type: ignore[arg-type]
            written.append(channel)
            if len(written) == 1:
                sync.channel_joined(channel)
                sync.members_complete(channel)
            else:
                again.set()
            return count

        monkeypatch.setattr(store.presence, "replace", joined_meanwhile)
        sync.schedule_check()
        with anyio.fail_after(PATIENCE):
            await again.wait()
    assert written == ["#tea", "#tea"]


async def test_a_list_that_is_still_coming_in_replaces_no_complete_one(store: Store) -> None:
    channels = Channels({"#tea": [ADA, BO], "#mate": [ADA]})
    async with attended(store, channels) as sync:
        sync.schedule_check()
        with anyio.fail_after(PATIENCE):
            while await nicks(store, "#mate") != ["ada"]:
                await anyio.lowlevel.checkpoint()
            sync.channel_joined("#tea")
            channels["#tea"] = [ADA]  # we came again, and the names follow
            channels["#mate"] = [ADA, BO]
            while await nicks(store, "#mate") != ["ada", "bo"]:
                await anyio.lowlevel.checkpoint()
            assert await nicks(store, "#tea") == ["ada", "bo"]
            sync.members_complete("#tea")
            while await nicks(store, "#tea") != ["ada"]:
                await anyio.lowlevel.checkpoint()


async def test_a_list_that_came_in_completes_no_other_as_the_network_compares_names(
    store: Store,
) -> None:
    await store.rooms.set_casemapping("local", "ascii")
    channels = Channels({"#a[": [ADA], "#a{": [BO]})  # one channel by rfc1459
    async with attended(store, channels, str.lower) as sync:
        for channel in channels:
            sync.channel_joined(channel)
        sync.members_complete("#A{")
        with anyio.fail_after(PATIENCE):
            while await nicks(store, "#a{") != ["bo"]:
                await anyio.lowlevel.checkpoint()
        assert await nicks(store, "#a[") == []


async def test_channels_lost_while_one_list_is_written_keep_the_lists_they_had(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    channels = Channels({"#mate": [BO], "#tea": [ADA]})
    replace = store.presence.replace
    written: list[str] = []
    async with attended(store, channels) as sync:

        async def lost_meanwhile(network: str, channel: str, *rest: object) -> int:
            count = await replace(network, channel, *rest)  # type: ignore[arg-type]
            written.append(channel)
            if len(written) == 3:
                channels.clear()
            return count

        monkeypatch.setattr(store.presence, "replace", lost_meanwhile)
        with anyio.fail_after(PATIENCE):
            sync.schedule_check()
            while len(written) < 2:
                await anyio.lowlevel.checkpoint()
            channels.update({"#mate": [ADA, BO], "#tea": [ADA, BO]})
            sync.schedule_check()
            while len(written) < 3:
                await anyio.lowlevel.checkpoint()
            channels["#coffee"] = [BO]
            sync.schedule_check()
            while len(written) < 4:
                await anyio.lowlevel.checkpoint()
    assert written == ["#mate", "#tea", "#mate", "#coffee"]
    assert await nicks(store, "#tea") == ["ada"]


async def test_a_store_that_cannot_write_is_tried_again_and_ends_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [StoreFailed("The disk is full."), StoreFailed("It is locked.")]
    replace = store.presence.replace

    async def failing(*args: object) -> int:
        if failures:
            raise failures.pop()
        return await replace(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(store.presence, "replace", failing)
    async with attended(store, Channels({"#tea": [ADA]})) as sync:
        sync.schedule_check()
        with anyio.fail_after(PATIENCE):
            while await nicks(store, "#tea") != ["ada"]:
                await anyio.lowlevel.checkpoint()


async def test_a_list_from_which_another_process_removed_somebody_is_written_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attending, "LOOK_EVERY", 0.02)
    await store.opt_outs.add(Identity("local", "leek", "l", "h"), NOON)
    channels = Channels({"#tea": [ADA, BO, Member("leek", user="l", host="h")], "#mate": [BO]})
    written: list[str] = []
    replace = store.presence.replace

    async def watched(network: str, channel: str, *rest: object) -> int:
        written.append(channel)
        return await replace(network, channel, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(store.presence, "replace", watched)
    async with attended(store, channels) as sync:
        sync.schedule_check()
        with anyio.fail_after(PATIENCE):
            while await nicks(store, "#mate") != ["bo"]:
                await anyio.lowlevel.checkpoint()
            async with open_store(tmp_path / "irc_logs.db") as other:
                await other.removal.purge(PurgeTarget("ada"), asked_by="the owner", at=NOON)
            while len(written) < 3:
                await anyio.lowlevel.checkpoint()
            while await nicks(store, "#tea") != ["ada", "bo"]:
                await anyio.lowlevel.checkpoint()
    assert written == ["#tea", "#mate", "#tea"]


async def test_a_bug_costs_one_look_at_the_lists_and_ends_nothing(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    channels = Channels({"#tea": [ADA]})
    folded = {"#tea": fold}

    def folds(name: str) -> str:
        return folded[name](name)  # a KeyError for a name that it does not know

    async with attended(store, channels, folds) as sync:
        channels["#mate"] = [BO]
        sync.channel_joined("#tea")
        sync.schedule_check()
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "saving the member lists failed")
            folded["#mate"] = fold
            sync.members_complete("#tea")
            while await nicks(store, "#mate") != ["bo"]:
                await anyio.lowlevel.checkpoint()
    assert "KeyError: '#mate'" in caplog.text
