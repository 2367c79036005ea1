"""One connection's life: register, be welcome, read line by line in order, and end."""

import logging
from collections.abc import Awaitable, Callable

import anyio

from terrarium_mcp.irc_bridge.network.base import Heard, as_pydle_hears
from terrarium_mcp.irc_bridge.network.batches import Batches
from terrarium_mcp.irc_bridge.network.ctcp import Ctcp
from terrarium_mcp.irc_bridge.network.joining import Joining
from terrarium_mcp.irc_bridge.network.line import BadLine, parse_line
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.nickname import Nickname
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.speaking import Speaking
from terrarium_mcp.irc_bridge.network.timing import Timing
from terrarium_mcp.irc_bridge.network.wire import Wire

log = logging.getLogger(__name__)


class Session(Sasl, Nickname, Joining, Ctcp, Speaking):
    """Lives as long as its connection; the next connection gets a new one.

    Lines are handled strictly one after the other: nothing in a handler waits for the network.
    """

    def __init__(self, login: Login, listener: Listener, timing: Timing) -> None:
        super().__init__(login, listener, timing)
        self.over = anyio.Event()
        self._batches = Batches()

    @property
    def alive(self) -> bool:
        """Whether we are in, and may speak."""
        return self.welcomed and not self.why and not self.over.is_set()

    async def live(self, wire: Wire) -> None:
        """Stay until the connection ends; then `why` tells why it did."""
        self.connection = wire
        try:
            async with anyio.create_task_group() as self.tasks:
                for job in (
                    self._read,
                    self._register_in_time,
                    self.send_urgent,
                    self.send_paced,
                    self.keep_nick,
                    self.keep_seats,
                ):
                    self.tasks.start_soon(self._while_the_network_holds, job)
        finally:
            self.over.set()
            self.channels.clear()

    async def _while_the_network_holds(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except OSError as error:
            self.end(str(error))

    async def _register_in_time(self) -> None:
        await self._register()
        await anyio.sleep(self.timing.register)
        if not self.welcomed:
            self.end(f"the server did not let us in within {self.timing.register:g} s")

    async def _read(self) -> None:
        asked = False
        while not self.why:
            try:
                with anyio.fail_after(self.timing.silence):
                    received = await self.connection.receive()
            except TimeoutError:
                if asked:
                    raise TimeoutError("the server no longer answers") from None
                await self.rawmsg("PING", "terrarium")
                asked = True
            else:
                asked = False
                await self._take_all(received)

    async def _take_all(self, received: list[bytes]) -> None:
        """Let the listener have each line, then pydle; to pydle a replayed one is no news."""
        for raw in received:
            try:
                line = self._batches.marked(parse_line(raw))
            except BadLine as error:
                log.info("skipped: %s", error)
                continue
            self.tell_line(line)
            if not line.replay:
                self.learn_own_mask(line)
                await self.on_raw(as_pydle_hears(line))
            if self.why:  # what came with the last line concerns us no more
                return

    async def on_raw_372(self, message: Heard) -> None:
        """Skip the message of the day."""

    async def on_raw_375(self, message: Heard) -> None:
        """Skip its beginning."""

    async def on_raw_376(self, message: Heard) -> None:
        """Come in at the end of the message of the day, or where there is none; once."""
        await self._registration_completed(message)
        if not self.welcomed:
            self.welcomed = True
            await self.on_connect()

    on_raw_422 = on_raw_376

    async def on_connect(self) -> None:
        """Show that we are a bot where the network has a flag for it, and take our seats."""
        self.listener.connected(self.nickname)
        if flag := self.isupport.get("BOT"):
            await self.rawmsg("MODE", self.nickname, f"+{flag}")
        await self.take_seats()
