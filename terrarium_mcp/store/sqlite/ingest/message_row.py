"""The row of `messages` that a message becomes. Pure."""

from typing import Any

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store.sqlite.engine.functions import storable

_COLUMNS = (
    "timestamp", "channel", "nick", "user", "host", "message", "message_type", "network", "account",
    "msgid", "reply_to", "server_time", "origin", "relayed_by", "self", "bot",
)  # fmt: skip

INSERT = (
    f"INSERT INTO messages (id, room, {', '.join(_COLUMNS)})"  # noqa: S608 -- our names
    f" VALUES (?, ?{', ?' * len(_COLUMNS)})"
)
"""The statement for rows: the id, the room, and `row_columns`."""


def row_columns(message: NewMessage, timestamp: str, server_time: str | None) -> tuple[Any, ...]:
    """The columns of a row, but for `id` and `room`, which only the database can tell."""
    return (
        timestamp,
        storable(message.channel),
        storable(message.nick),
        text_or_null(message.user),
        text_or_null(message.host),
        storable(message.text),
        message.kind.value,
        storable(message.network),
        text_or_null(message.account),
        text_or_null(message.msgid),
        text_or_null(message.reply_to),
        server_time,
        message.origin.value,
        text_or_null(message.relayed_by),
        int(message.own),
        int(message.bot),
    )


def text_or_null(text: str) -> str | None:
    """A text as the columns hold it that are NULL where there is none."""
    return storable(text) if text else None
