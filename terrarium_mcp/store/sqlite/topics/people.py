"""People: what is known of a nick, and which other nicks may be the same person."""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.nick_history import NickEvent, NickTenure, nick_tenures, once_each
from terrarium_mcp.chat.records import MessageType, Room
from terrarium_mcp.chat.similar_nicks import SIGNS, plain_start, similar_nicks
from terrarium_mcp.chat.terms import normalized
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, from_text
from terrarium_mcp.chat.voices import rules_on
from terrarium_mcp.offload import offload
from terrarium_mcp.store.records.people import (
    NICK_CHANGE,
    Evidence,
    NickActivity,
    NickArrival,
    Person,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.index_words import nick_words, type_word
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.engine.voices_sql import IS_ASIDE
from terrarium_mcp.store.sqlite.index.counter_sql import (
    FOLDED,
    NICK_FOLDED,
    SAID,
    SECONDS,
    TALKED,
)
from terrarium_mcp.store.sqlite.index.fts_syntax import one_of, quoted
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.index.nick_evidence import HOST, PeopleIndex
from terrarium_mcp.store.sqlite.index.voice_rules import stored_rules
from terrarium_mcp.store.sqlite.topics.stats_sql import AFTER, SPELT_BEFORE

SHARED = 20
"""A host with more nicks than this is a gateway or a bouncer, and is no evidence."""

MOST_NICKS = 64
"""The most nicks considered for one person; more are someone changing nicks for fun."""

_MOST_EVENTS = 20_000
"""Joins, parts and the like that are read to follow a person through their nicks."""

_NEAR, _COMPARED = 3, 5_000
"""Similar nicks returned, and the nicks compared for them, those with most lines first.

With a cutoff all are compared, at 5 us each: which have most lines would depend on hidden ones."""


class People:
    """The people of all rooms."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    async def lookup(
        self,
        nick: str,
        network: str,
        rooms: Sequence[Room],
        *,
        until: Position = EVERY_LINE,
        visible_only: bool = False,
    ) -> Person:
        """What is known of a nick from these rooms, before a position.

        Other nicks are named only if they were in one of the rooms. Accounts and hosts are
        compared across the whole network; with `visible_only` they are no evidence, since they
        would show who was in other rooms.
        """
        await self._indexer.ensure_current("counters", PeopleIndex.name)
        rooms = [room for room in rooms if room.network == network]
        folded = fold(storable(nick))
        known = await self._in_rooms(folded, rooms, until)
        evidence = await self._changes(folded, rooms, until)
        if not visible_only:
            evidence += await self._shared_identities(folded, network, rooms, until)
        near = [] if known or evidence else await self._near(folded, rooms, until)
        return Person(nick, network, known, evidence, near)

    async def arrivals(
        self, nick: str, network: str, rooms: Sequence[Room], *, until: Position = EVERY_LINE
    ) -> list[NickArrival]:
        """The newest change to a nick in each of these rooms, before a position.

        Who changes is counted under the old nick.
        """
        await self._indexer.ensure_current(PeopleIndex.name)
        by_id = {room.id: room for room in rooms if room.network == network}
        rows = await self._database.rows(
            f"""
SELECT room, max(said), message, old FROM nick_changes
WHERE new = :nick AND old != new AND {within([*by_id.values()])}
  AND (said, message) < (:until, :until_id)
GROUP BY room""",
            {"nick": fold(storable(nick)), **position_params("until", until)},
        )
        return [NickArrival(by_id[row[0]], from_text(row[1]), row[2], row[3]) for row in rows]

    async def is_relay(
        self, nick: str, network: str, rooms: Sequence[Room], *, until: Position = EVERY_LINE
    ) -> bool:
        """Whether a nick is a relay that carried a line into one of these rooms before a position.

        Such lines count for those who spoke.
        """
        await self._indexer.ensure_current("voices")
        if not rules_on(network, await stored_rules(self._database)).is_relay(nick):
            return False
        rooms = [room for room in rooms if room.network == network]
        carried = await self._database.value(
            "SELECT EXISTS (SELECT 1 FROM voices v CROSS JOIN messages m ON m.id = v.id"
            f" WHERE v.speaker NOT NULL AND {within(rooms, 'm.room')} AND m.redacted_at IS NULL"
            f" AND {NICK_FOLDED} = :nick AND {BEFORE_CUTOFF})",
            {"nick": fold(storable(nick)), **position_params("until", until)},
        )
        return bool(carried)

    async def nick_tenures(
        self, nick: str, at: Position, rooms: Sequence[Room]
    ) -> list[NickTenure]:
        """The nicks of the person who was `nick` at a position, as seen in rooms of one network."""
        await self._indexer.ensure_current("index", PeopleIndex.name)
        folded = fold(storable(nick))
        nicks = await self._connected(folded, rooms)
        moves = await self._moves(nicks, rooms)
        return await offload(lambda: nick_tenures(folded, at, map(_move, moves)))

    async def _in_rooms(
        self, folded: str, rooms: Sequence[Room], until: Position
    ) -> list[NickActivity]:
        rows = await self._database.rows(
            f"""
SELECT n.room, n.lines - (
    SELECT count(*) FROM messages m
    WHERE m.room = n.room AND {TALKED} AND {AFTER} AND {FOLDED} = n.folded
  ) AS lines,
  CASE WHEN n.spoke < {SECONDS.format(":until")} THEN n.spoke ELSE {_last(SAID)} END AS spoke,
  {_SEEN} AS seen,
  n.asides - (
    SELECT count(*) FROM messages m
    WHERE m.room = n.room AND {SAID} AND {IS_ASIDE} AND {AFTER} AND {FOLDED} = n.folded
  ) AS asides
FROM nick_counts n WHERE {within(rooms, "n.room")} AND n.folded = :nick
ORDER BY 2 DESC, 4 DESC, 1""",
            {"nick": folded, **position_params("until", until)},
        )
        by_id = {room.id: room for room in rooms}
        active = [
            NickActivity(by_id[row[0]], row[1], _moment(row[2]), _moment(row[3]), row[4])
            for row in rows
        ]
        return [one for one in active if one.seen]

    async def _changes(self, folded: str, rooms: Sequence[Room], until: Position) -> list[Evidence]:
        """The nicks it was changed to and from; a change seen in many rooms counts once.

        A nick that did nothing else is spelt as in the newest change.
        """
        rows = await self._database.rows(
            f"""
WITH changes AS MATERIALIZED (
  SELECT iif(old = :nick, new, old) AS nick, message, room, said, old, new FROM nick_changes
  WHERE (old = :nick OR new = :nick) AND old != new AND {within(rooms)}
    AND (said, message) < (:until, :until_id)
), newest AS (SELECT nick, max(said), message, old FROM changes GROUP BY nick),
spelt AS MATERIALIZED (
  SELECT nick, {_spelt("nick", rooms, _WRITTEN)} AS spelling FROM newest
)
SELECT said, message, '{MessageType.NICK}', room, old, new, nick, spelling
FROM changes JOIN spelt USING (nick)""",
            {"nick": folded, **position_params("until", until)},
        )
        moments = defaultdict[str, list[datetime]](list)
        for move in once_each(map(_move, rows)):
            moments[move.new if move.nick == folded else move.nick].append(move.at.moment)
        spelling = {row["nick"]: as_text(row["spelling"]) for row in rows}
        found = [
            Evidence(NICK_CHANGE, spelling[nick], times[0], times[-1], len(times))
            for nick, times in moments.items()
        ]
        return sorted(found, key=lambda one: (-one.last.timestamp(), one.nick))

    async def _shared_identities(
        self, folded: str, network: str, rooms: Sequence[Room], until: Position
    ) -> list[Evidence]:
        """The nicks with an account or a host in common that were in one of the rooms."""
        rows = await self._database.rows(
            f"""
SELECT {_spelt("other.nick", rooms)}, min(other.first), min(max(other.last), :until),
  CASE WHEN max(other.last) < :until THEN sum(other.messages) END, mine.kind
FROM evidence mine CROSS JOIN evidence other
  ON other.network = mine.network AND other.kind = mine.kind AND other.sign = mine.sign
WHERE mine.network = :network AND mine.nick = :nick AND mine.first < :until
  AND other.nick != mine.nick AND other.first < :until
  AND (mine.kind != '{HOST}' OR {SHARED} >= (SELECT count(*) FROM (
    SELECT 1 FROM evidence e WHERE e.network = mine.network AND e.kind = mine.kind
      AND e.sign = mine.sign LIMIT {SHARED} + 1)))
  AND EXISTS (SELECT 1 FROM nick_counts n
    WHERE {within(rooms, "n.room")} AND n.folded = other.nick)
GROUP BY mine.kind, other.nick ORDER BY 3 DESC, other.nick, mine.kind LIMIT {MOST_NICKS}""",
            {
                "network": network,
                "nick": folded,
                **position_params("until", until),
            },
        )
        return [_evidence(row[4], row) for row in rows]

    async def _near(self, folded: str, rooms: Sequence[Room], until: Position) -> list[str]:
        """Known similar nicks that begin with the same letter, accents apart, likeliest first.

        Of those that differ only in signs, the likelier have most lines. Lines after a cutoff are
        counted too, so with one they are in order of name.
        """
        most = f"ORDER BY sum(lines) DESC, folded LIMIT {_COMPARED}" if until == EVERY_LINE else ""
        counted = await self._database.rows(
            f"SELECT folded FROM nick_counts WHERE {within(rooms)}"
            " AND (substr(folded, 1, 1) = substr(:nick, 1, 1)"
            "  OR substr(ltrim(folded, :signs), 1, 1)"
            "    IN (substr(ltrim(:nick, :signs), 1, 1), :start)"
            "  OR unicode(ltrim(folded, :signs)) > 127)"  # SQLite knows no accents
            f" GROUP BY folded {most}",
            {"nick": folded, "signs": SIGNS, "start": plain_start(folded)},
        )
        known = [as_text(row[0]) for row in counted]
        in_order = list if until == EVERY_LINE else _by_name
        near = list[str]()
        for nick in await offload(lambda: similar_nicks(folded, in_order(known))):
            if await self._in_rooms(nick, rooms, until):
                near.append(await self._spelt(nick, rooms, until))
            if len(near) == _NEAR:
                break
        return near

    async def _spelt(self, folded: str, rooms: Sequence[Room], until: Position) -> str:
        """A folded nick in the spelling last seen in one of the rooms before a position."""
        sql = f"SELECT {_spelt(':nick', rooms)}"
        params = {"nick": folded, **position_params("until", until)}
        return as_text(await self._database.value(sql, params))

    async def _connected(self, folded: str, rooms: Sequence[Room]) -> list[str]:
        """The nicks reached from this one by nick changes, the nearest first."""
        nicks, asked = [folded], 0
        while asked < len(nicks) < MOST_NICKS:
            rows = await self._database.rows(
                f"SELECT DISTINCT iif(old IN ({_LISTED}), new, old) FROM nick_changes"
                f" WHERE (old IN ({_LISTED}) OR new IN ({_LISTED})) AND {within(rooms)}",
                {"nicks": json.dumps(nicks[asked:])},
            )
            asked = len(nicks)
            nicks += [row[0] for row in rows if row[0] not in nicks]
        return nicks[:MOST_NICKS]

    async def _moves(self, nicks: Sequence[str], rooms: Sequence[Room]) -> list[Row]:
        """The joins, parts, quits, kicks and nick changes of these nicks."""
        kinds = [
            type_word(kind)
            for kind in (MessageType.NICK, MessageType.JOIN, MessageType.PART, MessageType.QUIT)
        ]
        came = f"{one_of(word for nick in nicks for word in nick_words(nick))} AND {one_of(kinds)}"
        kicked = " OR ".join(quoted(nick) for nick in nicks)
        match = f"({came}) OR (({one_of([type_word(MessageType.KICK)])}) AND event : ({kicked}))"
        rows = await self._database.rows(
            "SELECT m.timestamp, m.id, upper(m.message_type), m.room, m.nick, m.message"
            " FROM message_index CROSS JOIN messages m ON m.id = -message_index.rowid"
            f" WHERE message_index MATCH :match AND {within(rooms, 'm.room')} LIMIT :most",
            {"match": match, "most": _MOST_EVENTS},
        )
        changes = await self._database.rows(
            f"SELECT said, message, '{MessageType.NICK}', room, old, new FROM nick_changes"
            f" WHERE new IN ({_LISTED}) AND {within(rooms)} LIMIT :most",
            {"nicks": json.dumps(list(nicks)), "most": _MOST_EVENTS},
        )
        return list({row[1]: row for row in [*rows, *changes]}.values())


_LISTED = "SELECT value FROM json_each(:nicks)"


_WRITTEN = """(
  SELECT CAST(iif(newest.old = :nick, m.message, m.nick) AS TEXT) FROM messages m
  WHERE m.id = newest.message)"""
"""How the other nick of a row of `newest`, a nick change, is spelt there."""


def _spelt(nick: str, rooms: Sequence[Room], otherwise: str = "") -> str:
    """A folded nick in the spelling last seen in one of the rooms before `:until`.

    One that was in none is spelt as `otherwise` says, an SQL expression; folded without any.
    """
    return f"""ifnull((
  SELECT {SPELT_BEFORE} FROM nick_counts n WHERE {within(rooms, "n.room")} AND n.folded = {nick}
  ORDER BY {_SEEN} DESC LIMIT 1), {otherwise or nick})"""


def _by_name(nicks: Sequence[str]) -> list[str]:
    """The nicks in order of name, each beside those that differ from it only in accents.

    `similar_nicks` keeps these together: a hidden one among them must not move the others.
    """
    return sorted(nicks, key=lambda nick: (normalized(nick), nick))


def _last(condition: str) -> str:
    """When a nick of `nick_counts n` last did something before a position, in Unix seconds."""
    newest = f"""(
    SELECT m.timestamp FROM messages m
    WHERE m.room = n.room AND m.redacted_at IS NULL AND {condition} AND m.timestamp <= :until
      AND {BEFORE_CUTOFF} AND {FOLDED} = n.folded
    ORDER BY m.timestamp DESC LIMIT 1)"""
    return SECONDS.format(newest)


_SEEN = f"CASE WHEN n.seen < {SECONDS.format(':until')} THEN n.seen ELSE {_last('true')} END"
"""When a nick of `nick_counts n` was last seen before a position, in Unix seconds."""


def _evidence(kind: str, row: Row) -> Evidence:
    return Evidence(kind, as_text(row[0]), from_text(row[1]), from_text(row[2]), row[3])


def _moment(seconds: int) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def _move(row: Row) -> NickEvent:
    timestamp, number, kind, room, nick, text = row[:6]
    at, kind = Position(timestamp, number), MessageType(kind)
    if kind is MessageType.NICK:
        return NickEvent(at, kind, room, fold(nick), fold(text))
    gone = text.partition(" ")[0] if kind is MessageType.KICK else nick
    return NickEvent(at, kind, room, fold(gone or ""))
