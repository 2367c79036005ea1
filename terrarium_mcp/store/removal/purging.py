"""Purging: one person's lines leave every table of ours."""

# ruff: noqa: S608 -- every statement is made of constants

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.store.audit import Removed, Why
from terrarium_mcp.store.database import Database, Writer
from terrarium_mcp.store.derived.counting import FOLDED
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.removal.deletion import (
    Deletion,
    Report,
    delete_messages,
    delete_private,
    pieces,
)
from terrarium_mcp.store.rows import IS_SPEECH
from terrarium_mcp.store.sql_expressions import folded_sql
from terrarium_mcp.store.upkeep import Upkeep

LOOKED_AT = 20_000
"""Rows in which one read looks for the person's."""


@dataclass(frozen=True, slots=True)
class Who:
    """A person, by nick, on one network or (empty) on all of them."""

    nick: str
    network: str = ""

    @property
    def folded(self) -> str:
        """The nick as it compares."""
        return fold(storable(self.nick))


@dataclass(frozen=True, slots=True)
class Traces:
    """What the tables hold of a person: lines and events by room (its label), private messages."""

    lines: Counter[str]
    events: Counter[str]
    private: int

    @property
    def total(self) -> int:
        """Rows in all."""
        return self.lines.total() + self.events.total() + self.private


_ON_NETWORK = "(:network = '' OR m.network = :network)"
_LED_TO = folded_sql("m.message")
_THEIRS = f"""
({FOLDED} = :nick OR (upper(m.message_type) = 'NICK' AND {_LED_TO} = :nick)) AND {_ON_NETWORK}"""
"""What somebody said and did, and the changes of nick that led to theirs."""

_PRIVATE = f"({FOLDED} = :nick OR {folded_sql('m.target')} = :nick) AND {_ON_NETWORK}"
_BETWEEN = "m.id BETWEEN :first AND :last"


async def traces_of(database: Database, who: Who) -> Traces:
    """Look for everything that the tables hold of a person. Reads every message."""
    lines, events = Counter[str](), Counter[str]()
    async for first, last in pieces(database, "messages", LOOKED_AT):
        rows = await database.rows(
            f"SELECT ifnull(r.network || '/' || r.channel, ''), {IS_SPEECH}, count(*)"
            " FROM messages m LEFT JOIN rooms r ON r.id = m.room"
            f" WHERE {_BETWEEN} AND {_THEIRS} GROUP BY 1, 2",
            _asked(who, first, last),
        )
        for room, said, count in rows:
            (lines if said else events)[room] += count
    sql = f"SELECT count(*) FROM private_messages m WHERE {_PRIVATE}"
    return Traces(lines, events, int(await database.value(sql, _asked(who), 0)))


async def purge(
    database: Database,
    upkeep: Upkeep,
    who: Who,
    *,
    asked_by: str,
    at: datetime,
    report: Report,
) -> int:
    """Delete everything that the tables hold of a person; how many messages it was.

    It may be interrupted anywhere: what is done is whole, and the same call does the rest.
    """
    await upkeep.catch_up()  # what another program wrote gets its network, and is no longer private
    deletion = Deletion(
        database,
        Removed(at=at, why=Why.PURGE, asked_by=asked_by, network=who.network, nick=who.nick),
        report,
    )
    async for first, last in pieces(database, "messages", LOOKED_AT):
        sql = f"SELECT m.id FROM messages m WHERE {_BETWEEN} AND {_THEIRS} ORDER BY m.id"
        ids = await database.rows(sql, _asked(who, first, last))
        await deletion.of([row[0] for row in ids], delete_messages)
    sql = f"SELECT m.id FROM private_messages m WHERE {_PRIVATE} ORDER BY m.id"
    private = await database.rows(sql, _asked(who))
    await deletion.of([row[0] for row in private], delete_private)
    async with database.writing() as writer:
        await _forget_presence(writer, who)
    return deletion.rows


async def texts_of(database: Database, who: Who) -> set[str]:
    """Every different text that a person said, in rooms and in private."""
    found: set[str] = set()
    for table, theirs in (("messages", _THEIRS), ("private_messages", _PRIVATE)):
        async for first, last in pieces(database, table, LOOKED_AT):
            rows = await database.rows(
                f"SELECT DISTINCT m.message FROM {table} m WHERE {_BETWEEN} AND {theirs}"
                f" AND {IS_SPEECH} AND m.message != ''",
                _asked(who, first, last),
            )
            found.update(str(row[0]) for row in rows)
    return found


async def _forget_presence(writer: Writer, who: Who) -> None:
    await writer.run(
        "DELETE FROM presence WHERE folded = :nick AND room IN"
        " (SELECT id FROM rooms m WHERE " + _ON_NETWORK + ")",
        _asked(who),
    )


def _asked(who: Who, first: int = 0, last: int = 0) -> dict[str, object]:
    return {"nick": who.folded, "network": who.network, "first": first, "last": last}
