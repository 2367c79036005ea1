"""Blocks of ids in which the lines with a frequent word are counted (index/word_blocks.py)."""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from collections.abc import Mapping

from terrarium_mcp.store.search.scope import MOST_ROOMS, SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.index import word_blocks
from terrarium_mcp.store.sqlite.search.id_ranges import IdRange, coalesced, run_slices
from terrarium_mcp.store.sqlite.search.scan_plans import batches
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot


async def counted_blocks(
    reads: Reads, scope: SearchScope, snapshot: Snapshot, word: str, enough: int | None = None
) -> Mapping[IdRange, int]:
    """How many lines hold a word in the rooms of a scope, by blocks that lie within its time.

    Empty if the word is not frequent, or the time too short. There are no asides among these lines.
    Once the newest blocks hold more than `enough` lines, the others are not read.
    """
    if snapshot.stats.lines.get(word, 0) < word_blocks.FREQUENT:
        return {}
    slices = await run_slices(reads, snapshot, scope.since, scope.until.timestamp)
    ranges = coalesced(one.sure for one in slices if one.sure)
    blocks = [block for ids in reversed(ranges) for block in reversed(_blocks_in(ids))]
    if not blocks:
        return {}
    found: dict[IdRange, int] = {}
    for some in [blocks] if enough is None else batches(blocks):
        rows = await reads.rows(
            f"SELECT block, {_lines_in_rooms(scope)}"
            " FROM json_each(:blocks) b JOIN word_blocks c ON c.block = b.value AND c.word = :word",
            {
                "blocks": json.dumps(some),
                "word": word,
                "rooms": json.dumps([f'$."{room.id}"' for room in scope.narrowed_rooms]),
            },
        )
        found |= {_ids_in(block): int(lines) for block, lines in rows}
        if enough is not None and sum(found.values()) > enough:
            break
    return found


def _lines_in_rooms(scope: SearchScope) -> str:
    """The expression for the lines of a block `c` that are in these rooms."""
    if 0 < len(scope.narrowed_rooms) <= MOST_ROOMS:
        # Of one room among 400, a third of the time of a walk through all of them.
        return "(SELECT total(c.rooms ->> value) FROM json_each(:rooms))"
    in_rooms = "true" if scope.all_rooms else within(scope.rooms, "CAST(key AS INTEGER)")
    return f"(SELECT total(value) FROM json_each(c.rooms) WHERE {in_rooms})"


def _blocks_in(ids: IdRange) -> range:
    """The blocks that lie wholly in a range of ids."""
    return range(-(-ids.first // word_blocks.BLOCK), (ids.last + 1) // word_blocks.BLOCK)


def _ids_in(block: int) -> IdRange:
    return IdRange(block * word_blocks.BLOCK, (block + 1) * word_blocks.BLOCK - 1)
