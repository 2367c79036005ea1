"""JSON Lines: the whole history as text, one record a line. Pure.

The first line is the head: the version of this format, and what was left out. Rooms and spans
follow, then messages by time, and a last line that counts them: without it the file was cut.

    {"terrarium": 1, "exported_at": "...", "by": "terrarium-mcp 0.1.0", "left_out": ["hosts"]}
    {"room": 1, "network": "libera", "channel": "#tea", "casemapping": "rfc1459"}
    {"span": 1, "network": "libera", "channel": "#tea", "began": "...", "alive": "...", ...}
    {"id": 7, "time": "2026-05-01T12:00:00.000Z", "network": "libera", "channel": "#tea", ...}
    {"messages": 1}

A key that is absent has its usual value: none, or false. `null` is a value that is not known.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import from_iso, from_text, to_iso, to_text
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import (
    ArchivedMessage,
    ArchivedPrivateMessage,
    ArchivedRoom,
    ArchivedSpan,
    ArchiveRecord,
)
from terrarium_mcp.wording import compact_json

VERSION = 1

LONGEST_RECORD = 1024 * 1024
"""Bytes of the longest line that is read: a message of many lines has 100,000, all escaped."""

_KEYS = {"message": "text", "message_type": "type", "timestamp": "time", "own": "self"}
"""Keys that differ from the names of a record's fields."""

_ALWAYS = frozenset({"id", "timestamp", "network", "channel", "target", "nick", "message"})
"""Fields that are written even where they are None."""

_FLAGS = frozenset({"own", "bot"})
_HOSTS = frozenset({"user", "host"})


class NotJsonLines(TerrariumError):
    """A line is not one of an export as JSON Lines, at the `line` with this number (from 1)."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"Line {line:,}: {reason}")
        self.line = line


@dataclass(frozen=True, slots=True)
class JsonlHead:
    """The first line of an export.

    Attributes:
        exported_at: the time of the export (UTC).
        program: the name and version of the program that wrote it.
        query: the query whose lines these are; "" for all.
        left_out: what it does not hold: `hosts`, `private messages`, `other channels`, `lines that
            the query does not select`.
    """

    exported_at: datetime
    program: str
    query: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it holds every message of the channels, so that a history can be restored."""
        return not self.query and "other channels" not in self.left_out


def jsonl_head(head: JsonlHead) -> str:
    """The first line."""
    return compact_json(
        {
            "terrarium": VERSION,
            "exported_at": to_iso(head.exported_at),
            "by": head.program,
            **({"query": head.query} if head.query else {}),
            "left_out": head.left_out,
        }
    )


def jsonl_line(record: ArchiveRecord, *, with_hosts: bool) -> str:
    """The line of a record, without a line break."""
    match record:
        case ArchivedRoom():
            room = record._asdict()
            return compact_json({"room": room.pop("id"), **room})
        case ArchivedSpan():
            span = record._asdict()
            return compact_json({"span": span.pop("id"), **span})
    fields = {
        _KEYS.get(name, name): bool(value) if name in _FLAGS and value is not None else value
        for name, value in zip(record._fields, record, strict=True)
        if _is_written(name, value) and (with_hosts or name not in _HOSTS)
    }
    fields["time"] = to_iso(from_text(record.timestamp))
    if isinstance(record, ArchivedPrivateMessage):
        fields["private"] = True
    return compact_json(fields)


def jsonl_end(messages: int) -> str:
    """The last line, which counts messages and private messages."""
    return compact_json({"messages": messages})


def _is_written(name: str, value: object) -> bool:
    if name in _FLAGS:
        return value != 0
    return value is not None or name in _ALWAYS


def is_jsonl(first_line: bytes) -> bool:
    """Whether a file with this first line is an export as JSON Lines, of any version."""
    if not first_line.lstrip().startswith(b"{"):  # as of 5,000 day files
        return False
    try:
        fields = json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and "terrarium" in fields


def read_jsonl_head(line: bytes) -> JsonlHead:
    """The head of an export.

    Raises:
        NotJsonLines: it is none, or of a later version.
    """
    fields = _fields(line, 1)
    version = fields.get("terrarium")
    if type(version) is not int or version < 1:
        raise NotJsonLines(1, "it is not the first line of a terrarium-mcp export.")
    if version > VERSION:
        raise NotJsonLines(
            1,
            f"the file has version {version} of this format, and this terrarium-mcp knows version"
            f" {VERSION}. Install a newer terrarium-mcp.",
        )
    try:
        return JsonlHead(
            from_iso(str(fields["exported_at"])),
            str(fields["by"]),
            str(fields.get("query", "")),
            tuple(map(str, fields["left_out"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise NotJsonLines(1, "the first line is damaged.") from error


def read_jsonl(lines: Iterable[bytes]) -> Iterator[ArchiveRecord]:
    """The records of an export, in the order of its lines.

    Args:
        lines: all lines of the file, also the head, with or without their line breaks.

    Raises:
        NotJsonLines: a line is damaged, or the last line is missing: the file was cut. The records
            before it have been yielded by then.
    """
    messages, number, ended = 0, 0, False
    for number, line in enumerate(lines, 1):
        if number == 1:
            read_jsonl_head(line)
            continue
        fields = _fields(line, number)
        if ended:
            raise NotJsonLines(number, "there is more after the line that ends the export.")
        if "messages" in fields:
            ended = True
            if fields["messages"] != messages:
                raise NotJsonLines(
                    number,
                    f"{fields['messages']} messages were exported, and {messages} are here: the"
                    " file lacks some of its lines.",
                )
            continue
        record = _record(fields, number)
        messages += isinstance(record, ArchivedMessage | ArchivedPrivateMessage)
        yield record
    if not ended:
        raise NotJsonLines(
            number, "the file ends here, and lacks the line that ends an export: it was cut."
        )


def message_in(line: bytes) -> ArchivedMessage:
    """The message in a line, as `jsonl_line` writes it.

    Raises:
        NotJsonLines: the line holds another record, or is damaged.
    """
    record = _record(_fields(line, 1), 1)
    if not isinstance(record, ArchivedMessage):
        raise NotJsonLines(1, "it is not a message.")
    return record


def as_new_message(record: ArchivedMessage) -> NewMessage | None:
    """A record as an ordinary message to import; None if its text was redacted, or it has no room.

    It gets another id and the origin `import`. Whether the bot said it is kept.
    """
    if record.redacted_at or not record.channel:
        return None
    return NewMessage(
        network=record.network or "",
        channel=record.channel,
        nick=record.nick or "",
        text=record.message or "",
        said_at=from_text(record.timestamp),
        kind=MessageType.parse(record.message_type),
        user=record.user or "",
        host=record.host or "",
        account=record.account or "",
        msgid=record.msgid or "",
        reply_to=record.reply_to or "",
        server_time=record.server_time or "",
        origin=Origin.IMPORT,
        relayed_by=record.relayed_by or "",
        own=bool(record.own),
        bot=bool(record.bot),
    )


def _fields(line: bytes, number: int) -> dict[str, Any]:
    if len(line) > LONGEST_RECORD:
        raise NotJsonLines(number, "it is longer than any line of an export.")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotJsonLines(number, "it is not JSON; the file is damaged, or was cut.") from error
    if not isinstance(fields, dict):
        raise NotJsonLines(number, "it is not a JSON object.")
    return fields


def _record(fields: dict[str, Any], number: int) -> ArchiveRecord:
    """The record of a line that is neither the first nor the last."""
    try:
        if "room" in fields:
            return _checked(ArchivedRoom(**{"id": fields.pop("room"), **fields}), number)
        if "span" in fields:
            return _checked(ArchivedSpan(**{"id": fields.pop("span"), **fields}), number)
        is_private = fields.pop("private", False)
        values = {_FIELDS.get(key, key): value for key, value in fields.items()}
        values["timestamp"] = to_text(from_iso(values["timestamp"]))
        for flag in _FLAGS & values.keys():
            values[flag] = None if values[flag] is None else int(values[flag])
        if is_private:
            return _checked(ArchivedPrivateMessage(**{**_NOTHING_PRIVATE, **values}), number)
        return _checked(ArchivedMessage(**{**_NOTHING, **values}), number)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise NotJsonLines(number, "it lacks a key, or has an unknown key or value.") from error


_FIELDS = {key: field for field, key in _KEYS.items()}
_NOTHING = dict.fromkeys(("user", "host", "message_type"))
_NOTHING_PRIVATE = dict.fromkeys(("user", "host", "account", "message_type"))
_NUMBERS = frozenset({"id", *_FLAGS})
_MOMENTS = frozenset({"began", "alive", "ended"})
_REQUIRED = {
    ArchivedRoom: frozenset(ArchivedRoom._fields),
    ArchivedSpan: frozenset(ArchivedSpan._fields) - {"ended", "why_ended"},
    ArchivedMessage: frozenset({"id", "timestamp"}),
    ArchivedPrivateMessage: frozenset({"id", "timestamp", "network", "target"}),
}


def _checked(record: ArchiveRecord, number: int) -> ArchiveRecord:
    """A record whose values can be stored in its columns."""
    required = _REQUIRED[type(record)]
    for name, value in zip(record._fields, record, strict=True):
        if problem := _problem(name, value, is_required=name in required):
            raise NotJsonLines(number, f"{_KEYS.get(name, name)} {problem}.")
    return record


def _problem(name: str, value: object, *, is_required: bool) -> str:
    """Why a value cannot be stored; empty if it can."""
    if value is None:
        return "has no value" if is_required else ""
    if type(value) is not (int if name in _NUMBERS else str):
        return "has a value of the wrong type"
    if name == "id" and not 0 < int(str(value)) < 2**63:
        return "is out of range"
    if name in _MOMENTS and to_text(from_text(str(value))) != value:
        return "is not a time"
    if isinstance(value, str) and not value.isascii():
        value.encode()  # half a character cannot be stored: UnicodeEncodeError is a ValueError
    return ""
