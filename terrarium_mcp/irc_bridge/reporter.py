"""What the bridge of one network reports of itself: to its own process, and in its heartbeat."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic

from terrarium_mcp import __version__
from terrarium_mcp.irc_bridge.ask.command_queue import CommandQueue
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.record.recorder import Recorder
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import BridgeReport


class Reporter:
    """Puts together the report of one bridge."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        network: IrcNetwork,
        commands: CommandQueue,
        llm: LLM,
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._settings = settings
        self._network = network
        self._commands = commands
        self._llm = llm
        self._started = self._since = monotonic()

    def connection_changed(self) -> None:
        """Note that the connection was made or lost just now."""
        self._since = monotonic()

    def report(self, recorder: Recorder) -> BridgeReport:
        """The state of the bridge now."""
        network, outage, newest = self._network, recorder.outage, recorder.newest
        return BridgeReport(
            network=network.name,
            version=__version__,
            connected=network.connected,
            since=_by_the_clock(self._since),
            started=_by_the_clock(self._started),
            trouble=network.trouble,
            wanted=len(self._settings().irc_channels),
            missing=self._missing(),
            newest_line=newest.said_at if newest else None,
            unwritable_since=outage.since if outage else None,
            write_trouble=outage.why if outage else "",
            waiting=recorder.waiting,
            lost=recorder.lost,
            model=self._llm.model,
            model_trouble=self._llm.condition.trouble,
            questions=self._commands.questions,
        )

    def _missing(self) -> tuple[str, ...]:
        """The channels of the settings that we are not in, without their keys."""
        named = (channel.name for channel in self._settings().irc_channels)
        return tuple(name for name in named if not self._network.is_in(name))


def _by_the_clock(moment: float) -> datetime:
    """A moment of the monotonic clock, as the clock would have shown it that may be set since."""
    return datetime.now(UTC) - timedelta(seconds=monotonic() - moment)
