"""Retention: messages and turns of dialogues older than the settings allow are removed.

The keeper does so by its settings. It may be a server that a client started without any: so every
other process whose settings name days does it too, once it has run for an hour.
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import anyio

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings, rooms_without_lines
from terrarium_mcp.store.records.removal import AuditEntry, RemovalReason
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.rooms import Rooms
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.keeper import TRY_EVERY, Keeper
from terrarium_mcp.store.sqlite.removal.batched_delete import (
    BatchedDelete,
    Delete,
    delete_messages,
    delete_private,
    delete_turns,
)
from terrarium_mcp.store.sqlite.trusted_time import (
    LAST_RECORD,
    ONE_DAY_OF_RECORD,
    SteadyClock,
    clock_warning,
    trusted_time,
)
from terrarium_mcp.wording import quantity

INTERVAL = timedelta(hours=1)
"""How often a process looks for messages that have become too old."""

ASKED_BY = "TERRARIUM_RETENTION_DAYS"

_IDS_PER_READ = 5_000

_IN_ROOM = "(SELECT * FROM messages WHERE room = :owner)"
_IN_DIALOGUE = "(SELECT id, asked_at AS timestamp FROM dialogue_turns WHERE dialogue = :owner)"

_WITHOUT_ROOM: Mapping[str, Delete] = {
    "(SELECT * FROM messages WHERE room IS NULL)": delete_messages,
    "private_messages": delete_private,
}
"""Messages in no channel are kept for the default number of days."""

_DIALOGUES = f"""
SELECT d.id, min(t.asked_at), d.network, d.channel, ifnull(n.casemapping, '{DEFAULT_CASEMAPPING}')
FROM dialogues d JOIN dialogue_turns t ON t.dialogue = d.id
  LEFT JOIN networks n ON n.name = d.network
GROUP BY d.id"""  # noqa: S608 -- a constant

log = logging.getLogger(__name__)


class Retention:
    """Keeps messages for a number of days that is set for each channel; 0 keeps them forever.

    With a message goes each turn of a dialogue that rests on it. A turn is kept no longer than the
    messages of its channel, one in a private chat for the default number of days.
    """

    def __init__(
        self, database: Database, indexer: Indexer, settings: Settings, clock: SteadyClock
    ) -> None:
        self._database = database
        self._indexer = indexer
        self._rooms = Rooms(database)
        self._settings = settings
        self._days = settings.retention_days
        self._clock = clock
        self._is_doubted = False
        self._warned = set[str]()

    async def serve(self, keeper: Keeper) -> None:
        """Remove what is too old every hour; the keeper does so at once, too."""
        every = INTERVAL.total_seconds()
        due = anyio.current_time() + every
        while self._days or any(one.days for one in self._settings.retention_by_channel):
            if keeper.is_us or anyio.current_time() >= due:
                due = anyio.current_time() + every
                try:
                    await self._warn_of_slips()
                    await self.apply_trusted(datetime.now(UTC), anyio.current_time())
                except TerrariumError as error:  # a full disk, a lock: the next round may succeed
                    log.warning("%s", error)
            await anyio.sleep(every if keeper.is_us else TRY_EVERY)

    async def _warn_of_slips(self) -> None:
        """Log once which settings are of no room."""
        recorded = [(room.network, room.channel) for room in await self._rooms.all()]
        for sentence in rooms_without_lines(self._settings, recorded):
            if sentence not in self._warned:
                self._warned.add(sentence)
                log.warning("%s", sentence)

    async def apply_trusted(self, now: datetime, running: float) -> int:
        """Remove what is too old, but not if only a doubtful clock says so; the log says that.

        `running` is in seconds, of a clock that nobody sets.

        Raises:
            StoreFailed: the database cannot be written.
        """
        trusted = now
        if self._clock.running_for(now, running) < ONE_DAY_OF_RECORD:
            trusted = trusted_time(now, await self._last_record(now))
        is_doubted = trusted < now and bool(await self._oldest_in_rooms(await self._cuts(now)))
        if is_doubted and not self._is_doubted:
            log.warning("%s", clock_warning(now, trusted - ONE_DAY_OF_RECORD))
        self._is_doubted = is_doubted
        return await self.apply(now, trusted)

    async def _last_record(self, now: datetime) -> datetime | None:
        until = to_text(now - ONE_DAY_OF_RECORD)
        found = await self._database.value(LAST_RECORD, {"until": until})
        return from_text(found) if found else None

    async def apply(self, now: datetime, trusted: datetime | None = None) -> int:
        """Remove what is too old at `now`, oldest first; returns the number of messages.

        What became too old only after `trusted` stays, if that is given.
        May be interrupted at any point: the same call then does the rest.

        Raises:
            StoreFailed: the database cannot be written.
        """
        await self._indexer.catch_up()
        entry = AuditEntry(at=now, why=RemovalReason.RETENTION, asked_by=ASKED_BY)
        deletion = BatchedDelete(self._database, entry)
        until = trusted or now
        too_old = await self._cuts(until)
        while ids := await self._oldest_in_rooms(too_old):
            await deletion.run(ids, delete_messages)
        await self._cut_spans(too_old)
        if self._days:
            before = to_text(until - timedelta(days=self._days))
            for table, delete in _WITHOUT_ROOM.items():
                while ids := await self._oldest_ids(table, before):
                    await deletion.run(ids, delete)
        for dialogue, before in await self._dialogues(until):
            while ids := await self._oldest_ids(_IN_DIALOGUE, before, dialogue):
                await deletion.run(ids, delete_turns)
        messages, turns = deletion.removed
        if messages or turns:
            gone = f"{quantity(messages, 'message')} and {quantity(turns, 'turn')}"
            log.info("removed %s of dialogues past their retention period", gone)
        return messages

    async def _cuts(self, now: datetime) -> dict[Room, str]:
        """Of each room whose lines are not kept for ever, the time before which they are not."""
        return {
            room: to_text(now - timedelta(days=days))
            for room in await self._rooms.all()
            if (days := await self.days_for(room))
        }

    async def days_for(self, room: Room) -> int:
        """The number of days for which messages of a room are kept; 0 is forever."""
        casemapping = await self._rooms.casemapping(room.network)
        return self._settings.days_kept(room.network, room.channel, casemapping)

    async def _oldest_in_rooms(self, too_old: Mapping[Room, str]) -> list[int]:
        """Some messages that are too old, by room, the oldest of each room first."""
        ids: list[int] = []
        for room, before in too_old.items():
            most = _IDS_PER_READ - len(ids)
            ids += await self._oldest_ids(_IN_ROOM, before, room.id, most)
            if len(ids) >= _IDS_PER_READ:
                break
        return ids

    async def _oldest_ids(
        self, table: str, before: str, owner: int | None = None, most: int = _IDS_PER_READ
    ) -> list[int]:
        """Some rows that are too old, the oldest first; `owner` is their room or dialogue."""
        rows = await self._database.rows(
            f"SELECT id FROM {table} WHERE timestamp < :before ORDER BY timestamp LIMIT :most",  # noqa: S608 -- our own tables
            {"owner": owner, "before": before, "most": most},
        )
        return [row[0] for row in rows]

    async def _dialogues(self, now: datetime) -> list[tuple[int, str]]:
        """The dialogues with turns that are too old, each with the time from which they are not."""
        cuts = [
            (dialogue, to_text(now - timedelta(days=days)), oldest)
            for dialogue, oldest, *place in await self._database.rows(_DIALOGUES)
            if (days := self._settings.days_kept(*place))
        ]
        return [(dialogue, before) for dialogue, before, oldest in cuts if oldest < before]

    async def _cut_spans(self, too_old: Mapping[Room, str]) -> None:
        """Let the spans of each room begin where its kept messages begin."""
        cuts = [{"room": room.id, "before": before} for room, before in too_old.items()]
        async with self._database.writing() as writer:
            await writer.many(
                "DELETE FROM spans WHERE room = :room AND ifnull(ended, alive) < :before", cuts
            )
            await writer.many(
                "UPDATE spans SET began = :before, why_began = 'retention'"
                " WHERE room = :room AND began < :before",
                cuts,
            )
