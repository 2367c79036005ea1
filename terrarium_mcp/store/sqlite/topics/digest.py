"""The digest of the newest talk of some rooms. Nothing of it is stored.

What a read costs follows from the lines it looks at, not from those that are stored: it walks the
index of each room back from the end, and stops.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from terrarium_mcp.chat.digest import digest_of
from terrarium_mcp.chat.disentanglement import ReplyLink, find_links
from terrarium_mcp.chat.records import SPEECH, Message, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.offload import offload
from terrarium_mcp.store.records import RecentDigest
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Row
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
    """Makes digests of the log."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def recent(
        self, rooms: Sequence[Room], after: Position, nick: str, *, until: Position = EVERY_LINE
    ) -> RecentDigest:
        """The digest of what was said in these rooms between two positions (both exclusive).

        Args:
            rooms: the rooms, at least one.
            after: after which message it begins.
            nick: for whom it is; "" for nobody in particular.
            until: before which message it ends.

        Raises:
            TookTooLong: the deadline passed.
        """
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
        return await offload(partial(_digest, rows, rooms, nick))


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


def _digest(rows: Sequence[Row], rooms: Sequence[Room], nick: str) -> RecentDigest:
    """The digest of rows, newest first: without asides, and of at most `MOST_LINES` of speech."""
    messages, said, reached = list[Message](), list[Row](), None
    for message, row in zip(as_messages(rows, rooms), rows, strict=True):
        is_speech = message.kind in SPEECH and not message.is_aside
        if len(messages) == _MOST_ROWS or (is_speech and len(said) == MOST_LINES):
            reached = messages[-1].said_at
            break
        if is_speech:
            said.append(row)
        messages.append(message)
    told = [message for message in messages[::-1] if not message.is_aside]
    return RecentDigest(digest_of(told, _links(said[::-1]), nick), reached)


def _links(said: Sequence[Row]) -> list[ReplyLink]:
    """The reply link of each line. Rooms are apart."""
    by_room = groupby(sorted(said, key=itemgetter("room")), key=itemgetter("room"))
    windows = [list(window) for _, window in by_room]
    return [
        link for window in windows for link in find_links(utterances(window), bot_nicks(window))
    ]
