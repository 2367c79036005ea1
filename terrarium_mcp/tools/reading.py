"""get_recent_irc_messages and get_message_context: read the log itself."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.coverage import Coverage, Gap
from terrarium_mcp.chat.records import Message, Page, Room
from terrarium_mcp.chat.times.timestamps import BEGINNING, Position
from terrarium_mcp.chat.transcript import Keep, Transcript, as_json, fenced
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.request import Request
from terrarium_mcp.tools.conversation_text import (
    conversation_notes,
    links_json,
    sizes_json,
    ways_on,
)
from terrarium_mcp.tools.directions import BACK, FORWARD, LONGEST_WAYS, PageEnds
from terrarium_mcp.tools.facts import head_facts, json_form
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.parameters import (
    Channel,
    Forgiving,
    ForgivingChoice,
    Form,
    Hours,
    Text,
    Usual,
    clamped_to,
    clamping_notes,
    if_given,
)
from terrarium_mcp.tools.results import lines_result
from terrarium_mcp.tools.shortened_lines import shortened
from terrarium_mcp.tools.silence import last_line_note
from terrarium_mcp.wording import quantity, shown

Id = Annotated[Text, Field(description="a message id, such as 184213, or its permalink")]
_AROUND = Usual(8)
"""Lines before and after a message; of a conversation all, unless the caller gives a number."""

LineCount = Annotated[
    int,
    Forgiving,
    clamped_to(0, 100),
    Field(description="lines, 0 to 100; also limit a conversation"),
]
Scope = Annotated[
    Literal["channel", "conversation"],
    ForgivingChoice,
    Field(description="all speech, or its conversation"),
]


async def get_recent_irc_messages(
    request: FromRequest,
    channel: Channel = "",
    limit: Annotated[int, Forgiving, clamped_to(1, 500), Field(description="lines, 1 to 500")] = 50,
    hours: Hours = 0,
    before_id: Annotated[Text, Field(description="only lines before this message")] = "",
    after_id: Annotated[Text, Field(description="read on: the first lines after this one")] = "",
    include_events: Annotated[
        bool, Forgiving, Field(description="joins, kicks, nicks, topics too")
    ] = False,
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Read the newest lines of a channel, oldest first; page back with before_id."""
    rooms = request.narrowed(channel)
    ends = PageEnds(after_id, before_id, hours)
    direction = FORWARD if after_id else BACK
    after, before = await _positions(request, ends)
    messages = request.store.messages
    read = messages.onward if after_id else messages.newest
    page = await read(rooms, limit, after=after, before=before, events=include_events)
    coverage = await request.coverage(rooms)
    missing = _unknown_events(coverage, page, request) if include_events else ""
    covered = request.coverage_text(coverage, missing)
    notes = clamping_notes(limit=limit, hours=hours)
    if not (page.messages or after_id):
        notes += await _last_before(request, rooms, hours, include_events)
    gaps = coverage.gaps() if len(rooms) == 1 else ()
    transcript, headline = _fitted_page(
        request, rooms, page, covered, notes, keep=direction.keep, gaps=gaps, form=format
    )
    cut = Page(page.messages, more=page.more or transcript.left_out > 0)
    ways = direction.ways(cut, transcript.shown)
    facts = head_facts(headline, covered, notes) | ways._asdict()
    text = f"{transcript.text}\n{direction.hint(ways, ends)}"
    return lines_result(text, format, transcript, facts)


def _fitted_page(
    request: Request,
    rooms: Sequence[Room],
    page: Page,
    covered: str,
    notes: Sequence[str],
    *,
    keep: Keep,
    gaps: Sequence[Gap],
    form: str,
) -> tuple[Transcript, str]:
    """The transcript of a page, and its headline, which counts the lines that fit.

    Until these are known, the headline takes the room of its longest form. If not even one line
    fits, the beginning of one is shown beyond the budget: the next page begins behind it.
    """
    lines = f"{quantity(len(page.messages), 'line')} in {request.room_names(rooms)}"
    longest = f"{len(page.messages)} of {lines}"
    facts = head_facts(longest, covered, notes) | LONGEST_WAYS._asdict()
    render = partial(
        fenced,
        options=request.render_options(rooms),
        head=[longest, covered, *notes],
        keep=keep,
        gaps=gaps,
    )
    in_json = json_form(form, page.messages, facts, request.budget)
    transcript = render(page.messages, json_form=in_json)
    if not transcript.shown:
        beginnings = [*map(shortened, page.messages)]
        in_json = in_json and in_json._replace(lines=[*map(as_json, beginnings)])
        transcript = render(beginnings, json_form=in_json, least=1)
    headline = f"{len(transcript.shown)} of {lines}" if transcript.left_out else lines
    return transcript.headed(longest, headline), headline


def _unknown_events(coverage: Coverage, page: Page, request: Request) -> str:
    """Of which times since the first line of a page no events are known; "" if of none."""
    if not page.messages:
        return ""
    return coverage.events_sentence(request.settings.zone, page.messages[0].said_at)


async def get_message_context(
    message_id: Id,
    request: FromRequest,
    scope: Scope = "channel",
    before: LineCount = _AROUND,
    after: LineCount = _AROUND,
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Read what was said around a message, such as a hit, or only its conversation.

    Conversations overlap: which of the 100 lines on each side belong to it is an estimate.
    """
    message = await request.message(message_id)
    notes = clamping_notes(before=before, after=after)
    if scope == "conversation":
        return await _conversation(request, message, before, after, format, notes)
    lines = await request.store.messages.around(message, before, after, until=request.until)
    transcript, facts = await _transcript_around(request, message, lines, scope, format, last=notes)
    return lines_result(transcript.text, format, transcript, facts)


async def _conversation(
    request: Request, message: Message, before: int, after: int, form: str, notes: Sequence[str]
) -> CallToolResult:
    """The lines of the message's conversation that the caller and the budget allow."""
    conversation = await request.store.conversations.around(
        message, before=if_given(before), after=if_given(after), until=request.until
    )
    links = links_json(conversation)
    transcript, facts = await _transcript_around(
        request,
        message,
        conversation.messages,
        "conversation",
        form,
        first=conversation_notes(conversation),
        last=notes,
        sizes=sizes_json(conversation) | {"links": []},
        links=links,
    )
    visible = [links[line.id] for line in transcript.shown if line.id in links]
    text = "\n".join(filter(None, [transcript.text, ways_on(conversation)]))
    return lines_result(text, form, transcript, {**facts, "links": visible})


async def _transcript_around(
    request: Request,
    message: Message,
    lines: Sequence[Message],
    scope: str,
    form: str,
    *,
    first: Sequence[str] = (),
    last: Sequence[str] = (),
    sizes: Mapping[str, object] = {},
    links: Mapping[int, object] | None = None,
) -> tuple[Transcript, dict[str, object]]:
    """The transcript of `lines`, the nearest to `message` if not all fit, and facts for a program.

    `first` and `last` are lines of the head, before and after the one on coverage; `sizes` are
    further facts, and `links` those about lines, by id.
    """
    room: list[Room] = [message.room]
    coverage = await request.coverage(room)
    covered = request.coverage_text(coverage)
    title = f"around message {message.id} in {request.room_names(room)} ({scope})"
    facts = {**head_facts(title, covered, [*first, *last]), "message_id": str(message.id), **sizes}
    transcript = fenced(
        lines,
        request.render_options(room),
        head=[title, *first, covered, *last],
        keep=Keep.NEAREST,
        nearest_to=message.id,
        gaps=coverage.gaps(),
        json_form=json_form(form, lines, facts, request.budget, links),
    )
    return transcript, facts


async def _last_before(
    request: Request, rooms: Sequence[Room], hours: int, include_events: bool
) -> list[str]:
    """When the last line before these hours was said, as a note; nothing if there is none."""
    since = request.since(hours)
    if since is None:
        return []
    when = f"more than {quantity(hours, 'hour')} ago"
    return await last_line_note(request, rooms, Position.at(since), when, events=include_events)


async def _positions(request: Request, ends: PageEnds) -> tuple[Position, Position]:
    """The positions between which to read.

    Raises:
        TerrariumError: an id names no readable line, or nothing can be between the two.
    """
    after_id, before_id, hours = ends
    after = (await request.message(after_id)).position if after_id else BEGINNING
    before = (await request.message(before_id)).position if before_id else request.until
    if after_id and before_id and after >= before:
        raise TerrariumError(
            f"No line is both after {shown(after_id)} and before {shown(before_id)}:"
            " the first is not the earlier of the two. Swap them, or leave one out."
        )
    if since := request.since(hours):
        after = max(after, Position.at(since))
    return after, before
