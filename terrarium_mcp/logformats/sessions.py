"""The sessions of a log whose lines tell of which channel or person each is. Pure.

Whatever its file is named, a session may be of another room: somebody joined two logs, or the
client went on in one file. What belongs to other rooms becomes blank, so that all lines keep their
numbers.
"""

from collections.abc import Iterable, Iterator

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.logformats.decoding import decoded
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_origin import is_perhaps


def rooms_told(lines: Iterable[bytes], form: TextFormat, named: str) -> list[str]:
    """The rooms of a log, the one of its beginning first; none if no line tells any.

    What is said before the first session is of the room that the path names (`named`), if any.
    """
    told: dict[str, str] = {}
    has_beginning = False
    for raw in lines:
        if room := form.room_in(raw):
            told.setdefault(fold(room), room)
        elif not (told or has_beginning):
            has_beginning = bool((line := form.read(decoded(raw)[0])) and line.events)
    rooms = list(told.values())
    if not (rooms and named and has_beginning):
        return rooms
    its_own = next((room for room in rooms if is_perhaps(named, room)), named)
    return [its_own, *(room for room in rooms if room != its_own)]


def only_of(
    room: str, lines: Iterable[bytes], form: TextFormat, *, is_first: bool
) -> Iterator[bytes]:
    """The lines of a log, those of sessions of other rooms blank.

    `is_first`: the lines before the first session are of the room, too. The line that opens a
    session precedes the one that tells its room.
    """
    is_here = is_first
    held: bytes | None = None
    for raw in lines:
        told = form.room_in(raw)
        is_told_here = fold(told) == fold(room) if told else is_here
        if held is not None:
            yield held if (is_told_here if told and _opens(held, form) else is_here) else b""
        is_here, held = is_told_here, raw
    if held is not None:
        yield held if is_here else b""


def _opens(raw: bytes, form: TextFormat) -> bool:
    line = form.read(decoded(raw)[0])
    return line is not None and line.boundary is Boundary.OPENED
