"""get_recent_irc_messages and get_message_context: read the log itself."""

from collections.abc import Sequence
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.records import Message, Page, Room
from terrarium_mcp.chat.transcript import Keep, Transcript, fenced
from terrarium_mcp.chat.when import BEGINNING, Position
from terrarium_mcp.tools.answer import counted, lines_answer
from terrarium_mcp.tools.conversations import links_json, sentences
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

Id = Annotated[Text, Field(description="a message id, such as 184213, or its permalink")]
Lines = Annotated[int, Forgiving, within(0, 100), Field(description="lines, 0 to 100")]
Scope = Annotated[
    Literal["channel", "conversation"],
    Word,
    Field(description="lines as they stand, or only those of its conversation (no before, after)"),
]


async def get_recent_irc_messages(
    asked: FromRequest,
    channel: Channel = "",
    limit: Annotated[int, Forgiving, within(1, 500), Field(description="lines, 1 to 500")] = 50,
    hours: Hours = 0,
    before_id: Annotated[Text, Field(description="only lines before this message")] = "",
    after_id: Annotated[Text, Field(description="read on: the first lines after this one")] = "",
    include_events: Annotated[
        bool, Forgiving, Field(description="joins, parts, nicks, topics too")
    ] = False,
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Read the newest lines of a channel, oldest first; page back with before_id."""
    rooms = asked.narrowed(channel)
    after, before = await _bounds(asked, after_id, before_id, hours)
    messages = asked.store.messages
    read = messages.onward if after_id else messages.newest
    page = await read(rooms, limit, after=after, before=before, events=include_events)
    coverage = await asked.coverage(rooms)
    covered = asked.told(coverage)
    transcript = fenced(
        page.messages,
        asked.setting(rooms),
        head=[
            f"{counted(len(page.messages), 'line')} in {asked.where(rooms)}",
            covered,
            *notes(limit=limit, hours=hours),
        ],
        keep=Keep.FIRST if after_id else Keep.LAST,
        gaps=coverage.gaps() if len(rooms) == 1 else (),
    )
    cut = Page(page.messages, more=page.more or transcript.left_out > 0)
    shown = transcript.shown
    onward = _after(cut, shown) if after_id else _before(cut, shown, hours)
    return lines_answer(
        f"{transcript.text}\n{onward}", format, shown, more=cut.more, covered=covered
    )


async def get_message_context(
    message_id: Id,
    asked: FromRequest,
    scope: Scope = "channel",
    before: Lines = 8,
    after: Lines = 8,
    format: Form = "text",  # noqa: A002 -- the contract's name
) -> CallToolResult:
    """Read around a message, such as a search hit: the lines, or its whole conversation.

    A channel holds several conversations at once; which lines belong together is a good guess.
    """
    message = await asked.message(message_id)
    if scope == "conversation":
        return await _conversation(asked, message, format)
    lines = await asked.store.messages.around(message, before, after, until=asked.until)
    transcript, facts = await _around_it(
        asked, message, lines, scope, last=notes(before=before, after=after)
    )
    return lines_answer(transcript.text, format, transcript.shown, **facts)


async def _conversation(asked: Asked, message: Message, form: str) -> CallToolResult:
    """All lines of the message's conversation; only the budget cuts."""
    found = await asked.store.conversations.around(message, until=asked.until)
    transcript, facts = await _around_it(
        asked, message, found.messages, "conversation", first=sentences(found)
    )
    return lines_answer(
        transcript.text,
        form,
        transcript.shown,
        **facts,
        links=links_json(found, transcript.shown),
        between=found.between,
        looked_at=found.looked_at,
    )


async def _around_it(
    asked: Asked,
    message: Message,
    lines: Sequence[Message],
    scope: str,
    *,
    first: Sequence[str] = (),
    last: Sequence[str] = (),
) -> tuple[Transcript, dict[str, str]]:
    """Lines around a message, the nearest of them where not all fit, and what is told besides.

    `first` and `last` stand in the head before and after what the record covers.
    """
    room: list[Room] = [message.room]
    coverage = await asked.coverage(room)
    covered = asked.told(coverage)
    where = f"around message {message.id} in {asked.where(room)} ({scope})"
    transcript = fenced(
        lines,
        asked.setting(room),
        head=[where, *first, covered, *last],
        keep=Keep.NEAREST,
        nearest_to=message.id,
        gaps=coverage.gaps(),
    )
    return transcript, {"message_id": str(message.id), "covered": covered}


async def _bounds(
    asked: Asked, after_id: str, before_id: str, hours: int
) -> tuple[Position, Position]:
    """The places between which lines are wanted; a line behind the cutoff is no place to name."""
    after = (await asked.message(after_id)).position if after_id else BEGINNING
    before = (await asked.message(before_id)).position if before_id else asked.until
    if since := asked.since(hours):
        after = max(after, Position.at(since))
    return after, before


def _before(page: Page, shown: Sequence[Message], hours: int) -> str:
    """What to ask next after the newest lines: those before them."""
    if not page.messages:
        return "no line is recorded there"
    # Where not even one line fits, the page before begins behind the one that does not.
    first, last = (shown or page.messages[-1:])[0], page.messages[-1]
    earlier = f"before_id={first.id}" if page.more else "nothing earlier"
    within_hours = f" in these {hours} hours" if hours and not page.more else ""
    return f"next: {earlier}{within_hours} | newer: after_id={last.id} | {_around(last)}"


def _after(page: Page, shown: Sequence[Message]) -> str:
    """What to ask next when reading on: the lines after these."""
    if not page.messages:
        return "no later line is recorded there"
    first, last = page.messages[0], (shown or page.messages[:1])[-1]
    later = f"after_id={last.id}" if page.more else f"nothing newer yet than {last.id}"
    return f"next: {later} | older: before_id={first.id} | {_around(last)}"


def _around(line: Message) -> str:
    return f"around a line: get_message_context({line.id})"
