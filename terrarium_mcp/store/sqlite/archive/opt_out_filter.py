"""What an export leaves out: what people said who opted out, whenever they said it.

The rule is that of recording (`chat/opt_outs.py`): a KICK of one of them and what the bot told them
are left out too, and a MODE and the reason of a gap lose their name.
"""

from datetime import UTC, datetime
from typing import TypeVar

from terrarium_mcp.chat.opt_outs import OptOuts
from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.store.records.archive import (
    ArchivedMessage,
    ArchivedPrivateMessage,
    ArchivedSpan,
)

Record = TypeVar("Record", ArchivedMessage, ArchivedPrivateMessage)

_ANY_TIME = datetime.min.replace(tzinfo=UTC)
"""The rule does not ask when something was said."""


def permitted_record(record: Record, opt_outs: OptOuts) -> Record | None:
    """What may be exported of a message: all of it, a part, or None."""
    if not opt_outs:
        return record
    text = record.message or ""
    message = NewMessage(
        network=record.network or "",
        channel=_place(record),
        nick=record.nick or "",
        text=text,
        said_at=_ANY_TIME,
        kind=MessageType.parse(record.message_type),
        user=record.user or "",
        host=record.host or "",
        account=record.account or "",
        own=bool(record.own),
    )
    allowed = opt_outs.permitted(message)
    if allowed is None:
        return None
    return record if allowed.text == text else record._replace(message=allowed.text)


def permitted_span(span: ArchivedSpan, opt_outs: OptOuts) -> ArchivedSpan:
    """A span, without why it ended where that names one of them."""
    why = span.why_ended
    return span._replace(why_ended=why and opt_outs.permitted_reason(span.network, why))


def _place(record: ArchivedMessage | ArchivedPrivateMessage) -> str:
    if isinstance(record, ArchivedPrivateMessage):
        return record.target
    return record.channel or ""
