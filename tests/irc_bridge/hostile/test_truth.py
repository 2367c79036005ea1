"""The record is true: whatever the network replays, refuses, takes back or loses."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.chat.coverage import Coverage, Span
from tests.irc_bridge.house import House, lines_of, living, settings_for
from tests.servers.agent import StrictAgent, strict_agent
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.history import CAPS, ChannelHistory, ago
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person
from tests.servers.znc import LOGIN, Znc, znc_before

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
        return [gap.length for gap in Coverage(await self.spans()).gaps()]

    async def spans(self) -> Sequence[Span]:
        await self.house.bridge.flush()
        return (await self.house.store.spans.coverage(await self.house.store.rooms.all())).spans

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


@pytest.mark.usefixtures("every_gap_counts")
async def test_without_history_the_gap_shows(tmp_path: Path) -> None:
    history = ChannelHistory()
    async with on_a_server_with(history, tmp_path, caps="batch server-time") as scene:
        await scene.hears(history.say("before"))
        await scene.is_cut_off()
        history.say("unheard")
        await scene.returns()
        await scene.hears(history.say("after"))
        assert await scene.texts() == ["before", "after"]
        assert len(await scene.gaps()) == 1
        assert history.requests == []


@pytest.mark.usefixtures("every_gap_counts")
async def test_a_history_that_does_not_reach_back_closes_the_gap_only_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    history = ChannelHistory(most=20, keeps=30)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(history.say("before", at=ago(50)))
        await scene.is_cut_off()
        times = [ago(40 - n / 2) for n in range(60)]
        for n, at in enumerate(times):
            history.say(f"line {n}", at=at)
        await scene.returns()
        await scene.house.bridge.has_pages(3)
        kept = [f"line {n}" for n in range(30, 60)]
        assert sorted(await scene.texts()) == ["before", *kept]
        assert [span.began for span in await scene.spans() if span.source] == [times[30]]


@dataclass(frozen=True)
class BehindZnc:
    """A bridge behind a real bouncer on a real server, and somebody on that server."""

    ircd: Ircd
    znc: Znc
    house: House
    agent: StrictAgent

    async def has_heard(self, someone: Person) -> None:
        with anyio.fail_after(PATIENCE):
            await self.house.has_heard(someone)


@asynccontextmanager
async def behind_znc(ircd: Ircd, folder: Path, *, clears: bool = True) -> AsyncIterator[BehindZnc]:
    """A bridge that has come in through ZNC."""
    with znc_before(ircd.port, clears=clears) as znc:
        async with strict_agent() as agent:
            settings = settings_for(
                znc.port, folder, agent.url, irc_channels=("#tea",), server_password=LOGIN
            )
            async with living(settings) as house:
                yield BehindZnc(ircd, znc, house, agent)


async def test_behind_znc_the_spans_follow_its_server_and_nobody_answers_its_chatter(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with behind_znc(ngircd, tmp_path) as scene:
        house = scene.house
        async with person("ada", ngircd.port) as ada:
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :before the crash")
            await scene.has_heard(ada)
        ngircd.kill()
        with anyio.fail_after(PATIENCE):
            await house.bridge.hears("Disconnected from IRC. Reconnecting...")
            assert house.bridge.network.connected
            assert house.bridge.network.joined_channels() == []
        house.bridge.at_home = anyio.Event()
        ngircd.start()
        with anyio.fail_after(PATIENCE):
            await house.bridge.at_home.wait()
        async with person("ada", ngircd.port) as ada:
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :after the crash", "PRIVMSG #tea :!ping")
            with anyio.fail_after(PATIENCE):
                await ada.sees("PRIVMSG #tea", "ada: pong")
            await scene.has_heard(ada)
        coverage = await house.store.spans.coverage(await house.store.rooms.all())
        first, second = coverage.spans
        assert first.why_ended == "the bouncer says: Disconnected from IRC. Reconnecting..."
        assert (first.going_on, second.going_on) == (False, True)
        texts = [line.text for line in await house.lines() if "crash" in line.text]
        assert texts == ["before the crash", "after the crash"]
        assert scene.agent.requests == []
