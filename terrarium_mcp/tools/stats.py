"""get_channel_stats: how much was said, by whom, and when."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from terrarium_mcp.chat.fence import listing
from terrarium_mcp.chat.irctext import harmless, harmless_nick
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.hours_of_day import hours_in_zone
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, minute, to_iso
from terrarium_mcp.request import Request
from terrarium_mcp.store import RoomStats
from terrarium_mcp.tools.asides import counted_note
from terrarium_mcp.tools.facts import head_facts, iso_or_empty, within_budget
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.parameters import (
    Channel,
    ForgivingChoice,
    Nick,
    Text,
    without_choices,
)
from terrarium_mcp.tools.results import tool_result
from terrarium_mcp.tools.scope_figures import (
    Selection,
    busiest_hours,
    figures_facts,
    figures_of,
    figures_rows,
    headline,
    labelled,
)
from terrarium_mcp.wording import people, quantity


class ChannelTotals(BaseModel):
    """One channel; `lines` are speech, times ISO 8601 or empty."""

    network: str
    channel: str
    lines: int
    people: int
    first: str
    last: str
    last_24_hours: int
    last_7_days: int


class ChannelStats(BaseModel):
    """Totals per channel in `channels`, or one selection from `lines` on.

    Talkers and hours of one channel only.
    """

    summary: str
    covered: str
    channels: list[ChannelTotals]
    top_talkers: dict[str, int]
    lines_by_hour_utc: list[int]
    lines: int = 0
    people: int = 0
    first: str = ""
    last: str = ""
    lines_by_channel: dict[str, int] = {}
    lines_by_period: dict[str, int] = {}
    as_of: str = ""
    notes: list[str] = []
    left_out: int = 0
    # Commands to a bot and words of the recording bot. Of channels and of a time they are among the
    # lines, and of no person; of a person or words they are left out.
    asides: int = 0


_CUT_AT_THEIR_END = ("top_talkers", "lines_by_period", "lines_by_channel", "channels")
"""What may be left out of the structured content, the last first."""


async def get_channel_stats(
    request: FromRequest,
    channel: Channel = "",
    nick: Annotated[Nick, Field(description="lines by this nick, or ada,bo")] = "",
    query: Annotated[
        Text,
        Field(description="only lines that match: words and operators as in search"),
    ] = "",
    after: Annotated[
        Text, Field(description="from this time on: 2026-05-01T14:00, yesterday, 2h")
    ] = "",
    before: Annotated[Text, Field(description="up to this time, excluded")] = "",
    per: Annotated[
        Literal["", "day", "week", "month"],
        ForgivingChoice,
        Field(
            description="also count by day, week or month",
            json_schema_extra=without_choices,
        ),
    ] = "",
) -> Annotated[CallToolResult, ChannelStats]:
    """Count lines exactly: of a channel, a person, words, a time, and who said them where.

    With no argument: totals of all channels, the busiest first.
    """
    selection = Selection(channel, nick, query, after, before, per)
    if selection.is_everything:
        return await _channel_stats(request, channel)
    until = _full_hour(request)
    figures = await figures_of(request, selection, until)
    about = headline(request, figures)
    covered = await request.coverage_line(figures.rooms)
    head = [about, covered, *_as_of_note(request, until), *figures.notes]
    facts = {
        **head_facts(about, covered, figures.notes),
        **figures_facts(request, figures, per),
        **_as_of(until),
    }
    return _result(request, head, figures_rows(request, figures, per), facts)


async def _channel_stats(request: Request, channel: str) -> CallToolResult:
    """Everything about one channel, or the totals of several."""
    rooms, until = request.narrowed(channel), _full_hour(request)
    stats = await _room_stats(request, rooms, until)
    covered = await request.coverage_line(rooms)
    asides = await request.store.scope_stats.asides(rooms, until)
    notes = counted_note(request, asides)
    about = f"statistics of {request.room_names(rooms)}"
    head = [about, covered, *_as_of_note(request, until), *notes]
    rows = [
        row for one in stats for row in (_summary(request, one, until), *_details(request, one))
    ]
    facts = {
        "summary": harmless(about),
        "covered": covered,
        "channels": [_totals(one).model_dump() for one in stats],
        "top_talkers": {nick: lines for one in stats for nick, lines in _talkers(one).items()},
        "lines_by_hour_utc": [count for one in stats for count in one.hours],
        "asides": asides,
        **({"notes": notes} if notes else {}),
        **_as_of(until),
    }
    return _result(request, head, rows, facts)


def _result(
    request: Request, head: Sequence[str], rows: Sequence[str], facts: dict[str, Any]
) -> CallToolResult:
    """The figures as text and as structured content, each within the budget."""
    lists = [name for name in _CUT_AT_THEIR_END if name in facts]
    structured = within_budget(facts, lists, request.budget)
    return tool_result(listing(head, rows, request.budget).text, structured)


async def _room_stats(
    request: Request, rooms: Sequence[Room], until: Position
) -> Sequence[RoomStats]:
    """Everything about one room, or the totals of several, those with most lines first."""
    reader = request.store.stats
    if len(rooms) == 1:
        return [await reader.for_room(rooms[0], until=until, now=request.now)]
    totals = await reader.overview(rooms, until=until, now=request.now)
    return sorted(totals, key=lambda one: -one.lines)


def _full_hour(request: Request) -> Position:
    """The last full hour before a cutoff: finer counts could reveal the line at the cutoff."""
    if request.cutoff is None:
        return EVERY_LINE
    return Position.at(request.cutoff.replace(minute=0, second=0, microsecond=0))


def _as_of_note(request: Request, until: Position) -> list[str]:
    if until == EVERY_LINE:
        return []
    return [f"counted up to {minute(until.moment, request.settings.zone)}"]


def _as_of(until: Position) -> dict[str, str]:
    """Up to when is counted, for a program; nothing if that is now."""
    return {} if until == EVERY_LINE else {"as_of": to_iso(until.moment)}


def _totals(stats: RoomStats) -> ChannelTotals:
    return ChannelTotals(
        network=harmless(stats.room.network),
        channel=harmless(stats.room.channel),
        lines=stats.lines,
        people=stats.people,
        first=iso_or_empty(stats.first),
        last=iso_or_empty(stats.last),
        last_24_hours=stats.last_day,
        last_7_days=stats.last_week,
    )


def _summary(request: Request, stats: RoomStats, until: Position) -> str:
    zone = request.settings.zone
    if stats.first and stats.last:
        when = f"first {minute(stats.first, zone)}, last {minute(stats.last, zone)}"
    else:  # what was said after a cutoff is not denied
        when = "first never, last never" if until == EVERY_LINE else "nothing until then"
    return (
        f"{request.room_name(stats.room)}: {quantity(stats.lines, 'line')}"
        f" by {people(stats.people)}, {when};"
        f" last 24 h {stats.last_day:,}, last 7 d {stats.last_week:,}"
    )


def _details(request: Request, stats: RoomStats) -> list[str]:
    """The people who talk most and the hours in which most is said, where both were counted."""
    local_hours = None
    if stats.hours and stats.first and stats.last:
        zone = request.settings.zone
        local_hours = hours_in_zone(stats.hours, zone, stats.first, stats.last)
    return [
        *labelled("top talkers", _talkers(stats)),
        *busiest_hours(request, stats.hours, local_hours or ()),
    ]


def _talkers(stats: RoomStats) -> dict[str, int]:
    """The lines of those who said most, each under a nick that looks like no other."""
    return {harmless_nick(nick): lines for nick, lines in stats.talkers}
