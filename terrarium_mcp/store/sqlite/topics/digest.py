"""The newest talk of some rooms with its reply links, for a digest. Nothing of it is stored.

What a read costs follows from the lines it looks at, not from those that are stored: it walks the
index of each room back from the end, and stops.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from terrarium_mcp.chat.disentanglement import ReplyLink, find_links
from terrarium_mcp.chat.records import SPEECH, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.offload import offload
from terrarium_mcp.store.records import RecentTalk
from terrarium_mcp.store.sqlite.engine.database import Database, Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import as_messages
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.topics.utterance_rows import (
    UTTERANCE_COLUMNS,
    bot_nicks,
    utterances,
)

MOST_LINES = 500
"""Lines of speech that a digest looks at. To disentangle them takes 18 ms of CPU, which is most of
a digest."""

_MOST_ROWS = 2 * MOST_LINES
"""Rows that are read for them, joins and parts included."""

_FEW_ROOMS = 16
"""Up to this many rooms each is read by its own index, and the rows are merged; of more, the
messages of all rooms are read by time."""


class DigestReader:
    """Reads what a digest is made of."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def talk(
        self, rooms: Sequence[Room], after: Position, *, until: Position = EVERY_LINE
    ) -> RecentTalk:
        """The newest talk of these rooms between two positions (both exclusive).

        Raises:
            TookTooLong: the deadline passed.
        """
        if not rooms:
            return RecentTalk()
        await self._indexer.ensure_current()
        rows = await self._database.rows(
            f"{_newest_rows(rooms)} ORDER BY timestamp DESC, id DESC LIMIT {_MOST_ROWS + 1}",
            {
                "after": after.timestamp,
                "after_id": after.id,
                "until": until.timestamp,
                "until_id": until.id,
            },
        )
        return await offload(partial(_talk, rows, rooms))


def _newest_rows(rooms: Sequence[Room]) -> str:
    """The statement for the rows of these rooms, to be ordered by time."""
    if len(rooms) > _FEW_ROOMS:
        return _rows_of(within(rooms, "+m.room"))  # the `+` keeps SQLite from the index by room
    return " UNION ALL ".join(_rows_of(f"m.room = {int(room.id)}") for room in rooms)


def _rows_of(condition: str) -> str:
    return (
        f"SELECT {UTTERANCE_COLUMNS} FROM messages m WHERE {condition}"
        " AND m.redacted_at IS NULL AND (m.timestamp, m.id) > (:after, :after_id)"
        " AND (m.timestamp, m.id) < (:until, :until_id)"
    )


def _talk(rows: Sequence[Row], rooms: Sequence[Room]) -> RecentTalk:
    """The rows, newest first, as messages with links; without asides, and up to `MOST_LINES`."""
    messages, said = [], list[Row]()
    is_cut = len(rows) > _MOST_ROWS
    for message, row in zip(as_messages(rows[:_MOST_ROWS], rooms), rows, strict=False):
        if message.is_aside:
            continue
        if message.kind in SPEECH:
            if len(said) == MOST_LINES:
                is_cut = True
                break
            said.append(row)
        messages.append(message)
    return RecentTalk(messages[::-1], _links(said[::-1]), is_cut)


def _links(said: Sequence[Row]) -> list[ReplyLink]:
    """The reply link of each line. Rooms are apart."""
    by_room = groupby(sorted(said, key=itemgetter("room")), key=itemgetter("room"))
    windows = [list(window) for _, window in by_room]
    return [
        link for window in windows for link in find_links(utterances(window), bot_nicks(window))
    ]
