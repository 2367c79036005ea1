"""What the arguments of a search ask the store for; free of the MCP SDK, for the command line."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from terrarium_mcp.chat.named_channels import (
    unknown_places,
    with_channels_named,
    words_like_channels,
)
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.time_expressions import may_express_times
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.offload import offload
from terrarium_mcp.policy import split_label
from terrarium_mcp.request import Request
from terrarium_mcp.store import Search, Sort
from terrarium_mcp.tools.known_nicks import on_its_network
from terrarium_mcp.tools.plain_questions import read_as_question
from terrarium_mcp.tools.typed_queries import typed_query
from terrarium_mcp.wording import did_you_mean, shown

USUAL_PAGE, LARGEST_PAGE = 20, 100
"""Hits of a page by default, and at most."""


class SearchArguments(NamedTuple):
    """What to find, as the arguments of `search_irc_history` say it."""

    query: str
    channel: str = ""
    hours: int = 0
    limit: int = USUAL_PAGE
    sort: str = "relevance"
    context: int = 0
    cursor: str = ""
    form: str = "text"


async def requested_search(arguments: SearchArguments, request: Request) -> Search:
    """The search that the arguments ask for, within what the request may read.

    It begins at the first page, whatever their cursor.

    A channel that the query names as the place is the channel (`what broke in #dev`, `who left
    #dev?`). What else a plain question asks for, `plain_questions` says.

    Raises:
        TerrariumError: no room is left, or a name is unknown.
    """
    channel = arguments.channel
    typed = await typed_query(arguments.query, request)
    parsed = await with_channels_taken(_with_notes_of_unknown(typed, request), request, channel)
    rooms = rooms_searched(request, channel, parsed)
    parsed = _with_notes_of_words_like_channels(parsed, request, rooms)
    parsed, rooms = await with_networks_taken(parsed, request, rooms)
    search = request.search(
        with_channel_as_operator(parsed, channel),
        rooms,
        limit=arguments.limit,
        sort=Sort(arguments.sort),
        since=request.since(arguments.hours),
    )
    reading = await read_as_question(search, request)
    return _in_time_order(reading.search)


def _in_time_order(search: Search) -> Search:
    """The search; of operators with a beginning and an end, and nothing to rank, oldest first.

    `from:ada on:2026-05-01` reads as `from:ada on 1 May` does.
    """
    query = search.query
    if search.sort is not Sort.RELEVANCE or query.terms or not (query.since and query.until):
        return search
    return replace(search, sort=Sort.OLDEST)


async def with_channels_taken(query: Query, request: Request, channel: str) -> Query:
    """The query with the channels that its words name, of those that `channel` leaves."""
    rooms = request.narrowed(channel)
    take = partial(
        with_channels_named,
        query,
        lambda name: not set(request.directory.named(split_label(name))).isdisjoint(rooms),
        request.now,
        request.settings.zone,
    )
    return await offload(take) if may_express_times(query.question) else take()


def with_channel_as_operator(query: Query, channel: str) -> Query:
    """The query for a `channel` named beside it, which reads as `in:` does; unless it has one."""
    return replace(query, channels=(channel,)) if channel and not query.channels else query


def _with_notes_of_unknown(query: Query, request: Request) -> Query:
    """The query with a note for each channel that it names as a place, and that is not known."""
    unknown = unknown_places(query, lambda name: bool(request.directory.named(split_label(name))))
    if not unknown:  # nearly always: no room is named
        return query
    known = [request.room_name(room) for room in request.rooms]
    notes = [
        f"{shown(name)} is not a channel recorded here, so it is searched for as a word."
        f"{did_you_mean(name, known)}"
        for name in unknown
    ]
    return query.with_notes(*notes)


def _with_notes_of_words_like_channels(
    query: Query, request: Request, rooms: tuple[Room, ...]
) -> Query:
    """The query with a note for each word that may have been meant as one of several rooms."""

    def named(word: str) -> tuple[Room, ...]:
        return tuple(room for room in request.directory.named(split_label(word)) if room in rooms)

    words = words_like_channels(query, lambda word: 0 < len(named(word)) < len(rooms))
    if not words:
        return query
    return query.with_notes(
        *(
            f"if {request.room_names(named(word))} is meant, write in:{shown(word)}"
            for word in words
        )
    )


async def with_networks_taken(
    query: Query, request: Request, rooms: tuple[Room, ...]
) -> tuple[Query, tuple[Room, ...]]:
    """The query without the networks before its nicks, and those rooms on the networks.

    Raises:
        TerrariumError: no room is left, a line may be by people of different networks, or somebody
            is left out on one of several networks.
    """
    if not (query.people or query.mentions or query.excluded_people):
        return query, rooms
    mentions = []
    for named in query.mentions:
        nick, rooms = await on_its_network(request, named, rooms)
        mentions.append(nick)
    people = [await on_its_network(request, named, rooms) for named in query.people]
    their_rooms = {left for _, left in people} or {rooms}
    if len(their_rooms) > 1:
        raise TerrariumError(
            f"{', '.join(map(shown, query.people))} are not all of one network. Write the same"
            " network before each of them, or ask about each by itself."
        )
    (rooms,) = their_rooms
    others = []
    for named in query.excluded_people:
        nick, left = await on_its_network(request, named, rooms)
        if left != rooms:
            raise TerrariumError(
                f"-from:{shown(named)} leaves a person out on one network, and the channels"
                " searched are on several. Search one of them at a time, or write"
                f" -from:{shown(nick)}."
            )
        others.append(nick)
    named_once = replace(
        query,
        people=tuple(dict.fromkeys(nick for nick, _ in people)),
        mentions=tuple(dict.fromkeys(mentions)),
        excluded_people=tuple(dict.fromkeys(others)),
    )
    return named_once, rooms


def rooms_searched(request: Request, channel: str, query: Query) -> tuple[Room, ...]:
    """The rooms that both `channel` and `in:` name, without those excluded by `-in:`.

    Raises:
        TerrariumError: no room is left, or a name is unknown.
    """
    rooms = request.narrowed(channel)
    if not (query.channels or query.excluded_channels):
        return rooms
    included = {room for name in query.channels for room in request.narrowed(name)}
    excluded = {room for name in query.excluded_channels for room in request.narrowed(name)}
    left = tuple(
        room for room in rooms if room not in excluded and (room in included or not query.channels)
    )
    if not left:
        filters = [f"channel={shown(channel)}"] if channel else []
        filters += [f"in:{shown(name)}" for name in query.channels]
        filters += [f"-in:{shown(name)}" for name in query.excluded_channels]
        raise TerrariumError(
            f"No channel matches {', '.join(filters)}: no line is in all of them. Name one."
        )
    return left
