"""A bridge behind a real ZNC that chatters, loses its server and is lost itself, for a while.

Each round has one misfortune, and says lines before, during and after it. What is recorded in the
end is what was said, once; what the bouncer says gets no reply.
"""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from terrarium_mcp.chat.coverage import Span
from tests.irc_bridge.house import House, lines_of, living, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, strict_agent
from tests.servers.cuttable import CuttableWire, cuttable
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person
from tests.servers.znc import LOGIN, has_kept_for_us, znc_before

CHANNEL = "#tea"
AWAY = 20
"""Lines that are said while the bridge is away."""

TO_BOUNCER = ("PRIVMSG *", "NOTICE *")


@dataclass
class Outcome:
    """What happened, and what came of it.

    Attributes:
        rounds: misfortunes.
        cuts: times that the bridge lost ZNC.
        outages: times that ZNC lost its server.
        said: lines said in the channel that should be there.
        recorded: lines of speech on disk that are not the bot's.
        pings, pongs: `!ping` said while the bridge was there, and its replies.
        to_bouncer: what the bridge said to ZNC's modules.
        asked: requests to the model.
        spans: what the record covers of the channel.
    """

    rounds: int = 0
    cuts: int = 0
    outages: int = 0
    said: list[str] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)
    pings: int = 0
    pongs: int = 0
    to_bouncer: list[str] = field(default_factory=list)
    asked: int = 0
    spans: Sequence[Span] = ()

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds behind ZNC, {self.cuts} cuts,"
            f" {self.outages} outages of its server:"
            f" {len(self.said)} lines said, {len(self.recorded)} recorded;"
            f" {self.pings} pings, {self.pongs} pongs, {len(self.to_bouncer)} replies to ZNC,"
            f" {self.asked} questions to the model, {len(self.spans)} spans"
        )

    def check(self) -> None:
        """Everything is as it should be.

        A span ends with each cut, which playback fills, with each outage, and only then.
        """
        assert sorted(self.recorded) == sorted(self.said)
        assert self.pongs == self.pings > 0
        assert (self.to_bouncer, self.asked) == ([], 0)
        ends = Counter(span.why_ended.partition(":")[0] for span in self.spans)
        assert ends == Counter(
            {"connection lost": self.cuts, "playback": self.cuts, "the bouncer says": self.outages}
            | {"": 1}
        )


async def weathered(ircd: Ircd, folder: Path, rounds: int, pause: float = 0.0) -> Outcome:
    """What comes of so many rounds, with a pause of as many seconds after each."""
    async with _scene(ircd, folder) as scene:
        misfortunes = (scene.is_cut_off, scene.loses_its_server, scene.is_chattered_at)
        for number in range(rounds):
            # Another each time: who asks again and again within seconds is taken for a bot.
            async with person(f"ada{number}", ircd.port) as ada:
                await ada.joins(CHANNEL)
                await scene.talks(ada)
                with anyio.fail_after(PATIENCE):
                    await misfortunes[number % 3](ada)
            scene.outcome.pongs += len([line for line in ada.lines if f"{ada.nick}: pong" in line])
            scene.outcome.rounds += 1
            await anyio.sleep(pause)
        await scene.closes()
        return scene.outcome


@dataclass
class _Scene:
    ircd: Ircd
    wire: CuttableWire
    house: House
    agent: StrictAgent
    outcome: Outcome

    async def talks(self, ada: Person, lines: int = 5) -> None:
        """Ada talks, asks for a sign of life, and both are on disk."""
        known = len(ada.lines)
        self.outcome.pings += 1
        with anyio.fail_after(PATIENCE):
            await self._says(ada, self._numbered(lines))
            while not [line for line in ada.lines[known:] if f"{ada.nick}: pong" in line]:
                await ada.news.wait()
            await self.house.has_heard(ada, CHANNEL)

    async def is_cut_off(self, ada: Person) -> None:
        """The bridge loses ZNC; what is said until it is back is played to it."""
        bridge = self.house.bridge
        losses = bridge.losses
        async with self.wire.broken():
            await bridge.is_cut_off(losses + 1)
            await self._says(ada, [*self._numbered(AWAY), "Terra: who is there?"])
            await has_kept_for_us(ada)
        await bridge.at_home.wait()
        await self.talks(ada)
        self.outcome.cuts += 1

    async def loses_its_server(self, _: Person) -> None:
        """ZNC loses its server, and says so; whoever was there is gone as well."""
        bridge = self.house.bridge
        self.ircd.kill()
        while bridge.network.joined_channels():
            await bridge.news.wait()
        bridge.at_home = anyio.Event()
        self.ircd.start()
        await bridge.at_home.wait()
        self.outcome.outages += 1

    async def is_chattered_at(self, ada: Person) -> None:
        """ZNC speaks to its clients, in words that would be a question of anybody else."""
        async with person("owner", self.wire.to_port, password=LOGIN) as owner:
            for text in ("!ping", "Terra: who is there?", "hello"):
                await owner.types(f"PRIVMSG *status :Broadcast {text}")
                await self.house.bridge.hears(f"*** {text}")
        await self.talks(ada)

    async def closes(self) -> None:
        """Take down what came of it all."""
        house = self.house
        await house.bridge.flush()
        lines = await lines_of(house.store, CHANNEL)
        self.outcome.recorded = [line.text for line in lines if line.nick.startswith("ada")]
        sent = self.wire.sent.decode().splitlines()
        self.outcome.to_bouncer = [line for line in sent if line.startswith(TO_BOUNCER)]
        self.outcome.asked = len(self.agent.requests)
        coverage = await house.store.spans.coverage(await house.store.rooms.all())
        self.outcome.spans = coverage.spans

    def _numbered(self, lines: int) -> list[str]:
        """Lines that differ, as lines do, of which the last asks for a reply."""
        first = len(self.outcome.said)
        return [*(f"line {first + n}" for n in range(lines)), f"!ping {first}"]

    async def _says(self, ada: Person, texts: Sequence[str]) -> None:
        self.outcome.said += texts
        await ada.types(*(f"PRIVMSG {CHANNEL} :{text}" for text in texts))


@asynccontextmanager
async def _scene(ircd: Ircd, folder: Path) -> AsyncIterator[_Scene]:
    with znc_before(ircd.port) as znc:
        async with cuttable(znc.port) as wire, strict_agent() as agent:
            settings = settings_for(
                wire.port, folder, agent.url, irc_channels=(CHANNEL,), server_password=LOGIN
            )
            async with living(settings) as house:
                yield _Scene(ircd, wire, house, agent, Outcome())
