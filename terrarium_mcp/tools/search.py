"""search_irc_history: find what was said."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.cursors import BadCursor, Cursor, fingerprint, read_cursor
from terrarium_mcp.chat.query import Query, parse_query
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.chat.transcript import Keep, fenced
from terrarium_mcp.errors import TerrariumError, shown
from terrarium_mcp.store.search import Hits, Rung, Search, Sort
from terrarium_mcp.tools.answer import lines_answer
from terrarium_mcp.tools.hits import (
    headline,
    looked_at,
    nothing,
    onward,
    strangers,
    too_long,
    total,
)
from terrarium_mcp.tools.parameters import (
    Channel,
    Forgiving,
    Form,
    Hours,
    Text,
    Word,
    notes,
    within,
)
from terrarium_mcp.tools.request import Asked, FromRequest

Order = Annotated[
    Literal["relevance", "newest", "oldest"],
    Word,
    Field(description="which hits come first"),
]


@dataclass(frozen=True, slots=True)
class Answered:
    """A page of hits as text, and the lines that stand in it."""

    hits: Hits
    text: str
    lines: Sequence[Message]

    def fits(self, budget: int) -> bool:
        """Whether every hit is among the lines, and the text within the budget."""
        return self.shown == len(self.hits.messages) and estimated_tokens(self.text) <= budget

    @property
    def shown(self) -> int:
        """How many of the hits are among the lines."""
        ids = {line.id for line in self.lines}
        return sum(hit.id in ids for hit in self.hits.messages)


async def search_irc_history(
    query: Annotated[
        Text,
        Field(
            description='words, "exact phrase", a OR b, -not, prefix*, from:nick, in:#chan,'
            " mentions:nick, has:link, type:action, before: after: on: with 2026-05-01, 2026-05,"
            ' yesterday, 2h. For example: from:ada "green tea" -sugar. Empty: the newest lines'
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
        int,
        Forgiving,
        within(0, 5),
        Field(description="of its conversation, lines before and after each hit, 0 to 5"),
    ] = 0,
    cursor: Annotated[Text, Field(description="where the page before this one ended")] = "",
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Find what was said: ranked lines with their ids, and what the record covers.

    Name the channel or the person if you know them. If the answer is not among the hits, ask again
    in other words, with the words the answer itself would use. "No match" does not mean it was
    never said: see what is covered.
    """
    parsed = parse_query(query, now=asked.now, zone=asked.settings.zone)
    rooms = rooms_of(asked, channel, parsed)
    search = Search(
        query=parsed,
        rooms=rooms,
        limit=limit,
        sort=Sort(sort),
        since=asked.since(hours),
        until=asked.until,
        now=asked.now,
        zone=asked.settings.zone,
    )
    # Without a channel, one that is joined while somebody pages does not change the question.
    ids = sorted(room.id for room in rooms) if channel else []
    question = fingerprint(query.split(), ids, hours, sort)
    if cursor:
        search = replace(search, cursor=_cursor(cursor, question))
    covered = await asked.coverage_line(rooms)
    head = [
        covered,
        *(f"note: {sentence}" for sentence in parsed.notes),
        *await strangers(asked, parsed, rooms),
        *notes(hours=hours, limit=limit, context=context),
    ]
    found = await _fitting(asked, search, question, head, context)
    hits = found.hits
    return lines_answer(
        found.text,
        format,
        found.lines,
        hits=[str(message.id) for message in hits.messages],
        rung=hits.rung.value,
        total=total(hits) or None,
        covered=covered,
        next_cursor=str(hits.next or ""),
    )


def rooms_of(asked: Asked, channel: str, query: Query) -> tuple[Room, ...]:
    """The rooms that the parameter and `in:` name, without those behind a minus."""
    rooms = asked.narrowed(channel)
    named = {room for name in query.channels for room in asked.narrowed(name)}
    left_out = {room for name in query.excluded_channels for room in asked.narrowed(name)}
    both = tuple(
        room for room in rooms if room not in left_out and (room in named or not query.channels)
    )
    if not both:
        ways = [f"channel={shown(channel)}"] if channel else []
        ways += [f"in:{shown(name)}" for name in query.channels]
        ways += [f"-in:{shown(name)}" for name in query.excluded_channels]
        raise TerrariumError(
            f"No channel is left by {', '.join(ways)}: no line is in all of them. Name one."
        )
    return both


def _cursor(text: str, question: str) -> Cursor:
    try:
        return read_cursor(text, question, tuple(Rung))
    except BadCursor as why:
        raise TerrariumError(str(why)) from why


async def _fitting(
    asked: Asked, search: Search, question: str, head: Sequence[str], context: int
) -> Answered:
    """A page whose whole text keeps to the budget.

    Where it does not, the page is asked again with fewer hits, so that its cursor stands right
    behind the last hit shown. A single hit that is too long on its own is named and passed over.
    """
    while True:
        hits = await asked.store.search(search, question)
        page = await _answered(asked, search, hits, head, context)
        count = len(hits.messages)
        if count <= 1 or page.fits(asked.budget):
            return page
        search = replace(search, limit=max(1, min(page.shown, count - 1)))


async def _answered(
    asked: Asked, search: Search, hits: Hits, head: Sequence[str], context: int
) -> Answered:
    if hits.reached:
        head = [*head, looked_at(asked, search, hits.reached)]
    if not hits.messages:
        return Answered(hits, nothing(asked, search, hits, head), ())
    alone = hits.messages[0].id if len(hits.messages) == 1 else 0
    ids = [str(message.id) for message in hits.messages]
    which = [f"hits: {', '.join(ids)}"] if context else []
    way_on = onward(asked, search, hits)
    transcript = fenced(
        await _with_context(asked, hits.messages, context),
        asked.setting(search.rooms),
        head=[headline(asked, search, hits), *head],
        keep=Keep.NEAREST if alone else Keep.FIRST,
        nearest_to=alone,
        foot_tokens=sum(estimated_tokens(line) + 1 for line in [too_long(alone), *which, way_on]),
    )
    foot = [*which, way_on] if transcript.shown else [too_long(alone), way_on]
    return Answered(hits, "\n".join([transcript.text, *foot]), transcript.shown)


async def _with_context(asked: Asked, found: Sequence[Message], context: int) -> list[Message]:
    """The hits, each among the nearest lines of its conversation; no line twice."""
    if not context:
        return list(found)
    lines: dict[int, Message] = {}
    for hit in found:
        conversation = await asked.store.conversations.around(hit, until=asked.until)
        for message in conversation.nearest(context):
            lines.setdefault(message.id, message)
    return list(lines.values())
