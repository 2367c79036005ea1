"""The msgid index: which message has which msgid, for playback, redactions and reply tags.

Msgids are random, so in an ordinary index each line changes another page, and writes it twice: 8 kB
of the 32 that a line may write. FTS5 writes the msgids of a group in order and merges groups later.
A msgid takes 17 bytes here, and 55 in an ordinary index.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Collection, Iterable

from terrarium_mcp.store.sqlite.engine.functions import as_text, msgid_word
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.full_text import FullText
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.structure import watermark_sql

RoomMsgid = tuple[int, str]
"""The id of a room, and a msgid in it."""


class MsgidIndex(FullText):
    """The index over the msgids of all messages, redacted ones included."""

    name = "msgids"
    table = "msgid_index"
    columns = "msgid"
    rows = (
        "-m.id, msgid_word(m.room, CAST(m.msgid AS BLOB)) FROM messages m"
        " WHERE m.room NOT NULL AND m.msgid NOT NULL"
    )

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Index messages, if any has a msgid."""
        if texts.has_msgids:
            await self.add(writer, texts.first, texts.last)


WITH_MSGIDS = (
    f"{MsgidIndex.table} CROSS JOIN messages m ON m.id = -{MsgidIndex.table}.rowid"
    f" AND {MsgidIndex.table} MATCH :msgids"
)
"""The tables and condition for the indexed messages `m` that may have one of some msgids: their
hashes agree. `:msgids` is a `msgid_query`; which have one is for `those_named` to say."""


def msgid_query(named: Iterable[RoomMsgid]) -> str:
    """The FTS5 query for messages with these msgids; at least one must be named."""
    return " OR ".join(f'"{word}"' for word in _words(named))


def those_named(rows: Iterable[Row], named: Collection[RoomMsgid]) -> dict[RoomMsgid, Row]:
    """The rows, with columns `room` and `msgid`, that have one of these msgids, by it."""
    found = {(int(row["room"]), as_text(row["msgid"])): row for row in rows}
    return {name: row for name, row in found.items() if name in named}


async def messages_with(writer: Writer, named: Collection[RoomMsgid]) -> list[Row]:
    """The `id`, `room` and `msgid` of all messages that have one of some msgids, indexed or not.

    25 us for each msgid named (300,000 lines). While the index is rebuilt, all messages above its
    watermark are read.
    """
    if not named:
        return []
    upto = await writer.value(f"SELECT {watermark_sql(MsgidIndex.name)}")
    params = {"upto": max(upto, 0), "words": json.dumps(_words(named))}
    rows = await writer.rows(_NOT_INDEXED, params)
    if upto > 0:
        rows += await writer.rows(
            f"SELECT m.id, m.room, m.msgid FROM {WITH_MSGIDS}", {"msgids": msgid_query(named)}
        )
    return [row for row in rows if (row["room"], as_text(row["msgid"])) in named]


_NOT_INDEXED = """
SELECT m.id, m.room, m.msgid FROM messages m NOT INDEXED
WHERE m.id > :upto AND m.room NOT NULL AND m.msgid NOT NULL
  AND msgid_word(m.room, CAST(m.msgid AS BLOB)) IN (SELECT value FROM json_each(:words))
"""


def _words(named: Iterable[RoomMsgid]) -> list[str]:
    return sorted({msgid_word(room, msgid) for room, msgid in named})
