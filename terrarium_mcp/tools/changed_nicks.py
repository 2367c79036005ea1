"""Nick changes: other nicks under which a person may have said what a search by nick lacks."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless, harmless_nick
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import local
from terrarium_mcp.request import Request
from terrarium_mcp.store import ENOUGH, Evidence, Search
from terrarium_mcp.tools.exact_hits import found_exactly, total_of
from terrarium_mcp.tools.known_nicks import people_called, without_opted_out
from terrarium_mcp.wording import shown

_MOST_PEOPLE, _MOST_NICKS = 3, 3
"""People of a query that are looked up, and other nicks of each, those of the newest changes."""


async def changed_nick_note(request: Request, search: Search, found: int) -> list[str]:
    """The query with the other nicks of its people, where it finds few lines and that finds more.

    Of the search, `found` lines are by its people and have all words. None includes other nicks
    unasked: several people may have used the same one.
    """
    query = search.query
    if search.cursor or found >= ENOUGH or not query.people:
        return []
    changes = {
        nick: await _nick_changes(request, nick, search.rooms)
        for nick in query.people[:_MOST_PEOPLE]
    }
    known = {fold(nick) for nick in query.people}
    others = [one.nick for its in changes.values() for one in its if fold(one.nick) not in known]
    if not others:
        return []
    widened = replace(query, people=(*query.people, *dict.fromkeys(others)), notes=())
    more = await found_exactly(widened, search, request)
    if more.total <= found:
        return []
    told = "; ".join(_told(nick, its, search.zone) for nick, its in changes.items() if its)
    finds = f"{widened.printed(search.zone)} finds {total_of(more, 'line')}"
    # It begins with a word of ours: as a sentence of its own it has a capital, which no nick gets.
    return [harmless(f"maybe the same person: {told}: {finds}")]


def _told(nick: str, changes: Sequence[Evidence], zone: tzinfo) -> str:
    """`ada changed nick to or from ada_ (2026-05-01)`."""
    others = ", ".join(
        f"{harmless_nick(one.nick)} ({local(one.last, zone):%Y-%m-%d})" for one in changes
    )
    return f"{shown(nick)} changed nick to or from {others}"


async def _nick_changes(request: Request, nick: str, rooms: Sequence[Room]) -> list[Evidence]:
    """The newest changes to and from a nick; none of people who opted out of the record."""
    opt_outs = await request.store.opt_outs.current()
    people = [
        await without_opted_out(request, person)
        for person in await people_called(request, nick, rooms)
        if not opt_outs.has_nick(person.network, nick)
    ]
    changes = [one for person in people for one in person.evidence if one.is_nick_change]
    return sorted(changes, key=lambda one: one.last, reverse=True)[:_MOST_NICKS]
