"""The rows of `messages` that messages become, by columns. Pure."""

from collections.abc import Sequence
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


def row_columns(
    messages: Sequence[NewMessage], timestamps: Sequence[str], server_times: Sequence[str]
) -> list[Sequence[Any]]:
    """The columns of the rows of messages, but for `id` and `room`: the database tells these.

    Column by column, as an import has the same value in most of them.

    Args:
        messages: the messages.
        timestamps: what the column `timestamp` holds of each.
        server_times: what the column `server_time` holds; empty for NULL.
    """
    return [
        timestamps,
        _texts([one.channel for one in messages]),
        _texts([one.nick for one in messages]),
        _texts_or_nulls([one.user for one in messages]),
        _texts_or_nulls([one.host for one in messages]),
        _texts([one.text for one in messages]),
        [one.kind.value for one in messages],
        _texts([one.network for one in messages]),
        _texts_or_nulls([one.account for one in messages]),
        _texts_or_nulls([one.msgid for one in messages]),
        _texts_or_nulls([one.reply_to for one in messages]),
        _texts_or_nulls(server_times),
        [one.origin.value for one in messages],
        _texts_or_nulls([one.relayed_by for one in messages]),
        [int(one.own) for one in messages],
        [int(one.bot) for one in messages],
    ]


def _texts(values: Sequence[str]) -> Sequence[str]:
    return values if all(map(str.isascii, values)) else list(map(storable, values))


def _texts_or_nulls(values: Sequence[str]) -> Sequence[str | None]:
    """NULL where there is no text."""
    if not any(values):
        return [None] * len(values)
    return [storable(value) if value else None for value in values]
