"""The bridges of one process: one for each network, over one history and one model.

Each network has its own connection, pace, recorder and queue, so that one in trouble slows no
other. They share the store, the toolbox and the model, which answers one question at a time.
"""

import logging
from collections.abc import Callable, Sequence

import anyio

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.errors import TerrariumError, single_errors
from terrarium_mcp.irc_bridge.bridge import Bridge
from terrarium_mcp.irc_bridge.model.check import check_endpoint
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import BridgeReport, Store

log = logging.getLogger(__name__)


RESTART = (5.0, 30.0, 120.0, 600.0)
"""Seconds before a bridge that a bug ended is started again; the last pause repeats."""

SETTLED = 3600.0
"""Seconds that a bridge must run for the pauses to start from the first again."""


class Bridges:
    """Runs a bridge for each network, with what they share.

    `bridges` are in the order of the networks; one that is started again is a new one.
    """

    def __init__(
        self,
        networks: Sequence[Settings],
        build: Callable[[Settings], Bridge],
        toolbox: Toolbox,
        llm: LLM,
        restart: Sequence[float] = RESTART,
        *,
        talk_log: TalkLog | None = None,
    ) -> None:
        self.bridges = [build(network) for network in networks]
        self._networks = tuple(networks)
        self._build = build
        self._toolbox = toolbox
        self._llm = llm
        self._talk_log = talk_log or TalkLog(None)
        self._restart = restart
        self._stopped = anyio.Event()

    @classmethod
    def from_settings(
        cls, store: Store, settings: Settings, toolbox: Toolbox, llm: LLM
    ) -> "Bridges":
        """A bridge for each network that the settings name.

        Raises:
            BadSetting: no server, channel or contact is set for one of them.
        """
        home, talk_log = settings.network_name, TalkLog(settings.talk_log)

        def build(network: Settings) -> Bridge:
            return Bridge(store, network, toolbox, llm, home=home, talk_log=talk_log)

        return cls(settings.networks, build, toolbox, llm, talk_log=talk_log)

    async def run(self) -> None:
        """Record and answer on every network until `stop()` or cancellation.

        Either way every recorded message is on disk when this returns.

        Raises:
            TerrariumError: the history cannot be opened.
        """
        async with anyio.create_task_group() as self._sharing:
            self._sharing.start_soon(self._toolbox.run)
            self._sharing.start_soon(self._talk_log.run)
            self._sharing.start_soon(check_endpoint, self._llm)
            async with anyio.create_task_group() as networks:
                for place in range(len(self.bridges)):
                    networks.start_soon(self._run_network, place)
            self._sharing.cancel_scope.cancel()

    def reports(self) -> list[BridgeReport]:
        """The state of each bridge now."""
        return [bridge.report() for bridge in self.bridges]

    def change_settings(self, settings: Settings) -> None:
        """Use other settings of the same networks from now on (terrarium_mcp.settings.changes)."""
        self._networks = settings.networks
        self._toolbox.change_mounts(settings.mcp_servers)
        for bridge, network in zip(self.bridges, self._networks, strict=True):
            bridge.change_settings(network)
        if self._llm.change_settings(settings):
            self._sharing.start_soon(check_endpoint, self._llm)

    def stop_now(self) -> None:
        """Stop at once: give up what the networks or the disk do not take now."""
        for bridge in self.bridges:
            bridge.stop_now()

    @property
    def is_stuck(self) -> bool:
        """Whether a recorder does not even try any more to write what waits."""
        return any(bridge.is_stuck for bridge in self.bridges)

    @property
    def is_saved(self) -> bool:
        """Whether every recorded message is on disk."""
        return all(bridge.is_saved for bridge in self.bridges)

    async def stop(self, reason: str = "") -> None:
        """Leave every network and let `run()` return."""
        self._stopped.set()
        async with anyio.create_task_group() as leaving:
            for bridge in self.bridges:
                leaving.start_soon(bridge.stop, reason)

    async def _run_network(self, place: int) -> None:
        """Run the bridge of one network. A bug that ends it does not end the other networks."""
        backoff = Backoff(self._restart, settled=SETTLED)
        while True:
            began = anyio.current_time()
            try:
                return await self.bridges[place].run()
            except Exception as error:
                history_failed = any(isinstance(e, TerrariumError) for e in single_errors(error))
                if history_failed or len(self.bridges) == 1:
                    raise
                pause = backoff.pause_after(anyio.current_time() - began)
                name = self.bridges[place].name
                log.exception("%s: ended by an error; starting again in %g s", name, pause)
            with anyio.move_on_after(pause):
                return await self._stopped.wait()
            self.bridges[place] = self._build(self._networks[place])
