"""The backlog of enhancement requests: create one, list them, read one."""

from functools import partial
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.transcript import line_of, listing
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.policy import names_room
from terrarium_mcp.request import Request
from terrarium_mcp.store import MOST_OPEN, Backlog, Enhancement
from terrarium_mcp.tools.parameters import Text
from terrarium_mcp.tools.request import FromRequest
from terrarium_mcp.tools.results import quantity, tool_result

QUOTED_LINES = 20
"""Newest lines of the channel saved with an idea, so that its reader sees where it came from."""


async def create_enhancement_request(
    title: Annotated[Text, Field(description="a few words; a known title is the same request")],
    summary: Annotated[Text, Field(description="markdown: what is wanted, and why")],
    request: FromRequest,
) -> CallToolResult:
    """Add an idea for an improvement to the backlog, when someone in the channel asks for it."""
    if not title or not summary:
        raise TerrariumError("An enhancement request needs a `title` and a `summary`.")
    room = request.rooms[0] if len(request.rooms) == 1 else None
    idea, is_new = await request.store.backlog.create(
        harmless(title),
        summary,
        about={
            "author": harmless(request.view.asker),
            "network": room.network if room else harmless(request.view.network),
            "channel": harmless(room.channel) if room else "",
        },
        lines=await _newest_lines(request, room),
        at=request.now,
        may_see=partial(_may_see, request),
    )
    return tool_result(f"{'saved' if is_new else 'already saved'} as {idea.filename}")


async def list_enhancement_requests(request: FromRequest) -> CallToolResult:
    """List the backlog: open ideas first, and how many more may be opened."""
    everything = await request.store.backlog.all()
    visible = [idea for idea in everything if _may_see(request, idea)]
    free = max(0, MOST_OPEN - sum(idea.is_open for idea in everything))
    ideas = quantity(len(visible), "enhancement request")
    head = [f"{ideas}; {free} of {MOST_OPEN} slots left"]
    rows = [
        f"{idea.filename} [{'open' if idea.is_open else 'closed'}] {idea.title}" for idea in visible
    ]
    return tool_result(listing(head, rows, request.budget, source="backlog"))


async def read_enhancement_request(
    filename: Annotated[Text, Field(description="a filename from list_enhancement_requests")],
    request: FromRequest,
) -> CallToolResult:
    """Read one idea of the backlog, with the channel lines it came from."""
    visible = [idea for idea in await request.store.backlog.all() if _may_see(request, idea)]
    for idea in visible:
        if idea.filename == filename:
            rows = idea.text.splitlines()
            return tool_result(listing([filename], rows, request.budget, source="backlog"))
    raise Backlog.unknown(filename, [idea.filename for idea in visible])


def _may_see(request: Request, idea: Enhancement) -> bool:
    """Whether a request may read an idea: without a view any, else those of its rooms and time.

    The lines saved with an idea are as old as the idea, so a cutoff hides ideas written after it.
    """
    if request.cutoff and (idea.written_at is None or idea.written_at > request.cutoff):
        return False
    if request.view.rooms is None and not request.view.network:
        return True
    return any(
        names_room(room, idea.network, idea.channel) for room in request.rooms if idea.channel
    )


async def _newest_lines(request: Request, room: Room | None) -> list[str]:
    if room is None:
        return []
    page = await request.store.messages.newest([room], QUOTED_LINES, before=request.until)
    return [line_of(message, request.render_options([room])) for message in page.messages]
