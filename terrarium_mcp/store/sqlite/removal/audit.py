"""The audit of removals: what was removed when and at whose request, never the text."""

from collections.abc import Sequence

from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records.removal import AuditEntry, RemovalReason
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.writes import Writer

INSERT = """
INSERT INTO removals (at, kind, asked_by, network, nick, messages, turns)
VALUES (:at, :kind, :asked_by, :network, :nick, :messages, :turns)"""
"""Adds the row of a removal."""


async def begin(writer: Writer, entry: AuditEntry) -> int:
    """Add the row of a removal that begins; returns its id for `add`."""
    await writer.run(
        INSERT,
        {
            "at": to_text(entry.at),
            "kind": entry.why.value,
            "asked_by": storable(entry.asked_by),
            "network": storable(entry.network),
            "nick": storable(entry.nick),
            "messages": entry.messages,
            "turns": entry.turns,
        },
    )
    return int(await writer.value("SELECT last_insert_rowid()"))


async def add(writer: Writer, number: int, messages: int, turns: int) -> None:
    """Add to what a removal removed, in the transaction that removes it."""
    await writer.run(
        "UPDATE removals SET messages = messages + :messages, turns = turns + :turns"
        " WHERE id = :number",
        {"number": number, "messages": messages, "turns": turns},
    )


async def entries(database: Database) -> Sequence[AuditEntry]:
    """Every removal, the oldest first."""
    rows = await database.rows(
        "SELECT at, kind, asked_by, network, nick, messages, turns FROM removals ORDER BY id"
    )
    return [
        AuditEntry(
            at=from_text(at),
            why=RemovalReason(kind),
            asked_by=asked_by,
            network=network,
            nick=nick,
            messages=messages,
            turns=turns,
        )
        for at, kind, asked_by, network, nick, messages, turns in rows
    ]
