"""An introduction is due once in a while, for each channel by itself."""

from datetime import timedelta

from terrarium_mcp.store import Store
from tests.store.scene import NOON

DAY = timedelta(days=1)


async def test_it_is_due_once_in_its_pause(store: Store) -> None:
    async def is_due(channel: str, hours: float, network: str = "net") -> bool:
        at = NOON + timedelta(hours=hours)
        return await store.introductions.claim(network, channel, at, pause=DAY)

    assert await is_due("#tea", 0)
    assert not await is_due("#TEA", 23)
    assert await is_due("#mate", 23)
    assert await is_due("#tea", 23, network="other")
    assert await is_due("#tea", 24)
    assert not await is_due("#tea", 25)
    await store.introductions.withdraw("net", "#TEA")
    assert not await is_due("#mate", 25)
    assert await is_due("#tea", 25)


async def test_a_clock_that_was_ahead_puts_it_off_for_no_longer_than_its_pause(
    store: Store,
) -> None:
    year = timedelta(days=365)
    assert await store.introductions.claim("net", "#tea", NOON + year, pause=DAY)
    second = NOON + year - timedelta(seconds=1)
    assert not await store.introductions.claim("net", "#tea", second, pause=DAY)
    assert await store.introductions.claim("net", "#tea", NOON, pause=DAY)
    assert not await store.introductions.claim("net", "#tea", NOON + DAY / 2, pause=DAY)
