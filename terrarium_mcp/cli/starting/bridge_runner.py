"""A bridge built from the settings, run until a signal stops it."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from terrarium_mcp.irc_bridge.bridge import Bridge, server_config
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.transport import tls_context
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import chosen_tools, published_tools
from terrarium_mcp.settings import BadSetting, Settings
from terrarium_mcp.store import Store


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
        BadSetting: no server, channel or contact is set, or TERRARIUM_TLS_CAFILE is unusable.
    """
    config = server_config(settings)
    try:
        if config.tls_cafile:
            tls_context(config)
    except ConnectionError as error:
        raise BadSetting(str(error)) from error


@asynccontextmanager
async def open_bridge(store: Store, settings: Settings, toolbox: Toolbox) -> AsyncIterator[Bridge]:
    """A bridge with the model that the settings name.

    Raises:
        BadSetting: no server, channel or contact is set.
    """
    llm = LLM.from_settings(settings)
    try:
        yield Bridge(store, settings, toolbox, llm)
    finally:
        with anyio.CancelScope(shield=True):
            await llm.aclose()


async def run_until_signal(bridge: Bridge) -> None:
    """Run the bridge until SIGINT or SIGTERM; it then quits IRC and saves what is pending."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_at_a_signal, bridge)
        await bridge.run()
        tasks.cancel_scope.cancel()


async def _stop_at_a_signal(bridge: Bridge) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            await bridge.stop("until later")
            return
