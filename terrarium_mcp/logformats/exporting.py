"""Exports: the history, or the lines of a query, in the format of another program.

An export is the act of the person who owns the files: no model and no channel can ask for one. So
chat text is not fenced here, as `chat/transcript.py` does it for models. It streams: whatever its
size, a page of it is in memory.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import chain
from pathlib import Path
from typing import TypeVar

from terrarium_mcp import __version__
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import from_text, local
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.databases.terrarium_irc_table import TerrariumIrcDatabase
from terrarium_mcp.logformats.entries import LogEvent
from terrarium_mcp.logformats.export_formats import ExportFormat
from terrarium_mcp.logformats.jsonl import JsonlHead, jsonl_end, jsonl_head, jsonl_line
from terrarium_mcp.logformats.spreadsheet import csv_head, csv_line
from terrarium_mcp.logformats.text.irssi import IRSSI_LAYOUT
from terrarium_mcp.logformats.text.plain import plain_line
from terrarium_mcp.logformats.text.weechat import WEECHAT_LAYOUT
from terrarium_mcp.logformats.text.znc import ZNC_LAYOUT
from terrarium_mcp.store import ArchivedMessage, ArchiveRecord, Search, Store

LAYOUTS = {
    ExportFormat.WEECHAT: WEECHAT_LAYOUT,
    ExportFormat.IRSSI: IRSSI_LAYOUT,
    ExportFormat.ZNC: ZNC_LAYOUT,
}
"""The formats that have a file for each channel."""

WriteLine = Callable[[str], None]
"""Takes a line without its line break."""

AnyRecord = TypeVar("AnyRecord")

_LinePage = tuple[int, Iterable[str]]
"""A number of messages, and their lines."""

ReportExported = Callable[[int], None]
"""Called with how many messages are written."""


class NothingToExport(TerrariumError):
    """No line matches."""

    def __init__(self) -> None:
        super().__init__("Nothing matches, so nothing was written.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What is exported.

    Attributes:
        search: the query, and the rooms in which it is answered.
        is_every_room: whether these are all rooms.
        form: how it is written.
        zone: the zone of local times.
        source_zone: the zone of times for terrarium-irc.
        with_hosts: whether user and host of people are written.
        with_private: whether private messages are, as JSON Lines only.
    """

    search: Search
    is_every_room: bool
    form: ExportFormat
    zone: tzinfo
    source_zone: tzinfo
    with_hosts: bool = False
    with_private: bool = False

    @property
    def query(self) -> str:
        """The query without the rooms; "" for everything."""
        return str(replace(self.search.query, channels=(), excluded_channels=()))

    @property
    def has_everything(self) -> bool:
        """Whether it selects every message."""
        return self.is_every_room and not self.query

    def left_out(self) -> tuple[str, ...]:
        """What is not exported, as the first line of JSON Lines says it."""
        named = {
            "hosts": not self.with_hosts,
            "private messages": not self.with_private,
            "other channels": not self.is_every_room,
            "lines that the query does not select": bool(self.query),
        }
        return tuple(name for name, is_so in named.items() if is_so)


async def export_lines(
    store: Store, export: Export, write: WriteLine, report: ReportExported = lambda _: None
) -> int:
    """Write an export as one stream of lines; returns the number of messages.

    Raises:
        NothingToExport: no message matches; nothing was written.
        TerrariumError: the format needs a folder, or a file.
        StoreFailed: the database cannot be read.
    """
    total = 0
    async for messages, lines in _blocks(store, export):
        for line in lines:
            write(line)
        total += messages
        report(total)
    return total


async def export_database(
    store: Store, export: Export, path: Path, report: ReportExported = lambda _: None
) -> int:
    """Write a database with terrarium-irc's table into an empty file; returns its rows.

    Raises:
        NothingToExport: no message matches.
        OSError: the file cannot be written.
        StoreFailed: the database cannot be read.
    """
    total = 0
    with TerrariumIrcDatabase(path, export.source_zone, with_hosts=export.with_hosts) as database:
        async for page in not_nothing(visible_pages(store, export)):
            database.add(page)
            total += len(page)
            report(total)
    return total


def as_event(message: ArchivedMessage, *, with_hosts: bool) -> LogEvent:
    """A message in the terms of a log. Words that a relay carried are the relay's, as sent."""
    return LogEvent(
        kind=MessageType.parse(message.message_type),
        nick=message.nick or "",
        text=message.message or "",
        user=(message.user or "") if with_hosts else "",
        host=(message.host or "") if with_hosts else "",
        channel=message.channel or "",
    )


async def visible_pages(store: Store, export: Export) -> AsyncIterator[Sequence[ArchivedMessage]]:
    """The messages without those whose text was redacted."""
    async for page in store.archive.messages(export.search):
        yield [message for message in page if not message.redacted_at]


async def not_nothing(
    pages: AsyncIterator[Sequence[AnyRecord]],
) -> AsyncIterator[Sequence[AnyRecord]]:
    """The pages that hold anything; NothingToExport if none does."""
    is_nothing = True
    async for page in pages:
        if page:
            is_nothing = False
            yield page
    if is_nothing:
        raise NothingToExport


def dated_events(
    page: Iterable[ArchivedMessage], export: Export
) -> Iterator[tuple[datetime, LogEvent]]:
    """The messages as a log has them, with their moments in the reader's zone."""
    for message in page:
        at = local(from_text(message.timestamp), export.zone)
        yield at, as_event(message, with_hosts=export.with_hosts)


def _blocks(store: Store, export: Export) -> AsyncIterator[_LinePage]:
    """The lines of a format that is a stream."""
    match export.form:
        case ExportFormat.JSONL:
            return _jsonl(store, export)
        case ExportFormat.CSV:
            return _csv(store, export)
        case ExportFormat.TEXT:
            return _plain_text(store, export)
        case ExportFormat.WEECHAT | ExportFormat.IRSSI if len(export.search.rooms) == 1:
            return _one_log(store, export)
    raise TerrariumError(_needs_a_place(export.form))


async def _jsonl(store: Store, export: Export) -> AsyncIterator[_LinePage]:
    """Everything, with tombstones of what was redacted."""
    total = 0
    async for page in not_nothing(_records(store, export)):
        if not total:
            yield 0, await _jsonl_opening(store, export)
        yield len(page), (jsonl_line(one, with_hosts=export.with_hosts) for one in page)
        total += len(page)
    yield 0, [jsonl_end(total)]


async def _jsonl_opening(store: Store, export: Export) -> list[str]:
    """What precedes the messages: the head, rooms and spans."""
    by = f"terrarium-mcp {__version__}"
    head = jsonl_head(JsonlHead(datetime.now(UTC), by, export.query, export.left_out()))
    records: list[ArchiveRecord] = [
        *await store.archive.rooms(export.search.rooms),
        *await store.archive.spans(export.search.rooms),
    ]
    return [head, *(jsonl_line(record, with_hosts=export.with_hosts) for record in records)]


async def _records(store: Store, export: Export) -> AsyncIterator[Sequence[ArchiveRecord]]:
    """The messages, and where they are asked for the private ones."""
    async for page in store.archive.messages(export.search, roomless=export.has_everything):
        yield page
    if export.with_private:
        async for private in store.archive.private_messages():
            yield private


async def _csv(store: Store, export: Export) -> AsyncIterator[_LinePage]:
    head = [csv_head(with_hosts=export.with_hosts)]
    async for page in not_nothing(visible_pages(store, export)):
        rows = (csv_line(message, with_hosts=export.with_hosts) for message in page)
        yield len(page), chain(head, rows)
        head = []


async def _plain_text(store: Store, export: Export) -> AsyncIterator[_LinePage]:
    several = len({room.network for room in export.search.rooms}) > 1
    async for page in not_nothing(visible_pages(store, export)):
        names = (f"{one.network}/{one.channel}" if several else f"{one.channel}" for one in page)
        events = zip(names, dated_events(page, export), strict=True)
        yield len(page), (plain_line(at, name, event) for name, (at, event) in events)


async def _one_log(store: Store, export: Export) -> AsyncIterator[_LinePage]:
    """The log of a single channel."""
    before: datetime | None = None
    async for page in not_nothing(visible_pages(store, export)):
        lines = list[str]()
        for at, event in dated_events(page, export):
            lines += LAYOUTS[export.form].lines(at, event, before)
            before = at
        yield len(page), lines


def _needs_a_place(form: ExportFormat) -> str:
    match form:
        case ExportFormat.SQLITE:
            return "A database is a file: name it with --output FILE."
        case ExportFormat.ZNC:
            return "The logs are several files: name a folder with --output FOLDER."
    return (
        "The logs of several channels are several files: name a folder with --output FOLDER, or one"
        " channel with --channel."
    )
