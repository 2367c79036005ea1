"""Who opted out of the record: the people of whom nothing is written any more.

`ingest/`, and each topic that names people, goes by it in the transaction that writes.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.opt_outs import Decision, OptOuts
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.ingest.opt_out_rows import add_identity, stored_opt_outs

_MOMENT = timedelta(milliseconds=1)


class OptOutRegister:
    """The people who opted out, on all networks. `opt_out_reader` is what writers go by."""

    def __init__(self, database: Database, opt_out_reader: OptOutReader) -> None:
        self._database = database
        self._opt_out_reader = opt_out_reader
        self._current = ReadCache[None, OptOuts](database, self._read)

    async def current(self) -> OptOuts:
        """Who opted out, as of the newest commit of any process.

        Raises:
            StoreFailed: the file cannot be read.
        """
        return await self._current.get(None)

    async def add(self, who: Identity, at: datetime) -> None:
        """Opt a person out; from here on nothing is written of them.

        Raises:
            StoreFailed: it could not be written.
        """
        async with self._writing() as writer:
            opt_outs = await self._opt_out_reader.current(writer)
            decision = opt_outs.decision(who) or Decision(await _free_moment(writer, at), who.nick)
            await add_identity(writer, who, decision)

    async def follow(self, before: Identity, after: Identity) -> None:
        """Keep a person who opted out so under another identity; nothing for anybody else.

        Raises:
            StoreFailed: it could not be written.
        """
        if (await self.current()).covers(before):
            async with self._writing() as writer:
                if decision := (await self._opt_out_reader.current(writer)).decision(before):
                    await add_identity(writer, after, decision)

    async def remove(self, who: Identity, at: datetime) -> None:
        """Opt a person in again, with every identity of theirs, if they may (`may_opt_in`).

        What they said until then is not written when it comes later, either.

        Raises:
            StoreFailed: it could not be written.
        """
        async with self._writing() as writer:
            opt_outs = await self._opt_out_reader.current(writer)
            decision = opt_outs.decision(who)
            if decision and opt_outs.may_opt_in(who):
                its = {
                    "network": storable(who.network),
                    "since": decision.since,
                    "until": to_text(at),
                }
                await writer.run(
                    "INSERT INTO past_opt_outs"
                    " (network, account, folded, user_host, nick, since, until)"
                    " SELECT network, account, folded, user_host, nick, since, :until"
                    " FROM opt_outs WHERE network = :network AND since = :since",
                    its,
                )
                await writer.run(
                    "DELETE FROM opt_outs WHERE network = :network AND since = :since", its
                )

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[Writer]:
        """A transaction after which writers look again."""
        try:
            async with self._database.writing() as writer:
                yield writer
        finally:
            self._opt_out_reader.changed()

    async def _read(self, _: None) -> OptOuts:
        return await stored_opt_outs(self._database)


async def _free_moment(writer: Writer, at: datetime) -> str:
    """The moment, or one soon after it, at which nobody opted out, even if that is over."""
    rows = await writer.rows("SELECT since FROM opt_outs UNION SELECT since FROM past_opt_outs")
    taken = {row["since"] for row in rows}
    while to_text(at) in taken:
        at += _MOMENT
    return to_text(at)
