"""get_channel_stats: how much was said, by whom, and when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.transcript import listing
from terrarium_mcp.chat.when import Position, to_iso
from terrarium_mcp.store.messages import EVERY_LINE
from terrarium_mcp.store.stats import Figures
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
    until = _full_hour(asked)
    stats = asked.store.stats
    if (room := asked.one_room(channel)) is not None:
        figures = [await stats.of(room, until=until, now=asked.now)]
    else:
        figures = await stats.overview(rooms, until=until, now=asked.now)
    result = ChannelStats(
        covered=await asked.coverage_line(rooms),
        channels=[_typed(one) for one in figures],
        top_talkers={harmless(nick): lines for one in figures for nick, lines in one.talkers},
        lines_by_hour_utc=[count for one in figures for count in one.hours],
    )
    head = [f"figures of {asked.where(rooms)}", result.covered]
    return answer(listing(head, _rows(asked, figures), asked.budget), result.model_dump())


def _full_hour(asked: Asked) -> Position:
    """Under a cutoff figures count to the last full hour, so that they tell nothing of the line."""
    if asked.until is EVERY_LINE:
        return EVERY_LINE
    moment = asked.until.moment
    return Position.at(moment.replace(minute=0, second=0, microsecond=0))


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
    rows: list[str] = []
    for one in figures:
        first = f"{one.first.astimezone(asked.settings.zone):%Y-%m-%d}" if one.first else "never"
        last = f"{one.last.astimezone(asked.settings.zone):%Y-%m-%d %H:%M}" if one.last else "never"
        rows.append(
            f"{asked.name(one.room)}: {one.lines:,} lines by {one.people:,} people, first {first},"
            f" last {last}; last 24 h {one.last_day:,}, last 7 d {one.last_week:,}"
        )
        if one.talkers:
            told = ", ".join(f"{nick} {lines:,}" for nick, lines in one.talkers)
            rows.append(f"top talkers: {told}")
        if any(one.hours):
            busiest = sorted(range(24), key=lambda hour: -one.hours[hour])[:3]
            rows.append(
                "busiest hours (UTC): "
                + ", ".join(f"{hour:02}:00 {one.hours[hour]:,}" for hour in busiest)
            )
    return rows
