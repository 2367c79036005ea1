"""What a query finds exactly, without similar words: how much, and the newest of it."""

from dataclasses import replace

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.request import Request
from terrarium_mcp.store import Hits, Rung, Search, Sort

EXACT = (Rung.ALL_WORDS, Rung.EVERYTHING)
"""How a search finds only what its query says."""


async def finds_exactly(query: Query, search: Search, request: Request, *, lines: int = 1) -> bool:
    """Whether a query finds so many lines where the `search` looks, without any similar words."""
    sought = replace(search, query=query, limit=lines, wants_total=False)
    return len((await _exact_hits(sought, request)).messages) >= lines


async def found_exactly(query: Query, search: Search, request: Request, *, lines: int = 1) -> Hits:
    """How many lines a query finds exactly where the `search` looks, and the newest of them."""
    sought = replace(search, query=query, limit=lines, wants_total=True)
    return await _exact_hits(sought, request)


def total_of(hits: Hits, noun: str) -> str:
    """How many there are in all: `1 line`, `1,000+ lines`."""
    return f"{hits.total_text} {noun}" if hits.total == 1 else f"{hits.total_text} {noun}s"


async def _exact_hits(search: Search, request: Request) -> Hits:
    """The newest hits of a search for nothing but what its query says; none without any word."""
    exact = replace(search, sort=Sort.NEWEST, is_exact=True)
    hits = await request.store.search(exact, "hint")
    return hits if hits.rung in EXACT else hits._replace(messages=[], total=0)
