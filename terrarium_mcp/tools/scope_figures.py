"""The figures of a person, of words, of a time: what of the log they select, counted exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, tzinfo
from typing import Any, NamedTuple

from terrarium_mcp.chat.irctext import harmless_nick
from terrarium_mcp.chat.query.notes import MOST_PARTS, NO_TIME_LEFT
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import is_put_as_a_question
from terrarium_mcp.chat.records import Room, networks_of
from terrarium_mcp.chat.relays import nick_meant
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.times.query_dates import parse_moment
from terrarium_mcp.chat.times.timestamps import Position, local, minute
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.request import Request
from terrarium_mcp.store import (
    MOST_COUNTED,
    MOST_READ,
    MOST_TALLIED,
    ScopeDetails,
    ScopeStats,
    Search,
    Sort,
)
from terrarium_mcp.tools.asides import counted_note, left_out_note
from terrarium_mcp.tools.changed_nicks import changed_nick_note
from terrarium_mcp.tools.facts import iso_or_empty
from terrarium_mcp.tools.known_nicks import on_its_network, people_called, unknown_nick_notes
from terrarium_mcp.tools.plain_questions import read_as_question
from terrarium_mcp.tools.repeated_query import query_argument
from terrarium_mcp.tools.search_arguments import (
    rooms_searched,
    with_channel_as_operator,
    with_channels_taken,
    with_networks_taken,
)
from terrarium_mcp.tools.silence import is_silent, silence_notes
from terrarium_mcp.tools.typed_queries import typed_query
from terrarium_mcp.tools.version_notes import version_notes
from terrarium_mcp.wording import note, people, quantity, shown

_LONGEST_QUERY = 200


class Selection(NamedTuple):
    """What to count, as the arguments of `get_channel_stats` say it; "" where they do not."""

    channel: str = ""
    nick: str = ""
    query: str = ""
    after: str = ""
    before: str = ""
    per: str = ""

    @property
    def is_everything(self) -> bool:
        """Whether nothing but a channel is selected."""
        return self == Selection(self.channel)


class Figures(NamedTuple):
    """The figures of a selection: the query as it was read, its rooms, notes, and the counts."""

    query: Query
    rooms: Sequence[Room]
    notes: Sequence[str]
    stats: ScopeStats


async def figures_of(request: Request, selection: Selection, until: Position) -> Figures:
    """Count what a selection holds before a position.

    Raises:
        TerrariumError: an argument cannot be read, or names no readable channel.
        TookTooLong: it cannot be counted in time.
    """
    query = await _query(request, selection)
    rooms = rooms_searched(request, selection.channel, query)
    if selection.nick:
        query = replace(query, people=await _people(request, selection.nick, rooms))
    query, rooms = await with_networks_taken(query, request, rooms)
    lines = request.search(query, rooms, limit=1, until=until)
    stats = await request.store.scope_stats(lines, selection.per)
    notes = [note(sentence) for sentence in query.notes]
    spelt_otherwise = await version_notes(request, lines, stats.lines)
    notes += spelt_otherwise
    if not stats.lines or len(query.nicks) > 1:
        notes += map(note, await unknown_nick_notes(request, query.nicks, rooms))
    notes += map(note, await changed_nick_note(request, lines, stats.lines))
    if not (stats.lines or spelt_otherwise):
        notes += await _question_notes(request, selection.channel, lines)
        notes += await silence_notes(request, replace(lines, until=request.until))
        notes += await _uncounted_notes(request, lines)
    if stats.lines and stats.details is None:
        notes.append(
            note(
                f"who spoke, where and when is counted for at most {MOST_READ:,} lines; of whole"
                f" channels for {MOST_COUNTED:,} in counted months and days (UTC), and"
                f" {MOST_TALLIED:,} others: ask for a shorter time"
            )
        )
    if stats.is_cut:
        oldest = _label(stats.periods[-1][0], selection.per)
        notes.append(
            note(f"{selection.per}s before {oldest} are not listed: before={oldest} lists them")
        )
    notes += counted_note(request, stats.asides)
    notes += left_out_note(request, query, stats.left_out, is_bounded=False)
    return Figures(query, rooms, notes, stats)


async def _people(request: Request, nick: str, rooms: Sequence[Room]) -> tuple[str, ...]:
    """The nick, or several with commas between them; a name from elsewhere may have a comma."""
    several = tuple(filter(None, map(nick_meant, nick.split(","))))
    if len(several) < 2:
        return (nick,)
    whole, on_network = await on_its_network(request, nick, rooms)
    if await people_called(request, whole, on_network):
        return (nick,)
    if len(several) > MOST_PARTS:
        raise TerrariumError(
            f"nick names {len(several):,} people, and {MOST_PARTS} are counted at a time. Ask for"
            " fewer."
        )
    return several


async def _uncounted_notes(request: Request, lines: Search) -> list[str]:
    """That lines were said at the time of a selection, and so late that they are not counted."""
    end = lines.until.moment
    if lines.until == request.until:
        return []
    since = max(end, lines.query.since or end)
    later = replace(lines, until=request.until, query=replace(lines.query, since=since))
    if await is_silent(later, request):
        return []
    begin = minute(end, request.settings.zone)
    return [note(f"the lines from {begin} on are not counted: search_irc_history finds them")]


async def _question_notes(request: Request, channel: str, lines: Search) -> list[str]:
    """What a question was probably to count, where its words, taken one by one, select no line."""
    no_line = "no line" if lines.until == request.until else "no line until then"
    query = await with_channels_taken(lines.query, request, channel)
    rooms = lines.rooms if query == lines.query else rooms_searched(request, channel, query)
    query = with_channel_as_operator(query, channel)
    asked = replace(lines, until=request.until, query=query, rooms=rooms, sort=Sort.OLDEST)
    why_uncounted = f"{no_line} has all these words, so they count nothing"
    meant, hints = await read_as_question(asked, request, why_uncounted)
    if hints:  # a count that is asked for, though no line has the words that ask for it
        return [note(hint) for hint in hints]
    if meant.query != query:
        argument = query_argument(request, rooms, await _as_person(meant.query, request, rooms))
        as_meant = f"{no_line} has all these words; as a question: {argument}"
        return [note(as_meant)] if argument else []
    if not (lines.query.terms and is_put_as_a_question(lines.query.question)):
        return []
    return [note(f"{no_line} has all these words; this takes words and operators, not questions")]


async def _as_person(query: Query, request: Request, rooms: Sequence[Room]) -> Query:
    """The query, whose only word is `from:` if somebody is called so: `mira in May`."""
    match query.terms:
        case [Term(kind=TermKind.WORD) as term] if not query.people:
            nick = nick_meant(term.text)
            if await people_called(request, nick, rooms):
                return replace(query.with_clauses(), people=(nick,))
    return query


async def _query(request: Request, selection: Selection) -> Query:
    """The selection as one query."""
    zone = request.settings.zone
    query = await typed_query(selection.query, request)
    if selection.nick and query.people:
        raise TerrariumError("Name the person once: as nick, or as from: in the query.")
    after, before = (
        _moment(request, name, text)
        for name, text in (("after", selection.after), ("before", selection.before))
    )
    since = max(filter(None, (query.since, after)), default=None)
    until = min(filter(None, (query.until, before)), default=None)
    notes = query.notes
    if since and until and since >= until and NO_TIME_LEFT not in notes:
        notes += (NO_TIME_LEFT if since > until else _no_day(since, zone),)
    return replace(query, since=since, until=until, notes=notes)


def _no_day(start: datetime, zone: tzinfo) -> str:
    """That nothing is both after and before one time; who names a day twice means all of it."""
    begins = local(start, zone)
    is_day = begins.time() == time()
    whole = f": before leaves out its own day; query=on:{begins:%Y-%m-%d} is that day"
    return f"{NO_TIME_LEFT}{whole if is_day else ''}"


def _moment(request: Request, name: str, text: str) -> datetime | None:
    moment = parse_moment(text, request.now, request.settings.zone) if text else None
    if text and moment is None:
        raise TerrariumError(
            f"{name}={shown(text)} is not a time."
            " Write one as 2026-05-01, 2026-05, yesterday or 2h."
        )
    return moment


def headline(request: Request, figures: Figures) -> str:
    """`figures of tea from:ada after:2026-05-01 in #tea (exact words, ...)`."""
    printed = shown(figures.query.printed(request.settings.zone), _LONGEST_QUERY)
    words = " (exact words, no similar ones)" if figures.query.terms else ""
    return f"figures of {printed or 'all lines'} in {request.room_names(figures.rooms)}{words}"


def figures_rows(request: Request, figures: Figures, per: str) -> list[str]:
    """The figures as rows of a listing: the total, who, where and when, then each period."""
    details = figures.stats.details
    rows = [_total_row(request, figures.stats)]
    if details:
        rows += labelled("top talkers", _talkers(figures))
        rows += labelled("channels", _rooms(request, details)) if len(figures.rooms) > 1 else []
        rows += busiest_hours(request, details.hours, details.local_hours)
    if figures.stats.periods:
        each = f"{per}, by its Monday" if per == "week" else per
        rows.append(f"lines per {each}, newest first, without {per}s of none:")
        rows += [f"{_label(day, per)} {lines:,}" for day, lines in figures.stats.periods]
    return rows


def figures_facts(request: Request, figures: Figures, per: str) -> dict[str, Any]:
    """The same for a program, without the notes."""
    stats, details = figures.stats, figures.stats.details
    facts: dict[str, Any] = {
        "channels": [],
        "top_talkers": _talkers(figures),
        "lines_by_hour_utc": list(details.hours) if details else [],
        "lines": stats.lines,
        "asides": stats.asides or stats.left_out,
        "first": iso_or_empty(stats.first),
        "last": iso_or_empty(stats.last),
    }
    if details:
        facts |= {"people": details.people, "lines_by_channel": _rooms(request, details)}
    if per:
        facts["lines_by_period"] = {_label(day, per): lines for day, lines in stats.periods}
    return facts


def busiest_hours(
    request: Request, by_hour: Sequence[int], by_local_hour: Sequence[int]
) -> list[str]:
    """A row of the three hours of the day with most lines, the busiest first; none without lines.

    Args:
        request: for the zone.
        by_hour: the lines of each hour, UTC.
        by_local_hour: those of each hour in the zone; empty if they are not known.
    """
    zone = str(request.settings.zone) if by_local_hour else "UTC"
    counted = enumerate(by_local_hour or by_hour)
    busiest = sorted((count, -hour) for hour, count in counted if count)[::-1][:3]
    return labelled(f"busiest hours ({zone})", {f"{-hour:02}:00": count for count, hour in busiest})


def labelled(name: str, counts: Mapping[str, int]) -> list[str]:
    """One row of counts under a name; none if there are no counts."""
    items = [f"{key} {count:,}" for key, count in counts.items()]
    return [f"{name}: {', '.join(items)}"] if items else []


def _total_row(request: Request, stats: ScopeStats) -> str:
    total = quantity(stats.lines, "line")
    if not (stats.first and stats.last):
        return total
    by = f" by {people(stats.details.people)}" if stats.details else ""
    zone = request.settings.zone
    first, last = (minute(moment, zone) for moment in (stats.first, stats.last))
    return f"{total}{by}, first {first}, last {last}"


def _talkers(figures: Figures) -> dict[str, int]:
    """The lines of those who said most; with their network where there are several."""
    details = figures.stats.details
    several = len(networks_of(figures.rooms)) > 1
    return {
        harmless_nick(f"{network}/{nick}" if several else nick): lines
        for network, nick, lines in (details.talkers if details else ())
    }


def _rooms(request: Request, details: ScopeDetails) -> dict[str, int]:
    return {request.room_name(room): lines for room, lines in details.rooms}


def _label(day: date, per: str) -> str:
    """A period by its first day; a month without it."""
    return f"{day:%Y-%m}" if per == "month" else f"{day:%Y-%m-%d}"
