"""One request: the store, what it may read, and the clock it goes by.

Needs no MCP SDK: the tools, the command line and anything else that asks on behalf of a reader
share it.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.coverage import Coverage
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Message, Room, networks_of
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.chat.transcript import RenderOptions
from terrarium_mcp.errors import TerrariumError, UnknownChannel, UnknownMessage
from terrarium_mcp.policy import RoomDirectory, UnknownCutoff, View, message_id, split_label
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Search, Sort, Store
from terrarium_mcp.wording import quantity, shown

DEFAULT_BUDGET = 4_000
"""Estimated tokens of an answer, unless the request sets another budget."""

ABOUT_NOW = timedelta(minutes=10)
"""A cutoff this recent still counts as the present: the question has only just been asked."""

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""No request's clock is set before this: hours and days are counted back from it."""


class NothingToRead(TerrariumError):
    """No channel is recorded, or the caller may see none: the two look alike."""

    def __init__(self) -> None:
        super().__init__("Nothing is recorded here that this request may read.")


class AppContext(NamedTuple):
    """What one server publishes; the lifespan of every connection carries it."""

    store: Store
    settings: Settings


class Request(NamedTuple):
    """A request: it may read only the rooms of `directory`, and nothing at or after `until`.

    `looks_back` is whether the cutoff is so long ago that what holds now (who is in a channel) does
    not apply.
    """

    store: Store
    settings: Settings
    view: View
    directory: RoomDirectory
    until: Position
    now: datetime
    looks_back: bool

    @property
    def rooms(self) -> tuple[Room, ...]:
        """The rooms that it may read."""
        return self.directory.rooms

    @property
    def cutoff(self) -> datetime | None:
        """The time from which on everything is hidden; None where nothing is."""
        return None if self.until == EVERY_LINE else self.until.moment

    @property
    def visible_only(self) -> bool:
        """Whether counts of the whole history would show what this request may not read."""
        return not self.view.sees_everything

    @property
    def budget(self) -> int:
        """Estimated tokens that the rendered answer may take."""
        return self.view.max_tokens or DEFAULT_BUDGET

    def narrowed(self, channel: str) -> tuple[Room, ...]:
        """The readable rooms that `channel` names; all of them if it is empty.

        Raises:
            UnknownChannel: no readable room has that name.
            NothingToRead: `channel` is empty, and no room is readable.
        """
        if not channel and not self.rooms:
            raise NothingToRead
        if not channel:
            return self.rooms
        named = self.directory.named(split_label(channel))
        if not named:
            raise UnknownChannel(channel, [self.room_name(room) for room in self.rooms])
        return named

    def narrowed_to_nick(self, nick: str, rooms: Sequence[Room]) -> tuple[str, tuple[Room, ...]]:
        """A nick as answers print it: of `libera/ada`, the nick, and those rooms on its network.

        A nick without the network of a readable room before it is left as it is, as are the rooms.

        Raises:
            TerrariumError: none of the rooms is on that network.
        """
        networks = [
            network
            for network in networks_of(self.rooms)
            if fold(nick).startswith(f"{fold(network)}/") and len(nick) > len(network) + 1
        ]
        if not networks:
            return nick, tuple(rooms)
        named = max(networks, key=len)
        left = tuple(room for room in rooms if room.network == named)
        if not left:
            raise TerrariumError(
                f"{shown(nick)} is a nick on {harmless(named)}, where"
                f" {self.room_names(rooms)} is not. Name the nick without its network."
            )
        return nick[len(named) + 1 :], left

    def since(self, hours: int) -> datetime | None:
        """The time `hours` before the request's own clock; None (all time) for 0."""
        return self.now - timedelta(hours=hours) if hours else None

    def search(
        self,
        query: Query,
        rooms: Sequence[Room],
        *,
        limit: int,
        sort: Sort = Sort.RELEVANCE,
        since: datetime | None = None,
        until: Position | None = None,
        wants_total: bool = True,
    ) -> Search:
        """The search of `rooms` for a query, within what this request may read.

        It ends at the request's own end, or at `until` if that is earlier.
        """
        return Search(
            query=query,
            rooms=rooms,
            limit=limit,
            sort=sort,
            since=since,
            until=self.until if until is None else min(until, self.until),
            now=self.now,
            zone=self.settings.zone,
            visible_only=self.visible_only,
            wants_total=wants_total,
        )

    async def message(self, text: str) -> Message:
        """The message that an id or permalink names.

        Raises:
            UnknownMessage: no readable message has that id.
        """
        wanted = message_id(text)
        message = await self.store.messages.get(wanted, self.rooms) if wanted is not None else None
        if message is None or not message.position < self.until:
            raise UnknownMessage(text)
        return message

    async def coverage(self, rooms: Sequence[Room]) -> Coverage:
        """When `rooms` were recorded, as far as the request may know."""
        coverage = await self.store.spans.coverage(rooms)
        return coverage.before(self.cutoff) if self.cutoff else coverage

    def coverage_text(self, coverage: Coverage, events: str = "") -> str:
        """`coverage` as the sentence that every answer from the log carries.

        `events` is what it does not know of events, in an answer about these.
        """
        known = "; ".join(filter(None, [coverage.sentence(self.settings.zone), events]))
        return f"{known}. Times {self.settings.zone}."

    async def coverage_line(
        self, rooms: Sequence[Room], events: Callable[[Coverage], str] = lambda _: ""
    ) -> str:
        """When `rooms` were recorded, as that sentence, and what no search or figure holds.

        `events` returns what their coverage does not know of events.
        """
        coverage = await self.coverage(rooms)
        covered = self.coverage_text(coverage, events(coverage))
        lacking = await self.store.search.unsearchable(rooms, self.until)
        if not lacking:
            return covered
        newest = f"the newest {quantity(lacking, 'line')}, as the server's disk is full"
        return f"{covered} Neither searched nor counted: {newest}."

    def render_options(self, rooms: Sequence[Room]) -> RenderOptions:
        """How to render lines of `rooms` for this request."""
        return RenderOptions(
            zone=self.settings.zone,
            budget=self.budget,
            rooms_named=len(rooms) > 1,
            networks_named=self._several_networks,
        )

    def room_name(self, room: Room) -> str:
        """The room's name in text outside the fence: with its network if there are several."""
        return harmless(room.label if self._several_networks else room.channel)

    def room_names(self, rooms: Sequence[Room]) -> str:
        """`#a, #b`, or `7 channels` where there are more than three."""
        if len(rooms) <= 3:
            return ", ".join(self.room_name(room) for room in rooms)
        return f"{len(rooms)} channels"

    @property
    def _several_networks(self) -> bool:
        return self.directory.several_networks


async def request_for(app: AppContext, view: View) -> Request:
    """The request that a caller with this view makes now.

    Raises:
        UnknownCutoff: `as_of` names a message that does not exist, or that the view hides anyway.
    """
    rooms = view.narrowed(await app.store.rooms.directory())
    until, cutoff = EVERY_LINE, None
    if view.as_of is not None:
        until, cutoff, known = await _cutoff(view.as_of, rooms.rooms, app.store)
        rooms = RoomDirectory(known)
    present = datetime.now(UTC)
    return Request(
        store=app.store,
        settings=app.settings,
        view=view,
        directory=rooms,
        until=until,
        now=max(view.now or cutoff or present, _EARLIEST),
        looks_back=cutoff is not None and cutoff < present - ABOUT_NOW,
    )


async def _cutoff(
    as_of: datetime | int, rooms: Sequence[Room], store: Store
) -> tuple[Position, datetime, list[Room]]:
    """The position and time of a cutoff, and those of the rooms that were known before it."""
    if isinstance(as_of, datetime):
        until = Position.at(as_of)
        return until, as_of, await store.rooms.known_before(until, rooms)
    found = await store.messages.cutoff(as_of, rooms)
    if found is None:
        raise UnknownCutoff(as_of)
    until, known = found
    return until, until.moment, known
