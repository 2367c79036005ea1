"""The audit of removals: what was removed when and at whose request, never the text."""

from collections.abc import Sequence

from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records import AuditEntry, RemovalReason
from terrarium_mcp.store.sqlite.engine.database import Database, Writer
from terrarium_mcp.store.sqlite.engine.functions import storable


async def begin(writer: Writer, entry: AuditEntry) -> int:
    """Add the row of a removal that begins; returns its id for `add_messages`."""
    await writer.run(
        "INSERT INTO removals (at, kind, asked_by, network, nick, messages)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            to_text(entry.at),
            entry.why.value,
            storable(entry.asked_by),
            storable(entry.network),
            storable(entry.nick),
            entry.messages,
        ),
    )
    return int(await writer.value("SELECT last_insert_rowid()"))


async def add_messages(writer: Writer, number: int, messages: int) -> None:
    """Add to the messages of a removal, in the transaction that removes them."""
    await writer.run(
        "UPDATE removals SET messages = messages + :messages WHERE id = :number",
        {"number": number, "messages": messages},
    )


async def entries(database: Database) -> Sequence[AuditEntry]:
    """Every removal, the oldest first."""
    rows = await database.rows(
        "SELECT at, kind, asked_by, network, nick, messages FROM removals ORDER BY id"
    )
    return [
        AuditEntry(
            at=from_text(at),
            why=RemovalReason(kind),
            asked_by=asked_by,
            network=network,
            nick=nick,
            messages=messages,
        )
        for at, kind, asked_by, network, nick, messages in rows
    ]
