"""Three networks with #dev each, one of which comes and goes: nothing mixes, the others go on."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio

from tests.irc_bridge.neighbourhood import Neighbourhood, neighbourhood, network
from tests.patience import PATIENCE
from tests.servers.cuttable import cuttable
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person

NAMES = ("one", "two", "three")
EACH = 5
"""Lines said on each network between two cuts."""


@asynccontextmanager
async def people(*ports: int) -> AsyncIterator[list[Person]]:
    """One ada in #dev of each network: another person on each."""
    async with AsyncExitStack() as stack:
        found = [await stack.enter_async_context(person("ada", port)) for port in ports]
        for ada in found:
            await ada.joins("#dev")
        yield found


async def all_heard(house: Neighbourhood, name: str, text: str) -> None:
    """Return once this was heard on the network, and everything before it is on disk."""
    await house.by_name[name].hears(text)
    await house.by_name[name].flush()


async def one_of_three_flaps(
    ircds: Sequence[Ircd], folder: Path, cuts: int, pause: float = 0.0
) -> None:
    """Cut the third network off so many times, with a pause of as many seconds after each.

    Each network has recorded exactly what was said on it, and only the third has gaps.
    """
    async with cuttable(ircds[2].port) as wire, people(*(ircd.port for ircd in ircds)) as adas:
        ports = (ircds[0].port, ircds[1].port, wire.port)
        settings = [network(name, port) for name, port in zip(NAMES, ports, strict=True)]
        async with neighbourhood(folder, *settings) as house:
            flapping = house.by_name["three"]
            for cut in range(cuts):
                with anyio.fail_after(PATIENCE):
                    for name, ada in zip(NAMES, adas, strict=True):
                        await ada.types(*(f"PRIVMSG #dev :{name} {cut}.{n}" for n in range(EACH)))
                    await flapping.hears(f"three {cut}.{EACH - 1}")
                    await wire.cut()
                    await flapping.is_cut_off(cut + 1)
                    await flapping.at_home.wait()
                await anyio.sleep(pause)
            with anyio.fail_after(PATIENCE):
                for name in NAMES[:2]:
                    await all_heard(house, name, f"{name} {cuts - 1}.{EACH - 1}")
                await flapping.flush()
            for name in NAMES:
                said = [f"{name} {cut}.{n}" for cut in range(cuts) for n in range(EACH)]
                assert await house.texts(name) == said
            rooms = await house.store.rooms.all()
            spans = [await house.store.spans.coverage([room]) for room in rooms]
            assert [len(one.spans) for one in spans] == [1, cuts + 1, 1]
            assert [house.by_name[name].network.trouble for name in NAMES] == ["", "", ""]
