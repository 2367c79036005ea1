"""Rows of `messages` as records: which columns may be shown, and which rows are speech."""

from collections.abc import Iterable, Sequence
from typing import Any

from terrarium_mcp.chat.records import Message, MessageType, Room
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.chat.voices import Aside
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.sql_expressions import is_speech_sql
from terrarium_mcp.store.sqlite.engine.voices_sql import VOICE, parsed_voice

IS_SPEECH = is_speech_sql("m.message_type")
"""The SQL condition that message `m` is speech."""

COLUMNS = (
    "m.id, m.room, m.timestamp, m.nick, m.message, m.message_type, m.account, m.relayed_by, m.self,"
    f" m.redacted_at, {VOICE} AS voice"
)
"""The columns of a message that may be shown: not `user`, not `host`."""

_KINDS = dict(MessageType.__members__)  # an enum builds a new view at each access: 0.5 us a row


def as_messages(rows: Iterable[Iterable[Any]], rooms: Sequence[Room]) -> list[Message]:
    """Rows that begin with `COLUMNS` as records; the room of each must be among `rooms`."""
    by_id = {room.id: room for room in rooms}
    messages = list[Message]()
    for row in rows:  # a function for each row would take a twentieth more
        number, room, timestamp, nick, text, kind, account, via, own, redacted_at, voice, *_ = row
        sent = Message(  # by position: ten names would take a third more of the whole
            number,
            by_id[room],
            from_text(timestamp),
            as_text(nick),
            "" if redacted_at else as_text(text),
            _KINDS.get(kind) or MessageType.parse(as_text(kind)),
            as_text(account) if account else "",
            bool(own),
            bool(redacted_at),
            as_text(via) if via else "",
        )
        messages.append(_voiced(sent, voice) if voice else sent)
    return messages


def said_by(nick: object, text: object, voice: str | None) -> tuple[str, str]:
    """Who said a message and what, from three of its columns."""
    _, speaker, text_at = parsed_voice(voice)
    said = as_text(text)
    return speaker or as_text(nick), said[text_at - 1 :] if text_at else said


def is_aside(own: object, voice: str | None) -> bool:
    """Whether a message is an aside, as `Message.is_aside` says it, from two of its columns."""
    return bool(parsed_voice(voice)[0] if voice else own)


def _voiced(sent: Message, voice: str) -> Message:
    """A message as it was meant: the words are a person's, not the relay's."""
    aside, speaker, _ = parsed_voice(voice)
    marked = sent._replace(own=aside == Aside.OWN, is_command=aside == Aside.COMMAND)
    if speaker is None:
        return marked
    _, text = said_by(sent.nick, sent.text, voice)
    # The account is the relay's: nobody on another network is believed for it.
    return marked._replace(nick=speaker, text=text, via=sent.nick, account="")
