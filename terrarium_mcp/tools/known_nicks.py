"""Who is recorded under a nick, and who is called similarly."""

from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless_nick
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Message, MessageType, Room, networks_of
from terrarium_mcp.chat.similar_nicks import is_nearly
from terrarium_mcp.request import Request
from terrarium_mcp.store import Person, Sort
from terrarium_mcp.wording import shown

IS_A_RELAY = "is a relay: the lines that it carries count for those who spoke"
"""What is said of a relay, after its nick."""


async def is_relay(request: Request, nick: str, rooms: Sequence[Room]) -> bool:
    """Whether a nick is a relay that carried a line into one of these rooms."""
    return any(
        [
            await request.store.people.is_relay(nick, network, rooms, until=request.until)
            for network in networks_of(rooms)
        ]
    )


async def people_called(request: Request, nick: str, rooms: Sequence[Room]) -> list[Person]:
    """Who did anything in these rooms under a nick, or changed to or from it: one for a network."""
    return [one for one in await look_up_everywhere(request, nick, rooms) if one.is_known]


async def on_its_network(
    request: Request, nick: str, rooms: Sequence[Room]
) -> tuple[str, tuple[Room, ...]]:
    """Of `libera/ada` the nick, and those rooms on its network; a name may have a slash itself.

    Raises:
        TerrariumError: none of the rooms is on that network.
    """
    if "/" in nick and await people_called(request, nick, rooms):
        return nick, tuple(rooms)
    return request.narrowed_to_nick(nick, rooms)


async def unknown_nick_notes(
    request: Request, nicks: Iterable[str], rooms: Sequence[Room]
) -> list[str]:
    """A sentence on each of these nicks that is a relay, or not recorded, with similar ones."""
    notes = []
    for nick in dict.fromkeys(nicks):
        if await is_relay(request, nick, rooms):
            notes.append(f"the nick {shown(nick)} {IS_A_RELAY}")
            continue
        people = await look_up_everywhere(request, nick, rooms)
        if not (any(person.is_known for person in people) or await _is_found(request, nick, rooms)):
            people = [await without_opted_out(request, person) for person in people]
            notes.append(_unknown(nick, similar_to(people)))
    return notes


async def misspelt_nick_note(
    request: Request, nick: str, people: Iterable[Person], rooms: Sequence[Room]
) -> list[str]:
    """A sentence on a nick that is not recorded, where one with a letter or two changed is.

    `people` is what is known of the nick on each network of the rooms.
    """
    people = [await without_opted_out(request, person) for person in people]
    near = [one for one in similar_to(people) if is_nearly(fold(nick), fold(one))]
    return [_unknown(nick, near)] if near and not await _is_found(request, nick, rooms) else []


async def without_opted_out(request: Request, person: Person) -> Person:
    """A person without the other and similar nicks of people who opted out of the record."""
    opt_outs = await request.store.opt_outs.current()
    return person._replace(
        evidence=[
            one for one in person.evidence if not opt_outs.has_nick(person.network, one.nick)
        ],
        near=[one for one in person.near if not opt_outs.has_nick(person.network, one)],
    )


def similar_to(people: Iterable[Person]) -> list[str]:
    """The nicks similar to one, each once: the same may be known on several networks."""
    return list({fold(name): name for person in people for name in person.near}.values())


async def newest_by(
    request: Request, nick: str, rooms: Sequence[Room], kinds: tuple[MessageType, ...]
) -> Message | None:
    """The newest message of some kinds by the nick, speech if none are named; no command."""
    query = Query(people=(nick,), kinds=kinds)
    newest = request.search(query, rooms, limit=1, sort=Sort.NEWEST)
    return next(iter((await request.store.search(newest, "newest")).messages), None)


async def _is_found(request: Request, nick: str, rooms: Sequence[Room]) -> bool:
    """Whether a search finds a nick: it compares as the network does, a look-up in ASCII alone."""
    return await newest_by(request, nick, rooms, tuple(MessageType)) is not None


def _unknown(nick: str, near: Sequence[str]) -> str:
    similar = f"; similar nicks: {', '.join(map(harmless_nick, near))}" if near else ""
    return f"no one called {shown(nick)} is recorded here{similar}"


async def look_up(request: Request, nick: str, network: str, rooms: Sequence[Room]) -> Person:
    """What is known of a nick on a network, as far as the request may know it."""
    return await request.store.people.lookup(
        nick, network, rooms, until=request.until, visible_only=request.visible_only
    )


async def look_up_everywhere(request: Request, nick: str, rooms: Sequence[Room]) -> list[Person]:
    """What is known of a nick on each network of the rooms."""
    return [await look_up(request, nick, network, rooms) for network in networks_of(rooms)]
