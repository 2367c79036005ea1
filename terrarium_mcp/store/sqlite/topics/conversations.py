"""Conversations: which lines around a message belong together. Computed on demand, never stored."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from terrarium_mcp.chat.disentanglement import (
    Extent,
    ReplyGraph,
    extent_of,
    find_links,
    is_bare,
)
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.offload import offload
from terrarium_mcp.store.records.readings import Conversation
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import OF_ROOM
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH, as_messages, said_by
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.engine.voices_sql import parsed_voice
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.msgid_index import (
    WITH_MSGIDS,
    MsgidIndex,
    msgid_query,
    those_named,
)
from terrarium_mcp.store.sqlite.index.watermarks import current_sql
from terrarium_mcp.store.sqlite.topics.utterance_rows import (
    UTTERANCE_COLUMNS,
    bot_nicks,
    utterances,
)

BEFORE, AFTER = 100, 99
"""Lines of its room that are read around a message. On the Ubuntu development logs 100, 200 and 400
lines have an F1 of 75, 79 and 80 for the rest of its conversation."""

NEAR_EDGE = 30
"""Lines at an edge of what was read: a conversation that reaches them may go on beyond it. Of 102
annotated ones of the Ubuntu logs 28 reached the end, and 20 of these had later lines when read
again from their last line; of the other 74 only 2. At the beginning 22 of 33, and 1 of 69."""

NEAR_BEFORE, NEAR_AFTER = 50, 30
"""Lines that are read around each of many messages, if only the nearest are asked for. 96 % of the
six nearest are those of the larger window on these logs, in two fifths of the time (40 and 20
lines: 93 %)."""


SURE = 0.5
"""A line is near a message if all links between them are right with at least this probability.
"""


class Conversations:
    """Conversations disentangled from unthreaded chat."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer

    async def around(
        self,
        message: Message,
        *,
        before: int | None = None,
        after: int | None = None,
        until: Position = EVERY_LINE,
    ) -> Conversation:
        """The conversation of a message, without lines at or after `until`.

        At most `before` of its lines precede the message, and at most `after` follow it. An event
        such as a join belongs to no conversation: it is returned alone.
        """
        window = await self._window(message, until)
        extent = await offload(partial(_extent, message.id, window.rows))
        if not extent.shown:  # an event, or a message removed a moment ago
            return Conversation(message, [message])
        outside = [(message.room.id, link.outside) for link in extent.shown if link.outside]
        answered = await self._answered([outside], until)
        return _conversation(message, window, extent, answered, before, after)

    async def nearest(
        self, messages: Sequence[Message], count: int, *, until: Position = EVERY_LINE
    ) -> list[list[Message]]:
        """Of each message the nearest lines that add something to it, and itself, oldest first.

        These are lines that `SURE` links connect to it, without asides, remarks of a single
        everyday word, and the other messages. At most `count` precede it, and as many follow it.
        What surrounds all messages is read at once, and lines around several are compared once.
        """
        if not messages:
            return []
        passages = await self._passages(messages, until)
        answered = await self._answered(map(_named_elsewhere, passages), until)
        ids = {message.id for message in messages}
        near = await offload(partial(_nearest, ids, count, passages, answered))
        rooms = list(dict.fromkeys(message.room for message in messages))
        return [as_messages(near.get(one.id, ()), rooms) or [one] for one in messages]

    async def _passages(self, messages: Sequence[Message], until: Position) -> list[list[Row]]:
        """The lines around the messages, room by room; where two windows meet they are joined."""
        positions = [[one.room.id, one.position.timestamp, one.position.id] for one in messages]
        rows = await self._indexer.rows(
            f"SELECT * FROM ({_side('<=', 'DESC', NEAR_BEFORE + 1)}"  # noqa: S608 -- made of constants
            f" UNION ALL {_side('>', 'ASC', NEAR_AFTER)}) ORDER BY hit, timestamp, id",
            {"positions": json.dumps(positions), **position_params("until", until)},
        )
        windows = [list(window) for _, window in groupby(rows, key=itemgetter("hit"))]
        passages = list[list[Row]]()
        for window in sorted(windows, key=lambda window: (window[0]["room"], _position(window[0]))):
            last = passages[-1][-1] if passages else None
            if (
                last
                and last["room"] == window[0]["room"]
                and _position(window[0]) <= _position(last)
            ):
                passages[-1] += [row for row in window if _position(row) > _position(last)]
            else:
                passages.append(window)
        return passages

    async def _answered(
        self, asked: Iterable[Iterable[tuple[int, str]]], until: Position
    ) -> dict[tuple[int, str], Row]:
        """The lines that reply tags name, by room and msgid."""
        named = {one for several in asked for one in several}
        if not named:
            return {}
        rows = await self._indexer.rows(
            f"SELECT {UTTERANCE_COLUMNS} FROM {WITH_MSGIDS}"  # noqa: S608 -- made of constants
            f" WHERE {current_sql(MsgidIndex.name)} AND {IS_SPEECH}"
            f" AND {BEFORE_CUTOFF}",
            {
                "msgids": msgid_query(named),
                **position_params("until", until),
            },
            uses=(MsgidIndex.name,),
        )
        return those_named(rows, named)

    async def _window(self, message: Message, until: Position) -> "_Surroundings":
        where = f"{current_sql()} AND {OF_ROOM} AND {IS_SPEECH}"
        position = message.position
        rows = await self._indexer.rows(
            f"SELECT * FROM ({_SELECT} WHERE {where} AND (m.timestamp, m.id) <= (:timestamp, :id)"  # noqa: S608 -- made of constants
            " ORDER BY m.timestamp DESC, m.id DESC LIMIT :before)"
            f" UNION ALL SELECT * FROM ({_SELECT} WHERE {where}"
            " AND (m.timestamp, m.id) > (:timestamp, :id)"
            f" AND {BEFORE_CUTOFF}"
            " ORDER BY m.timestamp, m.id LIMIT :after)"
            " ORDER BY timestamp, id",
            {
                "room": message.room.id,
                "timestamp": position.timestamp,
                "id": position.id,
                **position_params("until", until),
                "before": BEFORE + 2,  # the line itself, and one more to tell whether others exist
                "after": AFTER + 1,
            },
        )
        at = sum(_position(row) <= position for row in rows)
        earlier, later = rows[:at], rows[at:]
        return _Surroundings(
            rows=[*earlier[-BEFORE - 1 :], *later[:AFTER]],
            more_before=len(earlier) > BEFORE + 1,
            more_after=len(later) > AFTER,
        )


_SELECT = f"SELECT {UTTERANCE_COLUMNS} FROM messages m"  # noqa: S608 -- made of constants


def _side(comparison: str, order: str, most: int) -> str:
    """The speech of a room on one side of each of `:positions`, whose number is `hit`."""
    return f"""
SELECT {UTTERANCE_COLUMNS}, p.key AS hit FROM json_each(:positions) p CROSS JOIN messages m
WHERE {current_sql()} AND m.id IN (
  SELECT m.id FROM messages m
  WHERE m.room = json_extract(p.value, '$[0]') AND {IS_SPEECH} AND (m.timestamp, m.id) {comparison}
    (json_extract(p.value, '$[1]'), json_extract(p.value, '$[2]'))
    AND {BEFORE_CUTOFF}
  ORDER BY m.timestamp {order}, m.id {order} LIMIT {most})"""  # noqa: S608 -- made of constants


_position = itemgetter("timestamp", "id")
"""The position of a row in the order of all messages."""


class _Surroundings(NamedTuple):
    """The lines that are read around a message, and whether there are others before and after."""

    rows: Sequence[Row]
    more_before: bool
    more_after: bool

    def near_beginning(self, index: int) -> int | None:
        """The id of the line at this index, if it is near the first and others come before that."""
        is_near = self.more_before and index < NEAR_EDGE
        return self.rows[index]["id"] if is_near else None

    def near_end(self, index: int) -> int | None:
        """The id of the line at this index, if it is near the last and others come after that."""
        is_near = self.more_after and index >= len(self.rows) - NEAR_EDGE
        return self.rows[index]["id"] if is_near else None


def _extent(message_id: int, rows: Sequence[Row]) -> Extent:
    """The extent of a message's conversation among the lines that were read around it."""
    window = utterances(rows)
    return extent_of(message_id, window, find_links(window, bot_nicks(rows)))


def _nearest(
    ids: set[int],
    count: int,
    passages: Iterable[Sequence[Row]],
    answered: Mapping[tuple[int, str], Row],
) -> dict[int, list[Row]]:
    """For each id the nearest rows that add something to it, and itself."""
    near = dict[int, list[Row]]()
    for passage in passages:
        room = passage[0]["room"]
        graph = ReplyGraph(find_links(utterances(passage), bot_nicks(passage)))
        rows: dict[int | str, Row] = {row["id"]: row for row in passage}
        rows |= {msgid: row for (where, msgid), row in answered.items() if where == room}
        for number in ids & rows.keys():
            connected = (rows[node] for node in graph.chains_from(number, SURE) if node in rows)
            others = (row for row in connected if row["id"] not in ids and _adds_something(row))
            lines = sorted([rows[number], *others], key=_position)
            at = lines.index(rows[number])
            near[number] = lines[max(0, at - count) : at + count + 1]
    return near


def _adds_something(row: Row) -> bool:
    """Whether a line is worth showing beside a hit."""
    aside = parsed_voice(row["voice"])[0]
    _, said = said_by(row["nick"], row["message"], row["voice"])
    return not (aside or row["redacted_at"] or is_bare(plain(said)))


def _named_elsewhere(passage: Sequence[Row]) -> set[tuple[int, str]]:
    """The room and msgid of each line that is answered in a passage and not part of it."""
    replies, msgids = ({row[name] for row in passage} for name in ("reply_to", "msgid"))
    return {(passage[0]["room"], as_text(msgid)) for msgid in replies - msgids if msgid}


def _conversation(
    message: Message,
    window: _Surroundings,
    extent: Extent,
    answered: Mapping[tuple[int, str], Row],
    before: int | None,
    after: int | None,
) -> Conversation:
    """The lines of an extent, and those that reply tags name outside the window."""
    shown = {link.line for link in extent.shown}
    inside = [row for row in window.rows if row["id"] in shown]
    rows = sorted([*answered.values(), *inside], key=_position)
    at = next(index for index, row in enumerate(rows) if row["id"] == message.id)
    first = 0 if before is None else max(0, at - before)
    kept = rows[first : None if after is None else at + after + 1]
    ids = {row["id"] for row in kept}
    indices = [index for index, row in enumerate(window.rows) if row["id"] in ids]
    is_limited_before = before is not None and before <= at
    is_limited_after = after is not None and after < len(rows) - at
    named = {msgid: row["id"] for (_, msgid), row in answered.items()}
    return Conversation(
        message=message,
        messages=as_messages(kept, [message.room]),
        links=[
            link._replace(answers=named.get(link.outside, link.answers))
            for link in extent.shown
            if link.line in ids
        ],
        left_out=[link.line for link in extent.left_out],
        beyond=len(rows) - len(kept),
        between=indices[-1] - indices[0] + 1 - len(indices),
        looked_at=len(window.rows),
        may_begin_before=None if is_limited_before else window.near_beginning(indices[0]),
        may_go_on_after=None if is_limited_after else window.near_end(indices[-1]),
    )
