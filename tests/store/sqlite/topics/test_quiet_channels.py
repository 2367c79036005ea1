"""Channels that asked for silence: until when, and on which network."""

from datetime import timedelta

from terrarium_mcp.store import Store
from tests.store.scene import NOON

HOUR = timedelta(hours=1)


async def test_a_channel_is_quiet_until_its_time_on_its_network_alone(store: Store) -> None:
    quiet = store.quiet_channels
    await quiet.begin("net", "#tea", NOON + HOUR, "ada!u@h")
    assert await quiet.current("net", NOON) == {"#tea": NOON + HOUR}
    assert await quiet.current("other", NOON) == {}
    assert await quiet.current("net", NOON + HOUR) == {}


async def test_a_new_time_replaces_the_earlier_one_and_an_end_removes_it(store: Store) -> None:
    quiet = store.quiet_channels
    await quiet.begin("net", "#tea", NOON + HOUR, "ada!u@h")
    await quiet.begin("net", "#tea", NOON + 2 * HOUR, "bo!u@h")
    await quiet.begin("net", "#mate\udcff", NOON + HOUR, "bo!u@h")
    assert (await quiet.current("net", NOON))["#tea"] == NOON + 2 * HOUR
    await quiet.end("net", "#tea")
    await quiet.end("net", "#never")
    assert list(await quiet.current("net", NOON)) == ["#mate?"]
