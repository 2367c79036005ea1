"""Spans: when each room was recorded. The times between them are gaps."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from terrarium_mcp.chat.coverage import BEGINS, OPENED, PLAYBACK, Coverage, Span
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from terrarium_mcp.store.sqlite.engine.rooms import room_id, room_ids
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.live_clock import (
    NOT_STORED,
    extend_all_spans,
    extend_spans,
    live_until,
)
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader

HEARTBEAT = timedelta(seconds=20)
"""How often the recorder marks until when it has recorded its rooms."""

SILENT = 9 * HEARTBEAT
"""An open span that was not extended for this long has lost its recorder, or that its server: it
lasts until the server was last heard, and one with nothing to say is asked after two minutes."""

_TOUCHED = "room = :room AND source = :source AND began <= :ended AND ended >= :began"

_WITH_TOUCHED = f"""
SELECT min(:began, ifnull(min(began), :began)), max(:ended, ifnull(max(ended), :ended))
FROM spans WHERE {_TOUCHED}
"""  # noqa: S608 -- constants only

_FILLED = f"""
INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source)
VALUES (:room, :began, :ended, :ended, '{PLAYBACK}', '{PLAYBACK}', :source)
"""  # noqa: S608 -- constants only

_ID = attrgetter("id")


class Spans:
    """The spans of all rooms."""

    def __init__(self, database: Database, opt_out_reader: OptOutReader) -> None:
        self._database = database
        self._opt_out_reader = opt_out_reader
        self._recorded = ReadCache[tuple[int, ...], _RecordedSpans](database, self._read)

    async def begin(self, network: str, channel: str, at: datetime, why: str) -> None:
        """Open a span at `at`. A span that a crash left open ends at its last heartbeat.

        Like a live line it begins no earlier than the last live line of its room: by a clock that
        is behind it would cover all that was missed since then, once a line extends it.
        """
        async with self._database.writing() as writer:
            room = await room_id(writer, network, channel)
            await _end(writer, room, None, "the recorder stopped")
            began = max(to_text(at), (await live_until(writer, [room]))[room])
            await writer.run(
                "INSERT INTO spans (room, began, alive, why_began)"
                " VALUES (:room, :began, :began, :why)",
                {"room": room, "began": began, "why": why},
            )

    async def end(self, network: str, channel: str, at: datetime, why: str) -> None:
        """Close the open span of this channel.

        A reason that names a person who opted out, such as who kicked the bot, is not kept.
        """
        async with self._database.writing() as writer:
            opt_outs = await self._opt_out_reader.current(writer)
            room = await room_id(writer, network, channel)
            await _end(writer, room, at, opt_outs.permitted_reason(network, why))

    async def add_foreign(
        self, network: str, channel: str, began: datetime, ended: datetime, source: str
    ) -> None:
        """Add a span that another program recorded; gaps within it are unknown.

        For lines that no import adds: the spans of imports come with them (`imports/`).
        """
        async with self._database.writing() as writer:
            room = await room_id(writer, network, channel)
            await writer.run(
                "INSERT INTO spans (room, began, alive, ended, why_began, why_ended, source)"
                " VALUES (:room, :began, :ended, :ended, 'import', 'import', :source)",
                {
                    "room": room,
                    "began": to_text(began),
                    "ended": to_text(ended),
                    "source": source,
                },
            )

    async def filled(
        self, network: str, channel: str, began: datetime, ended: datetime, source: str
    ) -> None:
        """Add a time of this channel of which everything was replayed; may be repeated.

        It is joined with the times it touches: history comes in pages. `source` is PLAYBACK, or
        EVENT_PLAYBACK where the network replays events as well.
        """
        async with self._database.writing() as writer:
            room = await room_id(writer, network, channel)
            params = {
                "room": room,
                "began": to_text(began),
                "ended": to_text(ended),
                "source": source,
            }
            (whole,) = await writer.rows(_WITH_TOUCHED, params)
            await writer.run(f"DELETE FROM spans WHERE {_TOUCHED}", params)  # noqa: S608 -- constants only
            await writer.run(_FILLED, params | {"began": whole[0], "ended": whole[1]})

    async def coverage(self, rooms: Sequence[Room], now: datetime | None = None) -> Coverage:
        """When these rooms were recorded."""
        fresh_since = to_text((now or datetime.now(UTC)) - SILENT)
        recorded = await self._recorded.get(tuple(map(_ID, rooms)))
        return recorded.coverage(fresh_since)

    async def _read(self, rooms: tuple[int, ...]) -> "_RecordedSpans":
        listed = ",".join(map(str, rooms))
        rows = await self._database.rows(
            "SELECT s.room, began, iif(ended IS NULL, max(alive, ifnull(recorded, '')), alive)"  # noqa: S608 -- our own ids
            " AS alive, ended, source, why_ended, why_began FROM spans s"
            f" LEFT JOIN ({NOT_STORED}) l ON l.room = s.room"
            f" WHERE s.room IN ({listed}) AND s.import IS NULL UNION ALL "
            # Thousands of logs of one program are one span, and what lies between them is unknown,
            # unless they tell their sessions.
            "SELECT room, min(began), max(ended), max(ended), source, '', '' FROM spans"
            f" WHERE room IN ({listed}) AND import NOT NULL GROUP BY room, source UNION ALL"
            f" {_sessions(listed)} ORDER BY began"
        )
        spans = [
            Span(
                room=room,
                began=from_text(began),
                ended=from_text(ended or alive),
                source=source,
                why_ended=why_ended or "",
                why_began=why_began or "",
            )
            for room, began, alive, ended, source, why_ended, why_began in rows
        ]
        heartbeats = {n: row["alive"] for n, row in enumerate(rows) if row["ended"] is None}
        return _RecordedSpans(spans, heartbeats)


def _sessions(rooms: str) -> str:
    """The statement for when the logs that tell their sessions were open.

    With them those of the same program that do not, which may have been open meanwhile. A log that
    is imported each time it has grown brings all its sessions once more each time.
    """
    return f"""
SELECT DISTINCT room, began, ended, ended, source, '', why_began FROM spans
WHERE room IN ({rooms}) AND import NOT NULL AND why_began IN ('{OPENED}', '{BEGINS}')
  AND (room, source) IN (
    SELECT room, source FROM spans
    WHERE room IN ({rooms}) AND import NOT NULL AND why_began = '{OPENED}')"""  # noqa: S608 -- our own ids and constants


class _RecordedSpans:
    """Spans as stored, and the last heartbeat of each open one, by its place among them.

    They keep their coverage until a heartbeat has grown old: it tells its sentence only once.
    """

    def __init__(self, spans: Sequence[Span], heartbeats: Mapping[int, str]) -> None:
        self._spans = spans
        self._heartbeats = heartbeats
        self._going_on: frozenset[int] = frozenset()
        self._coverage = Coverage(spans)

    def coverage(self, fresh_since: str) -> Coverage:
        """What they cover; those go on whose last heartbeat is not before `fresh_since`."""
        going_on = frozenset(n for n, at in self._heartbeats.items() if at >= fresh_since)
        if going_on != self._going_on:
            spans = [span._replace(going_on=n in going_on) for n, span in enumerate(self._spans)]
            self._going_on, self._coverage = going_on, Coverage(spans)
        return self._coverage


async def mark_alive(writer: Writer, network: str, channels: Iterable[str], at: datetime) -> None:
    """Mark these channels as recorded until `at`, even if they are quiet."""
    rooms = await room_ids(writer, ((network, channel) for channel in channels))
    await extend_spans(writer, {room: to_text(at) for room in rooms.values()})


async def _end(writer: Writer, room: int, at: datetime | None, why: str) -> None:
    await extend_all_spans(writer)
    await writer.run(
        "UPDATE spans SET ended = max(alive, ifnull(:at, alive)), why_ended = :why"
        " WHERE room = :room AND ended IS NULL",
        {"at": to_text(at) if at else None, "why": why, "room": room},
    )
