"""The lines of a log by blocks, prepared here unless the reader did."""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from contextlib import aclosing
from datetime import MAXYEAR, MINYEAR
from typing import TypeVar

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.errors import UnstorableMessage
from terrarium_mcp.store.records.imports import LogEnd
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, prepared

LINES_IN_BLOCK = 1_000
"""Lines of a block, but for the last one of a log. They are compared at once, until the offset of
the log's clock is known: a log that is read again must have the same blocks."""

T = TypeVar("T")


class PreparedLog:
    """The lines of a log by blocks of `LINES_IN_BLOCK`, prepared by whoever read them.

    `end` is called once there are no more.
    """

    def __init__(
        self, blocks: AsyncIterable[PreparedLines], end: Callable[[], LogEnd] = LogEnd
    ) -> None:
        self.blocks = blocks
        self.end = end


LogLines = Iterable[NewMessage] | AsyncIterable[NewMessage] | PreparedLog
"""The lines of a log, in its order."""


async def blocks_of(lines: LogLines, position: int) -> AsyncGenerator[PreparedLines, None]:
    """The lines by blocks; the first line is at this position among those of all logs.

    Raises:
        UnstorableMessage: the time of one cannot be stored. Those before it were yielded.
    """
    if isinstance(lines, PreparedLog):
        async for prepared_block in lines.blocks:
            yield prepared_block
        return
    block: list[NewMessage] = []
    unstorable: UnstorableMessage | None = None
    async with aclosing(each_of(lines)) as each:
        async for message in each:
            position += 1
            if problem := _problem(message):
                unstorable = UnstorableMessage(position, problem)
                break
            block.append(message)
            if len(block) == LINES_IN_BLOCK:
                yield prepared(block)
                block = []
    if block:
        yield prepared(block)
    if unstorable:
        raise unstorable


async def each_of(values: AsyncIterable[T] | Iterable[T]) -> AsyncGenerator[T, None]:
    """The values one by one, whichever kind of iterable has them."""
    if isinstance(values, AsyncIterable):
        async for value in values:
            yield value
    else:
        for value in values:
            yield value


def _problem(message: NewMessage) -> str:
    """Why a message cannot be stored; empty if it can."""
    if message.said_at.tzinfo is None:
        return f"its time, {message.said_at}, has no time zone"
    if message.said_at.year in (MINYEAR, MAXYEAR):  # in UTC it may be the year before, or after
        try:
            to_text(message.said_at)
        except OverflowError:
            return f"its time, {message.said_at}, is outside of the calendar in UTC"
    return ""
