"""How the answer to a search reads: our words around the hits."""

from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.chat.transcript import line_of
from terrarium_mcp.chat.when import local
from terrarium_mcp.errors import shown
from terrarium_mcp.store.search import COUNTED, Hits, Rung, Search, Sort
from terrarium_mcp.tools.request import Asked


def total(hits: Hits) -> str:
    """How many there are; an answer to a plain question, where any word will do, names no total."""
    return "" if hits.rung is Rung.ANY_WORD else hits.total_text


def headline(asked: Asked, search: Search, hits: Hits) -> str:
    """`search "deploy script": 3 of 14 hits in #terrarium (all words, by relevance)`."""
    shown_here, in_all = len(hits.messages), total(hits)
    told = f"{shown_here} of {in_all}" if in_all else f"{shown_here}"
    noun = "hit" if (in_all or told) == "1" else "hits"
    where = asked.where(search.rooms)
    return f"{_title(asked, search)}: {told} {noun} in {where} ({_how(search, hits)})"


def _how(search: Search, hits: Hits) -> str:
    ranked = search.sort is Sort.RELEVANCE and hits.rung is not Rung.EVERYTHING
    first = Sort.NEWEST if search.sort is Sort.RELEVANCE else search.sort
    how = f"{hits.rung.value}, {'by relevance' if ranked else f'{first.value} first'}"
    if hits.exact:
        return f"{hits.exact} with all words, then {how}"
    # The pages after the first one do not know.
    is_known = hits.rung is Rung.ANY_WORD and not search.cursor
    return f"{how}; no line holds all of them" if is_known else how


def _title(asked: Asked, search: Search) -> str:
    printed = search.query.printed(asked.settings.zone)
    return f"search {shown(printed)}" if printed else "search"


def looked_at(asked: Asked, search: Search, reached: datetime) -> str:
    """That there are more lines than one page can look at, and how far this one came."""
    way = "only to" if search.sort is Sort.OLDEST else "only back to"
    when = local(reached, asked.settings.zone)
    return f"looked at {way} {when:%Y-%m-%d %H:%M}: the next page goes on there"


async def strangers(asked: Asked, query: Query, rooms: Sequence[Room]) -> list[str]:
    """A note for each nick of the query that nobody has, with those that are spelt alike."""
    told = []
    for nick in dict.fromkeys([*query.people, *query.mentions]):
        people = [
            await asked.store.people.lookup(nick, network, rooms, until=asked.until)
            for network in dict.fromkeys(room.network for room in rooms)
        ]
        if not any(person.rooms or person.evidence for person in people):
            near = harmless(", ".join(name for person in people for name in person.near))
            told.append(f"note: nobody here is called {shown(nick)}{near and f'; near: {near}'}")
    return told


def too_long(hit: int) -> str:
    """What stands in place of a hit that the budget has no room for."""
    return f"message {hit} alone is longer than that"


def onward(asked: Asked, search: Search, hits: Hits) -> str:
    """How to go on: to the next page, and into the talk around a hit."""
    following = f"next: cursor={hits.next}{_more(asked, search, hits)} | " if hits.next else ""
    return f"{following}around a line: get_message_context({hits.messages[0].id})"


def _more(asked: Asked, search: Search, hits: Hits) -> str:
    """How many hits the other pages hold; known on the first page, if there are not too many."""
    if search.cursor or not total(hits) or hits.total > COUNTED:
        return ""
    setting = asked.setting(search.rooms)
    cost = sum(estimated_tokens(line_of(hit, setting)) + 1 for hit in hits.messages)
    left = hits.total - len(hits.messages)
    tokens = left * cost // len(hits.messages)
    return f" ({left} more, about {round(tokens, 1 - len(str(tokens)))} tokens)"


def nothing(asked: Asked, search: Search, hits: Hits, head: Sequence[str]) -> str:
    """A whole answer without hits. It does not read as "never said"."""
    if search.cursor:
        return "\n".join([f"{_title(asked, search)}: no more hits", *head])
    *others, last = [rung.value for rung in hits.tried]
    tried = f"{', '.join(others)} and {last}" if others else last
    where = asked.where(search.rooms)
    return "\n".join(
        [
            f"{_title(asked, search)}: nothing found in {where} (tried: {tried})",
            *head,
            "That does not mean it was never said. Try other words, without in:, from: and hours.",
        ]
    )
