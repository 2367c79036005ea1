"""The digest of the newest talk of some rooms. Nothing of it is stored.

What a read costs follows from the lines it looks at, not from those that are stored: it walks the
index of each room back from the end, and stops.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from terrarium_mcp.chat.digest import digest_of, has_moves
from terrarium_mcp.chat.disentanglement import ReplyLink, lines_before, links_of_period
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.open_questions import Who
from terrarium_mcp.chat.records import SPEECH, Message, MessageType, Room
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.records.readings import RecentDigest
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Reads, Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import as_messages, is_aside, said_by
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.engine.voices_sql import VOICE
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.topics.utterance_rows import (
    UTTERANCE_COLUMNS,
    bot_nicks,
    utterances,
)

MOST_LINES = 500
"""Lines of speech that a digest looks at. To disentangle them takes 18 ms of CPU, which is most of
a digest."""

_USUAL_ROWS, _MOST_ROWS = 5 * MOST_LINES // 4, 2 * MOST_LINES
"""Rows that are read for them, joins and parts included: mostly the first so many are enough."""

_MOST_BEFORE = 1_000
"""Rows before a digest whose speakers are told of when they come or go: the regulars of a channel,
in a quiet one also those of last month. A digest in which anybody moves takes a fifth more CPU."""

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
        between = position_params("after", after) | position_params("until", until)

        async def read(reads: Reads) -> RecentDigest:
            for most in (_USUAL_ROWS, _MOST_ROWS + 1):
                rows = await reads.rows(_newest_rows(rooms), {**between, "most": most})
                looked_at = _looked_at(rows, rooms)
                if looked_at.reached or len(rows) < most:
                    break
            told = [one for one in looked_at.messages[::-1] if not one.is_aside]
            lines = _by_room(looked_at.said[::-1])
            earlier = await _earlier(reads, looked_at, lines_before(lines), rooms)
            before = await _spoke_before(reads, told, rooms)
            digest = digest_of(told, _links(lines, earlier), nick, before)
            return RecentDigest(digest, looked_at.reached)

        return await self._database.read_whole(read)


def _newest_rows(rooms: Sequence[Room], columns: str = UTTERANCE_COLUMNS) -> str:
    """The statement for the newest rows of these rooms."""
    if len(rooms) > _FEW_ROOMS:
        conditions = [within(rooms, "+m.room")]  # the `+` keeps SQLite from the index by room
    else:
        conditions = [f"m.room = {int(room.id)}" for room in rooms]
    rows = " UNION ALL ".join(_rows_of(one, columns) for one in conditions)
    return f"{rows} ORDER BY timestamp DESC, id DESC LIMIT :most"


def _rows_of(condition: str, columns: str) -> str:
    return (
        f"SELECT {columns} FROM messages m WHERE {condition}"
        " AND m.redacted_at IS NULL AND (m.timestamp, m.id) > (:after, :after_id)"
        f" AND {BEFORE_CUTOFF}"
    )


_ROWS_BEFORE = (
    f"SELECT {UTTERANCE_COLUMNS} FROM messages m"
    f" WHERE m.room = :room AND m.redacted_at IS NULL AND {BEFORE_CUTOFF}"
    " ORDER BY m.timestamp DESC, m.id DESC LIMIT :most"
)
"""The statement for the newest rows of a room before a position."""


_SPEAKER_COLUMNS = f"m.room, m.nick, m.message_type, m.self, {VOICE} AS voice, m.timestamp, m.id"
"""What tells who spoke, and the order."""


class _LookedAt(NamedTuple):
    """What a digest looks at, newest first.

    Attributes:
        messages: the messages, asides among them.
        said: the rows of what was said, without asides.
        reached: if there is more, the position of the oldest of the messages.
    """

    messages: Sequence[Message]
    said: Sequence[Row]
    reached: Position | None


def _looked_at(rows: Sequence[Row], rooms: Sequence[Room]) -> _LookedAt:
    """Of rows, newest first, those until there is enough."""
    messages, said = list[Message](), list[Row]()
    for message, row in zip(as_messages(rows, rooms), rows, strict=True):
        is_speech = message.kind in SPEECH and not message.is_aside
        if len(messages) == _MOST_ROWS or (is_speech and len(said) == MOST_LINES):
            return _LookedAt(messages, said, messages[-1].position)
        if is_speech:
            said.append(row)
        messages.append(message)
    return _LookedAt(messages, said, None)


def _by_room(said: Iterable[Row]) -> dict[int, list[Row]]:
    by_room = groupby(sorted(said, key=itemgetter("room")), key=itemgetter("room"))
    return {room: list(lines) for room, lines in by_room}


async def _earlier(
    reads: Reads, looked_at: _LookedAt, wanted: Mapping[int, int], rooms: Sequence[Room]
) -> dict[int, Sequence[Row]]:
    """What was said in rooms right before the messages of a digest: of each, so many rows."""
    earlier = dict[int, Sequence[Row]]()
    for room, most in wanted.items():
        first = looked_at.messages[-1].position
        params = position_params("until", first) | {"room": room, "most": most}
        rows = await reads.rows(_ROWS_BEFORE, params)
        earlier[room] = _looked_at(rows, rooms).said[::-1]
    return earlier


async def _spoke_before(
    reads: Reads, messages: Sequence[Message], rooms: Sequence[Room]
) -> set[Who]:
    """Who spoke in these rooms right before messages that have moves; else nobody."""
    if not has_moves(messages):
        return set()
    first = messages[0].position
    params = position_params("after", BEGINNING) | position_params("until", first)
    params |= {"most": _MOST_BEFORE}
    rows = await reads.rows(_newest_rows(rooms, _SPEAKER_COLUMNS), params)
    casemappings = {room.id: room.casemapping for room in rooms}
    return {
        (room, fold(said_by(nick, "", voice)[0], casemappings[room]))
        for room, nick, kind, own, voice in {row[:5] for row in rows}  # few say most
        if MessageType.parse(as_text(kind)) in SPEECH and not is_aside(own, voice)
    }


def _links(
    lines: Mapping[int, Sequence[Row]], earlier: Mapping[int, Sequence[Row]]
) -> list[ReplyLink]:
    """The reply link of each line. Rooms are apart."""
    return [
        link
        for room, said in lines.items()
        for before in (earlier.get(room, ()),)
        for link in links_of_period(
            utterances(before), utterances(said), bot_nicks([*before, *said])
        )
    ]
