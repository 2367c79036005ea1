"""Rows of speech as the disentanglement reads them."""

from collections.abc import Iterable

from terrarium_mcp.chat.disentanglement import Utterance
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.chat.voices import Aside
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rows import COLUMNS, said_by
from terrarium_mcp.store.sqlite.engine.voices_sql import parsed_voice

UTTERANCE_COLUMNS = f"{COLUMNS}, m.msgid, m.reply_to, m.bot"
"""The columns that the scorer reads; they begin with those of a message."""


def utterances(rows: Iterable[Row]) -> list[Utterance]:
    """The rows as the scorer reads them. Only the lines it selects become messages."""
    return [
        Utterance(
            id=number,
            at=from_text(timestamp).timestamp(),
            nick=who,
            text="" if redacted_at else plain(said),
            msgid=as_text(msgid),
            reply_to=as_text(reply_to),
        )
        for (
            number,
            _,
            timestamp,
            nick,
            text,
            _,
            _,
            _,
            _,
            redacted_at,
            voice,
            msgid,
            reply_to,
            *_,
        ) in rows
        for who, said in (said_by(nick, text, voice),)
    ]


def bot_nicks(rows: Iterable[Row]) -> set[str]:
    """The nicks flagged as bots, and the recording bot's own; whom a relay carries is a person."""
    voiced = ((row, *parsed_voice(row["voice"])[:2]) for row in rows)
    return {
        as_text(row["nick"])
        for row, aside, speaker in voiced
        if speaker is None and (row["bot"] or row["self"] or aside == Aside.OWN)
    }
