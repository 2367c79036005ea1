"""Known lines: which lines of a log are stored already. The rule is store/recognition/once.py."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terrarium_mcp.store.recognition.once import recognised
from terrarium_mcp.store.records.imports import LogSource
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.imports.source_rows import SourceRow, resolution_of
from terrarium_mcp.store.sqlite.imports.stored_lines import (
    LineGroup,
    LogPlace,
    stored_between,
    unclaimed_lines,
)
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines

REDACTED = -1
"""A message whose text was removed from what is stored. The log does not have that: it may have
several messages of that nick and time."""

PlacesByName = Mapping[tuple[str, str], LogPlace]
"""Where lines belong, by the network and channel that they name."""


@dataclass(frozen=True, slots=True)
class LogPart:
    """Consecutive lines of a log, at least one.

    Attributes:
        log: the log.
        row: its row; None if none of it is stored.
        margin: as in `recognised`.
        lines: the lines.
    """

    log: LogSource
    row: SourceRow | None
    margin: int
    lines: PreparedLines


class PlaceLines(NamedTuple):
    """The lines of a part in one place; `numbers` counts them within the part, from 0."""

    numbers: Sequence[int]
    group: LineGroup


def lines_by_place(part: LogPart, places: PlacesByName) -> Sequence[PlaceLines]:
    """The lines of a part by their places; nearly always there is one."""
    lines, resolution = part.lines, resolution_of(part.log)
    if len(lines.places) == 1:
        group = LineGroup(places[lines.places[0]], lines, resolution, part.margin)
        return [PlaceLines(range(len(lines)), group)]
    numbers = defaultdict[LogPlace, list[int]](list)
    for number, name in enumerate(lines.names):
        numbers[places[name]].append(number)
    return [
        PlaceLines(its, LineGroup(place, lines.at(its), resolution, part.margin))
        for place, its in numbers.items()
    ]


async def known_lines(
    writer: Writer, source: SourceRow | None, lines: PlaceLines
) -> Mapping[int, int]:
    """The ids of those lines that are stored, or `REDACTED`, by their numbers.

    Args:
        writer: the transaction.
        source: the row of their log; None if none of it is stored.
        lines: the lines.
    """
    numbers, group = await _near_stored(writer, lines)
    if not numbers:
        return {}
    stored = await unclaimed_lines(writer, source.id if source else None, group)
    if not stored:  # no text was compared
        return {}
    found = recognised(group.lines, [one.line for one in stored], group.margin)
    return {
        number: REDACTED if stored[index].line.is_redacted else stored[index].id
        for number, index in zip(numbers, found, strict=True)
        if index is not None
    }


async def _near_stored(writer: Writer, lines: PlaceLines) -> PlaceLines:
    """Those of the lines that were said when stored ones were: all others are new.

    The log of a day begins within a minute of the end of the one before it: to compare all its
    lines took a sixth of the time of an import.
    """
    numbers, group = lines
    if group.place.is_private:
        return lines
    stored = await stored_between(writer, group.place.room, group.near)
    near = group.numbers_near(stored) if stored else []
    if len(near) == len(numbers):
        return lines
    return PlaceLines([numbers[number] for number in near], group.at(near))
