"""Retention: lines that are older than somebody wants to keep them are removed, by the keeper."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import anyio

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.when import to_text
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.audit import Removed, Why
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.keeper import TRY_EVERY, Keeper
from terrarium_mcp.store.removal.deletion import Delete, Deletion, delete_messages, delete_private
from terrarium_mcp.store.rooms import Rooms
from terrarium_mcp.store.upkeep import Upkeep

EVERY = timedelta(hours=1)
"""How often the keeper looks for lines that have become too old."""

ASKED_BY = "TERRARIUM_RETENTION_DAYS"

_FEW = 5_000
"""Ids read at once."""

_OF_NO_ROOM: Mapping[str, Delete] = {
    "(SELECT * FROM messages WHERE room IS NULL)": delete_messages,
    "private_messages": delete_private,
}
"""What belongs to no channel is kept for as many days as all channels are."""

log = logging.getLogger(__name__)


class Retention:
    """How long lines are kept: so many days for each channel, 0 for ever."""

    def __init__(self, database: Database, upkeep: Upkeep, settings: Settings) -> None:
        self._database = database
        self._upkeep = upkeep
        self._rooms = Rooms(database)
        self._days = settings.retention_days
        self._by_channel = dict(settings.retention_by_channel)

    async def serve(self, keeper: Keeper) -> None:
        """Remove what is too old as long as we are the keeper, at once and about every hour."""
        while self._days or any(self._by_channel.values()):
            if keeper.is_us:
                try:
                    await self.apply(datetime.now(UTC))
                except TerrariumError as why:  # a full disk, a lock: the next hour may succeed
                    log.warning("%s", why)
            await anyio.sleep(EVERY.total_seconds() if keeper.is_us else TRY_EVERY)

    async def apply(self, now: datetime) -> int:
        """Remove what is too old at `now`, those of a room by time; returns how many it was.

        May be interrupted anywhere: what is done is whole, and the same call does the rest.

        Raises:
            StoreFailed: the database cannot be written.
        """
        await self._upkeep.catch_up()
        deletion = Deletion(self._database, Removed(at=now, why=Why.RETENTION, asked_by=ASKED_BY))
        too_old = {
            room: to_text(now - timedelta(days=days))
            for room in await self._rooms.all()
            if (days := await self.days_of(room))
        }
        while ids := await self._oldest(too_old):
            await deletion.of(ids, delete_messages)
        await self._cut_spans(too_old)
        if self._days:
            before = to_text(now - timedelta(days=self._days))
            for table, delete in _OF_NO_ROOM.items():
                while ids := await self._of_no_room(table, before):
                    await deletion.of(ids, delete)
        if deletion.rows:
            log.info("%s messages were older than they are kept, and removed", deletion.rows)
        return deletion.rows

    async def days_of(self, room: Room) -> int:
        """For how many days the lines of a room are kept; 0: for ever."""
        casemapping = await self._rooms.casemapping(room.network)
        folded = {fold(name, casemapping): days for name, days in self._by_channel.items()}
        for name in (room.label, room.channel):
            if (days := folded.get(fold(name, casemapping))) is not None:
                return days
        return self._days

    async def _oldest(self, too_old: Mapping[Room, str]) -> list[int]:
        """A few messages that are too old, by room, the oldest of each room first."""
        ids: list[int] = []
        for room, before in too_old.items():
            rows = await self._database.rows(
                "SELECT id FROM messages WHERE room = :room AND timestamp < :before"
                " ORDER BY timestamp LIMIT :few",
                {"room": room.id, "before": before, "few": _FEW - len(ids)},
            )
            ids += [row[0] for row in rows]
            if len(ids) >= _FEW:
                break
        return ids

    async def _of_no_room(self, table: str, before: str) -> list[int]:
        rows = await self._database.rows(
            f"SELECT id FROM {table} WHERE timestamp < :before ORDER BY timestamp LIMIT :few",  # noqa: S608 -- ours
            {"before": before, "few": _FEW},
        )
        return [row[0] for row in rows]

    async def _cut_spans(self, too_old: Mapping[Room, str]) -> None:
        """Let the record of each room begin where what is kept of it begins."""
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
