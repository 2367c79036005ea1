"""That no line at all is recorded from a time, and when the nearest were said."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.times.timestamps import Position, local, minute
from terrarium_mcp.request import Request
from terrarium_mcp.store import Search, Sort
from terrarium_mcp.wording import note


async def is_silent(search: Search, request: Request) -> bool:
    """Whether no line at all is recorded in the rooms and the time of a search."""
    query = search.query
    return not await _first(search, request, query.since, query.until, Sort.OLDEST)


async def newest_before(search: Search, request: Request, until: datetime) -> datetime | None:
    """When the newest line before a moment was said in the rooms of a search, if any was."""
    newest = await _first(search, request, None, until, Sort.NEWEST)
    return newest[0].said_at if newest else None


async def silence_notes(request: Request, search: Search) -> list[str]:
    """A note for a search without hits, if other words would find nothing either."""
    since, until = search.earliest, search.query.until
    is_no_time = since and until and since >= until
    if is_no_time or not (since or until) or not await is_silent(search, request):
        return []
    ever = replace(search, since=None)
    nearest = [
        *(await _first(ever, request, None, since, Sort.NEWEST) if since else ()),
        *(await _first(ever, request, until, None, Sort.OLDEST) if until else ()),
    ]
    told = "no line is recorded here from that time"
    if not nearest:
        return [note(told)]
    is_of_hours = since and until and until - since < timedelta(1)
    when = (_minutes if is_of_hours else _days)([line.said_at for line in nearest], search.zone)
    return [note(f"{told}; the nearest were said {when}")]


def _days(moments: Sequence[datetime], zone: tzinfo) -> str:
    """`on 2026-11-27 and 2026-11-29`."""
    return f"on {' and '.join(f'{local(one, zone):%Y-%m-%d}' for one in moments)}"


def _minutes(moments: Sequence[datetime], zone: tzinfo) -> str:
    """`at 2026-11-28 12:05 and 18:45`, with a day for each that is of another."""
    first, *others = (minute(one, zone) for one in moments)
    day, _ = first.split()
    return f"at {' and '.join([first, *(one.removeprefix(f'{day} ') for one in others)])}"


async def last_line_note(
    request: Request, rooms: Sequence[Room], before: Position, when: str, *, events: bool = False
) -> list[str]:
    """`note: the last line before that is 184213, of 2026-05-01 12:00`; nothing without one.

    Args:
        request: what may be read.
        rooms: where to look.
        before: the moment meant by `when`.
        when: which moment that is, in words: `before that`.
        events: whether joins and the like are lines too.
    """
    page = await request.store.messages.newest(
        rooms, 1, before=min(before, request.until), events=events
    )
    zone = request.settings.zone
    return [
        note(f"the last line {when} is {line.id}, of {minute(line.said_at, zone)}")
        for line in page.messages
    ]


async def _first(
    search: Search, request: Request, since: datetime | None, until: datetime | None, sort: Sort
) -> Sequence[Message]:
    """The first line of a time in the rooms of a search; none if it has none."""
    any_line = replace(
        search,
        query=Query(since=since, until=until),
        limit=1,
        sort=sort,
        by_conversation=False,
        wants_total=False,
        is_exact=True,
    )
    return (await request.store.search(any_line, "")).messages
