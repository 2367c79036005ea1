"""Removal: one line by its author's or an operator's wish, or everything of a person."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from anyio import to_thread

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.when import to_text
from terrarium_mcp.store.audit import Removed, Why, note, removals
from terrarium_mcp.store.backlog import Backlog
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.functions import as_text, storable
from terrarium_mcp.store.removal.deletion import Report
from terrarium_mcp.store.removal.former import Former, former_files, purge_former
from terrarium_mcp.store.removal.purging import Traces, Who, purge, traces_of
from terrarium_mcp.store.removal.quotes import Files, files_of, forget, forget_line
from terrarium_mcp.store.rooms import Rooms
from terrarium_mcp.store.upkeep import Upkeep, unindex_rows


class Removal:
    """Removing what was recorded. What others read meanwhile is whole: before, or after."""

    def __init__(self, database: Database, upkeep: Upkeep, backlog: Backlog) -> None:
        self._database = database
        self._upkeep = upkeep
        self._rooms = Rooms(database)
        self._backlog = backlog

    async def redact(
        self, network: str, channel: str, msgid: str, *, asked_by: str, at: datetime
    ) -> bool:
        """Remove the text of the line with this msgid; whether there is one that had a text.

        Its row stays, as a tombstone: who said something, and when.
        """
        casemapping = await self._rooms.casemapping(network)
        wanted = {
            "network": storable(network),
            "folded": fold(storable(channel), casemapping),
            "msgid": storable(msgid),
        }
        room = "(SELECT id FROM rooms WHERE network = :network AND folded = :folded)"
        return await self._redact(f"room = {room} AND msgid = :msgid", wanted, asked_by, at)

    async def redact_message(self, number: int, *, asked_by: str, at: datetime) -> bool:
        """The same for the line with this id."""
        return await self._redact("id = :id", {"id": number}, asked_by, at)

    async def traces(self, who: Who) -> Traces:
        """What the tables hold of a person, by room."""
        await self._upkeep.catch_up()
        return await traces_of(self._database, who)

    async def files(self, who: Who) -> Files:
        """The backlog files that a person has something to do with."""
        return await files_of(self._backlog, who)

    async def purge(
        self,
        who: Who,
        *,
        asked_by: str,
        at: datetime,
        report: Report = lambda _: None,
    ) -> tuple[int, Files]:
        """Remove everything of a person from tables and backlog; how many messages it was.

        `report` hears how many messages are gone. Interrupted anywhere, the same call does the
        rest. What it cannot reach: backups, exports, copies, what others quoted.

        Raises:
            StoreFailed: the database cannot be written. What is gone is gone.
            BacklogFailed: the backlog cannot be read; the tables are done.
        """
        gone = await purge(
            self._database, self._upkeep, who, asked_by=asked_by, at=at, report=report
        )
        return gone, await forget(self._backlog, who)

    async def purge_former(self, who: Who) -> Former:
        """Remove a person from what terrarium-irc left: its own tables, and copies of its database.

        It looks for the lines that the messages still have, so it comes before `purge`.

        Raises:
            StoreFailed: a file cannot be written. The messages are still there.
        """
        return await purge_former(self._database, who)

    async def former_files(self) -> list[str]:
        """The names of the files that `purge_former` reaches, and `purge` does not."""
        return await to_thread.run_sync(former_files, self._database.path)

    async def history(self) -> Sequence[Removed]:
        """Every removal, the oldest first."""
        return await removals(self._database)

    async def _redact(
        self, which: str, wanted: Mapping[str, object], asked_by: str, at: datetime
    ) -> bool:
        sql = f"SELECT id, network, nick FROM messages WHERE {which} AND redacted_at IS NULL"  # noqa: S608 -- words of strangers are parameters
        async with self._database.writing() as writer:
            rows = await writer.rows(sql, wanted)
            for number, network, nick in rows:
                await unindex_rows(writer, [number])
                await writer.run(
                    "UPDATE messages SET message = '', redacted_at = :at WHERE id = :id",
                    {"id": number, "at": to_text(at)},
                )
                await note(writer, _redacted(as_text(network), as_text(nick), asked_by, at))
        for row in rows:
            await forget_line(self._backlog, row["id"])
        return bool(rows)


def _redacted(network: str, nick: str, asked_by: str, at: datetime) -> Removed:
    return Removed(
        at=at, why=Why.REDACTION, asked_by=asked_by, network=network, nick=nick, messages=1
    )
