"""The audit of removals: that something was removed, when and by whom, and never what it said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from terrarium_mcp.chat.when import from_text, to_text
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.functions import storable


class Why(StrEnum):
    """What led to a removal: REDACT, somebody's wish to be forgotten, or the lines' age."""

    REDACTION = "redaction"
    PURGE = "purge"
    RETENTION = "retention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """One removal: of how many messages, and of whom on which network, where it was of one."""

    at: datetime
    why: Why
    asked_by: str
    network: str = ""
    nick: str = ""
    messages: int = 0


async def note(writer: Writer, removed: Removed) -> int:
    """Begin the row of a removal; returns its number for `count`."""
    await writer.run(
        "INSERT INTO removals (at, kind, asked_by, network, nick, messages)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            to_text(removed.at),
            removed.why.value,
            storable(removed.asked_by),
            storable(removed.network),
            storable(removed.nick),
            removed.messages,
        ),
    )
    return int(await writer.value("SELECT last_insert_rowid()"))


async def count(writer: Writer, number: int, messages: int) -> None:
    """Add to the messages of a removal, in the transaction that removes them."""
    await writer.run(
        "UPDATE removals SET messages = messages + :messages WHERE id = :number",
        {"number": number, "messages": messages},
    )


async def removals(database: Database) -> Sequence[Removed]:
    """Every removal, the oldest first."""
    rows = await database.rows(
        "SELECT at, kind, asked_by, network, nick, messages FROM removals ORDER BY id"
    )
    return [
        Removed(
            at=from_text(at),
            why=Why(kind),
            asked_by=asked_by,
            network=network,
            nick=nick,
            messages=messages,
        )
        for at, kind, asked_by, network, nick, messages in rows
    ]
