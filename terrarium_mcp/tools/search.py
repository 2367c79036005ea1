"""search_irc_history: find what was said."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from terrarium_mcp.chat.cursors import BadCursor, Cursor, fingerprint, read_cursor
from terrarium_mcp.chat.query import Query, parse_query
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.transcript import Keep, Transcript, fenced
from terrarium_mcp.errors import TerrariumError, shown
from terrarium_mcp.store.search import Hits, Rung, Search, Sort
from terrarium_mcp.tools.answer import lines_answer
from terrarium_mcp.tools.parameters import Channel, Forgiving, Form, Hours, Text, notes, within
from terrarium_mcp.tools.request import Asked, FromRequest

Order = Annotated[
    Literal["relevance", "newest", "oldest"],
    BeforeValidator(lambda value: str(value).lower() if value else "relevance"),
    Field(description="which hits come first"),
]


async def search_irc_history(
    query: Annotated[
        Text,
        Field(
            description='words, "exact phrase", from:nick, in:#chan.'
            ' For example: from:ada "green tea". Empty: the newest lines'
        ),
    ],
    asked: FromRequest,
    channel: Channel = "",
    hours: Hours = 0,
    limit: Annotated[
        int, Forgiving, within(1, 100), Field(description="hits per page, 1 to 100")
    ] = 20,
    sort: Order = "relevance",
    context: Annotated[
        int, Forgiving, within(0, 5), Field(description="lines around each hit, 0 to 5")
    ] = 0,
    cursor: Annotated[Text, Field(description="where the page before this one ended")] = "",
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Find what was said: ranked lines with their ids, and what the record covers.

    Name the channel or the person if you know them. If the answer is not among the hits, ask again
    in other words, with the words the answer itself would use. "No match" does not mean it was
    never said: see what is covered.
    """
    parsed = parse_query(query)
    rooms = asked.narrowed(channel)
    if parsed.channel:
        wanted = asked.narrowed(parsed.channel)
        rooms = tuple(room for room in rooms if room in wanted)
    question = fingerprint(str(parsed), sorted(room.id for room in rooms), hours, sort)
    search = Search(
        query=parsed,
        rooms=rooms,
        limit=limit,
        sort=Sort(sort),
        since=asked.since(hours),
        until=asked.until,
        cursor=_cursor(cursor, question),
    )
    head = [await asked.coverage_line(rooms), *notes(hours=hours, limit=limit, context=context)]
    hits, page = await _fitting(asked, search, question, head, context)
    text = (
        "\n".join([page.text, *_foot(hits, page)])
        if hits.messages
        else _nothing(asked, search, hits, head)
    )
    return lines_answer(
        text,
        format,
        page.shown,
        hits=[str(message.id) for message in hits.messages],
        rung=hits.rung.value,
        total=None if hits.rung is Rung.ANY_WORD else hits.total_text,
        covered=head[0],
        next_cursor=str(hits.next) if hits.next else "",
    )


async def _fitting(
    asked: Asked, search: Search, question: str, head: Sequence[str], context: int
) -> tuple[Hits, Transcript]:
    """A page that fits the budget.

    When it does not, the page is asked again with fewer hits, so that its cursor stands right
    behind the last line shown.
    """
    hits = await asked.store.search(search, question)
    while True:
        page = await _rendered(asked, search, hits, head, context)
        shown_ids = {message.id for message in page.shown}
        fitting = sum(message.id in shown_ids for message in hits.messages)
        if fitting in (0, len(hits.messages)):
            return hits, page
        hits = await asked.store.search(replace(search, limit=fitting), question)


async def _rendered(
    asked: Asked, search: Search, hits: Hits, head: Sequence[str], context: int
) -> Transcript:
    lines = await _with_context(asked, hits.messages, context)
    return fenced(
        lines,
        asked.setting(search.rooms),
        head=[_headline(asked, search, hits), *head],
        keep=Keep.FIRST,
    )


async def _with_context(asked: Asked, found: Sequence[Message], context: int) -> list[Message]:
    """The hits, each among the lines around it; no line twice."""
    lines: dict[int, Message] = {}
    for hit in found:
        around = (
            await asked.store.messages.around(hit, context, context, until=asked.until)
            if context
            else [hit]
        )
        lines |= {message.id: message for message in around if message.id not in lines}
    return list(lines.values())


def _cursor(text: str, question: str) -> Cursor | None:
    try:
        return read_cursor(text, question, tuple(Rung)) if text else None
    except BadCursor as why:
        raise TerrariumError(str(why)) from why


def _headline(asked: Asked, search: Search, hits: Hits) -> str:
    count = len(hits.messages)
    total = "" if hits.rung is Rung.ANY_WORD else f" of {hits.total_text}"
    order = "by relevance" if search.sort is Sort.RELEVANCE else f"{search.sort.value} first"
    how = f"{hits.rung.value}, {order}"
    if hits.rung is Rung.ANY_WORD:
        how += "; no line holds all of them"
    noun = "hit" if count == 1 and not total else "hits"
    return f"{_title(search.query)}: {count}{total} {noun} in {asked.where(search.rooms)} ({how})"


def _title(query: Query) -> str:
    return f"search {shown(str(query))}" if str(query) else "search"


def _foot(hits: Hits, page: Transcript) -> list[str]:
    ids = [str(message.id) for message in hits.messages]
    foot = [f"hits: {', '.join(ids)}"] if len(page.shown) > len(ids) else []
    around = f"around a line: get_message_context({ids[0]})"
    if not hits.next:
        return [*foot, around]
    left = hits.total - len(ids)
    more = f" ({left} more)" if hits.rung is not Rung.ANY_WORD and hits.total <= 1_000 else ""
    if hits.next.skip or hits.next.after:
        more = "" if left <= 0 else more
    return [*foot, f"next: cursor={hits.next}{more} | {around}"]


def _nothing(asked: Asked, search: Search, hits: Hits, head: Sequence[str]) -> str:
    if search.cursor:
        return "\n".join([f"{_title(search.query)}: no more hits", *head])
    tried = " and ".join(rung.value for rung in hits.tried)
    where = asked.where(search.rooms)
    return "\n".join(
        [
            f"{_title(search.query)}: nothing found in {where} (tried: {tried})",
            *head,
            "That does not mean it was never said. Try other words, without in:, from: and hours.",
        ]
    )
