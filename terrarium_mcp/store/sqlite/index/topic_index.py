"""Where topics were set, so that a room's topics are found without reading its messages."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Sequence

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import IS_COUNTED
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.structure import compare

_SETS_TOPIC = f"{IS_COUNTED} AND upper(m.message_type) = 'TOPIC'"
_PLACES = f"SELECT m.room, m.timestamp, m.id FROM messages m WHERE {_SETS_TOPIC}"


class TopicIndex:
    """The messages that set a topic, by room and time."""

    name = "topics"
    tables = ("topics",)

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Add the topics set in a range of messages."""
        await writer.run(
            f"INSERT INTO topics (room, said, message) {_PLACES} AND m.id BETWEEN :first AND :last",
            {"first": first, "last": last},
        )

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Add the topics that were set, if any was."""
        if texts.has_kind(MessageType.TOPIC):
            kinds = zip(texts.ids, texts.kinds, strict=True)
            await _add_some(writer, [number for number, kind in kinds if kind == MessageType.TOPIC])

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Add topics again that were removed a moment ago."""
        await _add_some(writer, ids)

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Remove the topics set by these messages."""
        places = await writer.rows(f"{_PLACES} AND {AMONG_IDS}", ids_params(ids))
        await writer.many(
            "DELETE FROM topics WHERE room = ? AND said = ? AND message = ?",
            [tuple(place) for place in places],
        )

    async def clear(self, writer: Writer) -> None:
        """Delete every topic."""
        await writer.run("DELETE FROM topics")

    async def differences(self, writer: Writer) -> list[str]:
        """Compare the table with the messages."""
        kept = "SELECT room, said, message FROM topics"
        return await compare(writer, "topics", kept, _PLACES)


async def _add_some(writer: Writer, ids: Sequence[int]) -> None:
    """Add the topics set by these messages."""
    await writer.run(
        f"INSERT INTO topics (room, said, message) {_PLACES} AND {AMONG_IDS}", ids_params(ids)
    )
