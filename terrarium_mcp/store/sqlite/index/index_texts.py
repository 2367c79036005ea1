"""Index texts: what the indexes hold of new messages, if it was computed before they were stored.

Imported messages go by them into four of the structures, without a call from SQLite to Python. The
statements of the others, and those of all for any other message, compute it from the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from terrarium_mcp.store.sqlite.engine.database import Writer


@dataclass(frozen=True, slots=True)
class IndexTexts:
    """The texts of messages with consecutive ids, in their order.

    Attributes:
        first: the first id.
        timestamps: when they were said.
        words: what the full-text index holds of each in its column `message`, its scope included.
        events: what it holds in its column `event`; None for speech.
        spoken: the text of speech, cut into words; None for an event.
        pairs: what the phrase index holds; None for an event.
    """

    first: int
    timestamps: Sequence[str]
    words: Sequence[str]
    events: Sequence[str | None]
    spoken: Sequence[str | None]
    pairs: Sequence[str | None]

    @property
    def ids(self) -> range:
        """Their ids."""
        return range(self.first, self.first + len(self.timestamps))

    @property
    def rowids(self) -> range:
        """Under which the full-text indexes hold them, rising: those of the last message first."""
        return range(-self.ids[-1], 1 - self.first)


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
        list(chain.from_iterable(part.timestamps for part in known)),
        list(chain.from_iterable(part.words for part in known)),
        list(chain.from_iterable(part.events for part in known)),
        list(chain.from_iterable(part.spoken for part in known)),
        list(chain.from_iterable(part.pairs for part in known)),
    )
