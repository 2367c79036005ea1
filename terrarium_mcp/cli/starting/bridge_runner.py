"""Bridges built from the settings, run until a signal stops them."""

import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

import anyio

from terrarium_mcp.cli.starting.bridge_checks import check_settings, check_tools
from terrarium_mcp.cli.starting.reloading import Reloader
from terrarium_mcp.cli.starting.service_manager import ServiceManager, keep_informed
from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, claimed, further_claims

STOPPED, LINES_LOST = 0, 3
"""Exit statuses. 1 is an error that stderr names, 2 a command line that is not understood."""

SWITCH_INTERVAL = 0.0002
"""Seconds after which a thread that computes lets another one continue (Python: 0.005).

The store's thread gives up the interpreter's lock with every row that SQLite writes. In a flood,
the event loop would take it for 5 ms each time, so that lines wait for seconds to be written."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def claimed_channels(store: Store, settings: Settings) -> AsyncIterator[None]:
    """Claim every channel that the settings want recorded, before any connection, for the block.

    Raises:
        AlreadyRecorded: another process records one of them into the same database.
    """
    with _claimed_in(store, _recorded_channels(settings)):
        yield


@contextmanager
def _claimed_in(store: Store, channels: Collection[tuple[str, str]]) -> Iterator[None]:
    """As `claimed`, for the database of a store, also when that is another file."""
    with claimed(store.path, channels) as claim_again:
        store.service.after_reopening.append(claim_again)
        yield


def _recorded_channels(settings: Settings) -> list[tuple[str, str]]:
    """The channels that the settings want recorded, each with its network."""
    return [
        (one.network_name, channel.name)
        for one in settings.networks
        for channel in one.irc_channels
        if one.channel_ways(channel.name).is_recorded
    ]


@asynccontextmanager
async def open_bridges(
    store: Store, settings: Settings, toolbox: Toolbox
) -> AsyncIterator[Bridges]:
    """A bridge for each network, with the model that the settings name.

    Raises:
        BadSetting: no server, channel or contact is set.
    """
    llm = LLM.from_settings(settings)
    try:
        yield Bridges.from_settings(store, settings, toolbox, llm)
    finally:
        with anyio.CancelScope(shield=True):
            await llm.aclose()


async def run_until_signal(
    bridges: Bridges, store: Store, settings: Settings, load: Callable[[], Settings]
) -> int:
    """Run the bridges until SIGINT or SIGTERM; they then quit IRC and save what is pending.

    A second of these signals ends the wait for a network or a disk that does not answer. SIGHUP
    reads the settings again, with `load`.

    Returns:
        The exit status.
    """

    def load_checked() -> Settings:
        loaded = load()
        check_settings(loaded)
        check_tools(loaded)
        return loaded

    sys.setswitchinterval(SWITCH_INTERVAL)
    manager = ServiceManager(os.environ)
    async with AsyncExitStack() as claims, anyio.create_task_group() as tasks:
        claimed_before = [*_recorded_channels(settings)]

        async def apply(changed: Settings) -> None:
            if more := further_claims(_recorded_channels(changed), claimed_before):
                claims.enter_context(_claimed_in(store, more))
                claimed_before.extend(more)
            await store.service.change_settings(changed)
            bridges.change_settings(changed)

        reloader = Reloader(settings, load_checked, apply)
        tasks.start_soon(_obey_signals, bridges, reloader.reload, manager)
        tasks.start_soon(keep_informed, manager, store, bridges.reports, lambda: bridges.is_stuck)
        await bridges.run()
        tasks.cancel_scope.cancel()
    return STOPPED if bridges.is_saved else LINES_LOST


async def _obey_signals(
    bridges: Bridges, reload: Callable[[], Awaitable[None]], manager: ServiceManager
) -> None:
    if sys.platform == "win32":  # which `require_posix` refused, unknown to mypy
        raise NotImplementedError
    stopping = False
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})  # which waited for this
        async with anyio.create_task_group() as tasks:
            async for number in signals:
                if number == signal.SIGHUP:
                    if not stopping:
                        await reload()
                elif stopping:
                    log.warning("stopping at once")
                    bridges.stop_now()
                else:
                    stopping = True
                    log.info("stopping")
                    manager.notify("STOPPING=1", "STATUS=saving what waits")
                    tasks.start_soon(bridges.stop, "until later")
