"""The rows of logs: what was read of each, and the ranges of message ids that it has."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from terrarium_mcp.store.errors import ImportWasUndone
from terrarium_mcp.store.records.imports import LogEnd, LogSource
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.writes import Writer

_MS = timedelta(milliseconds=1)

HeldMessage = tuple[bool, int, bool]
"""A message that a log has: whether it is private, its id, and whether the log added it."""


class HeldRange(NamedTuple):
    """Consecutive messages that a log has."""

    is_private: bool
    first: int
    last: int
    is_added: bool


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A log that is being read: its row, and the newest message when it was first read.

    `is_new`: it was added by the transaction at hand, so it has no messages yet.
    """

    id: int
    log: LogSource
    newest_before: int
    is_new: bool = False


class NewSource(NamedTuple):
    """A log of which nothing is stored yet, and the newest message before its first line."""

    log: LogSource
    newest_before: int


class ReadSource(NamedTuple):
    """A log that was read to its end: its row, and by how much its clock was fast."""

    source: SourceRow
    offset: timedelta
    end: LogEnd


class MoreLines(NamedTuple):
    """More lines of a log: how many, their first and last timestamp, and the messages they are."""

    source: SourceRow
    lines: int
    first: str
    last: str
    ranges: Sequence[HeldRange]


READ_BEFORE = """
SELECT min(newest_before) FROM import_sources s JOIN imports i ON i.id = s.import
WHERE s.sha256 = :sha256 AND s.network = :network AND s.channel = :channel AND i.undone IS NULL"""
"""The statement for the newest message when the log of `source_params` was first read, which may
have been by an import that was interrupted. Its clock is compared with the same messages again."""


def source_params(log: LogSource) -> dict[str, object]:
    """What the row of a log says of it."""
    return {
        "path": storable(log.path),
        "format": storable(log.format),
        "network": storable(log.network),
        "channel": storable(log.channel),
        "zone": log.zone,
        "sha256": log.sha256,
        "size": log.size,
        "resolution": resolution_of(log),
    }


def resolution_of(log: LogSource) -> int:
    """How exact the stamps of a log are, in milliseconds."""
    return log.resolution // _MS


async def begin_sources(
    writer: Writer, import_id: int, logs: Sequence[NewSource]
) -> list[SourceRow]:
    """Add the rows of logs; returns them in the same order."""
    if not logs:
        return []
    before = await writer.value("SELECT max(id) FROM import_sources", default=0)
    await writer.many(
        _INSERT,
        [
            source_params(one.log)
            | {"id": number, "import": import_id, "newest_before": one.newest_before}
            for number, one in enumerate(logs, before + 1)
        ],
    )
    rows = await writer.rows(_ROWS_BEHIND, [before])
    return [
        SourceRow(number, one.log, newest_before, is_new=True)
        for (number, newest_before), one in zip(rows, logs, strict=True)
    ]


async def require_not_undone(writer: Writer, import_id: int) -> None:
    """Refuse to go on with an import that has been undone.

    Raises:
        ImportWasUndone: it has been.
    """
    if await writer.rows("SELECT 1 FROM imports WHERE id = ? AND undone NOT NULL", [import_id]):
        raise ImportWasUndone(import_id)


async def add_lines(writer: Writer, more: Sequence[MoreLines]) -> None:
    """Note more lines of logs, and the messages that they are."""
    await writer.many(
        _ADD_LINES,
        [
            {
                "source": one.source.id,
                "lines": one.lines,
                "added": sum(held.last - held.first + 1 for held in one.ranges if held.is_added),
                "first": one.first,
                "last": one.last,
            }
            for one in more
        ],
    )
    ranges: list[tuple[int, HeldRange]] = []
    for one in more:
        is_continued = (
            bool(one.ranges)
            and not one.source.is_new
            and await _extends_last(writer, one.source, one.ranges[0])
        )
        ranges += [(one.source.id, held) for held in one.ranges[is_continued:]]
    await writer.many(
        "INSERT INTO import_ranges (source, is_private, first, last, is_added)"
        " VALUES (?, ?, ?, ?, ?)",
        [(source, *held) for source, held in ranges],
    )


async def complete_sources(writer: Writer, completed: Sequence[ReadSource]) -> None:
    """Mark logs as read to their ends, and note what was read of those that changed meanwhile."""
    await writer.many(
        "UPDATE import_sources SET is_whole = 1, clock_offset = ? WHERE id = ?",
        [(one.offset // _MS, one.source.id) for one in completed],
    )
    await writer.many(
        "UPDATE import_sources SET sha256 = ? WHERE id = ?",
        [
            (one.end.sha256, one.source.id)
            for one in completed
            if one.end.sha256 not in ("", one.source.log.sha256)
        ],
    )


def ranges_of(held: Iterable[HeldMessage]) -> list[HeldRange]:
    """The messages that a log has, in as few ranges as possible."""
    ranges: list[HeldRange] = []
    first = last = 0
    kind = (False, False)
    for is_private, number, is_added in sorted(held):
        if number == last + 1 and (is_private, is_added) == kind:
            last = number
            continue
        if last:
            ranges.append(HeldRange(kind[0], first, last, kind[1]))
        first = last = number
        kind = (is_private, is_added)
    if last:
        ranges.append(HeldRange(kind[0], first, last, kind[1]))
    return ranges


async def _extends_last(writer: Writer, source: SourceRow, more: HeldRange) -> bool:
    """Whether a range continues the one before it, which then has it."""
    params = more._asdict() | {"source": source.id}
    return bool(await writer.rows(_EXTEND_RANGE, params))


_INSERT = f"""
INSERT INTO import_sources (
  id, import, path, format, network, channel, zone, sha256, size, resolution, newest_before
) VALUES (
  :id, :import, :path, :format, :network, :channel, :zone, :sha256, :size, :resolution,
  ifnull(({READ_BEFORE}), :newest_before)
)"""

_ROWS_BEHIND = "SELECT id, newest_before FROM import_sources WHERE id > ? ORDER BY id"

_ADD_LINES = """
UPDATE import_sources SET lines = lines + :lines, added = added + :added,
  first = min(ifnull(first, :first), :first), last = max(ifnull(last, :last), :last)
WHERE id = :source"""

_EXTEND_RANGE = """
UPDATE import_ranges SET last = :last
WHERE source = :source AND is_private = :is_private AND is_added = :is_added
  AND last = :first - 1 AND first = (
    SELECT max(r.first) FROM import_ranges r
    WHERE r.source = :source AND r.is_private = :is_private AND r.first < :first)
RETURNING 1"""
