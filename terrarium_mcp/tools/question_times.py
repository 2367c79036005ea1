"""Which times a plain question means: of the words that may name one, those that do."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.questions.narrowing import narrowed_to, without_phrases
from terrarium_mcp.chat.questions.people import person_question
from terrarium_mcp.chat.times.open_times import with_both_ends
from terrarium_mcp.chat.times.time_expressions import (
    TimeExpression,
    may_express_times,
    time_expressions,
    without_times,
)
from terrarium_mcp.chat.times.timestamps import local
from terrarium_mcp.chat.times.yearless_times import is_yearless
from terrarium_mcp.offload import offload
from terrarium_mcp.request import Request
from terrarium_mcp.store import Search
from terrarium_mcp.tools.known_nicks import people_called
from terrarium_mcp.tools.silence import is_silent, newest_before

Times = tuple[TimeExpression, ...]

_LONGEST_MONTH = timedelta(31)


async def times_meant(search: Search, request: Request) -> tuple[Times, Search]:
    """The times that the words of a search name, and the search as it is meant with these."""
    timed = without_phrases(search.query)
    if not may_express_times(timed):
        return (), search
    times = await _without_people(await times_in(timed, search), search, request)
    times = with_both_ends(await _likelier_reading_first(times, search, request))
    return await _in_a_year_with_lines(times, search, request)


async def times_in(text: str, search: Search) -> Times:
    """The times that a text names, at the time and in the zone of a search."""
    read = partial(time_expressions, text, search.now, search.zone)
    return await offload(read)  # the first one compiles the patterns: 120 ms


async def _without_people(times: Times, search: Search, request: Request) -> Times:
    """The times that are nobody's nick: `by june`, or `the last message of june`, may be one's."""
    for one in times:
        others = tuple(other for other in times if other is not one)
        nick = one.author or _author_asked_for(one, without_times(others, search.query.question))
        if nick and await people_called(request, nick, search.rooms):
            times = others
    return times


def _author_asked_for(time: TimeExpression, text: str) -> str:
    """The nick, if the words of a time are that of the person whose lines a text asks for."""
    asked = person_question(text)
    is_nick = asked and asked.nick and time.said.lower().endswith(f" {asked.nick.lower()}")
    return asked.nick if asked and is_nick else ""


async def _likelier_reading_first(times: Times, search: Search, request: Request) -> Times:
    """The times; of two readings of the same words, such as `winter 2022`, one with lines leads."""
    readings = [one for one in times if one.at == times[0].at]
    if len(readings) > 1:
        likelier, other = (
            replace(search, query=narrowed_to((one,), search.query)) for one in readings[:2]
        )
        if await is_silent(likelier, request) and not await is_silent(other, request):
            return readings[1], readings[0], *times[2:]
    return times


async def _in_a_year_with_lines(
    times: Times, search: Search, request: Request
) -> tuple[Times, Search]:
    """The times and the search as somebody asks who means the latest year that is recorded of them.

    That is another than the latest of all only for a time of every year that is said without one.
    If none is recorded, or an operator names a time, the latest that has begun is meant as ever.
    """
    if not is_yearless(times) or search.query.since or search.query.until:
        return times, search
    (meant,), moment = times, search.now
    while (newest := await newest_before(search, request, meant.until)) and newest < meant.since:
        if not (earlier := _latest_begun(meant, newest, search)):
            return times, search
        meant, moment = earlier
    if not newest or moment == search.now:
        return times, search
    year = local(meant.since, search.zone).year
    said = harmless(meant.said)
    told = f"{said} is read as that of {year}: nothing was said here in any later one"
    return (meant,), replace(search, query=search.query.with_notes(told), now=moment)


def _latest_begun(
    yearly: TimeExpression, moment: datetime, search: Search
) -> tuple[TimeExpression, datetime] | None:
    """The latest such time that had begun at a moment, and when to ask for it to be understood so.

    `Late May` that is said early in May is still to come: a month before, that of the last year is
    meant.
    """
    for asked in (moment, moment - _LONGEST_MONTH):
        for time in time_expressions(search.query.question, asked, search.zone):
            if time.said == yearly.said and time.since <= asked:
                return time, asked
    return None
