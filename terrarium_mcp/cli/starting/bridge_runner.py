"""Bridges built from the settings, run until a signal stops them."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from terrarium_mcp.irc_bridge.bridge import server_config
from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.transport import tls_context
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import chosen_tools, published_tools
from terrarium_mcp.settings import BadSetting, Settings
from terrarium_mcp.store import Store, claimed


def check_tools(settings: Settings) -> None:
    """Refuse settings that would keep the MCP server from starting or offering the bot's tools.

    Raises:
        BadSetting: TERRARIUM_TOOLS or TERRARIUM_BRIDGE_TOOLS names a tool that is not published.
    """
    known = [tool.function.__name__ for tool in published_tools(settings)]
    chosen_tools(settings.bridge_tools, known, "TERRARIUM_BRIDGE_TOOLS")


def check_settings(settings: Settings) -> None:
    """Refuse settings with which no connection could succeed, before anything is opened.

    Raises:
        BadSetting: no server, channel or contact is set, or a certificate is unusable.
    """
    for network in settings.networks:
        try:
            config = server_config(network)
            if config.tls_cafile or config.tls_certfile:
                tls_context(config)
        except (BadSetting, ConnectionError) as error:
            name = f"{network.network_name}: " if len(settings.networks) > 1 else ""
            raise BadSetting(f"{name}{error}") from error


@asynccontextmanager
async def claimed_channels(store: Store, settings: Settings) -> AsyncIterator[None]:
    """Claim every channel that the settings name, before any connection, for the block.

    Raises:
        AlreadyRecorded: another process records one of them into the same database.
    """
    networks = settings.networks
    channels = [
        (one.network_name, channel.name) for one in networks for channel in one.irc_channels
    ]
    with claimed(store.path, channels):
        yield


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


async def run_until_signal(bridges: Bridges) -> None:
    """Run the bridges until SIGINT or SIGTERM; they then quit IRC and save what is pending."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_at_a_signal, bridges)
        await bridges.run()
        tasks.cancel_scope.cancel()


async def _stop_at_a_signal(bridges: Bridges) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            await bridges.stop("until later")
            return
