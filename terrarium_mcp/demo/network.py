"""A real IRC server on loopback, and a visitor with a real IRC client. Both are jaraco's `irc`."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
from irc.client import Event, ServerConnection
from irc.client_aio import AioConnection, AioReactor
from irc.server import IRCClient, IRCServer


class _QuietServer(IRCServer):
    """Prints no traceback when a client is gone before the server's last word to it."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing to do: the client has left."""


@contextmanager
def irc_server() -> Iterator[int]:
    """An IRC server in a thread of its own; gives its port."""
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
    """Somebody who sits in a channel, speaks, and hears what is said."""

    def __init__(self, connection: AioConnection, channel: str) -> None:
        self._connection = connection
        self._channel = channel

    def says(self, text: str) -> None:
        """Say something in the channel."""
        self._connection.privmsg(self._channel, text)


@asynccontextmanager
async def visitor(
    port: int,
    nick: str,
    channel: str,
    hears: Callable[[str, str], None],
    meets: Callable[[str], None],
) -> AsyncIterator[Visitor]:
    """A visitor in `channel`. `hears` gets nick and text of each line, `meets` who joins."""
    welcome = anyio.Event()
    connection = AioReactor().server()

    def on_welcome(_: ServerConnection, __: Event) -> None:
        connection.join(channel)

    def on_public(_: ServerConnection, event: Event) -> None:
        hears(event.source.nick, event.arguments[0])

    def on_join(_: ServerConnection, event: Event) -> None:
        meets(event.source.nick)
        welcome.set()

    connection.add_global_handler("welcome", on_welcome)
    connection.add_global_handler("pubmsg", on_public)
    connection.add_global_handler("join", on_join)
    await connection.connect("127.0.0.1", port, nick)
    try:
        await welcome.wait()
        yield Visitor(connection, channel)
    finally:
        connection.disconnect("bye")
