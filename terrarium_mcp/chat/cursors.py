"""Cursors: where the next page begins, as text that only we read, and check in every part.

They are opaque and unsigned. A cursor gives no rights: what may be read is decided anew on every
page. It is bound to the question it belongs to by a fingerprint, and to a snapshot by the highest
message id of the first page, so that talk which goes on meanwhile neither repeats nor hides a line.
"""

import base64
import json
from dataclasses import asdict, dataclass
from hashlib import blake2b

from terrarium_mcp.chat.when import Position, from_text

_VERSION = 4
_LARGEST = 2**63 - 1  # of SQLite's integers


class BadCursor(ValueError):
    """A cursor that we did not make, or that belongs to another question."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place after the last line of a page.

    `rung` names the look-up that answered, `skip` how many lines of its ranked head were shown,
    `after` the last line shown of what follows the head. `since` is where the time of the first
    page began, `until` where it ended: "the last hours" must not move on while somebody pages.
    `head` is the fingerprint of the ranked head's ids: only in the same head does `skip` mean them.
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
        """Write the cursor as one word."""
        packed = json.dumps([_VERSION, *asdict(self).values()], separators=(",", ":"))
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def fingerprint(*parts: object) -> str:
    """A short name for a question: its query, filters and order."""
    return blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def read_cursor(text: str, question: str, rungs: tuple[str, ...]) -> Cursor:
    """Read a cursor that a page of this `question` ended with.

    Raises:
        BadCursor: it is damaged, or belongs to another question.
    """
    try:
        cursor = _unpacked(text.strip())
    except (ValueError, TypeError, KeyError, RecursionError) as why:
        raise _damaged() from why
    # What we would not have written ourselves was not written by us.
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
