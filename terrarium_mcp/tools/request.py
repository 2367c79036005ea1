"""One request as a tool sees it: the store, what may be read, and the clock it goes by."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from mcp.server.mcpserver import Context, Resolve

from terrarium_mcp.chat.coverage import Coverage
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.transcript import Setting
from terrarium_mcp.chat.when import EVERY_LINE, Position
from terrarium_mcp.errors import TerrariumError, UnknownChannel, shown
from terrarium_mcp.policy import VIEW_KEY, BadView, View, message_id, names, parse_view, split_label
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store

DEFAULT_BUDGET = 4_000
"""Estimated tokens of an answer, where the request names no other number."""

ABOUT_NOW = timedelta(minutes=10)
"""A cutoff so close to the present looks at the present: a question somebody has just asked."""

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""No clock stands before this: hours and days are counted back from it."""


class NothingRecorded(TerrariumError):
    """A database that holds nothing yet."""


class NothingToRead(TerrariumError):
    """A request whose view shows no channel at all."""


class UnknownMessage(TerrariumError):
    """An id that is not there, or that the asker may not see: the two look alike."""


@dataclass(frozen=True, slots=True)
class Served:
    """What one server publishes; the lifespan of every connection carries it."""

    store: Store
    settings: Settings


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: `rooms` are all that it may read, and nothing at or after `until`.

    `recorded` tells whether there is any room at all, readable or not; `looks_back`, whether the
    cutoff lies so far back that what holds now says nothing of it.
    """

    store: Store
    settings: Settings
    view: View
    rooms: tuple[Room, ...]
    recorded: bool
    until: Position
    now: datetime
    looks_back: bool

    @property
    def cutoff(self) -> datetime | None:
        """The moment from which on nothing may be told; None where there is no such moment."""
        return None if self.until == EVERY_LINE else self.until.moment

    @property
    def budget(self) -> int:
        """Estimated tokens that the rendered answer may take."""
        return self.view.max_tokens or DEFAULT_BUDGET

    def narrowed(self, channel: str) -> tuple[Room, ...]:
        """The readable rooms that `channel` names; all of them when it names none.

        Raises:
            UnknownChannel: it names none that may be read.
            NothingRecorded: there is no room at all yet.
            NothingToRead: it names none, and none may be read.
        """
        self._expect_a_record()
        if not channel and not self.rooms:
            raise NothingToRead(
                "There is no channel here that this request may read. Nothing can be looked up."
            )
        if not channel:
            return self.rooms
        found = tuple(room for room in self.rooms if names(room, *split_label(channel)))
        if not found:
            raise UnknownChannel(channel, [self.name(room) for room in self.rooms])
        return found

    def since(self, hours: int) -> datetime | None:
        """The moment `hours` ago, by the request's own clock; None for all time."""
        return self.now - timedelta(hours=hours) if hours else None

    async def message(self, text: str) -> Message:
        """The message that an id or permalink names.

        Raises:
            UnknownMessage: there is none that may be read.
            NothingRecorded: there is no line at all yet.
        """
        self._expect_a_record()
        number = message_id(text)
        found = await self.store.messages.get(number, self.rooms) if number is not None else None
        if found is None or not found.position < self.until:
            raise UnknownMessage(
                f"No message {shown(text) or '(empty)'}. An id is the number that stands before"
                " each line of a transcript."
            )
        return found

    async def coverage(self, rooms: Sequence[Room]) -> Coverage:
        """What the record of `rooms` covers."""
        coverage = await self.store.spans.coverage(rooms)
        return coverage.before(self.cutoff) if self.cutoff else coverage

    def told(self, coverage: Coverage) -> str:
        """The line about it that stands in every answer."""
        return f"{coverage.sentence(self.settings.zone)}. Times {self.settings.zone}."

    async def coverage_line(self, rooms: Sequence[Room]) -> str:
        """What the record of `rooms` covers, as that line."""
        return self.told(await self.coverage(rooms))

    def setting(self, rooms: Sequence[Room]) -> Setting:
        """How to render lines of `rooms` for this request."""
        return Setting(
            zone=self.settings.zone,
            budget=self.budget,
            rooms_named=len(rooms) > 1,
            networks_named=self._several_networks,
        )

    def name(self, room: Room) -> str:
        """What a room is called in words of ours."""
        return harmless(room.label if self._several_networks else room.channel)

    def where(self, rooms: Sequence[Room]) -> str:
        """Some rooms in words: `#a, #b`, or `7 channels`."""
        if len(rooms) <= 3:
            return ", ".join(self.name(room) for room in rooms)
        return f"{len(rooms)} channels"

    @property
    def _several_networks(self) -> bool:
        return len({room.network for room in self.rooms}) > 1

    def _expect_a_record(self) -> None:
        if not self.recorded:
            raise NothingRecorded(
                f"Nothing is recorded yet in {self.store.path}. `terrarium-mcp bridge` records the"
                " channels of IRC_CHANNELS; a terrarium-irc database named by DB_PATH opens in"
                " place."
            )


async def asked_from(ctx: Context[Served]) -> Asked:
    """Read a request's view and find out what it may see.

    Raises:
        BadView: the view is malformed.
    """
    return await asked_of(
        ctx.request_context.lifespan_context, parse_view(_meta(ctx).get(VIEW_KEY))
    )


async def asked_of(served: Served, view: View) -> Asked:
    """What a request with this view may see.

    Raises:
        BadView: its cutoff is not there.
    """
    rooms = await served.store.rooms.all()
    until, cutoff = await _cutoff(view, served.store)
    present = datetime.now(UTC)
    return Asked(
        store=served.store,
        settings=served.settings,
        view=view,
        rooms=tuple(room for room in rooms if view.shows(room)),
        recorded=bool(rooms),
        until=until,
        now=max(view.now or cutoff or present, _EARLIEST),
        looks_back=cutoff is not None and cutoff < present - ABOUT_NOW,
    )


FromRequest = Annotated[Asked, Resolve(asked_from)]
"""A tool's parameter that the request itself fills."""


async def _cutoff(view: View, store: Store) -> tuple[Position, datetime | None]:
    if view.as_of is None:
        return EVERY_LINE, None
    if isinstance(view.as_of, datetime):
        return Position.at(view.as_of), view.as_of
    place = await store.messages.position(view.as_of)
    if place is None:
        raise BadView(f"The view's as_of names message {view.as_of}, which is not there.")
    return place, place.moment


def _meta(ctx: Context[Served]) -> Any:
    meta = ctx.request_context.meta
    return meta if isinstance(meta, dict) else {}
