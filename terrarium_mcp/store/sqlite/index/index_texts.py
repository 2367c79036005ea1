"""Index texts: what is known of new messages before they are stored, for the structures.

Imported messages go by them into most structures, without a call from SQLite to Python; a structure
for which they hold nothing reads no row. The statements compute the same from the rows, for any
other message.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, Protocol, TypeVar

from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.line_tallies import LineTallies, PlaceName, joined_tallies

ColumnValue = TypeVar("ColumnValue")


class IndexTexts(NamedTuple):
    """The texts of messages with consecutive ids, in their order.

    Attributes:
        first: the first id.
        rooms: the ids of the rooms in which they are, by the names of these.
        timestamps: when they were said.
        networks: where.
        nicks: who sent them.
        messages: what they say.
        kinds: their types.
        own: whether the bot sent them, as far as that was recorded.
        words: what the full-text index holds of each in its column `message`, its scope included.
        events: what it holds in its column `event`; None for speech.
        pairs: what the phrase index holds; None for an event.
        tallies: what was counted of them.
        has_msgids: whether any has one.
        has_accounts: whether any has one.
        has_hosts: whether any has one.
        asides: room and nick of each that is an aside, once that is known.
        has_relayed: whether a relay carried any: then the rows tell what is to be counted.
    """

    first: int
    rooms: Mapping[PlaceName, int]
    timestamps: Sequence[str]
    networks: Sequence[str]
    nicks: Sequence[str]
    messages: Sequence[str]
    kinds: Sequence[str]
    own: Sequence[int]
    words: Sequence[str]
    events: Sequence[str | None]
    pairs: Sequence[str | None]
    tallies: LineTallies
    has_msgids: bool
    has_accounts: bool
    has_hosts: bool
    asides: Sequence[tuple[int, str]] = ()
    has_relayed: bool = False

    @property
    def last(self) -> int:
        """The last id."""
        return self.first + len(self.timestamps) - 1

    @property
    def ids(self) -> range:
        """Their ids."""
        return range(self.first, self.last + 1)

    @property
    def rowids(self) -> range:
        """Under which the full-text indexes hold them, rising: those of the last message first."""
        return range(-self.last, 1 - self.first)

    def has_kind(self, kind: str) -> bool:
        """Whether any is of this type."""
        return any(hour.kind == kind for hour in self.tallies.hours)


class TakesTexts(Protocol):
    """A structure that can be filled by such texts."""

    name: str

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Add the messages, none of which it holds yet."""


def joined_texts(parts: Sequence[IndexTexts | None]) -> IndexTexts | None:
    """The texts of all parts, each with the ids behind the one before it; None if any has none."""
    known = [part for part in parts if part]
    if not known or len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    return IndexTexts(
        known[0].first,
        {name: room for part in known for name, room in part.rooms.items()},
        _all(part.timestamps for part in known),
        _all(part.networks for part in known),
        _all(part.nicks for part in known),
        _all(part.messages for part in known),
        _all(part.kinds for part in known),
        _all(part.own for part in known),
        _all(part.words for part in known),
        _all(part.events for part in known),
        _all(part.pairs for part in known),
        joined_tallies([(len(part.timestamps), part.tallies) for part in known]),
        has_msgids=any(part.has_msgids for part in known),
        has_accounts=any(part.has_accounts for part in known),
        has_hosts=any(part.has_hosts for part in known),
    )


def _all(columns: Iterable[Sequence[ColumnValue]]) -> list[ColumnValue]:
    return list(chain.from_iterable(columns))
