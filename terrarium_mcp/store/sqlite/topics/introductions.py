"""Introductions: when the bot last said in a channel that it records."""

from datetime import datetime, timedelta

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable


class Introductions:
    """The introductions in all channels."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, network: str, channel: str, at: datetime, *, pause: timedelta) -> bool:
        """Whether one is due at `at`, for which it is then noted: none within the last `pause`.

        One that is noted for a later time was said by a clock that was ahead: it counts for as long
        before that time as after it.

        Raises:
            StoreFailed: it could not be noted.
        """
        room = {"network": storable(network), "folded": fold(storable(channel))}
        async with self._database.writing() as writer:
            last = await writer.value(
                "SELECT at FROM introductions WHERE network = :network AND folded = :folded", room
            )
            if last is not None and to_text(at - pause) < last < to_text(at + pause):
                return False
            await writer.run(
                "REPLACE INTO introductions (network, folded, at) VALUES (:network, :folded, :at)",
                {**room, "at": to_text(at)},
            )
        return True

    async def withdraw(self, network: str, channel: str) -> None:
        """Note none for this channel: the last one could not be said.

        Raises:
            StoreFailed: it could not be noted.
        """
        room = {"network": storable(network), "folded": fold(storable(channel))}
        async with self._database.writing() as writer:
            await writer.run(
                "DELETE FROM introductions WHERE network = :network AND folded = :folded", room
            )
