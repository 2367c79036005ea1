"""The archive as the store offers it: rows in pages for an export, and the way back."""

from collections.abc import AsyncIterator, Iterable, Sequence

from terrarium_mcp.chat.records import Room
from terrarium_mcp.store.records.archive import (
    ArchivedMessage,
    ArchivedPrivateMessage,
    ArchivedRoom,
    ArchivedSpan,
    ArchiveRecord,
    RestoredTotals,
)
from terrarium_mcp.store.search.hits import Search
from terrarium_mcp.store.sqlite.archive import reading
from terrarium_mcp.store.sqlite.archive.matching import matching_pages
from terrarium_mcp.store.sqlite.archive.restoring import ReportRestored, restore
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index.indexer import Indexer


class Archive:
    """Reads and writes whole rows; holds no transaction between two pages.

    So a recorder writes, and the keeper empties its WAL, while millions of lines are read. What is
    read are the messages that were stored when the reading began, by (timestamp, id): of those that
    are removed or redacted meanwhile some are still read as they were. Nothing of people who opted
    out is read.
    """

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def rooms(self, rooms: Sequence[Room]) -> list[ArchivedRoom]:
        """These rooms with the casemapping of their networks, by id."""
        return await reading.rooms(self._database, rooms)

    async def spans(self, rooms: Sequence[Room]) -> list[ArchivedSpan]:
        """When these rooms were recorded, by id."""
        return await reading.spans(self._database, rooms)

    def messages(
        self, search: Search, *, roomless: bool = False
    ) -> AsyncIterator[list[ArchivedMessage]]:
        """The messages of a search, oldest first, in pages.

        A query of nothing but times selects every message and event of the rooms. Any other selects
        what the first rung of a search finds: all its words, in speech unless it names types, and
        without asides unless it asks for them.

        Args:
            search: the query, rooms and time. Its limit and sort are ignored.
            roomless: also those messages that belong to no room; for a query of nothing but times.

        Raises:
            StoreFailed: the file cannot be read.
        """
        if search.query.is_only_timed:
            rooms = None if roomless else search.rooms
            return reading.message_pages(self._database, self._indexer, rooms, search.bounds)
        return matching_pages(self._database, self._indexer, search)

    def private_messages(self) -> AsyncIterator[list[ArchivedPrivateMessage]]:
        """All private messages, oldest first, in pages."""
        return reading.private_pages(self._database)

    async def restore_exactly(
        self, records: Iterable[ArchiveRecord], report: ReportRestored = lambda _: None
    ) -> RestoredTotals:
        """Write records back as they were: with their ids, origins and times, in any order.

        Only into a database that never held a message and has nobody's lines to leave out, or one
        in which an earlier call with the same records was interrupted: it then writes the rest. All
        records are read, and put aside in a temporary file, before the first is written; then they
        go in by groups, with pauses, so that readers see them as they come. What is derived from
        the messages is built along.

        Args:
            records: all of an export, as `logformats.jsonl` reads them.
            report: is called with the number of messages that are done.

        Raises:
            NotRestorable: the database holds other messages, has used ids of these, or has people
                who opted out or had theirs removed; or two records have one id. Nothing was
                written. Or another process recorded meanwhile: what was reported stays.
            StoreFailed: the database or the temporary file cannot be written.
        """
        return await restore(self._database, self._indexer, records, report)
