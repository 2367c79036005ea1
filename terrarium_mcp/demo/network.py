"""A real IRC server on loopback and a real IRC client, both from jaraco's `irc` package."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
from irc.client import Event, ServerConnection
from irc.client_aio import AioConnection, AioReactor
from irc.server import IRCClient, IRCServer


class _QuietServer(IRCServer):
    """Prints no traceback when a client disconnects before the server's last message to it."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Do nothing: the client has disconnected."""


@contextmanager
def irc_server() -> Iterator[int]:
    """Run an IRC server in a thread; yields its port."""
    server = _QuietServer(("127.0.0.1", 0), IRCClient)
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
