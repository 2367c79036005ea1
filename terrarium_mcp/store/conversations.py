"""Conversations: which lines around a message belong together. Found when asked, never stored."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.conversations import ReplyLink, Utterance, conversation_of, find_links
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.when import EVERY_LINE, Position
from terrarium_mcp.store.database import Row
from terrarium_mcp.store.functions import as_text
from terrarium_mcp.store.rooms import OF_ROOM
from terrarium_mcp.store.rows import COLUMNS, IS_SPEECH, as_messages, moment
from terrarium_mcp.store.upkeep import Upkeep, complete

BEFORE, AFTER = 100, 99
"""Lines of its room that are looked at around a message. On the Ubuntu development logs 100, 200
and 400 lines have an F1 of 75, 79 and 80 for the rest of its conversation."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The lines that belong to a message, oldest first, itself included.

    `links` tell for each of them which line it answers; a line that a reply tag names from further
    away has none. `between` are lines of other conversations between the first and the last,
    `looked_at` all lines that were compared.
    """

    message: Message
    messages: Sequence[Message]
    links: Sequence[ReplyLink] = ()
    between: int = 0
    looked_at: int = 1

    def nearest(self, count: int) -> list[Message]:
        """At most so many lines before the message, the message, and so many after it."""
        place = [line.id for line in self.messages].index(self.message.id)
        return list(self.messages[max(0, place - count) : place + count + 1])


class Conversations:
    """Unthreaded chat taken apart near a message."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._upkeep = upkeep

    async def around(self, message: Message, *, until: Position = EVERY_LINE) -> Conversation:
        """The conversation of a message; no line at or after `until` takes part.

        What nobody said, such as a join, belongs to none: it is then alone.
        """
        rows = await self._window(message, until)
        found = conversation_of(message.id, find_links(_lines(rows), _bots(rows)))
        if not found:  # nobody said it, or it was removed a moment ago
            return Conversation(message, [message])
        return await self._with_answered(_conversation(message, rows, found), until)

    async def _window(self, message: Message, until: Position) -> list[Row]:
        where = f"{complete()} AND {OF_ROOM} AND {IS_SPEECH}"
        place = message.position
        return await self._upkeep.rows(
            f"SELECT * FROM ({_SELECT} WHERE {where} AND (m.timestamp, m.id) <= (:place, :id)"  # noqa: S608 -- no words of strangers
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
        """The same with the lines that reply tags name from beyond the window."""
        msgids = {link.outside for link in found.links if link.outside}
        if not msgids:
            return found
        rows = await self._upkeep.rows(
            f"{_SELECT} WHERE {complete()} AND {OF_ROOM} AND {IS_SPEECH}"  # noqa: S608 -- as above
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


_SELECT = f"SELECT {COLUMNS}, m.msgid, m.reply_to, m.bot FROM messages m"  # noqa: S608 -- columns of ours
_OURS = 3
"""Columns that are for us alone."""


def _messages(rows: Sequence[Row], message: Message) -> list[Message]:
    return as_messages([row[:-_OURS] for row in rows], [message.room])


def _lines(rows: Iterable[Row]) -> list[Utterance]:
    """The window as the scorer reads it. Only what it finds is made into messages."""
    return [
        Utterance(
            id=number,
            at=moment(timestamp).timestamp(),
            nick=as_text(nick),
            text="" if redacted_at else plain(as_text(text)),
            msgid=as_text(msgid),
            reply_to=as_text(reply_to),
        )
        for number, _, timestamp, nick, text, *_, redacted_at, msgid, reply_to, _ in rows
    ]


def _bots(rows: Iterable[Row]) -> set[str]:
    """The nicks of bots that said so, and of our own."""
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
