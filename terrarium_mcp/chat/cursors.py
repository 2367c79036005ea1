"""Cursors: where the next page begins, as an opaque word for the client.

A cursor is unsigned, so every part of it is validated, and it grants no rights: every page checks
again what may be read. A fingerprint binds it to its question. The highest message id at the time
of the first page binds it to a snapshot, so that new messages neither repeat nor hide a line.
"""

import base64
import json
from dataclasses import asdict, dataclass
from hashlib import blake2b

from terrarium_mcp.chat.when import Position, from_text

_VERSION = 4
_LARGEST = 2**63 - 1  # of SQLite's integers


class BadCursor(ValueError):
    """The cursor is damaged, or belongs to another question."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position after the last line of a page.

    `rung` names the search that answered. `skip` is the number of lines of its ranked head shown so
    far, and `after` the position of the last line shown beyond the head. `since` and `until` are
    the bounds of the first page: "the last 3 hours" must not move while the client pages. `head` is
    the fingerprint of the ids in the ranked head; with another head `skip` would mean other lines.
    """

    question: str
    snapshot: int
    rung: str
    skip: int = 0
    after: Position | None = None
    since: str = ""
    until: str = ""
    head: str = ""

    def __str__(self) -> str:
        """The cursor as one word."""
        packed = json.dumps([_VERSION, *asdict(self).values()], separators=(",", ":"))
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def fingerprint(*parts: object) -> str:
    """A short hash of a question: its query, filters and order."""
    return blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def read_cursor(text: str, question: str, rungs: tuple[str, ...]) -> Cursor:
    """Parse the cursor of an earlier page of this `question`.

    Raises:
        BadCursor: it is damaged or belongs to another question.
    """
    try:
        cursor = _unpacked(text.strip())
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _damaged() from error
    # Only text that this module would write for the same values was written by it.
    if cursor.rung not in rungs or str(cursor) != text.strip():
        raise _damaged()
    if cursor.question != question:
        raise BadCursor(
            "This cursor belongs to another question."
            " Repeat the arguments of the first page with it, or leave it out."
        )
    return cursor


def _unpacked(text: str) -> Cursor:
    packed = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    _, question, snapshot, rung, skip, after, since, until, head = packed
    for timestamp in filter(None, (since, until)):
        from_text(timestamp)
    place = _place(after)
    return Cursor(question, _count(snapshot), rung, _count(skip), place, since, until, str(head))


def _place(after: dict[str, object] | None) -> Position | None:
    if after is None:
        return None
    timestamp = str(after["timestamp"])
    from_text(timestamp)
    return Position(timestamp, _count(after["id"]))


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError(value)
    return value


def _damaged() -> BadCursor:
    return BadCursor("This cursor is damaged. Leave it out to begin at the first page.")
