"""A real IRC server on loopback and a real IRC client, both from jaraco's `irc` package."""

import select
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio
from irc.client import Event, ServerConnection
from irc.client_aio import AioConnection, AioReactor
from irc.server import IRCClient, IRCServer


class _Outbox(list[str]):
    """Lines to send to a client; each wakes the client's thread."""

    def __init__(self, waker: socket.socket) -> None:
        super().__init__()
        self._waker = waker

    def append(self, line: str) -> None:
        """Add a line. Called by the threads of other clients too."""
        super().append(line)
        with suppress(OSError):  # the client has gone, or has not read the last thousand wakes
            self._waker.send(b"\0")


class _SleepingClient(IRCClient):
    """Sleeps while there is nothing to read and nothing to send.

    The library's own loop asks without pause whether the socket can be written: with two clients
    that took 64 % of a core.
    """

    def setup(self) -> None:
        """Called before `handle`."""
        self._waker, self._wakes = socket.socketpair()
        for end in (self._waker, self._wakes):
            end.setblocking(False)  # noqa: FBT003 -- the library takes no name
        self.send_queue = _Outbox(self._waker)

    def _handle_one(self) -> None:
        """Wait until there is something to do, then let the library's loop do it."""
        if not self.send_queue:
            select.select([self.request, self._wakes], [], [])
            with suppress(BlockingIOError):
                self._wakes.recv(4096)
        super()._handle_one()

    def handle_cap(self, params: str) -> str:
        """Offer no capabilities; irssi waits for this answer before it goes on."""
        return f":{self.server.servername} CAP * LS :" if params.startswith("LS") else ""

    def handle_mode(self, _: str) -> str:
        """Ignore the modes that clients set and query on joining."""
        return ""

    def handle_who(self, mask: str) -> str:
        """List nobody; clients ask when they join."""
        return f":{self.server.servername} 315 {self.nick} {mask} :End of WHO list"

    def finish(self) -> None:
        """Called after `handle`."""
        super().finish()
        self._waker.close()
        self._wakes.close()


class _QuietServer(IRCServer):
    """Prints no traceback when a client disconnects before the server's last message to it."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Do nothing: the client has disconnected."""


@contextmanager
def irc_server() -> Iterator[int]:
    """Run an IRC server in a thread; yields its port."""
    server = _QuietServer(("127.0.0.1", 0), _SleepingClient)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Visitor:
    """A person in a channel, who can speak."""

    def __init__(self, connection: AioConnection, channel: str) -> None:
        self._connection = connection
        self._channel = channel

    def say(self, text: str) -> None:
        """Send `text` to the channel."""
        self._connection.privmsg(self._channel, text)


@asynccontextmanager
async def visitor(
    port: int,
    nick: str,
    channel: str,
    on_message: Callable[[str, str], None],
    on_member: Callable[[str], None],
) -> AsyncIterator[Visitor]:
    """A visitor in `channel`. Calls `on_message` with nick and text, `on_member` with who joins."""
    joined = anyio.Event()
    connection = AioReactor().server()

    def on_welcome(_: ServerConnection, __: Event) -> None:
        connection.join(channel)

    def on_public(_: ServerConnection, event: Event) -> None:
        on_message(event.source.nick, event.arguments[0])

    def on_join(_: ServerConnection, event: Event) -> None:
        on_member(event.source.nick)
        joined.set()

    connection.add_global_handler("welcome", on_welcome)
    connection.add_global_handler("pubmsg", on_public)
    connection.add_global_handler("join", on_join)
    await connection.connect("127.0.0.1", port, nick)
    try:
        await joined.wait()
        yield Visitor(connection, channel)
    finally:
        connection.disconnect("bye")
