"""The msgid index: which message has which msgid, for playback, redactions and reply tags.

Msgids are random, so in an ordinary index each line changes another page, and writes it twice: 8 kB
of the 32 that a line may write. FTS5 writes the msgids of a group in order and merges groups later.
A msgid takes 17 bytes here, and 55 in an ordinary index.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Collection, Iterable

from terrarium_mcp.store.sqlite.engine.database import Row, Writer
from terrarium_mcp.store.sqlite.engine.functions import msgid_word
from terrarium_mcp.store.sqlite.index.full_text import FullText

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


_IS_NAMED = "(m.room, m.msgid) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:named))"

WITH_MSGIDS = (
    f"{MsgidIndex.table} CROSS JOIN messages m ON m.id = -{MsgidIndex.table}.rowid"
    f" AND {MsgidIndex.table} MATCH :msgid_words AND {_IS_NAMED}"
)
"""The tables and condition for the indexed messages `m` that have one of some msgids."""


def msgid_params(named: Iterable[RoomMsgid]) -> dict[str, str]:
    """The parameters of WITH_MSGIDS; at least one msgid must be named."""
    pairs = sorted(set(named))
    words = " OR ".join(f'"{msgid_word(room, msgid)}"' for room, msgid in pairs)
    return {"msgid_words": words, "named": json.dumps(pairs)}


async def messages_with(writer: Writer, named: Collection[RoomMsgid]) -> list[Row]:
    """The `id`, `room` and `msgid` of all messages that have one of some msgids, indexed or not.

    25 us for each msgid named (300,000 lines). While the index is rebuilt, all messages above its
    watermark are read.
    """
    if not named:
        return []
    upto = await writer.value(
        "SELECT upto FROM derived WHERE name = :name", {"name": MsgidIndex.name}, 0
    )
    params = {**msgid_params(named), "upto": max(upto, 0)}
    found = await writer.rows(_NOT_INDEXED, params)
    if upto > 0:
        found += await writer.rows(f"SELECT m.id, m.room, m.msgid FROM {WITH_MSGIDS}", params)
    return found


_NOT_INDEXED = (
    "SELECT m.id, m.room, m.msgid FROM messages m NOT INDEXED"
    f" WHERE m.id > :upto AND m.msgid NOT NULL AND {_IS_NAMED}"
)
