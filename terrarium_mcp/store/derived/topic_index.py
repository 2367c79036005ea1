"""Where topics were set, so that a room's topics are found without reading its lines."""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Sequence

from terrarium_mcp.store.database import Writer
from terrarium_mcp.store.derived.counting import COUNTED
from terrarium_mcp.store.derived.recount import difference

_SETS_TOPIC = f"{COUNTED} AND upper(m.message_type) = 'TOPIC'"
_PLACES = f"SELECT m.room, m.timestamp, m.id FROM messages m WHERE {_SETS_TOPIC}"


class TopicIndex:
    """Where topics were set."""

    name = "topics"
    tables = ("topics",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Note the topics among a range of messages."""
        await writer.run(
            f"INSERT INTO topics (room, said, message) {_PLACES} AND m.id BETWEEN :first AND :last",
            {"first": first, "last": last},
        )

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Forget the topics among these messages."""
        among = "m.id IN (SELECT value FROM json_each(:ids))"
        places = await writer.rows(f"{_PLACES} AND {among}", {"ids": json.dumps(list(ids))})
        await writer.many(
            "DELETE FROM topics WHERE room = ? AND said = ? AND message = ?",
            [tuple(place) for place in places],
        )

    async def clear(self, writer: Writer) -> None:
        """Know no topic."""
        await writer.run("DELETE FROM topics")

    async def differences(self, writer: Writer) -> list[str]:
        """The table against the messages."""
        kept = "SELECT room, said, message FROM topics"
        return await difference(writer, "topics", kept, _PLACES)
