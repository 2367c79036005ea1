"""A bridge made from the settings, run until somebody stops it."""

import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from terrarium_mcp.irc_bridge.bridge import Bridge, server_config
from terrarium_mcp.irc_bridge.llm import LLM
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import chosen_tools, published
from terrarium_mcp.settings import BadSetting, Settings
from terrarium_mcp.store import Store


def check_tools(settings: Settings) -> None:
    """Refuse what the MCP server that is started besides would refuse, or could not offer.

    Raises:
        BadSetting: TERRARIUM_TOOLS or TERRARIUM_BRIDGE_TOOLS names a tool that is not published.
    """
    known = [tool.function.__name__ for tool in published(settings)]
    chosen_tools(settings.bridge_tools, known, "TERRARIUM_BRIDGE_TOOLS")


def check_settings(settings: Settings) -> None:
    """Refuse before anything is opened or started what no connection could mend.

    Raises:
        BadSetting: there is no server, channel or contact, or a file that cannot be read.
    """
    server_config(settings)
    if settings.tls_cafile:
        try:
            ssl.create_default_context(cafile=settings.tls_cafile)
        except OSError as why:
            raise BadSetting(
                f"TERRARIUM_TLS_CAFILE names {settings.tls_cafile}, which cannot be used:"
                f" {why.strerror or why}. Name the PEM file of the server's certificate authority."
            ) from why


@asynccontextmanager
async def bridge_of(store: Store, settings: Settings, toolbox: Toolbox) -> AsyncIterator[Bridge]:
    """A bridge with the model the settings name.

    Raises:
        BadSetting: there is no server, channel or contact.
    """
    llm = LLM.from_settings(settings)
    try:
        yield Bridge(store, settings, toolbox, llm)
    finally:
        with anyio.CancelScope(shield=True):
            await llm.aclose()


async def until_a_signal(bridge: Bridge) -> None:
    """Run the bridge until SIGINT or SIGTERM; it says goodbye and saves what it heard."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_at_a_signal, bridge)
        await bridge.run()
        tasks.cancel_scope.cancel()


async def _stop_at_a_signal(bridge: Bridge) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            await bridge.stop("until later")
            return
