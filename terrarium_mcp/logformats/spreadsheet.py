"""CSV (RFC 4180, lines end with a line feed): a row for each message. Pure."""

import csv
from collections.abc import Sequence

from terrarium_mcp.chat.times.timestamps import from_text, to_iso
from terrarium_mcp.store import ArchivedMessage

_COLUMNS = ("id", "time", "network", "channel", "type", "nick", "account", "text")
_HOSTS = ("user", "host")


def csv_head(*, with_hosts: bool) -> str:
    """The names of the columns."""
    return _row([*_COLUMNS, *(_HOSTS if with_hosts else ())])


def csv_line(message: ArchivedMessage, *, with_hosts: bool) -> str:
    """The row of a message, without the line break that ends it; its text may hold others."""
    cells = [
        message.id,
        to_iso(from_text(message.timestamp)),
        message.network,
        message.channel,
        message.message_type,
        message.nick,
        message.account,
        message.message,
    ]
    return _row([*cells, *((message.user, message.host) if with_hosts else ())])


class _Returned:
    """A file whose `write` returns the text: so does `writerow` then."""

    def write(self, text: str) -> str:
        return text


# Before Python 3.13 a writer quotes only those line breaks that its rows end with.
_LINE_END = "\r\n"
_WRITER = csv.writer(_Returned(), lineterminator=_LINE_END)


def _row(cells: Sequence[object]) -> str:
    return str(_WRITER.writerow(cells)).removesuffix(_LINE_END)
