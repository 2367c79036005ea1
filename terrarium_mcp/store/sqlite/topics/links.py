"""Links: the URLs that were posted, each listed once however often it was."""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, to_text
from terrarium_mcp.store.records.readings import Link
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS, as_messages
from terrarium_mcp.store.sqlite.engine.sql_expressions import position_params
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.link_index import LinkIndex

_BATCH = 100
"""Postings in the first read; each further read, for want of different URLs, doubles it."""

_MOST = 10_000
"""Postings in one read, at most."""


class Links:
    """The links of all rooms. No tool reads them yet: `find_links` will."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def find(
        self,
        rooms: Sequence[Room],
        limit: int,
        *,
        words: Sequence[str] = (),
        since: datetime | None = None,
        until: Position = EVERY_LINE,
    ) -> list[Link]:
        """The newest `limit` links of these rooms in a time range, each once.

        Args:
            rooms: the rooms to search.
            limit: the maximum number of links.
            words: each must be in the URL or in its message (case-insensitive).
            since: the start of the range, included.
            until: the end of the range, excluded.

        Raises:
            TookTooLong: the deadline passed.
        """
        await self._indexer.ensure_current(LinkIndex.name)
        found: dict[int, Row] = {}
        before, batch = (until.timestamp, until.id, 0), _BATCH
        while len(found) < limit:
            rows = await self._mentions(rooms, words, since, before, batch)
            for row in rows:
                if len(found) < limit:
                    found.setdefault(row["link"], row)
            if len(rows) < batch:
                break
            end = rows[-1]
            before, batch = (end["said"], end["message"], end["link"]), min(2 * batch, _MOST)
        times = await self._times(list(found), rooms, until)
        messages = await self._messages([row["message"] for row in found.values()], rooms)
        return [
            Link(row["url"], messages[row["message"]], times.get(number, 1))
            for number, row in found.items()
            if row["message"] in messages
        ]

    async def _mentions(
        self,
        rooms: Sequence[Room],
        words: Sequence[str],
        since: datetime | None,
        before: tuple[str, int, int],
        most: int,
    ) -> list[Row]:
        """The postings before a position (timestamp, message, URL), newest first."""
        has_words = "has_words(CAST(m.message AS BLOB), u.url, :words)" if words else "true"
        # One room is read by its own index; of several, the postings of all rooms by time.
        room = within(rooms, "l.room" if len(rooms) == 1 else "+l.room")
        return await self._database.rows(
            "SELECT l.url AS link, l.said, l.message, u.url"
            " FROM links l CROSS JOIN urls u ON u.id = l.url"
            " CROSS JOIN messages m ON m.id = l.message"
            f" WHERE {room} AND l.said >= :since AND l.said <= :before"
            f" AND (l.said, l.message, l.url) < (:before, :before_id, :before_url) AND {has_words}"
            " ORDER BY l.said DESC, l.message DESC, l.url DESC LIMIT :most",
            {
                "since": to_text(since) if since else "",
                "before": before[0],
                "before_id": before[1],
                "before_url": before[2],
                "words": json.dumps([word.casefold() for word in words]),
                "most": most,
            },
        )

    async def _messages(self, ids: Sequence[int], rooms: Sequence[Room]) -> dict[int, Message]:
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM messages m WHERE {AMONG_IDS} AND {within(rooms, '+m.room')}",
            ids_params(ids),
        )
        return {message.id: message for message in as_messages(rows, rooms)}

    async def _times(
        self, urls: Sequence[int], rooms: Sequence[Room], until: Position
    ) -> dict[int, int]:
        """The number of messages in these rooms that contain each URL."""
        rows = await self._database.rows(
            "SELECT l.url, count(*) FROM links l"
            " WHERE l.url IN (SELECT value FROM json_each(:urls))"
            f" AND {within(rooms, '+l.room')} AND (l.said, l.message) < (:until, :until_id)"
            " GROUP BY l.url",
            {"urls": json.dumps(list(urls)), **position_params("until", until)},
        )
        return {row[0]: row[1] for row in rows}
