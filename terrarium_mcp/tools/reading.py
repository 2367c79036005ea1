"""get_recent_irc_messages and get_message_context: read the log itself."""

from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from terrarium_mcp.chat.records import Page
from terrarium_mcp.chat.transcript import Keep, fenced
from terrarium_mcp.chat.when import Position
from terrarium_mcp.tools.answer import lines_answer
from terrarium_mcp.tools.parameters import Channel, Forgiving, Form, Hours, Text, notes, within
from terrarium_mcp.tools.request import Asked, FromRequest

Flag = Annotated[bool, Forgiving]
Id = Annotated[Text, Field(description="a message id, such as 184213, or its permalink")]
Lines = Annotated[int, Forgiving, within(0, 100), Field(description="lines, 0 to 100")]
Scope = Annotated[
    Literal["channel"], BeforeValidator(lambda value: str(value).lower() if value else "channel")
]


async def get_recent_irc_messages(
    asked: FromRequest,
    channel: Channel = "",
    limit: Annotated[int, Forgiving, within(1, 500), Field(description="lines, 1 to 500")] = 50,
    hours: Hours = 0,
    before_id: Annotated[Text, Field(description="only lines before this message")] = "",
    after_id: Annotated[Text, Field(description="only lines after this message")] = "",
    include_events: Annotated[Flag, Field(description="joins, parts, nicks, topics too")] = False,
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Read the newest lines of a channel, oldest first; page back with before_id."""
    rooms = asked.narrowed(channel)
    before, after = await _bounds(asked, before_id, after_id, hours)
    page = await asked.store.messages.recent(
        rooms, limit, before=before, after=after, events=include_events
    )
    coverage = await asked.coverage(rooms)
    covered = await asked.coverage_line(rooms)
    count = len(page.messages)
    transcript = fenced(
        page.messages,
        asked.setting(rooms),
        head=[
            f"{count} line{'s' * (count != 1)} in {asked.where(rooms)}",
            covered,
            *notes(limit=limit, hours=hours),
        ],
        gaps=coverage.gaps() if len(rooms) == 1 else (),
    )
    text = "\n".join([transcript.text, *_onward(page, transcript.left_out, transcript.shown)])
    return lines_answer(text, format, transcript.shown, more=page.more, covered=covered)


async def get_message_context(
    message_id: Id,
    asked: FromRequest,
    scope: Scope = "channel",
    before: Lines = 8,
    after: Lines = 8,
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Read the lines around a message, such as a search hit."""
    message = await asked.message(message_id)
    around = await asked.store.messages.around(message, before, after, until=asked.until)
    room = [message.room]
    covered = await asked.coverage_line(room)
    transcript = fenced(
        around,
        asked.setting(room),
        head=[
            f"around message {message.id} in {asked.where(room)} ({scope})",
            covered,
            *notes(before=before, after=after),
        ],
        keep=Keep.NEAREST,
        nearest_to=message.id,
        gaps=(await asked.coverage(room)).gaps(),
    )
    return lines_answer(
        transcript.text, format, transcript.shown, message_id=str(message.id), covered=covered
    )


async def _bounds(
    asked: Asked, before_id: str, after_id: str, hours: int
) -> tuple[Position, Position | None]:
    """The places between which lines are wanted. Never beyond what the request may see."""
    before = (await asked.message(before_id)).position if before_id else asked.until
    after = (await asked.message(after_id)).position if after_id else None
    if since := asked.since(hours):
        after = max(after or Position(""), Position.at(since))
    return min(before, asked.until), after


def _onward(page: Page, left_out: int, shown: tuple[object, ...]) -> list[str]:
    if not shown:
        return ["nothing was said there"] if not left_out else []
    first, last = page.messages[-len(shown)], page.messages[-1]
    earlier = page.more or left_out
    back = f"before_id={first.id}" if earlier else "nothing earlier"
    around = f"around a line: get_message_context({last.id})"
    return [f"next: {back} | newer: after_id={last.id} | {around}"]
