"""The change feed: new messages as they are committed, by this process or another."""

from collections.abc import AsyncIterator

import anyio

from terrarium_mcp.store.database import Database

LOOK_EVERY = 0.05
"""Seconds. A look costs a tenth of a millisecond: 0.2 % of a core, while somebody listens."""


async def changes(database: Database) -> AsyncIterator[list[int]]:
    """The ids of messages committed from now on, in groups, for as long as they are asked for.

    Ids rise with every commit, whichever process makes it, so the newest id says it all.
    """
    seen = int(await database.value("SELECT max(id) FROM messages", default=0))
    while True:
        rows = await database.rows(
            "SELECT id FROM messages WHERE id > :seen ORDER BY id", {"seen": seen}
        )
        if rows:
            seen = rows[-1]["id"]
            yield [row["id"] for row in rows]
        else:
            await anyio.sleep(LOOK_EVERY)
