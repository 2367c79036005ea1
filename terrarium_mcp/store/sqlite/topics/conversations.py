"""Conversations: which lines around a message belong together. Computed on demand, never stored."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from terrarium_mcp.chat.disentanglement import ReplyLink, Utterance, conversation_of, find_links
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.store.records import Conversation
from terrarium_mcp.store.sqlite.engine.database import Row
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.rooms import OF_ROOM
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS, IS_SPEECH, as_messages, parse_timestamp
from terrarium_mcp.store.sqlite.index.indexer import Indexer, current_sql

BEFORE, AFTER = 100, 99
"""Lines of its room that are read around a message. On the Ubuntu development logs 100, 200 and 400
lines have an F1 of 75, 79 and 80 for the rest of its conversation."""


class Conversations:
    """Conversations disentangled from unthreaded chat."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer

    async def around(self, message: Message, *, until: Position = EVERY_LINE) -> Conversation:
        """The conversation of a message, without lines at or after `until`.

        An event such as a join belongs to none: it is returned alone.
        """
        rows = await self._window(message, until)
        found = conversation_of(message.id, find_links(_lines(rows), _bots(rows)))
        if not found:  # an event, or a message removed a moment ago
            return Conversation(message, [message])
        return await self._with_answered(_conversation(message, rows, found), until)

    async def _window(self, message: Message, until: Position) -> list[Row]:
        where = f"{current_sql()} AND {OF_ROOM} AND {IS_SPEECH}"
        place = message.position
        return await self._indexer.rows(
            f"SELECT * FROM ({_SELECT} WHERE {where} AND (m.timestamp, m.id) <= (:place, :id)"  # noqa: S608 -- made of constants
            " ORDER BY m.timestamp DESC, m.id DESC LIMIT :before)"
            f" UNION ALL SELECT * FROM ({_SELECT} WHERE {where}"
            " AND (m.timestamp, m.id) > (:place, :id) AND (m.timestamp, m.id) < (:until, :until_id)"
            " ORDER BY m.timestamp, m.id LIMIT :after)"
            " ORDER BY timestamp, id",
            {
                "room": message.room.id,
                "place": place.timestamp,
                "id": place.id,
                "until": until.timestamp,
                "until_id": until.id,
                "before": BEFORE + 1,
                "after": AFTER,
            },
        )

    async def _with_answered(self, found: Conversation, until: Position) -> Conversation:
        """Add the lines that reply tags name outside the window."""
        msgids = {link.outside for link in found.links if link.outside}
        if not msgids:
            return found
        rows = await self._indexer.rows(
            f"{_SELECT} WHERE {current_sql()} AND {OF_ROOM} AND {IS_SPEECH}"  # noqa: S608 -- as above
            " AND m.msgid IN (SELECT value FROM json_each(:msgids))"
            " AND (m.timestamp, m.id) < (:until, :until_id)",
            {
                "room": found.message.room.id,
                "msgids": json.dumps(sorted(msgids)),
                "until": until.timestamp,
                "until_id": until.id,
            },
        )
        ids = {as_text(row["msgid"]): row["id"] for row in rows}
        answered = _messages(rows, found.message)
        return replace(
            found,
            messages=sorted([*answered, *found.messages], key=lambda line: line.position),
            links=[
                link._replace(answers=ids.get(link.outside, link.answers)) for link in found.links
            ],
        )


_SELECT = f"SELECT {COLUMNS}, m.msgid, m.reply_to, m.bot FROM messages m"  # noqa: S608 -- made of constants
_EXTRA = 3
"""Columns that only the scorer reads."""


def _messages(rows: Sequence[Row], message: Message) -> list[Message]:
    return as_messages([row[:-_EXTRA] for row in rows], [message.room])


def _lines(rows: Iterable[Row]) -> list[Utterance]:
    """The window as the scorer reads it. Only the lines it selects become messages."""
    return [
        Utterance(
            id=number,
            at=parse_timestamp(timestamp).timestamp(),
            nick=as_text(nick),
            text="" if redacted_at else plain(as_text(text)),
            msgid=as_text(msgid),
            reply_to=as_text(reply_to),
        )
        for number, _, timestamp, nick, text, *_, redacted_at, msgid, reply_to, _ in rows
    ]


def _bots(rows: Iterable[Row]) -> set[str]:
    """The nicks flagged as bots, and the recording bot's own."""
    return {as_text(row["nick"]) for row in rows if row["bot"] or row["self"]}


def _conversation(
    message: Message, window: Sequence[Row], links: Sequence[ReplyLink]
) -> Conversation:
    ids = {link.line for link in links}
    places = [place for place, row in enumerate(window) if row[0] in ids]
    return Conversation(
        message=message,
        messages=_messages([window[place] for place in places], message),
        links=links,
        between=places[-1] - places[0] + 1 - len(places),
        looked_at=len(window),
    )
