"""The stdio transport: one JSON-RPC message a line, in both directions.

Unlike the SDK's it answers a line that it cannot read, so that its client does not wait for ever.
"""

from typing import Protocol

import anyio
from anyio.abc import AsyncResource
from mcp.shared.message import SessionMessage

from terrarium_mcp.serving.relayed_messages import ReceivedMessages
from terrarium_mcp.serving.unreadable import UnreadableMessage, message_in


class LineReader(Protocol):
    """What `over_lines` reads: lines until the end of the stream.

    It raises `UnreadableMessage` for a line that it cannot return, and then goes on.
    """

    async def read(self) -> bytes:
        """The next line with its end; empty at the end of the stream."""


class LineWriter(Protocol):
    """What `over_lines` writes to."""

    async def write(self, line: bytes, /) -> None:
        """Write a line, once the client has read enough of those before."""


def over_lines(reader: LineReader, writer: LineWriter) -> tuple["ReadLines", "WrittenLines"]:
    """The messages read, until `reader` ends, and those to write.

    Each is read and written by the task that waits for it: to hand it to one that reads or writes
    takes a turn of the event loop, and 3 % of a call.
    """
    written = WrittenLines(writer)
    return ReadLines(reader, written), written


class ReadLines(ReceivedMessages):
    """The messages of a client, one on each line; a line that is none is answered here."""

    def __init__(self, reader: LineReader, answers: "WrittenLines") -> None:
        self._reader = reader
        self._answers = answers

    async def receive(self) -> SessionMessage:
        """The next message."""
        while True:
            try:
                line = await self._reader.read()
                if line.strip():  # a client may send empty lines to keep the pipe alive
                    return SessionMessage(message_in(line))
            except UnreadableMessage as unreadable:
                await self._answers.send(SessionMessage(unreadable.answer))
                continue
            if not line:
                raise anyio.EndOfStream

    async def aclose(self) -> None:
        """Read no more; whoever opened the pipe closes it."""


class WrittenLines(AsyncResource):
    """The messages to a client, one on each line."""

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage) -> None:
        """Write a message, once the client has read enough of those before."""
        json = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        await self._writer.write(json.encode() + b"\n")

    async def aclose(self) -> None:
        """Write no more; whoever opened the pipe closes it."""
