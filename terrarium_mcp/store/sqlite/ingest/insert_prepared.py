"""Inserting prepared lines: they are rows already, unless somebody's lines have to stay out."""

from collections.abc import Sequence
from typing import NamedTuple

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.engine.functions import room_scope
from terrarium_mcp.store.sqlite.engine.message_ids import free_ids, give
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.ingest.forgotten import forgotten_until
from terrarium_mcp.store.sqlite.ingest.message_row import INSERT
from terrarium_mcp.store.sqlite.ingest.opted_out import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines


class Inserted(NamedTuple):
    """The ids of messages, 0 for one that was left out; and what the indexes hold, if known."""

    ids: Sequence[int]
    texts: IndexTexts | None = None


async def has_exclusions(writer: Writer, opt_outs: OptOutReader) -> bool:
    """Whether lines of somebody have to stay out: they opted out, or had theirs removed.

    Then `insert` looks at each line.
    """
    return bool(await opt_outs.current(writer)) or bool(await forgotten_until(writer))


async def insert_prepared(writer: Writer, lines: PreparedLines, rooms: Sequence[int]) -> Inserted:
    """Insert lines that are rows, each in its room, where nothing is excluded."""
    free = await free_ids(writer)
    await give(writer, free, free.first + len(lines) - 1)
    await writer.many(INSERT, lines.rows(free.first, rooms))
    texts = _index_texts(free.first, lines, rooms)
    return Inserted(texts.ids, texts)


def _index_texts(first: int, lines: PreparedLines, rooms: Sequence[int]) -> IndexTexts:
    columns = lines.columns
    speech, events = (
        {room: room_scope(room, kind) for room in {*rooms}}
        for kind in (MessageType.PRIVMSG, MessageType.JOIN)
    )
    rows = zip(rooms, columns.words, columns.scope, columns.pairs, strict=True)
    return IndexTexts(
        first,
        columns.timestamp,
        [
            f"{events[room]}{scope}" if pairs is None else f"{words} {speech[room]}{scope}"
            for room, words, scope, pairs in rows
        ],
        [
            words if pairs is None else None
            for words, pairs in zip(columns.words, columns.pairs, strict=True)
        ],
        [
            None if pairs is None else words
            for words, pairs in zip(columns.words, columns.pairs, strict=True)
        ],
        columns.pairs,
    )
