"""Blocks of ids in which the lines with a frequent word are counted (index/word_blocks.py)."""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from collections.abc import Mapping

from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.index import word_blocks
from terrarium_mcp.store.sqlite.search.exact import ExactQuery
from terrarium_mcp.store.sqlite.search.id_ranges import IdRange, coalesced, run_slices


async def counted_blocks(reads: Reads, query: ExactQuery, word: str) -> Mapping[IdRange, int]:
    """How many lines hold a word in the rooms of a query, by blocks that lie within its time.

    Empty if the word is not frequent, or the time too short. There are no asides among these lines.
    """
    scope = query.scope
    if query.snapshot.stats.lines.get(word, 0) < word_blocks.FREQUENT:
        return {}
    slices = await run_slices(reads, query.snapshot, scope.since, scope.until.timestamp)
    ranges = coalesced(one.sure for one in slices if one.sure)
    blocks = [block for ids in ranges for block in _blocks_in(ids)]
    if not blocks:
        return {}
    in_rooms = "true" if scope.all_rooms else within(scope.rooms, "CAST(key AS INTEGER)")
    rows = await reads.rows(
        f"SELECT block, (SELECT total(value) FROM json_each(rooms) WHERE {in_rooms})"
        " FROM json_each(:blocks) b JOIN word_blocks c ON c.block = b.value AND c.word = :word",
        {"blocks": json.dumps(blocks), "word": word},
    )
    return {_ids_in(block): int(lines) for block, lines in rows}


def _blocks_in(ids: IdRange) -> range:
    """The blocks that lie wholly in a range of ids."""
    return range(-(-ids.first // word_blocks.BLOCK), (ids.last + 1) // word_blocks.BLOCK)


def _ids_in(block: int) -> IdRange:
    return IdRange(block * word_blocks.BLOCK, (block + 1) * word_blocks.BLOCK - 1)
