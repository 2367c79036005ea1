"""The spans of logs: which time an import's logs cover of a room, and when these were open.

They are written with the lines, so that an import that is interrupted has those of what it stored.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from terrarium_mcp.chat.coverage import BEGINS, OPENED
from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.recorded_times import RecordedTime, joined, without
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records.imports import LogEnd, LogSource
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import room_ids
from terrarium_mcp.store.sqlite.engine.writes import Writer

_COVERED = "import"
"""Why a span began that covers all lines of a program's logs, whatever lies between them."""

_WHY_ENDED = {OPENED: "the log was closed", BEGINS: "the log ends"}
"""Why a span ended in which a log was open, by why it began."""


class CoveredTime(NamedTuple):
    """A time of a room that a log covers, between two timestamps."""

    log: LogSource
    room: int
    first: str
    last: str


class _Place(NamedTuple):
    """What a span is of: a room, as the logs of a program have it, and why it began."""

    room: int
    source: str
    why_began: str


async def extend_spans(writer: Writer, import_id: int, covered: Iterable[CoveredTime]) -> None:
    """Extend the spans that an import's logs of each program cover of rooms."""
    times = defaultdict[tuple[int, str], list[CoveredTime]](list)
    for one in covered:
        times[one.room, _span_source(one.log.format)].append(one)
    wanted = {
        place: (min(one.first for one in its), max(one.last for one in its))
        for place, its in times.items()
    }
    given = json.dumps([[*place, *time] for place, time in wanted.items()])
    params = {"import": import_id, "why": _COVERED, "wanted": given}
    known = {(room, source) for room, source in await writer.rows(_EXTEND_SPANS, params)}
    await writer.many(
        _INSERT_SPAN,
        [
            {
                "import": import_id,
                "room": room,
                "source": source,
                "began": began,
                "ended": ended,
                "why_began": _COVERED,
                "why_ended": _COVERED,
            }
            for (room, source), (began, ended) in wanted.items()
            if (room, source) not in known
        ],
    )


async def add_open_times(
    writer: Writer, import_id: int, ends: Iterable[tuple[LogSource, LogEnd]]
) -> None:
    """Add the times in which logs were open, joined with those of the import's logs before them."""
    of_channels = [(log, end) for log, end in ends if end.times and is_channel(log.channel)]
    if not of_channels:
        return
    named = [(storable(log.network), storable(log.channel)) for log, _ in of_channels]
    rooms = await room_ids(writer, named)
    times = defaultdict[tuple[_Place, timedelta], list[RecordedTime]](list)
    for name, (log, end) in zip(named, of_channels, strict=True):
        why = OPENED if end.are_told else BEGINS
        times[_Place(rooms[name], _span_source(log.format), why), end.pause] += end.times
    wanted = {"import": import_id, "rooms": json.dumps([*set(rooms.values())])}
    known = _by_place(await writer.rows(_OPEN_TIMES_OF_ROOMS, wanted))
    now = known.copy()
    for (place, pause), its in times.items():
        now[place] = joined([*now.get(place, ()), *its], pause)
    await _replace(writer, import_id, known, now)


async def cut_gaps(
    writer: Writer, import_id: int, network: str, gaps: Sequence[RecordedTime]
) -> None:
    """Cut gaps out of the times in which an import's logs of a network were open.

    What is left of them is known as well as from logs that say themselves when they were open.
    """
    params = {"import": import_id, "network": storable(network)}
    known = _by_place(await writer.rows(_OPEN_TIMES_ON_NETWORK, params))
    now = dict[_Place, Sequence[RecordedTime]]()
    for place, times in known.items():
        left = without(times, gaps)
        now_place = place if left == times else place._replace(why_began=OPENED)
        now[now_place] = joined([*now.get(now_place, ()), *left])
    await _replace(writer, import_id, known, now)


_OpenTimes = Mapping[_Place, Sequence[RecordedTime]]


def _by_place(rows: Iterable[Row]) -> dict[_Place, Sequence[RecordedTime]]:
    times = defaultdict[_Place, list[RecordedTime]](list)
    for room, source, why, began, ended in rows:
        times[_Place(room, source, why)].append(RecordedTime(from_text(began), from_text(ended)))
    return {**times}


async def _replace(writer: Writer, import_id: int, known: _OpenTimes, now: _OpenTimes) -> None:
    """Write the times that are new, and remove those that are no more."""
    for sql, some, others in ((_REMOVE_OPEN_TIME, known, now), (_INSERT_SPAN, now, known)):
        await writer.many(
            sql,
            [
                {
                    "import": import_id,
                    **place._asdict(),
                    "began": to_text(time.began),
                    "ended": to_text(time.ended),
                    "why_ended": _WHY_ENDED[place.why_began],
                }
                for place, times in some.items()
                for time in sorted({*times}.difference(others.get(place, ())))
            ],
        )


def _span_source(program: str) -> str:
    """What the coverage of a room names as the source of a program's lines."""
    return f"{storable(program)} logs"


_EXTEND_SPANS = """
UPDATE spans SET began = min(began, one.first), alive = max(alive, one.last),
  ended = max(ended, one.last)
FROM (
  SELECT value ->> 0 AS room, value ->> 1 AS source, value ->> 2 AS first, value ->> 3 AS last
  FROM json_each(:wanted)) one
WHERE spans.room = one.room AND spans.source = one.source
  AND +import = :import AND why_began = :why
RETURNING spans.room, spans.source"""
"""By room: an import has as many spans as it has channels."""

_INSERT_SPAN = """
INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source, import)
VALUES (:room, :began, :ended, :ended, :why_began, :why_ended, :source, :import)"""

_OPEN_TIMES_OF_ROOMS = f"""
SELECT room, source, why_began, began, ended FROM spans
WHERE room IN (SELECT value FROM json_each(:rooms)) AND +import = :import
  AND why_began IN ('{OPENED}', '{BEGINS}')"""

_OPEN_TIMES_ON_NETWORK = f"""
SELECT room, source, why_began, began, ended FROM spans
WHERE room IN (SELECT id FROM rooms WHERE network = :network) AND +import = :import
  AND why_began IN ('{OPENED}', '{BEGINS}')"""

_REMOVE_OPEN_TIME = """
DELETE FROM spans
WHERE room = :room AND source = :source AND +import = :import AND why_began = :why_began
  AND began = :began AND ended = :ended"""
