"""Topics: each room's topic, when it was set, and by whom."""

# ruff: noqa: S608 -- every statement is made of constants

from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS, as_messages
from terrarium_mcp.store.sqlite.engine.sql_expressions import position_params
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.topic_index import TopicIndex


class Topics:
    """Topics as the messages that set them: the text is the topic, empty if it was removed.

    No tool shows them yet: they are recorded, and kept clean by every removal, for one that will.
    """

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def history(
        self, room: Room, limit: int, *, until: Position = EVERY_LINE
    ) -> list[Message]:
        """The last `limit` topics set before a position, newest first."""
        await self._indexer.ensure_current(TopicIndex.name)
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM topics t CROSS JOIN messages m ON m.id = t.message"
            " WHERE t.room = :room AND t.said <= :until"
            " AND (t.said, t.message) < (:until, :until_id)"
            " ORDER BY t.said DESC, t.message DESC LIMIT :limit",
            {"room": room.id, **position_params("until", until), "limit": limit},
        )
        return as_messages(rows, [room])

    async def current(self, room: Room, *, until: Position = EVERY_LINE) -> Message | None:
        """The message that set the topic in force at a position; None if none is known."""
        return next(iter(await self.history(room, 1, until=until)), None)
