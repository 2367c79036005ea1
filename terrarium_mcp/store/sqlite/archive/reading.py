"""Reading rows for an export: keyset pages over (timestamp, id), each in a short transaction."""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from terrarium_mcp.chat.opt_outs import OptOuts
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import BEGINNING, Position
from terrarium_mcp.store.records.archive import (
    ArchivedMessage,
    ArchivedPrivateMessage,
    ArchivedRoom,
    ArchivedSpan,
)
from terrarium_mcp.store.sqlite.archive.opt_out_filter import permitted_record, permitted_span
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import position_params
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.opt_out_rows import stored_opt_outs

PAGE = 2_000
"""Rows of a page: 10 ms of reading."""

DEADLINE = 600.0
"""Seconds for a page: few rooms of a large history may be far apart in it."""

COLUMNS = (
    "m.id, m.timestamp, ifnull(r.network, m.network), m.channel, m.nick, m.user, m.host,"
    " m.message, m.message_type, m.account, m.msgid, m.reply_to, m.server_time, m.origin,"
    " m.relayed_by, m.self, m.bot, m.redacted_at"
)
"""The columns of an `ArchivedMessage`."""

JOINED = "LEFT JOIN rooms r ON r.id = m.room"

_PAGE = f"""
SELECT {COLUMNS} FROM messages m INDEXED BY {{index}} {JOINED}
WHERE {{rooms}} AND m.id <= :last
  AND m.timestamp >= :after AND (m.timestamp, m.id) > (:after, :after_id)
  AND m.timestamp < :until
ORDER BY m.timestamp, m.id LIMIT {PAGE}"""

_PRIVATE_PAGE = f"""
SELECT id, timestamp, network, target, nick, user, host, account, message, message_type, self
FROM private_messages WHERE (timestamp, id) > (:after, :after_id)
ORDER BY timestamp, id LIMIT {PAGE}"""


async def rooms(database: Database, wanted: Sequence[Room]) -> list[ArchivedRoom]:
    """These rooms, by id."""
    rows = await database.rows(
        "SELECT r.id, r.network, r.channel, n.casemapping FROM rooms r JOIN networks n"
        f" ON n.name = r.network WHERE {within(wanted, 'r.id')} ORDER BY r.id"
    )
    return [ArchivedRoom(*row) for row in rows]


async def spans(database: Database, wanted: Sequence[Room]) -> list[ArchivedSpan]:
    """When these rooms were recorded, by id."""
    opt_outs = await stored_opt_outs(database)
    rows = await database.rows(
        "SELECT s.id, r.network, r.channel, began, alive, ended, why_began, why_ended, source"
        f" FROM spans s JOIN rooms r ON r.id = s.room WHERE {within(wanted, 'r.id')} ORDER BY s.id"
    )
    return [permitted_span(ArchivedSpan(*row), opt_outs) for row in rows]


async def message_pages(
    database: Database,
    indexer: Indexer,
    wanted: Sequence[Room] | None,
    bounds: tuple[str, str],
) -> AsyncIterator[list[ArchivedMessage]]:
    """The messages of these rooms (None: all, and those of no room) between two timestamps."""
    await indexer.ensure_current()
    opt_outs = await stored_opt_outs(database)
    last = await newest_message(database)
    sql = _PAGE.format(index=_index(wanted), rooms=_condition(wanted))
    after, until = Position(bounds[0]), bounds[1]
    while True:
        rows = await database.rows(sql, _position(after, until, last), deadline=DEADLINE)
        if page := archived(rows, opt_outs):
            yield page
        if len(rows) < PAGE:
            return
        after = Position(rows[-1]["timestamp"], rows[-1]["id"])


def archived(rows: Iterable[Row], opt_outs: OptOuts) -> list[ArchivedMessage]:
    """Rows of `COLUMNS` as records, as far as people who opted out permit."""
    records = (ArchivedMessage._make(_as_texts(row)) for row in rows)
    return [one for record in records if (one := permitted_record(record, opt_outs))]


async def private_pages(database: Database) -> AsyncIterator[list[ArchivedPrivateMessage]]:
    """All private messages."""
    opt_outs = await stored_opt_outs(database)
    after = BEGINNING
    while rows := await database.rows(
        _PRIVATE_PAGE, position_params("after", after), deadline=DEADLINE
    ):
        records = (ArchivedPrivateMessage._make(_as_texts(row)) for row in rows)
        if page := [one for record in records if (one := permitted_record(record, opt_outs))]:
            yield page
        after = Position(rows[-1]["timestamp"], rows[-1]["id"])


def _index(wanted: Sequence[Room] | None) -> str:
    # Left to itself SQLite may take the index by room for several, and sort them for each page.
    alone = wanted is not None and len(wanted) == 1
    return "messages_by_room" if alone else "idx_messages_timestamp"


def _condition(wanted: Sequence[Room] | None) -> str:
    if wanted is None:
        return "TRUE"
    return f"m.room = {wanted[0].id}" if len(wanted) == 1 else within(wanted, "m.room")


def _position(after: Position, until: str, last: int) -> dict[str, object]:
    return {**position_params("after", after), "until": until, "last": last}


def _as_texts(row: Row) -> Iterator[Any]:
    """The columns of a row; another program may have stored bytes."""
    return (as_text(one) if isinstance(one, bytes) else one for one in row)
