"""The text around the hits of a search: headline, notes, and how to go on."""

from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import local
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.chat.transcript import line_of
from terrarium_mcp.errors import shown
from terrarium_mcp.request import Request
from terrarium_mcp.store import COUNTED, Hits, Rung, Search, Sort


def total_text(hits: Hits) -> str:
    """How many hits there are; empty for a question, where any word matches and no total helps."""
    return "" if hits.rung is Rung.ANY_WORD else hits.total_text


def headline(request: Request, search: Search, hits: Hits) -> str:
    """`search "deploy script": 3 of 14 hits in #terrarium (all words, by relevance)`."""
    visible, total = len(hits.messages), total_text(hits)
    count = f"{visible} of {total}" if total else f"{visible}"
    noun = "hit" if (total or count) == "1" else "hits"
    rooms = request.room_names(search.rooms)
    return f"{_title(request, search)}: {count} {noun} in {rooms} ({_method(search, hits)})"


def _method(search: Search, hits: Hits) -> str:
    ranked = search.sort is Sort.RELEVANCE and hits.rung is not Rung.EVERYTHING
    first = Sort.NEWEST if search.sort is Sort.RELEVANCE else search.sort
    method = f"{hits.rung.value}, {'by relevance' if ranked else f'{first.value} first'}"
    if hits.with_all_words:
        return f"{hits.with_all_words} with all words, then {method}"
    # Only the first page looks for lines with all words.
    none_exact = hits.rung is Rung.ANY_WORD and not search.cursor
    return f"{method}; no line holds all of them" if none_exact else method


def _title(request: Request, search: Search) -> str:
    query = search.query.printed(request.settings.zone)
    return f"search {shown(query)}" if query else "search"


def scan_note(request: Request, search: Search, reached: datetime) -> str:
    """That one page could not search every line, and how far this one got."""
    direction = "up to" if search.sort is Sort.OLDEST else "back to"
    time = local(reached, request.settings.zone)
    return f"searched only {direction} {time:%Y-%m-%d %H:%M}: the next page continues from there"


async def unknown_nick_notes(request: Request, query: Query, rooms: Sequence[Room]) -> list[str]:
    """A note for each nick in the query that is not recorded, with similar ones."""
    notes = []
    for nick in dict.fromkeys([*query.people, *query.mentions]):
        people = [
            await request.store.people.lookup(nick, network, rooms, until=request.until)
            for network in dict.fromkeys(room.network for room in rooms)
        ]
        if not any(person.rooms or person.evidence for person in people):
            near = harmless(", ".join(name for person in people for name in person.near))
            similar = f"; similar nicks: {near}" if near else ""
            notes.append(f"note: no one called {shown(nick)} is recorded here{similar}")
    return notes


def over_budget(hit: int) -> str:
    """What replaces a hit that alone exceeds the budget."""
    return f"message {hit} alone is longer than that"


def next_steps(request: Request, search: Search, hits: Hits) -> str:
    """How to go on: to the next page, and to the lines around a hit."""
    following = ""
    if hits.next:
        following = f"next: cursor={hits.next}{_remaining(request, search, hits)} | "
    return f"{following}around a line: get_message_context({hits.messages[0].id})"


def _remaining(request: Request, search: Search, hits: Hits) -> str:
    """How many hits the other pages hold; known on the first page, if there are not too many."""
    if search.cursor or not total_text(hits) or hits.total > COUNTED:
        return ""
    options = request.render_options(search.rooms)
    cost = sum(estimated_tokens(line_of(hit, options)) + 1 for hit in hits.messages)
    left = hits.total - len(hits.messages)
    tokens = left * cost // len(hits.messages)
    return f" ({left} more, about {round(tokens, 1 - len(str(tokens)))} tokens)"


def no_hits(request: Request, search: Search, hits: Hits, head: Sequence[str]) -> str:
    """A whole answer without hits, worded so that it does not read as "never said"."""
    if search.cursor:
        return "\n".join([f"{_title(request, search)}: no more hits", *head])
    *others, last = [rung.value for rung in hits.tried]
    tried = f"{', '.join(others)} and {last}" if others else last
    rooms = request.room_names(search.rooms)
    return "\n".join(
        [
            f"{_title(request, search)}: nothing found in {rooms} (tried: {tried})",
            *head,
            "That does not mean it was never said. Try other words, without in:, from: and hours.",
        ]
    )
