"""A person at a plain IRC client, who types lines and reads the replies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream

from terrarium_mcp.bell import Bell
from tests.servers.beside import beside


class Person:
    """Answers PING like any client, and does nothing else by itself."""

    def __init__(self, nick: str, stream: anyio.abc.SocketStream) -> None:
        self.nick = nick
        self.lines: list[str] = []
        self._stream = stream
        self.news = Bell()
        self._one_at_a_time = anyio.Lock()

    async def types(self, *lines: str) -> None:
        """Send lines as they are."""
        async with self._one_at_a_time:
            await self._stream.send("".join(f"{line}\r\n" for line in lines).encode())

    async def sees(self, *words: str) -> str:
        """Wait for a line that contains all of `words`; an earlier one counts."""
        return await self.sees_after(0, *words)

    async def sees_after(self, earlier: int, *words: str) -> str:
        """Wait for a line that contains all of `words`; the first `earlier` lines do not count."""
        while True:
            for line in self.lines[earlier:]:
                if all(word in line for word in words):
                    return line
            await self.news.wait()

    async def joins(self, channel: str) -> None:
        """Join, and wait until the server confirms it."""
        await self.types(f"JOIN {channel}")
        await self.sees(" 366 ", channel)

    async def read(self) -> None:
        """Read until the connection ends; one of the scene's tasks."""
        received = BufferedByteReceiveStream(self._stream)
        while True:
            line = (await received.receive_until(b"\r\n", 65_536)).decode("utf-8", "replace")
            if line.startswith("PING"):
                await self.types(line.replace("PING", "PONG", 1))
            self.lines.append(line)
            self.news.ring()


@asynccontextmanager
async def person(nick: str, port: int, *, password: str = "") -> AsyncIterator[Person]:
    """A person registered on the server beside the block, with its password if it has one."""
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        someone = Person(nick, stream)
        async with beside(_read_until_the_end, someone):
            if password:
                await someone.types(f"PASS {password}")
            await someone.types(f"NICK {nick}", f"USER {nick} 0 * :{nick}")
            await someone.sees(" 001 ")
            yield someone


async def _read_until_the_end(someone: Person) -> None:
    try:
        await someone.read()
    except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError):
        return
