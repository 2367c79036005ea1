"""The rows of logs: what was read of each, and the ranges of message ids that it has."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.errors import ImportWasUndone
from terrarium_mcp.store.records import LogSource
from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.rooms import room_ids

_MS = timedelta(milliseconds=1)

_COVERED = "import"
"""Why a span began that covers all lines of a program's logs, whatever lies between them."""


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
    import_id: int
    log: LogSource
    newest_before: int
    is_new: bool = False

    @property
    def resolution(self) -> int:
        """How exact its stamps are, in milliseconds."""
        return resolution_of(self.log)


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


async def begin_source(writer: Writer, import_id: int, log: LogSource) -> SourceRow:
    """Add the row of a log."""
    ((number, before),) = await writer.rows(_INSERT, source_params(log) | {"import": import_id})
    return SourceRow(number, import_id, log, before, is_new=True)


async def require_not_undone(writer: Writer, import_id: int) -> None:
    """Refuse to go on with an import that has been undone.

    Raises:
        ImportWasUndone: it has been.
    """
    if await writer.rows("SELECT 1 FROM imports WHERE id = ? AND undone NOT NULL", [import_id]):
        raise ImportWasUndone(import_id)


async def add_lines(
    writer: Writer,
    source: SourceRow,
    lines: int,
    times: tuple[str, str],
    ranges: Sequence[HeldRange],
) -> None:
    """Note the first and last time of more lines of a log, and the messages that they are."""
    await writer.run(
        _ADD_LINES,
        {
            "source": source.id,
            "lines": lines,
            "added": sum(one.last - one.first + 1 for one in ranges if one.is_added),
            "first": times[0],
            "last": times[1],
        },
    )
    if ranges and not source.is_new and await _extends_last(writer, source, ranges[0]):
        ranges = ranges[1:]
    await writer.many(
        "INSERT INTO import_ranges (source, is_private, first, last, is_added)"
        " VALUES (?, ?, ?, ?, ?)",
        [(source.id, *one) for one in ranges],
    )


async def complete_sources(
    writer: Writer, completed: Iterable[tuple[SourceRow, timedelta]]
) -> None:
    """Mark logs as read to their ends, each with the offset of its clock."""
    await writer.many(
        "UPDATE import_sources SET is_whole = 1, clock_offset = ? WHERE id = ?",
        [(offset // _MS, source.id) for source, offset in completed],
    )


async def extend_span(writer: Writer, source: SourceRow, room: int, began: str, ended: str) -> None:
    """Extend the span that an import's logs of one program cover of a room, by timestamps."""
    params = {
        "import": source.import_id,
        "room": room,
        "source": _span_source(source.log.format),
        "began": began,
        "ended": ended,
        "why_began": _COVERED,
        "why_ended": _COVERED,
    }
    if not await writer.rows(_EXTEND_SPAN, params):
        await writer.run(_INSERT_SPAN, params)


async def add_span(
    writer: Writer,
    import_id: int,
    place: tuple[str, str],
    times: tuple[datetime, datetime],
    why: tuple[str, str],
) -> None:
    """Add a time in which the log read last was open: when it began and ended, and why."""
    network, channel = map(storable, place)
    if not is_channel(channel):
        return
    rooms = await room_ids(writer, [(network, channel)])
    program = await writer.value(_READ_LAST, {"import": import_id, "network": network}, "imported")
    began, ended = map(to_text, times)
    why_began, why_ended = map(storable, why)
    await writer.run(
        _INSERT_SPAN,
        {
            "import": import_id,
            "room": rooms[network, channel],
            "source": _span_source(program),
            "began": began,
            "ended": ended,
            "why_began": why_began,
            "why_ended": why_ended,
        },
    )


def _span_source(program: str) -> str:
    """What the coverage of a room names as the source of a program's lines."""
    return f"{storable(program)} logs"


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
  import, path, format, network, channel, zone, sha256, size, resolution, newest_before
) VALUES (
  :import, :path, :format, :network, :channel, :zone, :sha256, :size, :resolution,
  ifnull(({READ_BEFORE}), (SELECT ifnull(max(id), 0) FROM messages))
) RETURNING id, newest_before"""

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

_EXTEND_SPAN = """
UPDATE spans SET began = min(began, :began), alive = max(alive, :ended), ended = max(ended, :ended)
WHERE import = :import AND room = :room AND source = :source AND why_began = :why_began
RETURNING 1"""

_INSERT_SPAN = """
INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source, import)
VALUES (:room, :began, :ended, :ended, :why_began, :why_ended, :source, :import)"""

_READ_LAST = """
SELECT format FROM import_sources WHERE import = :import AND network = :network
ORDER BY id DESC LIMIT 1"""
