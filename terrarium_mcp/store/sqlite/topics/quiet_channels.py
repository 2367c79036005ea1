"""Channels in which the bot keeps silent until a time, because an operator asked it to."""

from collections.abc import Mapping
from datetime import datetime

from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable


class QuietChannels:
    """Until when each channel is quiet; channels are in their network's folded form."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def current(self, network: str, now: datetime) -> Mapping[str, datetime]:
        """The channels of a network that are quiet at a moment, and until when."""
        rows = await self._database.rows(
            "SELECT folded, until FROM quiet_channels WHERE network = :network AND until > :now",
            {"network": network, "now": to_text(now)},
        )
        return {folded: from_text(until) for folded, until in rows}

    async def begin(self, network: str, folded: str, until: datetime, asked_by: str) -> None:
        """A channel is quiet from now on; a new time replaces an earlier one."""
        async with self._database.writing() as writer:
            await writer.run(
                "INSERT OR REPLACE INTO quiet_channels (network, folded, until, asked_by)"
                " VALUES (:network, :folded, :until, :asked_by)",
                {
                    "network": network,
                    "folded": storable(folded),
                    "until": to_text(until),
                    "asked_by": storable(asked_by),
                },
            )

    async def end(self, network: str, folded: str) -> None:
        """A channel is no longer quiet."""
        async with self._database.writing() as writer:
            await writer.run(
                "DELETE FROM quiet_channels WHERE network = :network AND folded = :folded",
                {"network": network, "folded": storable(folded)},
            )
