"""The backlog of enhancement requests: write one down, list them, read one."""

from functools import partial
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.transcript import line_of, listing
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.policy import names
from terrarium_mcp.store import MOST_OPEN, Backlog, Enhancement
from terrarium_mcp.tools.answer import answer, counted
from terrarium_mcp.tools.parameters import Text
from terrarium_mcp.tools.request import Asked, FromRequest

QUOTED_LINES = 20
"""Lines of the channel that go with an idea, so that its reader sees what it came from."""


async def create_enhancement_request(
    title: Annotated[Text, Field(description="a few words; the same title is the same request")],
    summary: Annotated[Text, Field(description="markdown: what is wanted, and why")],
    asked: FromRequest,
) -> CallToolResult:
    """Write an idea for an improvement into the backlog, when somebody in the channel wants it."""
    if not title or not summary:
        raise TerrariumError("An enhancement request needs a `title` and a `summary`.")
    room = asked.rooms[0] if len(asked.rooms) == 1 else None
    one, is_new = await asked.store.backlog.create(
        harmless(title),
        summary,
        about={
            "author": harmless(asked.view.asker),
            "network": room.network if room else harmless(asked.view.network),
            "channel": harmless(room.channel) if room else "",
        },
        lines=await _talk(asked, room),
        at=asked.now,
        may_see=partial(_may_see, asked),
    )
    return answer(f"{'written down' if is_new else 'already written down'} as {one.filename}")


async def list_enhancement_requests(asked: FromRequest) -> CallToolResult:
    """List the backlog: open ideas first, and how many more may be opened."""
    everything = await asked.store.backlog.all()
    visible = [one for one in everything if _may_see(asked, one)]
    free = max(0, MOST_OPEN - sum(one.is_open for one in everything))
    ideas = counted(len(visible), "enhancement request")
    head = [f"{ideas}; {free} of {MOST_OPEN} slots left"]
    rows = [
        f"{one.filename} [{'open' if one.is_open else 'closed'}] {one.title}" for one in visible
    ]
    return answer(listing(head, rows, asked.budget, source="backlog"))


async def read_enhancement_request(
    filename: Annotated[Text, Field(description="as list_enhancement_requests names it")],
    asked: FromRequest,
) -> CallToolResult:
    """Read one idea of the backlog, with the talk it came from."""
    visible = [one for one in await asked.store.backlog.all() if _may_see(asked, one)]
    for one in visible:
        if one.filename == filename:
            rows = one.text.splitlines()
            return answer(listing([one.filename], rows, asked.budget, source="backlog"))
    raise Backlog.unknown(filename, [one.filename for one in visible])


def _may_see(asked: Asked, one: Enhancement) -> bool:
    """Whether a request may read an idea: without a view any, else those of its rooms and time.

    The talk that goes with an idea is as old as the idea, so a cutoff hides what was written later.
    """
    if asked.cutoff and (one.written_at is None or one.written_at > asked.cutoff):
        return False
    if asked.view.rooms is None and not asked.view.network:
        return True
    return any(names(room, one.network, one.channel) for room in asked.rooms if one.channel)


async def _talk(asked: Asked, room: Room | None) -> list[str]:
    if room is None:
        return []
    page = await asked.store.messages.newest([room], QUOTED_LINES, before=asked.until)
    return [line_of(message, asked.setting([room])) for message in page.messages]
