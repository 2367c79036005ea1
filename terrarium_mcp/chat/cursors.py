"""Cursors: where the next page begins, as text that only we read, and check in every part.

They are opaque and unsigned. A cursor gives no rights: what may be read is decided anew on every
page. It is bound to the question it belongs to by a fingerprint, and to a snapshot by the highest
message id of the first page, so that talk which goes on meanwhile neither repeats nor hides a line.
"""

import base64
import binascii
import json
from dataclasses import asdict, dataclass
from hashlib import blake2b

from terrarium_mcp.chat.when import Position

_VERSION = 1


class BadCursor(ValueError):
    """A cursor that we did not make, or that belongs to another question."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place after the last line of a page.

    `rung` names the look-up that answered, `skip` how many lines of its ranked head were shown,
    `after` the last line shown of what follows the head.
    """

    question: str
    snapshot: int
    rung: str
    skip: int = 0
    after: Position | None = None

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
        packed = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        version, asked, snapshot, rung, skip, after = packed
        if (
            version != _VERSION
            or type(snapshot) is not int
            or type(skip) is not int
            or not skip >= 0
            or rung not in rungs
        ):
            raise ValueError(version)
        place = Position(str(after["timestamp"]), int(after["id"])) if after else None
    except (ValueError, TypeError, KeyError, binascii.Error) as why:
        raise BadCursor("This cursor is damaged. Leave it out to begin at the first page.") from why
    if asked != question:
        raise BadCursor(
            "This cursor belongs to another question."
            " Repeat the arguments of the first page with it, or leave it out."
        )
    return Cursor(asked, snapshot, rung, skip, place)
