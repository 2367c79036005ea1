"""Evidence that several nicks are one person: nick changes, accounts, and hosts.

It stays evidence: no two people are merged. `user` and `host` never leave the store.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Mapping, Sequence

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.sql_expressions import folded_sql
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import IS_COUNTED, NICK_FOLDED
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.structure import compare
from terrarium_mcp.wording import quantity

ACCOUNT, HOST = "account", "host"
"""The kinds of evidence."""

_NEW = folded_sql("m.message")
_CHANGES = f"""
SELECT m.id, m.room, m.timestamp, {NICK_FOLDED} AS old, {_NEW} AS new FROM messages m
WHERE {IS_COUNTED} AND upper(m.message_type) = 'NICK' AND m.nick NOT NULL AND m.message NOT NULL"""

_SIGNS = {
    ACCOUNT: folded_sql("m.account"),
    HOST: "ifnull(m.user, '') || '@' || m.host",
}


def _evidence(kind: str, which: str) -> str:
    """The evidence in the messages that meet the condition `which`, a row per spelling of a nick.

    Folding once per group is cheaper than once per message; the upsert joins the spellings.
    """
    return f"""
SELECT m.network, '{kind}' AS kind, {_SIGNS[kind]} AS sign, {NICK_FOLDED} AS nick,
  min(m.timestamp) AS first, max(m.timestamp) AS last, :step * count(*) AS messages
FROM messages m
WHERE {which} AND {IS_COUNTED} AND m.network NOT NULL AND m.nick NOT NULL AND m.{kind} != ''
GROUP BY m.network, m.nick, {_COLUMNS[kind]}"""


_COLUMNS = {ACCOUNT: "m.account", HOST: "m.user, m.host"}

_BETWEEN = "m.id BETWEEN :first AND :last"


class PeopleIndex:
    """The evidence of all messages."""

    name = "people"
    tables = ("nick_changes", "evidence")

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Add the evidence of a range of messages."""
        span = {"first": first, "last": last}
        await _add(writer, _BETWEEN, span)

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Add the evidence of messages, of each kind that there is."""
        span = {"first": texts.first, "last": texts.last}
        if texts.has_kind(MessageType.NICK):
            await _add_changes(writer, _BETWEEN, span)
        if texts.has_accounts:
            await _count(writer, ACCOUNT, _BETWEEN, span, step=1)
        if texts.has_hosts:
            await _count(writer, HOST, _BETWEEN, span, step=1)

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Add the evidence of messages again that were removed a moment ago."""
        await _add(writer, AMONG_IDS, ids_params(ids))

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Remove the evidence of these messages."""
        gone = ids_params(ids)
        await writer.run(
            "DELETE FROM nick_changes WHERE message IN (SELECT value FROM json_each(:ids))", gone
        )
        for kind in _SIGNS:
            await _count(writer, kind, AMONG_IDS, gone, step=-1)
        nicks = f"SELECT DISTINCT m.network, {NICK_FOLDED} FROM messages m WHERE {AMONG_IDS}"
        await writer.many(
            # Without INDEXED BY SQLite reads all evidence of the network, by the primary key.
            "DELETE FROM evidence INDEXED BY evidence_of_nick"
            " WHERE network = ? AND nick = ? AND messages <= 0",
            [tuple(row) for row in await writer.rows(nicks, gone)],
        )

    async def clear(self, writer: Writer) -> None:
        """Delete all evidence."""
        await writer.run("DELETE FROM nick_changes")
        await writer.run("DELETE FROM evidence")

    async def differences(self, writer: Writer) -> list[str]:
        """Compare both tables with the messages; dates of evidence may span more than theirs."""
        found = await compare(
            writer, "nick_changes", "SELECT message, room, said, old, new FROM nick_changes",
            _CHANGES,
        )  # fmt: skip
        for kind in _SIGNS:
            counted = "network, kind, sign, nick, messages"
            recounted = (
                "SELECT network, kind, sign, nick, min(first) AS first, max(last) AS last,"
                f" sum(messages) AS messages FROM ({_evidence(kind, 'true')}) GROUP BY 1, 2, 3, 4"
            )
            found += await compare(
                writer,
                f"evidence ({kind})",
                f"SELECT {counted} FROM evidence WHERE kind = '{kind}'",
                f"SELECT {counted} FROM ({recounted})",
                {"step": 1},
            )
            narrow = await writer.value(
                f"SELECT count(*) FROM ({recounted}) a"
                " JOIN evidence e USING (network, kind, sign, nick)"
                " WHERE e.first > a.first OR e.last < a.last",
                {"step": 1},
                0,
            )
            found += (
                [f"evidence ({kind}): wrong dates in {quantity(narrow, 'row')}."] if narrow else []
            )
        return found


async def _add(writer: Writer, which: str, params: Mapping[str, object]) -> None:
    await _add_changes(writer, which, params)
    for kind in _SIGNS:
        await _count(writer, kind, which, params, step=1)


async def _add_changes(writer: Writer, which: str, params: Mapping[str, object]) -> None:
    columns = "message, room, said, old, new"
    await writer.run(f"INSERT INTO nick_changes ({columns}) {_CHANGES} AND {which}", params)


async def _count(
    writer: Writer, kind: str, which: str, params: Mapping[str, object], *, step: int
) -> None:
    await writer.run(
        "INSERT INTO evidence (network, kind, sign, nick, first, last, messages)"
        f" {_evidence(kind, which)} ON CONFLICT DO UPDATE SET"
        " first = min(first, excluded.first), last = max(last, excluded.last),"
        " messages = messages + excluded.messages",
        {**params, "step": step},
    )
