"""Ids of messages: they rise, no id is used twice, and a hundred are reserved at a time.

`messages` is terrarium-irc's AUTOINCREMENT table. SQLite keeps the largest id that any row of it
has had in `sqlite_sequence`, and would write that page for every line said alone: 4.1 of the 35 kB
that such a line costs. Where the sequence is ahead of the inserted id, nothing is written. So it
names the end of a block of ids, a multiple of `BLOCK`; within that block, the next id follows the
newest message. What deletes messages must `settle` the sequence first.

Any other number in the sequence is the largest id used, as SQLite or another program left it. A
program that lets SQLite choose the id begins behind the block.
"""

from typing import NamedTuple

from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.writes import Writer

BLOCK = 100
"""Ids that are reserved together."""


async def newest_message(reads: Reads) -> int:
    """The id of the newest message; 0 if there is none."""
    return int(await reads.value("SELECT max(id) FROM messages", default=0))


class FreeIds(NamedTuple):
    """The next id, and the last one for which the sequence need not be written."""

    first: int
    reserved: int


async def free_ids(writer: Writer) -> FreeIds:
    """The ids that are free.

    The operator may have deleted the newest messages by hand. So the ids that this process has
    given count as used, and those that the derived structures have seen: they do not look at them
    again.
    """
    ((newest, reserved),) = await writer.rows(_USED, (writer.ids.largest,))
    is_in_block = reserved % BLOCK == 0 and reserved - BLOCK < newest
    return FreeIds(1 + (newest if is_in_block else max(newest, reserved)), reserved)


async def give(writer: Writer, free: FreeIds, last: int) -> None:
    """Give out the free ids up to this one, before they are inserted, and reserve its block."""
    writer.ids.largest = last
    if last > free.reserved:
        await _set(writer, -(-last // BLOCK) * BLOCK)


async def settle(writer: Writer) -> None:
    """Note which ids were used, before messages are deleted: the newest may be among them."""
    used = (await free_ids(writer)).first - 1
    await _set(writer, used if used % BLOCK else used + 1)


async def _set(writer: Writer, number: int) -> None:
    # SQLite's own table has no key, so it can have no ON CONFLICT.
    if not await writer.rows(_CHANGE, (number,)):
        await writer.run(
            "INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'messages')", (number,)
        )


_CHANGE = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages' RETURNING 1"

_USED = """
SELECT
 max(?, ifnull((SELECT max(id) FROM messages), 0), ifnull((SELECT max(upto) FROM derived), 0)),
 ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0)
"""
