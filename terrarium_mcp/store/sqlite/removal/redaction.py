"""Redaction: the text of single messages goes, from them and from every derived structure."""

from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.records.removal import AuditEntry, RemovalReason
from terrarium_mcp.store.sqlite.engine.dialogue_rows import remove_turns_with
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.unindexing import unindex_text
from terrarium_mcp.store.sqlite.removal import audit


async def redact_rows(
    writer: Writer, ids: Sequence[int], *, asked_by: str, at: datetime
) -> list[int]:
    """Remove the text of messages, and what rests on it; returns the ids of those that had one.

    The rows stay as tombstones. What the backlog quotes of them is left.
    """
    rows = await writer.rows(
        "SELECT id, network, nick FROM messages WHERE redacted_at IS NULL"
        " AND id IN (SELECT value FROM json_each(:ids))",
        ids_params(ids),
    )
    for number, network, nick in rows:
        await unindex_text(writer, [number])
        await writer.run(
            "UPDATE messages SET message = '', redacted_at = :at WHERE id = :id",
            {"id": number, "at": to_text(at)},
        )
        await audit.begin(
            writer,
            AuditEntry(
                at=at,
                why=RemovalReason.REDACTION,
                asked_by=asked_by,
                network=as_text(network),
                nick=as_text(nick),
                messages=1,
                turns=await remove_turns_with(writer, [number]),
            ),
        )
    return [row["id"] for row in rows]
