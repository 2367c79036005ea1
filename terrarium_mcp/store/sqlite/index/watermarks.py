"""Watermarks: the id up to which each derived structure holds the messages, and what follows."""

import json
import logging
from collections.abc import Collection, Mapping
from typing import NamedTuple

from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.refolding import ROOM_MOVES
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.all_structures import BY_VOICE, EVERYTHING, VOICES
from terrarium_mcp.store.sqlite.index.live_clock import NORMALISED_TO
from terrarium_mcp.store.sqlite.index.structure import TO_BE_EMPTIED

_COMPLETE_TO_NOTHING = dict.fromkeys(EVERYTHING, 0)
"""The watermarks of an empty database, which has no row of any."""

log = logging.getLogger(__name__)


class IndexState(NamedTuple):
    """How far everything derived is.

    Attributes:
        newest: the newest id.
        marks: the watermark of each structure, of the messages, and of the moves between rooms.
        has_foreign_rows: whether rows of another program wait to be normalised.
        has_moves: whether messages may be in a room that turned out to be another one.
    """

    newest: int
    marks: Mapping[str, int]
    has_foreign_rows: bool
    has_moves: bool

    def is_current(self, names: Collection[str]) -> bool:
        """Whether messages, and the structures named, can be read: as `current_sql` says it."""
        can_be_read = not self.has_foreign_rows and not self.has_moves
        return can_be_read and (not names or self.lowest(names) >= self.newest)

    def lowest(self, names: Collection[str]) -> int:
        """The id up to which all these are complete; -1: one is to be emptied."""
        return min(self.marks[name] for name in names)

    def lag(self, names: Collection[str]) -> int:
        """How many ids are not in all of these yet."""
        return max(0, self.newest - self.lowest(names))

    def part(self, names: Collection[str]) -> float:
        """The part that all of these hold, 0 to 1."""
        return max(0, self.lowest(names)) / max(1, self.newest)


_NO_FOREIGN_ROWS = (
    "NOT EXISTS (SELECT 1 FROM messages INDEXED BY messages_without_room"  # noqa: S608 -- our names
    f" WHERE room IS NULL AND id > {NORMALISED_TO})"
)
"""The SQL condition that no row of another program waits to be normalised. Messages of ours have a
room from the start, unless they have no channel at all."""


_NO_MOVES = f"NOT EXISTS (SELECT 1 FROM derived WHERE name = '{ROOM_MOVES}')"  # noqa: S608 -- our name
"""The SQL condition that no message may be in a room that turned out to be another one."""


def current_sql(*names: str) -> str:
    """The SQL condition that messages, and the structures named, can be read.

    No foreign row is left to be normalised, no message is in a room that turned out to be another,
    and the structures hold every committed message. A statement that contains it sees all of this
    in one snapshot, and SQLite evaluates it once for all rows.
    `:is_current` true says that the caller has just caught up: newer messages may be missed.
    """
    conditions = [_NO_FOREIGN_ROWS, _NO_MOVES]
    if names:
        quoted = ", ".join(f"'{name}'" for name in names)
        conditions.append(
            "(SELECT min(upto) >= (SELECT max(id) FROM messages)"  # noqa: S608 -- our names
            f" AND count(*) = {len(names)} FROM derived WHERE name IN ({quoted}))"
        )
    return f"(:is_current OR ({' AND '.join(conditions)}))"


async def index_state(database: Database) -> IndexState:
    """How far everything is, in one read."""
    ((newest, marks, has_foreign_rows),) = await database.rows(
        "SELECT ifnull((SELECT max(id) FROM messages), 0),"  # noqa: S608 -- our names
        " (SELECT json_group_object(name, upto) FROM derived),"
        f" NOT ({_NO_FOREIGN_ROWS})"
    )
    stored = json.loads(marks)
    known = _COMPLETE_TO_NOTHING | {ROOM_MOVES: newest} | stored
    return IndexState(newest, known, bool(has_foreign_rows), ROOM_MOVES in stored)


async def watermarks(writer: Writer) -> dict[str, int]:
    """The watermark of each structure: the id up to which it is complete."""
    rows = await writer.rows("SELECT name, upto FROM derived")
    return _COMPLETE_TO_NOTHING | {row[0]: row[1] for row in rows}


async def set_watermarks(writer: Writer, names: Collection[str], upto: int) -> None:
    """Set the watermarks of these structures."""
    await writer.many(
        "INSERT INTO derived (name, upto) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET upto = excluded.upto",
        [(name, upto) for name in names],
    )


async def schedule_rebuild(writer: Writer, names: Collection[str]) -> None:
    """Have these structures emptied and filled again by whichever process catches up next."""
    if VOICES.name in names:  # it is not known under which voices the others hold their messages
        names = dict.fromkeys([*names, *(one.name for one in BY_VOICE)])
    await set_watermarks(writer, names, TO_BE_EMPTIED)
    if names:
        log.warning("rebuilding from the messages: %s", ", ".join(names))
