"""Purging one person from every table of ours."""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from terrarium_mcp.chat.identity import (
    DEFAULT_CASEMAPPING,
    UNICODE_CASEMAPPING,
    Identity,
    fold,
)
from terrarium_mcp.chat.on_record import recorded_reason
from terrarium_mcp.store.records.removal import AuditEntry, PersonTraces, PurgeTarget, RemovalReason
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.networks import FOLD_AS_UNICODE
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.sql_expressions import folded_sql
from terrarium_mcp.store.sqlite.engine.voices_sql import CARRIED
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.forgotten import fingerprints
from terrarium_mcp.store.sqlite.removal.batched_delete import (
    BatchedDelete,
    OnProgress,
    RemovalCounts,
    delete_messages,
    delete_private,
    delete_turns,
    id_ranges,
)


def folded_nick(target: PurgeTarget) -> str:
    """The nick in the form in which it compares."""
    return fold(storable(target.nick))


def is_their_nick(target: PurgeTarget, nick: str, casemapping: str = UNICODE_CASEMAPPING) -> bool:
    """Whether a nick is the person's, by the default CASEMAPPING or that of its network.

    Of an unknown network it is whatever may be theirs on any.
    """
    return any(
        fold(nick, mapping) == fold(storable(target.nick), mapping)
        for mapping in (DEFAULT_CASEMAPPING, casemapping)
    )


_BY_UNICODE = f"m.network IN ({FOLD_AS_UNICODE})"


def _is_theirs(column: str) -> str:
    """The SQL condition that a column of message `m` holds the nick, as its network compares it.

    On a network that folds ASCII only this may be too much (`folded_sql`).
    """
    by_unicode = f"is_among(CAST({column} AS BLOB), :nicks, '{UNICODE_CASEMAPPING}')"
    return f"({folded_sql(column)} = :nick OR ({_BY_UNICODE} AND {by_unicode}))"


_ON_NETWORK = "(:network = '' OR m.network = :network)"
_BY_NICK = _is_theirs("m.nick")
_TO_THEIR_NICK = f"upper(m.message_type) = 'NICK' AND {_is_theirs('m.message')}"
_THEIRS = f"({_BY_NICK} OR {_is_theirs(CARRIED)} OR ({_TO_THEIR_NICK})) AND {_ON_NETWORK}"
"""What a person said and did, also through a relay, and the nick changes to their nick."""


def _proven(its_nick: str) -> str:
    """What an identity demonstrably said and did, given the condition that the nick is its own."""
    return f"""(
  (:account != '' AND {folded_sql("m.account")} = :account)
  OR (:user_host != '' AND ifnull(m.account, '') = ''
      AND ifnull(m.user, '') || '@' || lower(m.host) = :user_host AND {its_nick})
) AND {_ON_NETWORK}"""


_PROVEN_THEIRS = _proven(f"({_BY_NICK} OR ({_TO_THEIR_NICK}))")
_PROVEN_PRIVATE = _proven(_BY_NICK)

_PRIVATE = f"({_BY_NICK} OR {_is_theirs('m.target')}) AND {_ON_NETWORK}"
_ASKED_BY_NICK = f"{_BY_NICK} AND {_ON_NETWORK}"
_BEHIND = "substr(why_ended, length('kicked by ') + 1)"
_KICKER = f"substr({_BEHIND}, 1, instr({_BEHIND} || ':', ':') - 1)"
_OF_KICKS = f"""
spans WHERE why_ended LIKE 'kicked by %' AND EXISTS (
  SELECT 1 FROM rooms m WHERE m.id = spans.room AND {_is_theirs(_KICKER)} AND {_ON_NETWORK})"""
# By the nick: `folded` goes by the network's CASEMAPPING.
_IN_PRESENCE = f"""
presence WHERE EXISTS (
  SELECT 1 FROM rooms m
  WHERE m.id = presence.room AND {_is_theirs("presence.nick")} AND {_ON_NETWORK})"""

_BETWEEN = "m.id BETWEEN :first AND :last"

_TURNS = """(
  SELECT t.id, t.nick, t.user, t.host, t.account, d.network
  FROM dialogue_turns t JOIN dialogues d ON d.id = t.dialogue
)"""
"""The turns of dialogues, each with who asked."""


async def stored_traces(database: Database, target: PurgeTarget) -> PersonTraces:
    """What the tables hold of a person. Reads every message."""
    lines, events, turns = Counter[str](), Counter[str](), await _turns_of(database, target)
    async for first, last in id_ranges(database, "messages"):
        rows = await database.rows(
            f"SELECT ifnull(r.network || '/' || r.channel, ''), {IS_SPEECH}, count(*)"
            " FROM messages m LEFT JOIN rooms r ON r.id = m.room"
            f" WHERE {_BETWEEN} AND {_theirs(target)} GROUP BY 1, 2",
            _params(target, first, last),
        )
        for room, said, count in rows:
            (lines if said else events)[room] += count
        resting = await database.rows(_turns_resting_on(target), _params(target, first, last))
        turns.update(row[0] for row in resting)
    sql = f"SELECT count(*) FROM private_messages m WHERE {_private(target)}"
    private = int(await database.value(sql, _params(target), 0))
    return PersonTraces(
        lines, events, private, len(turns), *await _rows_with_their_nick(database, target)
    )


async def _rows_with_their_nick(database: Database, target: PurgeTarget) -> tuple[int, int]:
    """How many members and reasons of kicks have the nick, which proves nothing of an identity."""
    if target.identity:
        return 0, 0
    params = _params(target)
    members = await database.value(f"SELECT count(*) FROM {_IN_PRESENCE}", params, 0)
    kicks = await database.value(f"SELECT count(*) FROM {_OF_KICKS}", params, 0)
    return int(members), int(kicks)


async def purge_tables(
    database: Database,
    indexer: Indexer,
    target: PurgeTarget,
    *,
    asked_by: str,
    at: datetime,
    on_progress: OnProgress,
) -> RemovalCounts:
    """Delete everything that the tables hold of a person, and each turn that rests on it.

    May be interrupted at any point: the same call then does the rest.
    """
    await indexer.catch_up()  # rows that another program appended get their network and room
    deletion = BatchedDelete(database, audit_entry(target, asked_by, at), on_progress)
    async for ids in _ids_by_range(database, target):
        if target.identity:  # a nick in the reason proves nothing, and the KICK does
            await _delete_kicks_among(database, ids)
        await deletion.run(ids, delete_messages)
    sql = f"SELECT m.id FROM private_messages m WHERE {_private(target)} ORDER BY m.id"
    private = await database.rows(sql, _params(target))
    await deletion.run([row[0] for row in private], delete_private)
    await deletion.run(sorted(await _turns_of(database, target)), delete_turns)
    if not target.identity:  # who asks for it is there, and the member list says so rightly
        async with database.writing() as writer:
            await _delete_presence(writer, target)
            await _delete_kicks(writer, target)
    return deletion.removed


def audit_entry(target: PurgeTarget, asked_by: str, at: datetime) -> AuditEntry:
    """What the audit says of a purge that has removed nothing yet."""
    return AuditEntry(
        at=at,
        why=RemovalReason.PURGE,
        asked_by=asked_by,
        network=target.network,
        nick=" ".join(fingerprints(target.identity)) if target.identity else target.nick,
    )


async def ids_of(database: Database, target: PurgeTarget) -> set[int]:
    """The ids of what the channels' record holds of a person. Reads every message."""
    return {number async for ids in _ids_by_range(database, target) for number in ids}


async def _ids_by_range(database: Database, target: PurgeTarget) -> AsyncIterator[list[int]]:
    async for first, last in id_ranges(database, "messages"):
        sql = f"SELECT m.id FROM messages m WHERE {_BETWEEN} AND {_theirs(target)} ORDER BY m.id"
        yield [row[0] for row in await database.rows(sql, _params(target, first, last))]


async def texts_of(database: Database, target: PurgeTarget) -> set[str]:
    """Every distinct text that a person said, in rooms and in private."""
    texts: set[str] = set()
    for table, theirs in (("messages", _theirs(target)), ("private_messages", _private(target))):
        async for first, last in id_ranges(database, table):
            rows = await database.rows(
                f"SELECT DISTINCT m.message FROM {table} m WHERE {_BETWEEN} AND {theirs}"
                f" AND {IS_SPEECH} AND m.message != ''",
                _params(target, first, last),
            )
            texts.update(str(row[0]) for row in rows)
    return texts


async def _turns_of(database: Database, target: PurgeTarget) -> set[int]:
    """The turns in which a person asked."""
    turns: set[int] = set()
    theirs = _PROVEN_PRIVATE if target.identity else _ASKED_BY_NICK
    async for first, last in id_ranges(database, "dialogue_turns"):
        sql = f"SELECT m.id FROM {_TURNS} m WHERE {_BETWEEN} AND {theirs}"
        turns.update(row[0] for row in await database.rows(sql, _params(target, first, last)))
    return turns


def _turns_resting_on(target: PurgeTarget) -> str:
    """The statement for the turns that rest on a line of the person, or are asked by one."""
    return " UNION ".join(
        f"SELECT t.{turn} FROM messages m CROSS JOIN {table} t ON t.message = m.id"
        f" WHERE EXISTS (SELECT 1 FROM {table} WHERE message BETWEEN :first AND :last)"
        f" AND {_BETWEEN} AND {_theirs(target)}"
        for table, turn in (("dialogue_sources", "turn"), ("dialogue_turns", "id"))
    )


async def _delete_presence(writer: Writer, target: PurgeTarget) -> None:
    await writer.run(f"DELETE FROM {_IN_PRESENCE}", _params(target))


async def _delete_kicks(writer: Writer, target: PurgeTarget) -> None:
    """Leave of why a record ended that the bot was kicked, where the person did it."""
    kicks = f"SELECT spans.id FROM {_OF_KICKS}"
    await writer.run(
        f"UPDATE spans SET why_ended = 'kicked' WHERE id IN ({kicks})", _params(target)
    )


async def _delete_kicks_among(database: Database, ids: Sequence[int]) -> None:
    """The same, where one of these messages is the KICK: it has the nick and the words of it."""
    rows = await database.rows(
        "SELECT room, nick, message FROM messages WHERE upper(message_type) = 'KICK'"
        " AND id IN (SELECT value FROM json_each(:ids))",
        ids_params(ids),
    )
    if rows:
        async with database.writing() as writer:
            await writer.many(
                "UPDATE spans SET why_ended = 'kicked' WHERE room = ? AND why_ended = ?",
                [
                    (room, recorded_reason(f"kicked by {nick}", str(text).split(" ", 1)[1:]))
                    for room, nick, text in rows
                ],
            )


def _params(target: PurgeTarget, first: int = 0, last: int = 0) -> dict[str, object]:
    who = target.identity or Identity(target.network, target.nick)
    return {
        "nick": folded_nick(target),
        "nicks": json.dumps([storable(target.nick)]),
        "network": target.network,
        "account": fold(storable(who.account)),
        "user_host": storable(who.folded_user_host),
        "first": first,
        "last": last,
    }


def _theirs(target: PurgeTarget) -> str:
    return _PROVEN_THEIRS if target.identity else _THEIRS


def _private(target: PurgeTarget) -> str:
    return _PROVEN_PRIVATE if target.identity else _PRIVATE
