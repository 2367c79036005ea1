"""Lines of one log become rows, unless they are stored already."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold, is_channel
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store.recognition.once import recognised
from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.imports.source_rows import (
    HeldRange,
    SourceRow,
    add_lines,
    extend_span,
    ranges_of,
)
from terrarium_mcp.store.sqlite.imports.stored_lines import (
    PRIVATE,
    LineGroup,
    LogPlace,
    unclaimed_lines,
)
from terrarium_mcp.store.sqlite.ingest.insert import insert, rooms_of
from terrarium_mcp.store.sqlite.ingest.insert_prepared import (
    Inserted,
    has_exclusions,
    insert_prepared,
)
from terrarium_mcp.store.sqlite.ingest.opted_out import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines

_REDACTED = -1
"""A message whose text was removed from what is stored. The log does not have that: it may have
several messages of that nick and time."""


PlacesByName = Mapping[tuple[str, str], LogPlace]
"""Where lines belong, by the network and channel that they name."""


@dataclass(frozen=True, slots=True)
class InsertConditions:
    """What a transaction knows of all logs whose lines it inserts.

    Attributes:
        places: where the lines belong.
        opt_outs: who opted out.
        has_exclusions: as the function of that name says.
    """

    places: PlacesByName
    opt_outs: OptOutReader
    has_exclusions: bool


async def insert_conditions(
    writer: Writer, lines: PreparedLines, opt_outs: OptOutReader
) -> InsertConditions:
    """The conditions under which these lines are inserted."""
    excludes = await has_exclusions(writer, opt_outs)
    return InsertConditions(await _places_of(writer, lines.places), opt_outs, excludes)


class LogInsert:
    """Inserts lines of one log; `margin` as in `recognised`."""

    def __init__(self, source: SourceRow, margin: int, conditions: InsertConditions) -> None:
        self._source = source
        self._margin = margin
        self._conditions = conditions

    async def insert(self, writer: Writer, lines: PreparedLines) -> Inserted:
        """Insert the lines that are not stored yet, and note which messages the log has.

        Returns:
            Their ids, 0 for one that is stored already.
        """
        places = self._conditions.places
        known = await self._known(writer, lines, places)
        new = lines.at([n for n in range(len(lines)) if n not in known]) if known else lines
        added = await self._insert(writer, new) if new else Inserted(())
        fresh = iter(added.ids)
        ids = [0 if n in known else next(fresh) for n in range(len(lines))] if known else added.ids
        timestamps = lines.columns.timestamp
        await add_lines(
            writer,
            self._source,
            len(lines),
            (min(timestamps), max(timestamps)),
            _held(lines, places, known, added, ids),
        )
        await self._extend_spans(writer, lines, places)
        return Inserted(ids, added.texts)

    async def _insert(self, writer: Writer, new: PreparedLines) -> Inserted:
        if self._conditions.has_exclusions or not new.are_rows:
            return Inserted(await insert(writer, new, self._conditions.opt_outs))
        places = self._conditions.places
        return await insert_prepared(writer, new, {name: places[name].room for name in new.places})

    async def _known(
        self, writer: Writer, lines: PreparedLines, places: PlacesByName
    ) -> Mapping[int, int]:
        """The ids of those lines that are stored, or `_REDACTED`, by their number."""
        by_place = _numbers_by_place(lines, places)
        known: dict[int, int] = {}
        for place, numbers in by_place.items():
            its = lines.at(numbers) if len(by_place) > 1 else lines
            group = LineGroup(place, its, self._source.resolution)
            stored = await unclaimed_lines(writer, self._source.id, group, self._margin)
            if not stored:  # no text was compared
                continue
            found = recognised(group.lines, [one.line for one in stored], self._margin)
            for number, index in zip(numbers, found, strict=True):
                if index is not None:
                    one = stored[index]
                    known[number] = _REDACTED if one.line.is_redacted else one.id
        return known

    async def _extend_spans(
        self, writer: Writer, lines: PreparedLines, places: PlacesByName
    ) -> None:
        """Note which time the log covers; what this program recorded has its own spans."""
        timestamps, origins = lines.columns.timestamp, lines.columns.origin
        for place, numbers in _numbers_by_place(lines, places).items():
            its = [timestamps[n] for n in numbers if origins[n] == Origin.IMPORT]
            if its and not place.is_private:
                await extend_span(writer, self._source, place.room, min(its), max(its))


def _numbers_by_place(
    lines: PreparedLines, places: PlacesByName
) -> Mapping[LogPlace, Sequence[int]]:
    """The numbers of lines by the place of each; nearly always there is one."""
    if len(lines.places) == 1:
        return {places[lines.places[0]]: range(len(lines))}
    numbers = defaultdict[LogPlace, list[int]](list)
    for number, name in enumerate(lines.names):
        numbers[places[name]].append(number)
    return numbers


def _held(
    lines: PreparedLines,
    places: PlacesByName,
    known: Mapping[int, int],
    added: Inserted,
    ids: Sequence[int],
) -> list[HeldRange]:
    """The messages that the lines are."""
    if added.texts and not known:  # rows in channels, each a new one
        return [HeldRange(is_private=False, first=ids[0], last=ids[-1], is_added=True)]
    return ranges_of(
        (places[name].is_private, known.get(n) or ids[n], n not in known)
        for n, name in enumerate(lines.names)
        if (known.get(n) or ids[n]) and known.get(n) != _REDACTED
    )


async def _places_of(writer: Writer, names: Iterable[tuple[str, str]]) -> PlacesByName:
    """Where messages belong, by their network and channel; new rooms get an id."""
    rooms = await rooms_of(writer, names)
    rows = await writer.rows("SELECT name, casemapping FROM networks")
    casemappings = {row["name"]: row["casemapping"] for row in rows}

    def place(network: str, channel: str) -> LogPlace:
        casemapping = casemappings.get(network, DEFAULT_CASEMAPPING)
        if is_channel(channel):
            return LogPlace(rooms[network, channel], network, "", casemapping)
        return LogPlace(PRIVATE, network, fold(channel, casemapping), casemapping)

    return {(network, channel): place(network, channel) for network, channel in names}
