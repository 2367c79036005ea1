"""What the parts of a session share: who we want to be, whom we tell, and how lines go out."""

import logging
from dataclasses import dataclass

import anyio.abc
import pydle

from terrarium_mcp.irc_bridge.network.line import Line
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.outbox import Outbox
from terrarium_mcp.irc_bridge.network.timing import Timing

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Heard:
    """A line in the shape that pydle's handlers read."""

    command: str
    params: list[str]
    source: str | None
    tags: dict[str, str]
    _raw: str
    """What pydle writes to its log: the command, since a log is no place for what people say."""
    _valid: bool = True


def as_pydle_hears(line: Line) -> Heard:
    """`line` for pydle's handlers."""
    source = str(line.source) if line.source else None
    return Heard(line.command, list(line.params), source, dict(line.tags), line.command)


class Base(pydle.Client):
    """pydle's client with its loops taken out: it reads nothing and writes nothing by itself."""

    tasks: anyio.abc.TaskGroup

    def __init__(self, login: Login, listener: Listener, timing: Timing) -> None:
        self.login = login
        self.listener = listener
        self.timing = timing
        self.outbox = Outbox(timing)
        self.welcomed = False
        self.why = ""
        super().__init__(login.nick, username=login.username, realname=login.realname)
        self.password = login.password

    @property
    def nick(self) -> str:
        """The nick we have, or are about to ask for."""
        return self.nickname if self.registered else self.login.nick

    def end(self, why: str) -> None:
        """Give this connection up; the first reason counts."""
        self.why = self.why or why or "no reason given"
        self.tasks.cancel_scope.cancel()

    def tell_line(self, line: Line) -> None:
        """Let the listener have a line. What fails there must not cost us the lines after it."""
        try:
            self.listener.line(line)
        except Exception:
            log.exception("the listener failed on a %s line", line.command)

    async def rawmsg(self, command: str, *args: str) -> None:
        """Queue a line: no handler of pydle's ever waits for the network."""
        self.outbox.post(Line(command.upper(), args))

    async def disconnect(self, expected: bool = True) -> None:  # noqa: ARG002 - pydle's signature
        """End, as pydle wishes when the server quits or kills us."""
        self.end("the server ended our session")

    async def on_data_error(self, exception: Exception) -> None:
        """End with the server's ERROR as the reason."""
        self.end(str(exception))

    async def on_unknown(self, message: Heard) -> None:
        """Leave alone what no handler knows: the listener has seen it."""
