"""Earlier sources: the rows that a log has from before it grew.

A log is known by its path and place, and by when its first line was said: a program that begins a
new log may give it the name of the old one.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from terrarium_mcp.store.records.imports import LogSource
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.imports.source_rows import source_params
from terrarium_mcp.store.sqlite.imports.stored_lines import TimeSpan


class EarlierSource(NamedTuple):
    """The row of a log from before it grew, by an import that has not been undone.

    Attributes:
        id: the id of the row.
        import_id: the import.
        zone: the name of the time zone in which its times were read.
        lines: how many lines of it are stored.
        is_whole: whether these were all that it had.
        newest_before: the newest message when it was first read.
    """

    id: int
    import_id: int
    zone: str
    lines: int
    is_whole: bool
    newest_before: int


class LinesOfSource(NamedTuple):
    """Lines of a block that a source has, and none before it; without one, those that are new."""

    source: EarlierSource | None
    lines: slice


async def earlier_sources(
    database: Database, log: LogSource, began: TimeSpan
) -> list[EarlierSource]:
    """The earlier sources of a log, the oldest first; `began` is about when its first line was."""
    params = source_params(log) | began._asdict()
    return [EarlierSource(*row) for row in await database.rows(_EARLIER, params)]


def lines_by_source(
    sources: Iterable[EarlierSource], position: int, count: int
) -> Iterator[LinesOfSource]:
    """The lines of a block, by the source that had them first.

    Args:
        sources: the earlier sources of the log, the oldest first.
        position: how many lines of the log are before the block.
        count: how many the block has.
    """
    begin = 0
    for source in sources:
        end = min(source.lines - position, count)
        if end > begin:
            if not source.is_whole:  # whoever read it had read the block to its end
                end = count
            yield LinesOfSource(source, slice(begin, end))
            begin = end
    if begin < count:
        yield LinesOfSource(None, slice(begin, count))


_EARLIER = """
SELECT s.id, s.import, s.zone, s.lines, s.is_whole, s.newest_before
FROM import_sources s JOIN imports i ON i.id = s.import
WHERE s.path = :path AND s.network = :network AND s.channel = :channel
  AND s.sha256 <> :sha256 AND s.size < :size AND s.first BETWEEN :first AND :last
  AND i.undone IS NULL
ORDER BY s.id"""
