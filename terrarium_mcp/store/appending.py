"""Appending: lines go to the disk, and into everything that is derived from them.

A few lines are taken in by the transaction that saves them. A flood is saved at once, and taken in
by the keeper or by who reads. A bulk append does both for as long as nobody waits for the lock.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import anyio

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.records import Heard
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.entry import Entry
from terrarium_mcp.store.errors import IndexDamaged, Locked
from terrarium_mcp.store.foreign import move_private
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.lock import BACKOFF, PAUSE, Turn
from terrarium_mcp.store.rooms import room_ids
from terrarium_mcp.store.upkeep import CHUNK, Upkeep, index_rows

FLOOD = 500
"""Lines of one append from which on more wait behind them. They are on disk in a third of the time
if what is derived from them comes later."""


CROWDED = 128 * 1024 * 1024
"""Bytes of WAL from which the pauses are long enough for the keeper to empty it."""

LONG_PAUSE = 0.25
"""Seconds. SQLite looks every tenth of a second, once it has waited for as long."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What one transaction saved: the ids of its lines, 0 for a line that was known.

    `taken_in` says whether everything derived from them is kept up; `longest` is how many seconds
    the longest of its steps took.
    """

    ids: list[int]
    taken_in: bool
    longest: float


class Appending:
    """The way of lines into the database."""

    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep

    async def append(self, heard: Sequence[Heard]) -> list[int]:
        """Save lines in one transaction; returns their ids, 0 for one that was known."""
        flood = len(heard) >= FLOOD
        saved = await self._saved(heard, lambda: Turn(lambda: flood, minimum=0))
        if flood and await self._upkeep.lag() > CHUNK:
            await self._catch_up()
        return saved.ids

    async def append_beside_others(self, heard: Sequence[Heard]) -> Saved:
        """Save lines in one transaction, which takes them in until somebody waits for its end."""
        return await self._saved(heard, lambda: Turn(self._database.has_waiters))

    async def make_room(self, saved: Saved) -> None:
        """Let others write, longer while the WAL is large; then take in what is left behind."""
        if not saved.taken_in:
            await anyio.sleep(BACKOFF)
            await self._catch_up()
        await anyio.sleep(LONG_PAUSE if self._database.wal_bytes() >= CROWDED else PAUSE)

    async def _catch_up(self) -> None:
        """Take in what is left behind; locked out all the time, we leave it to the keeper."""
        with suppress(Locked):
            await self._upkeep.catch_up()

    async def _saved(self, heard: Sequence[Heard], begin: Callable[[], Turn]) -> Saved:
        try:
            return await self._save(heard, begin)
        except IndexDamaged:  # what is heard must not wait until the index is made again
            await self._upkeep.rebuild_if_damaged()
            return await self._save(heard, begin)

    async def _save(self, heard: Sequence[Heard], begin: Callable[[], Turn]) -> Saved:
        async with self._database.writing() as writer:
            turn = begin()
            entry = await _entry(writer, heard)
            ids = [await entry.take(line) for line in heard]
            await entry.save()
            turn.step()
            taken_in = True
            if entry.rows:
                await move_private(writer, entry.first, max(ids))
                taken_in = await index_rows(writer, entry.first, max(ids), turn)
            await entry.remember_live()
        turn.step()  # the commit: the more pages were changed the longer it takes
        return Saved(ids, taken_in, turn.longest)


async def _entry(writer: Writer, heard: Sequence[Heard]) -> Entry:
    """The entry of lines into their rooms, those that are new too."""
    named = dict.fromkeys((line.network, line.channel) for line in heard)
    channels = [(storable(net), storable(chan)) for net, chan in named if is_channel(chan)]
    rooms = await room_ids(writer, channels)
    newest = int(await writer.value("SELECT max(id) FROM messages", default=0))
    taken = int(
        await writer.value("SELECT seq FROM sqlite_sequence WHERE name = 'messages'", default=0)
    )
    return await Entry.into(rooms, writer, first=max(newest, taken) + 1)
