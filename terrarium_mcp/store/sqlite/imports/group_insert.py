"""Lines of logs become rows, unless they are stored already.

The logs of a group go in together, as far as none of them may have a line of another: statements of
its own for each of a thousand small logs would take as long as their lines.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from terrarium_mcp.chat.followed_nicks import FollowedNicks
from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold, is_channel
from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store.sqlite.engine.message_ids import newest_message
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.imports.known_lines import (
    REDACTED,
    LogPart,
    PlaceLines,
    PlacesByName,
    known_lines,
    lines_by_place,
)
from terrarium_mcp.store.sqlite.imports.log_spans import CoveredTime, extend_spans
from terrarium_mcp.store.sqlite.imports.source_rows import (
    HeldRange,
    MoreLines,
    NewSource,
    SourceRow,
    add_lines,
    begin_sources,
    ranges_of,
)
from terrarium_mcp.store.sqlite.imports.stored_lines import (
    PRIVATE,
    LineGroup,
    LogPlace,
    TimeSpan,
    stored_between,
)
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts, joined_texts
from terrarium_mcp.store.sqlite.ingest.forgotten import Purges, all_purges
from terrarium_mcp.store.sqlite.ingest.insert import Inserted, insert, rooms_of
from terrarium_mcp.store.sqlite.ingest.insert_prepared import has_exclusions, insert_prepared
from terrarium_mcp.store.sqlite.ingest.opt_out_reader import OptOutReader
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines


class InsertedPart(NamedTuple):
    """What became of the lines of a part.

    Attributes:
        row: the row of its log.
        added: how many of them were new.
        left_out: how many of them stay out, as `Inserted.left_out`.
    """

    row: SourceRow
    added: int = 0
    left_out: int = 0


class InsertedGroup(NamedTuple):
    """What became of the lines of a group.

    Attributes:
        ids: of the lines, 0 for one that is stored already, or left out.
        texts: what the indexes hold of them, if known.
        parts: what became of each part.
    """

    ids: Sequence[int]
    texts: IndexTexts | None
    parts: Sequence[InsertedPart]


async def insert_group(
    writer: Writer,
    import_id: int,
    lines: PreparedLines,
    parts: Sequence[LogPart],
    opt_out_reader: OptOutReader,
    followed: FollowedNicks,
) -> InsertedGroup:
    """Insert the lines that are not stored yet, and note which messages each log has.

    Args:
        writer: the transaction.
        import_id: the import.
        lines: the lines of all parts, in their order.
        parts: the lines by logs; no log has two.
        opt_out_reader: reads who opted out.
        followed: the nicks that these have, as lines before tell.
    """
    places = await _places_of(writer, lines.places)
    by_place = [lines_by_place(part, places) for part in parts]
    conditions = _Conditions(
        places,
        await _stored_times(writer, chain.from_iterable(by_place)),
        opt_out_reader,
        followed,
        await has_exclusions(writer, opt_out_reader),
        await all_purges(writer),
    )
    group = _Group(writer, import_id, lines, conditions)
    for part, its in zip(parts, by_place, strict=True):
        await group.add(part, its)
    await group.save()
    return InsertedGroup(group.ids, joined_texts(group.texts), group.parts)


class _Conditions(NamedTuple):
    """What is known of the lines of a group before any is inserted.

    Attributes:
        places: where they belong.
        stored: by room, the time from the first to the last stored line that is near them.
        opt_out_reader: reads who opted out.
        followed: the nicks that these have, as lines before tell.
        has_exclusions: as the function of that name says.
        purges: the purges of nicks.
    """

    places: PlacesByName
    stored: Mapping[LogPlace, TimeSpan]
    opt_out_reader: OptOutReader
    followed: FollowedNicks
    has_exclusions: bool
    purges: Purges

    def exclude_some_of(self, lines: PreparedLines) -> bool:
        """Whether some of the lines may have to stay out."""
        return self.has_exclusions or self.purges.cover_any(lines)


class _LookedUp(NamedTuple):
    """A part, its lines by places, and the ids of those that are stored, as of `known_lines`."""

    part: LogPart
    by_place: Sequence[PlaceLines]
    known: Mapping[int, int]


class _Saved(NamedTuple):
    """A part whose lines are stored, and their ids: 0 for one stored before, or left out."""

    part: LogPart
    by_place: Sequence[PlaceLines]
    known: Mapping[int, int]
    ids: Sequence[int]


class _Unsaved(NamedTuple):
    """Lines of one place that are looked up, but not saved.

    Attributes:
        group: the lines.
        reached: the latest timestamp of them, and of all before them.
    """

    group: LineGroup
    reached: str


class _Group:
    """Looks up part after part, and saves several at once.

    Attributes:
        ids: of the lines that are saved, as in `InsertedGroup`.
        texts: of those of them that were inserted, each time.
        parts: those that are saved, as in `InsertedGroup`.
    """

    def __init__(
        self, writer: Writer, import_id: int, lines: PreparedLines, conditions: _Conditions
    ) -> None:
        self.ids: list[int] = []
        self.texts: list[IndexTexts | None] = []
        self.parts: list[InsertedPart] = []
        self._writer = writer
        self._import = import_id
        self._lines = lines
        self._conditions = conditions
        self._stored = dict(conditions.stored)
        """What `conditions.stored` has, and the lines of the group that are saved."""
        self._unsaved: list[_LookedUp] = []
        self._unsaved_in = defaultdict[LogPlace, list[_Unsaved]](list)

    async def add(self, part: LogPart, by_place: Sequence[PlaceLines]) -> None:
        """Look up the lines of the next part; they are saved together with those around them."""
        if not self._goes_with_unsaved(part, by_place):
            await self.save()
        known: dict[int, int] = {}
        for one in by_place:
            if one.group.place.is_private or _is_near(one.group, self._stored):
                known |= await known_lines(self._writer, part.row, one)
        self._unsaved.append(_LookedUp(part, by_place, known))
        for one in by_place:
            before = self._unsaved_in[one.group.place]
            last = one.group.said.last
            reached = max(last, before[-1].reached) if before else last
            before.append(_Unsaved(one.group, reached))

    async def save(self) -> None:
        """Save the parts that were looked up, and note which messages each log has."""
        looked_up, self._unsaved = self._unsaved, []
        self._unsaved_in.clear()
        places = self._conditions.places
        newest = await newest_message(self._writer)
        inserted = await self._insert(looked_up)
        if any(inserted.ids):
            self.texts.append(inserted.texts)
        new_ids = iter(inserted.ids)
        saved = [_Saved(*one, _ids(one, new_ids)) for one in looked_up]
        rows = await _source_rows(self._writer, self._import, saved, newest)
        await add_lines(
            self._writer, [_more_lines(*one, places) for one in zip(rows, saved, strict=True)]
        )
        covered = [time for one in saved for time in _covered(one)]
        await extend_spans(self._writer, self._import, covered)
        self.ids += chain.from_iterable(one.ids for one in saved)
        added = [len(one.ids) - one.ids.count(0) for one in saved]
        self.parts += map(InsertedPart, rows, added, _counts(looked_up, inserted.left_out))
        for one in saved:
            _note_times(one.by_place, self._stored)

    def _goes_with_unsaved(self, part: LogPart, by_place: Sequence[PlaceLines]) -> bool:
        """Whether a part may have no line that is unsaved, and is of rows if those are."""
        return not self._unsaved or (
            part.lines.are_rows == self._unsaved[0].part.lines.are_rows
            and not any(self._may_be_unsaved(one.group) for one in by_place)
        )

    def _may_be_unsaved(self, lines: LineGroup) -> bool:
        """Whether one of the lines may be one that is looked up, but not saved.

        Logs come by their times: of a thousand days only the last one or two are near.
        """
        for group, reached in reversed(self._unsaved_in[lines.place]):
            if reached < lines.near.first:
                return False
            if group.may_share_a_line(lines):
                return True
        return False

    async def _insert(self, parts: Sequence[_LookedUp]) -> Inserted:
        """Insert the lines of the next parts that are not known."""
        known: set[int] = set()
        count = 0
        for one in parts:
            known |= {count + number for number in one.known}
            count += len(one.part.lines)
        lines = self._lines[len(self.ids) : len(self.ids) + count]
        if known:
            lines = lines.at([number for number in range(count) if number not in known])
        if not lines:
            return Inserted(())
        if self._conditions.exclude_some_of(lines) or not lines.are_rows:
            conditions = self._conditions
            return await insert(self._writer, lines, conditions.opt_out_reader, conditions.followed)
        rooms = {name: self._conditions.places[name].room for name in lines.places}
        return await insert_prepared(self._writer, lines, rooms)


def _is_near(lines: LineGroup, times: Mapping[LogPlace, TimeSpan]) -> bool:
    """Whether lines may be some of those whose times are given by place."""
    time = times.get(lines.place)
    return time is not None and lines.near.meets(time)


def _note_times(lines: Iterable[PlaceLines], times: dict[LogPlace, TimeSpan]) -> None:
    """Extend the times by place by those of lines."""
    for _, group in lines:
        times[group.place] = group.said.joined(times.get(group.place, group.said))


def _ids(part: _LookedUp, new_ids: Iterator[int]) -> Sequence[int]:
    """The ids of the lines of a part, 0 for one that was stored before, or left out."""
    count = len(part.part.lines)
    if not part.known:
        return list(islice(new_ids, count))
    return [0 if number in part.known else next(new_ids) for number in range(count)]


def _counts(parts: Iterable[_LookedUp], numbers: Sequence[int]) -> Iterator[int]:
    """How many of the numbers, which rise, are those of new lines of each part."""
    begin = 0
    for one in parts:
        end = begin + len(one.part.lines) - len(one.known)
        yield bisect_left(numbers, end) - bisect_left(numbers, begin)
        begin = end


async def _source_rows(
    writer: Writer, import_id: int, saved: Iterable[_Saved], newest: int
) -> list[SourceRow]:
    """The row of each log; `newest` is the newest message before these."""
    new: list[NewSource] = []
    for one in saved:
        if one.part.row is None:
            new.append(NewSource(one.part.log, newest))
        newest = max([newest, *one.ids])
    begun = iter(await begin_sources(writer, import_id, new))
    return [one.part.row or next(begun) for one in saved]


def _more_lines(row: SourceRow, saved: _Saved, places: PlacesByName) -> MoreLines:
    """What is to be noted of the lines of a log."""
    said = [its.group.said for its in saved.by_place]
    first, last = min(time.first for time in said), max(time.last for time in said)
    return MoreLines(row, len(saved.ids), first, last, _held(saved, places))


def _held(saved: _Saved, places: PlacesByName) -> Sequence[HeldRange]:
    """The messages that the lines are."""
    part, by_place, known, ids = saved
    if not known and all(ids) and not any(one.group.place.is_private for one in by_place):
        return [HeldRange(is_private=False, first=ids[0], last=ids[-1], is_added=True)]
    return ranges_of(
        (places[name].is_private, known.get(n) or ids[n], n not in known)
        for n, name in enumerate(part.lines.names)
        if (known.get(n) or ids[n]) and known.get(n) != REDACTED
    )


def _covered(saved: _Saved) -> Iterator[CoveredTime]:
    """The times that the lines cover; what this program recorded has its own spans."""
    lines = saved.part.lines
    for numbers, group in saved.by_place:
        imported = group.said if lines.are_rows else _imported(lines, numbers)
        if imported and not group.place.is_private:
            yield CoveredTime(saved.part.log, group.place.room, *imported)


def _imported(lines: PreparedLines, numbers: Iterable[int]) -> TimeSpan | None:
    """From the first to the last of those lines that no IRC client of ours recorded."""
    columns = lines.columns
    its = [columns.timestamp[n] for n in numbers if columns.origin[n] == Origin.IMPORT]
    return TimeSpan(min(its), max(its)) if its else None


async def _stored_times(writer: Writer, lines: Iterable[PlaceLines]) -> Mapping[LogPlace, TimeSpan]:
    """By room, the time from the first to the last stored line that is near the lines."""
    near: dict[LogPlace, TimeSpan] = {}
    for _, group in lines:
        if not group.place.is_private:
            near[group.place] = group.near.joined(near.get(group.place, group.near))
    found = {place: await stored_between(writer, place.room, time) for place, time in near.items()}
    return {place: time for place, time in found.items() if time}


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
