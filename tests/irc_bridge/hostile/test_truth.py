"""The record is true: whatever the network replays, refuses, takes back or loses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.irc_bridge.house import House, lines_of, living, settings_for
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.history import CAPS, ChannelHistory, ago

PATIENCE = 15.0


@dataclass(frozen=True)
class Scene:
    """A bridge on a server that keeps the history of #tea."""

    server: FakeIrcd
    history: ChannelHistory
    house: House

    async def hears(self, *lines: str) -> None:
        """The server sends these, and they are on disk."""
        await self.server.says(*lines)
        await self.server.settles()
        await self.house.bridge.flush()

    async def is_cut_off(self) -> None:
        """The connection is lost, and the span has ended."""
        with anyio.fail_after(PATIENCE):
            await self.server.drops()
            await self.house.bridge.gone.wait()

    async def returns(self) -> None:
        with anyio.fail_after(PATIENCE):
            await self.house.bridge.at_home.wait()

    async def texts(self) -> list[str]:
        return [line.text for line in await lines_of(self.house.store)]

    async def gaps(self) -> list[timedelta]:
        """The gaps in the coverage, if one of a few milliseconds is one already."""
        await self.house.bridge.flush()
        coverage = await self.house.store.spans.coverage(await self.house.store.rooms.all())
        return [gap.length for gap in coverage.gaps()]

    def said(self) -> list[str]:
        return [line for line in self.server.lines if "PRIVMSG" in line]


@asynccontextmanager
async def on_a_server_with(
    history: ChannelHistory, folder: Path, *, caps: str = CAPS, **more: Any
) -> AsyncIterator[Scene]:
    settings = {"irc_channels": ("#tea",), **more}
    async with (
        fake_ircd(caps=[caps], isupport=history.isupport, answer=history.answer) as server,
        living(settings_for(server.port, folder, **settings)) as house,
    ):
        yield Scene(server, history, house)


@pytest.fixture
def every_gap_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrarium_mcp.chat.coverage.NOTABLE_GAP", timedelta(microseconds=1))


@pytest.mark.usefixtures("every_gap_counts")
@pytest.mark.parametrize(
    "kept",
    [
        {"msgids": True},
        {"msgids": True, "by": "timestamp"},
        {"msgids": False, "by": "timestamp"},
    ],
)
async def test_what_was_said_while_we_were_cut_off_is_there_once_and_the_gap_is_closed(
    tmp_path: Path, kept: dict[str, Any]
) -> None:
    history = ChannelHistory(most=50, **kept)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(history.say("before", at=ago(10)))
        await scene.is_cut_off()
        assert await scene.gaps() == []
        for n in range(120):
            history.say(f"!ping {n}", at=ago(5 - n / 100))
        await scene.returns()
        await scene.house.bridge.has_pages(4)
        await scene.hears(history.say("after"))
        wanted = ["before", *(f"!ping {n}" for n in range(120)), "after"]
        assert sorted(await scene.texts()) == sorted(wanted)
        assert await scene.gaps() == []
        assert scene.said() == []
        assert len(history.requests) == 4
