"""What people decided after a backup was made, brought from the database that it replaces.

A backup knows neither who opted out since nor what was removed since. Without this the people would
be recorded again, and their lines be there again.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from terrarium_mcp.chat.identity import Identity, network_key
from terrarium_mcp.chat.times.timestamps import from_text
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.records.removal import PurgeTarget
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.networks import network_names
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.health.readonly import untouched
from terrarium_mcp.store.sqlite.ingest.forgotten import MARK, fingerprints, known_by, surest
from terrarium_mcp.store.sqlite.ingest.opt_out_rows import ADD, ADD_PAST, REMOVE_PRESENCE
from terrarium_mcp.store.sqlite.removal import audit
from terrarium_mcp.store.sqlite.removal.batched_delete import id_ranges
from terrarium_mcp.store.sqlite.removal.removal import Removal
from terrarium_mcp.store.sqlite.schema import CURRENT, checked_version

ASKED_BY = "terrarium-mcp restore"
"""What the audit says of messages that are removed once more."""

_SAME_REMOVAL = ("at", "kind", "asked_by", "network", "nick")
"""What tells removals apart: their ids are given out again after a restoration."""


class RecordedConsent(NamedTuple):
    """What people decided, as a database holds it: rows of `opt_outs` and so on.

    `network` is the name of its first network, which a backup may still lack; empty without rooms.
    """

    network: str
    opt_outs: Sequence[Row]
    past_opt_outs: Sequence[Row]
    purges: Sequence[Row]


class CarriedConsent(NamedTuple):
    """How much was brought over.

    Attributes:
        people: how many opted out, or in again, since the backup.
        removals: how many were asked for since.
        messages: how many messages were removed once more.
    """

    people: int
    removals: int
    messages: int


def read_consent(old: Path) -> RecordedConsent:
    """What people decided until a database was replaced. Nothing in it or beside it changes.

    Raises:
        StoreFailed: it cannot be read, or is of an earlier version.
        WrongFile, WrongSchema: it is not a database of this program, or a later one's.
    """
    with untouched(old) as connection:
        version = checked_version(connection, old)
        if version != CURRENT:
            raise StoreFailed(
                f"{old} is of version {version}, and this terrarium-mcp reads what people decided"
                f" from version {CURRENT} only. Migrate it first: terrarium-mcp search tea --db"
                f" {old}"
            )
        named = connection.execute("SELECT network FROM rooms ORDER BY id LIMIT 1").fetchone()
        return RecordedConsent(
            named["network"] if named else "",
            connection.execute("SELECT * FROM opt_outs").fetchall(),
            connection.execute("SELECT * FROM past_opt_outs").fetchall(),
            connection.execute(
                "SELECT * FROM removals WHERE kind = 'purge' ORDER BY id"
            ).fetchall(),
        )


async def carry_consent(
    consent: RecordedConsent, database: Database, removal: Removal
) -> CarriedConsent:
    """Bring what people decided into a restored database, and remove again what they had removed.

    Opt-outs and records of removals come in one transaction, before anything is removed.

    Raises:
        StoreFailed, BacklogFailed: the database or its backlog cannot be written.
    """
    async with database.writing() as writer:
        people = await _carry_opt_outs(writer, consent)
        purges = await _carry_removals(writer, consent.purges)
    messages = 0
    for purge in purges:
        for target in await _targets(database, purge):
            result = await removal.purge(target, asked_by=ASKED_BY, at=from_text(purge["at"]))
            messages += result.messages
    return CarriedConsent(people, len(purges), messages)


async def _carry_opt_outs(writer: Writer, consent: RecordedConsent) -> int:
    """Make the opt-outs those of the replaced database; how many people changed theirs since."""
    sql = "SELECT network, since FROM opt_outs UNION SELECT network, since FROM past_opt_outs"
    known = {tuple(row) for row in await writer.rows(sql)}
    before = {tuple(row) for row in await writer.rows("SELECT network, since FROM opt_outs")}
    ended = [row for row in consent.past_opt_outs if (row["network"], row["since"]) in before]
    await writer.many("DELETE FROM opt_outs WHERE network = ? AND since = ?", _decisions(ended))
    opt_outs = [dict(row) for row in consent.opt_outs]
    await writer.many(ADD, opt_outs)
    await writer.many(ADD_PAST, [dict(row) for row in consent.past_opt_outs])
    await writer.many(REMOVE_PRESENCE, opt_outs)
    decided = {*_decisions(consent.opt_outs), *_decisions(consent.past_opt_outs)}
    return len((decided - known) | {*_decisions(ended)})


def _decisions(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The decisions of opt-outs: no two people of a network decide at the same moment."""
    return [(row["network"], row["since"]) for row in rows]


async def _carry_removals(writer: Writer, purges: Sequence[Row]) -> list[Row]:
    """Make the records of removals those of the replaced database; returns what was removed since.

    A backup that was made during a removal has its record, and the rest of what it removed.
    """
    known = {tuple(row) for row in await writer.rows(_KNOWN_REMOVALS)}
    since = [row for row in purges if (*_removal(row), row["messages"], row["turns"]) not in known]
    await writer.many(_FORGET_REMOVAL, [_removal(row) for row in since])
    await writer.many(audit.INSERT, [dict(row) for row in since])
    return since


def _removal(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in _SAME_REMOVAL)


async def _targets(database: Database, purge: Row) -> list[PurgeTarget]:
    """Whose messages a removal concerned: a nick, or those whom its fingerprints recognise."""
    network, nick = str(purge["network"]), str(purge["nick"])
    if not nick.startswith(MARK):
        return [PurgeTarget(nick, network)] if nick else []
    wanted = set(nick.split())
    found = dict[tuple[str, ...], PurgeTarget]()
    for stored in await network_names(database):
        if network_key(stored) != network_key(network):
            continue
        for who in map(surest, await _identities(database, stored)):
            if not wanted.isdisjoint(known_by(who._replace(network=network))):
                found[fingerprints(who)] = PurgeTarget.asking(who)
    return [*found.values()]


async def _identities(database: Database, network: str) -> Collection[Identity]:
    """Everybody of whom anything is stored on a network."""
    identities = set[Identity]()
    for table, sql in _IDENTITIES.items():
        async for first, last in id_ranges(database, table):
            params = {"network": network, "first": first, "last": last}
            rows = await database.rows(sql, params)
            identities.update(Identity(network, *map(str, row)) for row in rows)
    return identities


_KNOWN_REMOVALS = f"""
SELECT {", ".join(_SAME_REMOVAL)}, messages, turns FROM removals WHERE kind = 'purge'"""
_FORGET_REMOVAL = f"""
DELETE FROM removals WHERE {" AND ".join(f"{name} = ?" for name in _SAME_REMOVAL)}"""

_WHO = "ifnull(t.nick, ''), ifnull(t.user, ''), ifnull(t.host, ''), ifnull(t.account, '')"
_BETWEEN = "t.id BETWEEN :first AND :last"
_IDENTITIES = {
    "messages": f"SELECT DISTINCT {_WHO} FROM messages t WHERE network = :network AND {_BETWEEN}",
    "private_messages": f"""
SELECT DISTINCT {_WHO} FROM private_messages t WHERE network = :network AND {_BETWEEN}""",
    "dialogue_turns": f"""
SELECT DISTINCT {_WHO} FROM dialogue_turns t JOIN dialogues d ON d.id = t.dialogue
WHERE d.network = :network AND {_BETWEEN}""",
}
"""Who is in a range of ids of each table that says of whom its rows are."""
