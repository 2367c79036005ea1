"""get_channel_stats: how much was said, by whom, and when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, local, to_iso
from terrarium_mcp.chat.transcript import listing
from terrarium_mcp.request import Request
from terrarium_mcp.store import RoomStats
from terrarium_mcp.tools.parameters import Channel
from terrarium_mcp.tools.request import FromRequest
from terrarium_mcp.tools.results import tool_result


class ChannelTotals(BaseModel):
    """One channel; `lines` counts lines of speech, times are ISO 8601 or empty."""

    network: str
    channel: str
    lines: int
    people: int
    first: str
    last: str
    last_24_hours: int
    last_7_days: int


class ChannelStats(BaseModel):
    """Statistics of one channel, or totals of several (then without talkers and hours)."""

    covered: str
    channels: list[ChannelTotals]
    top_talkers: dict[str, int]
    lines_by_hour_utc: list[int]


async def get_channel_stats(
    request: FromRequest, channel: Channel = ""
) -> Annotated[CallToolResult, ChannelStats]:
    """Count lines and people, first and last line, top talkers, busiest hours. No channel: all."""
    rooms = request.narrowed(channel)
    figures = await _figures(request, rooms)
    stats = ChannelStats(
        covered=await request.coverage_line(rooms),
        channels=[_totals(room) for room in figures],
        top_talkers={harmless(nick): lines for room in figures for nick, lines in room.talkers},
        lines_by_hour_utc=[count for room in figures for count in room.hours],
    )
    head = [f"statistics of {request.room_names(rooms)}", stats.covered]
    rows = [row for room in figures for row in (_summary(request, room), *_details(room))]
    return tool_result(listing(head, rows, request.budget), stats.model_dump())


async def _figures(request: Request, rooms: Sequence[Room]) -> Sequence[RoomStats]:
    """Everything about one room, or the totals of several."""
    until, stats = _full_hour(request), request.store.stats
    if len(rooms) == 1:
        return [await stats.for_room(rooms[0], until=until, now=request.now)]
    return await stats.overview(rooms, until=until, now=request.now)


def _full_hour(request: Request) -> Position:
    """The last full hour before a cutoff: finer counts could reveal the line at the cutoff."""
    if request.cutoff is None:
        return EVERY_LINE
    return Position.at(request.cutoff.replace(minute=0, second=0, microsecond=0))


def _totals(figures: RoomStats) -> ChannelTotals:
    return ChannelTotals(
        network=figures.room.network,
        channel=harmless(figures.room.channel),
        lines=figures.lines,
        people=figures.people,
        first=_iso(figures.first),
        last=_iso(figures.last),
        last_24_hours=figures.last_day,
        last_7_days=figures.last_week,
    )


def _iso(time: datetime | None) -> str:
    return to_iso(time) if time else ""


def _summary(request: Request, figures: RoomStats) -> str:
    zone = request.settings.zone
    first = f"{local(figures.first, zone):%Y-%m-%d}" if figures.first else "never"
    last = f"{local(figures.last, zone):%Y-%m-%d %H:%M}" if figures.last else "never"
    return (
        f"{request.room_name(figures.room)}: {figures.lines:,} lines by {figures.people:,} people,"
        f" first {first}, last {last};"
        f" last 24 h {figures.last_day:,}, last 7 d {figures.last_week:,}"
    )


def _details(figures: RoomStats) -> list[str]:
    """The people who talk most and the hours in which most is said, where both were counted."""
    busiest = sorted((count, -hour) for hour, count in enumerate(figures.hours) if count)[::-1][:3]
    rows = {
        "top talkers": [f"{nick} {lines:,}" for nick, lines in figures.talkers],
        "busiest hours (UTC)": [f"{-hour:02}:00 {count:,}" for count, hour in busiest],
    }
    return [f"{name}: {', '.join(items)}" for name, items in rows.items() if items]
