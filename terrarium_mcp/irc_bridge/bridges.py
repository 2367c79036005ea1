"""The bridges of one process: one for each network, over one history and one model.

Each network has its own connection, pace, recorder and queue, so that one in trouble slows no
other. They share the store, the toolbox and the model, which answers one question at a time.
"""

import logging
from collections.abc import Sequence

import anyio

from terrarium_mcp.errors import TerrariumError, single_errors
from terrarium_mcp.irc_bridge.bridge import Bridge
from terrarium_mcp.irc_bridge.model.check import check_endpoint
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store

log = logging.getLogger(__name__)


class Bridges:
    """Runs bridges with what they share. `bridges` are in the order of the settings."""

    def __init__(self, bridges: Sequence[Bridge], toolbox: Toolbox, llm: LLM) -> None:
        self.bridges = tuple(bridges)
        self._toolbox = toolbox
        self._llm = llm
        self._ended_by_errors = 0

    @classmethod
    def from_settings(
        cls, store: Store, settings: Settings, toolbox: Toolbox, llm: LLM
    ) -> "Bridges":
        """A bridge for each network that the settings name.

        Raises:
            BadSetting: no server, channel or contact is set for one of them.
        """
        model_lock, home = anyio.Lock(), settings.network_name
        return cls(
            [Bridge(store, one, toolbox, llm, model_lock, home=home) for one in settings.networks],
            toolbox,
            llm,
        )

    async def run(self) -> None:
        """Record and answer on every network until `stop()` or cancellation.

        Either way every recorded message is on disk when this returns.

        Raises:
            TerrariumError: the history cannot be opened.
        """
        async with anyio.create_task_group() as sharing:
            sharing.start_soon(self._toolbox.run)
            sharing.start_soon(check_endpoint, self._llm)
            async with anyio.create_task_group() as networks:
                for bridge in self.bridges:
                    networks.start_soon(self._run_one, bridge)
            sharing.cancel_scope.cancel()

    async def stop(self, reason: str = "") -> None:
        """Leave every network and let `run()` return."""
        async with anyio.create_task_group() as leaving:
            for bridge in self.bridges:
                leaving.start_soon(bridge.stop, reason)

    async def _run_one(self, bridge: Bridge) -> None:
        """Run a bridge. A bug that ends it leaves the others running, as long as there are any."""
        try:
            await bridge.run()
        except Exception as error:
            self._ended_by_errors += 1
            of_the_history = any(isinstance(one, TerrariumError) for one in single_errors(error))
            if of_the_history or self._ended_by_errors == len(self.bridges):
                raise
            log.exception("%s: ended by an error; the other networks go on", bridge.name)
