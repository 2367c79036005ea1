"""The stdio transport: one JSON-RPC message a line, in both directions.

Unlike the SDK's it answers a line that it cannot read, so that its client does not wait for ever.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from terrarium_mcp.sdk import Incoming, Outgoing
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
        """Write a line, and wait until more can be written."""


@asynccontextmanager
async def over_lines(
    reader: LineReader, writer: LineWriter
) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The messages read, until `reader` ends, and those to write."""
    heard, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, to_write = anyio.create_memory_object_stream[SessionMessage]()
    async with anyio.create_task_group() as tasks, incoming, outgoing:
        tasks.start_soon(_read, reader, heard, outgoing.clone())
        tasks.start_soon(_write, to_write, writer)
        yield incoming, outgoing


async def _read(
    reader: LineReader,
    heard: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
) -> None:
    async with heard, answers:
        with suppress(anyio.BrokenResourceError):  # the server reads no more
            is_open = True
            while is_open:
                try:
                    line = await reader.read()
                    is_open = bool(line)
                    if line.strip():  # a client may send empty lines to keep the pipe alive
                        await heard.send(SessionMessage(message_in(line)))
                except UnreadableMessage as unreadable:
                    await answers.send(SessionMessage(unreadable.answer))


async def _write(to_write: MemoryObjectReceiveStream[SessionMessage], writer: LineWriter) -> None:
    async with to_write:
        async for sent in to_write:
            json = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            await writer.write(json.encode() + b"\n")
