"""The lines of a log by blocks, prepared here unless the reader did."""

from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from contextlib import aclosing

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store.sqlite.ingest.bulk import in_blocks
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, prepared

LINES_IN_BLOCK = 1_000
"""Lines of a block, but for the last one of a log. They are compared at once, until the offset of
the log's clock is known: a log that is read again must have the same blocks."""


class PreparedLog:
    """The lines of a log by blocks of `LINES_IN_BLOCK`, prepared by whoever read them."""

    def __init__(self, blocks: AsyncIterable[PreparedLines]) -> None:
        self.blocks = blocks


LogLines = Iterable[NewMessage] | AsyncIterable[NewMessage] | PreparedLog
"""The lines of a log, in its order."""


async def blocks_of(lines: LogLines, position: int) -> AsyncGenerator[PreparedLines, None]:
    """The lines by blocks; the first line is at this position among those of all logs.

    Raises:
        UnstorableMessage: the time of one cannot be stored. Those before it were yielded.
    """
    if isinstance(lines, PreparedLog):
        async for block in lines.blocks:
            yield block
        return
    async with aclosing(in_blocks(lines, LINES_IN_BLOCK, position)) as blocks:
        async for messages in blocks:
            if messages:
                yield prepared(messages)
