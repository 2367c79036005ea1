"""Lines of one log become rows, unless they are stored already."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold, is_channel
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store.recognition.once import recognised
from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.imports.source_rows import (
    SourceRow,
    add_lines,
    extend_span,
)
from terrarium_mcp.store.sqlite.imports.stored_lines import (
    PRIVATE,
    LineGroup,
    LogPlace,
    unclaimed_lines,
)
from terrarium_mcp.store.sqlite.ingest.insert import insert, rooms_of
from terrarium_mcp.store.sqlite.ingest.opted_out import OptOutReader

_REDACTED = -1
"""A message whose text was removed from what is stored. The log does not have that: it may have
several messages of that nick and time."""


class LogInsert:
    """Inserts lines of one log; `margin` as in `recognised`."""

    def __init__(self, source: SourceRow, margin: int) -> None:
        self._source = source
        self._margin = margin

    async def insert(
        self, writer: Writer, messages: Sequence[NewMessage], opt_outs: OptOutReader
    ) -> list[int]:
        """Insert the messages that are not stored yet, and note which messages the log has.

        Returns:
            Their ids, 0 for one that is stored already.

        Raises:
            ImportWasUndone: the import of this log has been undone.
        """
        places = await places_of(writer, messages)
        where = [places[message.network, message.channel] for message in messages]
        known = await self._known(writer, messages, where)
        new = [message for message, number in zip(messages, known, strict=True) if not number]
        added = iter(await insert(writer, new, opt_outs) if new else ())
        ids = [0 if number else next(added) for number in known]
        held = [
            (place.is_private, number or new_id, not number)
            for place, number, new_id in zip(where, known, ids, strict=True)
            if (number or new_id) and number != _REDACTED
        ]
        await add_lines(writer, self._source, [message.said_at for message in messages], held)
        await self._extend_spans(writer, messages, where)
        return ids

    async def _known(
        self,
        writer: Writer,
        messages: Sequence[NewMessage],
        where: Sequence[LogPlace],
    ) -> list[int]:
        """The ids of those messages that are stored; 0 for the others, and `_REDACTED`."""
        known = [0] * len(messages)
        by_place = defaultdict[LogPlace, list[int]](list)
        for number, place in enumerate(where):
            by_place[place].append(number)
        for place, numbers in by_place.items():
            group = LineGroup(place, [messages[n] for n in numbers], self._source.resolution)
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
        self,
        writer: Writer,
        messages: Sequence[NewMessage],
        where: Sequence[LogPlace],
    ) -> None:
        """Note which time the log covers; what this program recorded has its own spans."""
        covered = defaultdict[int, list[datetime]](list)
        for message, place in zip(messages, where, strict=True):
            if message.origin is Origin.IMPORT:
                covered[place.room].append(message.said_at)
        covered.pop(PRIVATE, None)
        for room, moments in covered.items():
            await extend_span(writer, self._source, room, min(moments), max(moments))


async def places_of(
    writer: Writer, messages: Sequence[NewMessage]
) -> dict[tuple[str, str], LogPlace]:
    """Where messages belong, by their network and channel; new rooms get an id."""
    rooms = await rooms_of(writer, messages)
    rows = await writer.rows("SELECT name, casemapping FROM networks")
    casemappings = {row["name"]: row["casemapping"] for row in rows}

    def place(network: str, channel: str) -> LogPlace:
        name = storable(network)
        casemapping = casemappings.get(name, DEFAULT_CASEMAPPING)
        if is_channel(channel):
            return LogPlace(rooms[name, storable(channel)], name, "", casemapping)
        return LogPlace(PRIVATE, name, fold(storable(channel), casemapping), casemapping)

    named = dict.fromkeys((message.network, message.channel) for message in messages)
    return {(network, channel): place(network, channel) for network, channel in named}
