"""Cursors: where the next page begins, as opaque text of which every part is checked.

A cursor is unsigned and grants nothing: what a request may read is decided again for every page. A
fingerprint binds it to its question. The highest message id of the first page binds it to a
snapshot, so that lines said in between neither repeat nor hide a hit.
"""

import base64
import json
from hashlib import blake2b
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import Position, from_text

_VERSION = 4
_LARGEST = 2**63 - 1  # SQLite's largest integer


class BadCursor(ValueError):
    """The cursor is damaged, or belongs to another question."""


class Cursor(NamedTuple):
    """The position after the last line of a page.

    `rung` is the look-up that answered, `skip` how many lines of its ranked head were shown, and
    `after` the last line shown of what follows the head. `since` and `until` bound the time of the
    first page: "the last two hours" must not move from page to page. `head` is the fingerprint of
    the ids in the ranked head: `skip` is valid for that head only.
    """

    fingerprint: str
    snapshot: int
    rung: str
    skip: int = 0
    after: Position | None = None
    since: str = ""
    until: str = ""
    head: str = ""

    def __str__(self) -> str:
        """The cursor as one word of URL-safe Base64."""
        fields = self._asdict() | {"after": self.after._asdict() if self.after else None}
        packed = json.dumps([_VERSION, *fields.values()], separators=(",", ":"))
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def fingerprint_of(*parts: object) -> str:
    """A short hash of a question: its query, filters and order."""
    return blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def read_cursor(text: str, fingerprint: str, rungs: tuple[str, ...]) -> Cursor:
    """Read a cursor of the question with this `fingerprint`; `rungs` are the look-ups that exist.

    Raises:
        BadCursor: it is damaged or belongs to another question.
    """
    try:
        cursor = _unpacked(text.strip())
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _damaged() from error
    # Text that `str()` would not produce did not come from here.
    if cursor.rung not in rungs or str(cursor) != text.strip():
        raise _damaged()
    if cursor.fingerprint != fingerprint:
        raise BadCursor(
            "This cursor belongs to another question."
            " Repeat the arguments of the first page with it, or leave it out."
        )
    return cursor


def _unpacked(text: str) -> Cursor:
    packed = json.loads(base64.urlsafe_b64decode(text + "==="))  # padding beyond need is ignored
    _, fingerprint, snapshot, rung, skip, after, since, until, head = packed
    for timestamp in (since, until):
        if timestamp != "":
            from_text(timestamp)
    position = _position(after)
    snapshot, skip = _count(snapshot), _count(skip)
    return Cursor(fingerprint, snapshot, rung, skip, position, since, until, str(head))


def _position(after: dict[str, object] | None) -> Position | None:
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
