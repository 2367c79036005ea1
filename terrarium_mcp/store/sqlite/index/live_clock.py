"""The live clock: up to which time live lines have come in each room.

No live line is dated before the one before it in its room (`rooms.live_until`), and a span lasts at
least until its last live line (`spans.alive`), but for our own JOIN: that begins a span, and does
not say that one which a crash left open lasted until then. Both are stored with the watermark of
the messages, by groups: a line that is recorded alone does not write their pages. Lines above the
watermark are read in addition, and there are at most a few hundred.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import Collection, Iterable, Mapping

from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.structure import NORMALISED, watermark_sql

_REACHED = """
SELECT room, max(timestamp) AS reached,
  max(iif(self AND message_type = 'JOIN', NULL, timestamp)) AS recorded
FROM messages NOT INDEXED
WHERE {} AND origin = 'live' AND room NOT NULL GROUP BY room"""

NORMALISED_TO = watermark_sql(NORMALISED)
"""The SQL expression for the watermark of the messages: they are normalised up to there."""

NOT_STORED = _REACHED.format(f"id > {NORMALISED_TO}")
"""The statement for the time of the last live line of each room, among those above the watermark:
`room`, `reached`, and `recorded`, until when they show that it was recorded. `NOT INDEXED`, since
the index by room and time leads to the lines below it."""

_STORED_AMONG = _REACHED.format("id BETWEEN :first AND :last")


async def live_until(writer: Writer, rooms: Collection[int]) -> dict[int, str]:
    """The timestamp of the last live line of each of these rooms; "" where there was none."""
    ids = ", ".join(map(str, rooms))
    rows = await writer.rows(
        "SELECT id, max(live_until, ifnull(reached, '')) FROM rooms"
        f" LEFT JOIN ({NOT_STORED}) ON room = id WHERE id IN ({ids})"
    )
    return {row[0]: row[1] for row in rows}


async def store_live(writer: Writer, first: int, last: int) -> None:
    """Store how far the live lines with the ids `first` to `last` have come in each room."""
    rows = await writer.rows(_STORED_AMONG, {"first": first, "last": last})
    await writer.many(
        "UPDATE rooms SET live_until = max(live_until, ?) WHERE id = ?",
        [(reached, room) for room, reached, _ in rows],
    )
    await extend_spans(writer, _recorded(rows))


async def extend_spans(writer: Writer, reached: Mapping[int, str]) -> None:
    """Extend the open spans of these rooms (by id) up to these timestamps."""
    await writer.many(
        "UPDATE spans SET alive = max(alive, ?) WHERE room = ? AND ended IS NULL",
        [(timestamp, room) for room, timestamp in reached.items()],
    )


async def extend_all_spans(writer: Writer) -> None:
    """Extend every open span up to the last live line of its room."""
    await extend_spans(writer, _recorded(await writer.rows(NOT_STORED)))


def _recorded(rows: Iterable[Row]) -> dict[int, str]:
    """By room, until when lines show that it was recorded."""
    return {room: recorded for room, _, recorded in rows if recorded}
