"""A client's messages on their way to the SDK: read by us, or through something else."""

from abc import abstractmethod
from typing import Self

import anyio
from anyio.abc import AsyncResource
from mcp.shared.message import SessionMessage

from terrarium_mcp.sdk import Incoming


class ReceivedMessages(AsyncResource):
    """A stream of messages, as the SDK reads one: what `receive` returns."""

    @abstractmethod
    async def receive(self) -> SessionMessage | Exception:
        """The next message.

        Raises:
            EndOfStream: there is none.
        """

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class RelayedMessages(ReceivedMessages):
    """A stream of messages over another, `_incoming`: what `receive` makes of them."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming

    @property
    def last_context(self) -> object:
        """The context variables of the last message, which the SDK passes on to its handler."""
        return getattr(self._incoming, "last_context", None)

    async def aclose(self) -> None:
        """Read no more."""
        await self._incoming.aclose()
