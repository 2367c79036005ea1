"""Notes for questions that no ranked line answers: the query or the tool that does."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import asks_what_was_missed, asks_what_was_said
from terrarium_mcp.chat.questions.counts import CountQuestion, count_question
from terrarium_mcp.chat.questions.ends import EndQuestion, end_question
from terrarium_mcp.chat.questions.events import event_queries, may_ask_for_events
from terrarium_mcp.chat.questions.names import other_names_of
from terrarium_mcp.chat.questions.narrowing import about, narrowed_to
from terrarium_mcp.chat.questions.people import LinkQuestion, link_questions
from terrarium_mcp.chat.questions.presence import asks_who_is_here, last_seen_of, present_nick
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.time_expressions import TimeExpression
from terrarium_mcp.errors import UnknownMessage
from terrarium_mcp.policy import NAMED_ID
from terrarium_mcp.request import Request
from terrarium_mcp.store import Search
from terrarium_mcp.tools.exact_hits import finds_exactly, found_exactly, total_of
from terrarium_mcp.tools.known_nicks import people_called
from terrarium_mcp.tools.repeated_query import query_argument

_AROUND = (
    r"(?:what\s+(?:was|were|did|has|is|came|comes|happened)\b[^\d\"]*?\s)?"
    r"(?:(?:right|just|directly|immediately)\s+)?(?:before|after|around|near)\s+(?:the\s+)?"
)
_MESSAGE = re.compile(rf"(?:{_AROUND})?{NAMED_ID}\s*\??", re.IGNORECASE)
"""What names a message, perhaps for what was said beside it."""

A_SEARCH_COUNTS_NOTHING = "a search does not count"
"""Why a search names the call that counts."""

_COMES_AND_GOES = (MessageType.JOIN, MessageType.PART, MessageType.QUIT, MessageType.NICK)
"""What is recorded of a person who says nothing."""


async def question_hints(
    rest: str,
    times: Sequence[TimeExpression],
    search: Search,
    request: Request,
    why_uncounted: str = A_SEARCH_COUNTS_NOTHING,
) -> list[str]:
    """What finds the answer that no line says; nothing where that finds nothing.

    Args:
        rest: the question without the words for its `times`.
        times: those it names.
        search: where it asks.
        request: who asks.
        why_uncounted: why nothing is counted yet, if a count is asked for.
    """
    if hints := await _message_hints(search, request):
        return hints
    if nick := last_seen_of(rest):
        known = await people_called(request, nick, search.rooms)
        return [f"from:{nick}, sorted by newest, shows when they last spoke"] if known else []
    if nick := present_nick(rest) if times else "":
        return await _presence_hints(nick, times, search, request)
    if asks_who_is_here(rest):
        return [f"get_current_users({_channel_argument(search, request)}) lists who is there now"]
    if counted := count_question(rest):
        calls = await _counting_calls(counted, times, search, request)
        return [f"{why_uncounted}: {call}" for call in calls]
    if asked := end_question(rest):
        return await _end_hints(asked, times, search, request)
    if hints := await _event_hints(rest, times, search, request):
        return hints
    if nick := other_names_of(rest):
        known = await people_called(request, nick, search.rooms)
        return [f"lookup_nick(nick={_quoted(nick)}) lists their other nicks"] if known else []
    asked_links = link_questions(rest)
    # Else all that the person gave, whose lines may call the topic otherwise: there are few.
    theirs = [links._replace(topic="") for links in asked_links if links.nick]
    for links in (*asked_links, *theirs):
        if hints := await _link_hints(links, times, search, request):
            return hints
    if not times and asks_what_was_missed(rest):
        return [f"catch_up({_channel_argument(search, request)}) tells what was missed"]
    if search.query.channels and not times and asks_what_was_said(rest):
        every_line = search.query.with_clauses().printed(search.zone)
        return [f"{every_line}, sorted by newest, shows what was said last"]
    return []


async def _message_hints(search: Search, request: Request) -> list[str]:
    """The call that shows the message whose id or permalink is all of a question, if it exists."""
    named = _MESSAGE.fullmatch(search.query.question.strip())
    if named is None:
        return []
    try:
        message = await request.message(named["id"])
    except UnknownMessage:
        return []
    return [f"get_message_context({message.id}) shows that message, and the lines around it"]


async def _presence_hints(
    nick: str, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """The query for the lines of a person at a time, or else that they said and did nothing."""
    if not await people_called(request, nick, search.rooms):
        return []
    then = replace(narrowed_to(times, search.query).with_clauses(), people=(nick,), notes=())
    for sought in (then, replace(then, only_commands=True), replace(then, kinds=_COMES_AND_GOES)):
        if finds := await _finds(sought, search, request, "line"):
            return [finds]
    asked_for = then.printed(search.zone)
    return [f"the query {asked_for} finds no line, and no join or part either"]


async def _link_hints(
    asked: LinkQuestion, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """The query for the lines with a link and any words of its topic, if it finds any."""
    sought = replace(
        about(asked.topic, times, search.query),
        people=(asked.nick,) if asked.nick else search.query.people,
        has_link=True,
        notes=(),
    )
    finds = await _finds(sought, search, request, "line")
    return [f"{finds} with a link"] if finds else []


async def _counting_calls(
    asked: CountQuestion, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """The call of `get_channel_stats` that counts what is asked for, and how; none if none does."""
    if asked.nick and not await people_called(request, asked.nick, search.rooms):
        return []
    query = about(asked.words, times, search.query)
    query = replace(
        query,
        people=(asked.nick,) if asked.nick else query.people,
        has_link=asked.only_links or query.has_link,
    )
    # Of all of a channel the figures list who says most, of a query only up to some lines.
    is_all = replace(query, channels=()) == Query()
    argument = (is_all and _channel_argument(search, request)) or query_argument(
        request, search.rooms, query
    )
    if not argument:
        return []
    by_period = f', per="{asked.per}"' if asked.per else ""
    call = f"get_channel_stats({argument}{by_period})"
    counts = "counts the lines with a link" if asked.only_links else "does"
    if asked.of_part_of_days:
        counts += " for all hours, and with nick names the busiest hours of one person"
    if asked.of_weekdays:
        counts += " for each day, and adds up no weekdays"
    return [f"{call} {counts}"]


def _channel_argument(search: Search, request: Request) -> str:
    """`channel="#tea"`: the room of the search; "" if it has several."""
    if len(search.rooms) > 1:
        return ""
    return f"channel={_quoted(request.room_name(search.rooms[0]))}"


def _quoted(value: str) -> str:
    """An argument of a call: `"#tea"`."""
    return json.dumps(value, ensure_ascii=False)


async def _end_hints(
    asked: EndQuestion, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """The query for the lines of which the first or the last is asked for, if it finds any."""
    if asked.nick and not await people_called(request, asked.nick, search.rooms):
        return []
    sought = about(asked.words, times, search.query)
    sought = replace(sought, people=(asked.nick,) if asked.nick else sought.people)
    if not await finds_exactly(sought, search, request):
        return []
    order, end = ("newest", "last") if asked.is_for_last else ("oldest", "first")
    return [f"{sought.printed(search.zone)}, sorted by {order}, shows the {end} such line"]


async def _event_hints(
    rest: str, times: Sequence[TimeExpression], search: Search, request: Request
) -> list[str]:
    """The query that finds the events asked for, if it finds any."""
    query, hints = search.query, list[str]()
    asked = event_queries(rest) if not query.kinds and may_ask_for_events(rest) else []
    for one in asked:
        sought = replace(
            narrowed_to(times, query).with_clauses(*one.clauses),
            people=one.people or query.people,
            kinds=one.kinds,
            notes=(),
        )
        if finds := await _finds(sought, search, request, "event"):
            hints.append(f"{finds}; a question finds only what was said")
    return hints


async def _finds(query: Query, search: Search, request: Request, noun: str) -> str:
    """`the query type:kick eve finds 3 events`; "" if it finds none."""
    hits = await found_exactly(query, search, request)
    if not hits.messages:
        return ""
    return f"the query {query.printed(search.zone)} finds {total_of(hits, noun)}"
