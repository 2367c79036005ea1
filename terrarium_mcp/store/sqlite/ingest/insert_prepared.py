"""Inserting prepared lines: they are rows already, unless somebody's lines have to stay out."""

from collections.abc import Mapping

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store.sqlite.engine.functions import room_scope
from terrarium_mcp.store.sqlite.engine.message_ids import free_ids, give
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.line_tallies import PlaceName
from terrarium_mcp.store.sqlite.ingest.forgotten import forgotten_until
from terrarium_mcp.store.sqlite.ingest.insert import Inserted
from terrarium_mcp.store.sqlite.ingest.message_row import INSERT
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines


async def has_exclusions(writer: Writer, opt_out_reader: OptOutReader) -> bool:
    """Whether lines of somebody have to stay out: they opted out, or had theirs removed themselves.

    Then `insert` looks at each line.
    """
    return bool(await opt_out_reader.current(writer)) or bool(await forgotten_until(writer))


async def insert_prepared(
    writer: Writer, lines: PreparedLines, rooms: Mapping[PlaceName, int]
) -> Inserted:
    """Insert lines that are rows, each in the room that it names, where nothing is excluded."""
    free = await free_ids(writer)
    await give(writer, free, free.first + len(lines) - 1)
    await writer.many(INSERT, lines.rows(free.first, rooms))
    texts = _index_texts(free.first, lines, rooms)
    return Inserted(texts.ids, texts)


def _index_texts(first: int, lines: PreparedLines, rooms: Mapping[PlaceName, int]) -> IndexTexts:
    columns = lines.columns
    speech, events = (
        {name: room_scope(room, kind) for name, room in rooms.items()}
        for kind in (MessageType.PRIVMSG, MessageType.JOIN)
    )
    rows = zip(
        lines.by_place(speech),
        lines.by_place(events),
        columns.words,
        columns.scope,
        columns.pairs,
        strict=True,
    )
    return IndexTexts(
        first,
        rooms,
        columns.timestamp,
        columns.network,
        columns.nick,
        columns.message,
        columns.message_type,
        columns.own,
        [
            f"{events_word}{scope}" if pairs is None else f"{words} {speech_word}{scope}"
            for speech_word, events_word, words, scope, pairs in rows
        ],
        [
            words if pairs is None else None
            for words, pairs in zip(columns.words, columns.pairs, strict=True)
        ],
        columns.pairs,
        lines.tallies,
        has_msgids=any(columns.msgid),
        has_accounts=any(columns.account),
        has_hosts=any(columns.host),
    )
