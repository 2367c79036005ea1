"""get_channel_stats: how much was said, by whom, and when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.transcript import listing
from terrarium_mcp.chat.when import EVERY_LINE, Position, local, to_iso
from terrarium_mcp.store import Figures
from terrarium_mcp.tools.answer import answer
from terrarium_mcp.tools.parameters import Channel
from terrarium_mcp.tools.request import Asked, FromRequest


class ChannelFigures(BaseModel):
    """One channel; lines are lines of speech, moments ISO 8601 or empty."""

    network: str
    channel: str
    lines: int
    people: int
    first: str
    last: str
    last_24_hours: int
    last_7_days: int


class ChannelStats(BaseModel):
    """The figures of one channel, or an overview of several (then without talkers and hours)."""

    covered: str
    channels: list[ChannelFigures]
    top_talkers: dict[str, int]
    lines_by_hour_utc: list[int]


async def get_channel_stats(
    asked: FromRequest, channel: Channel = ""
) -> Annotated[CallToolResult, ChannelStats]:
    """Count: lines, people, first and last, top talkers, busiest hours. No channel: all of them."""
    rooms = asked.narrowed(channel)
    figures = await _figures(asked, rooms)
    result = ChannelStats(
        covered=await asked.coverage_line(rooms),
        channels=[_typed(one) for one in figures],
        top_talkers={harmless(nick): lines for one in figures for nick, lines in one.talkers},
        lines_by_hour_utc=[count for one in figures for count in one.hours],
    )
    head = [f"figures of {asked.where(rooms)}", result.covered]
    return answer(listing(head, _rows(asked, figures), asked.budget), result.model_dump())


async def _figures(asked: Asked, rooms: Sequence[Room]) -> Sequence[Figures]:
    """All about one room, or the totals of several."""
    until, stats = _full_hour(asked), asked.store.stats
    if len(rooms) == 1:
        return [await stats.for_room(rooms[0], until=until, now=asked.now)]
    return await stats.overview(rooms, until=until, now=asked.now)


def _full_hour(asked: Asked) -> Position:
    """Under a cutoff figures count to the last full hour, so that they tell nothing of the line."""
    if asked.cutoff is None:
        return EVERY_LINE
    return Position.at(asked.cutoff.replace(minute=0, second=0, microsecond=0))


def _typed(figures: Figures) -> ChannelFigures:
    return ChannelFigures(
        network=figures.room.network,
        channel=harmless(figures.room.channel),
        lines=figures.lines,
        people=figures.people,
        first=_moment(figures.first),
        last=_moment(figures.last),
        last_24_hours=figures.last_day,
        last_7_days=figures.last_week,
    )


def _moment(moment: datetime | None) -> str:
    return to_iso(moment) if moment else ""


def _rows(asked: Asked, figures: Sequence[Figures]) -> list[str]:
    return [row for one in figures for row in (_totals(asked, one), *_details(one))]


def _totals(asked: Asked, one: Figures) -> str:
    zone = asked.settings.zone
    first = f"{local(one.first, zone):%Y-%m-%d}" if one.first else "never"
    last = f"{local(one.last, zone):%Y-%m-%d %H:%M}" if one.last else "never"
    return (
        f"{asked.name(one.room)}: {one.lines:,} lines by {one.people:,} people, first {first},"
        f" last {last}; last 24 h {one.last_day:,}, last 7 d {one.last_week:,}"
    )


def _details(one: Figures) -> list[str]:
    """Who talks most and when, where it was counted."""
    busiest = sorted((count, -hour) for hour, count in enumerate(one.hours) if count)[::-1][:3]
    rows = {
        "top talkers": [f"{nick} {lines:,}" for nick, lines in one.talkers],
        "busiest hours (UTC)": [f"{-hour:02}:00 {count:,}" for count, hour in busiest],
    }
    return [f"{name}: {', '.join(told)}" for name, told in rows.items() if told]
