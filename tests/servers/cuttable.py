"""A wire to a server that a test can cut: a TCP relay."""

import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from socket import SO_LINGER, SOL_SOCKET, socket

import anyio
from anyio.abc import SocketAttribute, SocketStream

from tests.servers.beside import beside

_CUT = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)


class CuttableWire:
    """Relays connections to a port of this machine until they are cut.

    Attributes:
        port: where clients connect.
        to_port: the port at its other end.
        sent: what clients have sent, over all connections.
    """

    def __init__(self, to_port: int, port: int) -> None:
        self.port = port
        self.sent = bytearray()
        self.to_port = to_port
        self._open: set[SocketStream] = set()
        self._whole = anyio.Event()
        self._whole.set()

    async def cut(self) -> None:
        """Reset every connection, on both sides."""
        for stream in list(self._open):
            raw: socket = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - no Django here
            raw.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            await anyio.aclose_forcefully(stream)

    @asynccontextmanager
    async def broken(self) -> AsyncIterator[None]:
        """Cut, and relay nothing until the block ends: whoever connects waits for an answer."""
        self._whole = anyio.Event()
        await self.cut()
        yield
        self._whole.set()

    async def relay(self, client: SocketStream) -> None:
        """Relay one connection until either side ends."""
        await self._whole.wait()
        async with client, await anyio.connect_tcp("127.0.0.1", self.to_port) as server:
            self._open |= {client, server}
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_pump, client, server, tasks.cancel_scope, self.sent)
                tasks.start_soon(_pump, server, client, tasks.cancel_scope, bytearray())
            self._open -= {client, server}


async def _pump(
    source: SocketStream, target: SocketStream, both: anyio.CancelScope, note: bytearray
) -> None:
    with suppress(*_CUT):
        while True:
            piece = await source.receive()
            note += piece
            await target.send(piece)
    both.cancel()


@asynccontextmanager
async def cuttable(to_port: int) -> AsyncIterator[CuttableWire]:
    """A wire beside the block to a port of this machine."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    wire = CuttableWire(to_port, listener.extra(SocketAttribute.local_port))  # noqa: S610 - no Django here
    async with listener, beside(listener.serve, wire.relay):
        yield wire
