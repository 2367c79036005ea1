"""Followers: structures that depend on something of a message which may change later.

Each removes the message before the change, and adds it again after it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from terrarium_mcp.store.sqlite.engine.writes import Writer


class Follower(Protocol):
    """A structure that follows."""

    name: str

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Remove messages, which are as they were when they were added."""

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Add messages again that were removed a moment ago."""


@asynccontextmanager
async def followed(
    writer: Writer, followers: Sequence[Follower], ids: Sequence[int]
) -> AsyncIterator[None]:
    """Change these messages inside the block; each follower holds those that it held before."""
    marks = dict(map(tuple, await writer.rows("SELECT name, upto FROM derived")))
    held = [
        (follower, numbers)
        for follower in followers
        if (numbers := [number for number in ids if number <= marks.get(follower.name, 0)])
    ]
    for follower, numbers in held:
        await follower.remove(writer, numbers)
    yield
    for follower, numbers in held:
        await follower.restore(writer, numbers)
