"""The backlog of enhancement requests: create one, list them, read one."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from terrarium_mcp.chat.cursors import fingerprint_of
from terrarium_mcp.chat.fence import listing
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.transcript import line_of
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.offload import offload
from terrarium_mcp.policy import names_room
from terrarium_mcp.request import Request
from terrarium_mcp.store import LONGEST_TITLE, MOST_OPEN, Enhancement
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.parameters import Text
from terrarium_mcp.tools.results import tool_result
from terrarium_mcp.wording import quantity, shown

QUOTED_LINES = 20
"""Newest lines of the channel saved with an idea, so that its reader sees where it came from."""

QUOTE = "| "
"""Precedes every line of a file: none can then close the fence, whatever tag it guesses."""

LONGEST_ROW = 200
"""Characters of a file on one row. A longer line continues on the next row, so that a row fits
into any budget."""

_FOR_THE_OPERATOR = "it belongs to no one channel, so only the operator of this server reads it"

_CURSOR = re.compile(r"(?P<row>0|[1-9][0-9]{0,8})-(?P<fingerprint>[0-9a-f]{12})")
_CURSOR_TOKENS = 24
"""Cost of the line with the cursor below a page."""


async def create_enhancement_request(
    title: Annotated[Text, Field(description="a few words; a known title is the same request")],
    summary: Annotated[Text, Field(description="markdown: what is wanted, and why")],
    request: FromRequest,
) -> CallToolResult:
    """Add an idea to the backlog, when someone in the channel asks for it."""
    title = harmless(title).strip()
    if not title or not harmless(summary).strip():
        raise TerrariumError("An enhancement request needs a `title` and a `summary`.")
    room = request.rooms[0] if len(request.rooms) == 1 else None
    idea, is_new = await request.store.backlog.create(
        title,
        summary,
        about={
            "author": harmless(request.view.asker),
            "network": room.network if room else harmless(request.view.network),
            "channel": harmless(room.channel) if room else "",
        },
        lines=await _newest_lines(request, room),
        at=request.now,
        may_name=partial(_may_name, request),
    )
    if not idea.channel and not _reads_all_rooms(request):
        known = f"already saved as {idea.filename}, which keeps its own summary"
        saved = f"saved as {idea.filename}" if is_new else known
        return tool_result(f"{saved}; {_FOR_THE_OPERATOR}")
    if is_new:
        return tool_result(f"saved as {idea.filename}")
    if summary.strip() in await request.store.backlog.text(idea):
        return tool_result(f"already saved as {idea.filename}")
    return tool_result(
        f"already saved as {idea.filename}, which keeps its own summary: this one was not added"
    )


async def list_enhancement_requests(request: FromRequest) -> CallToolResult:
    """List the backlog: open ideas first, and how many more may be opened."""
    everything = await request.store.backlog.all()
    visible = [idea for idea in everything if _may_see(request, idea)]
    head = [f"{quantity(len(visible), 'enhancement request')}{_room_left(request, everything)}"]
    rows = [
        f"{idea.filename} [{'open' if idea.is_open else 'closed'}]"
        f" {shown(idea.title, LONGEST_TITLE)}"
        for idea in visible
    ]
    return tool_result(listing(head, rows, request.budget, source="backlog").text)


async def read_enhancement_request(
    filename: Annotated[Text, Field(description="a filename from list_enhancement_requests")],
    request: FromRequest,
    cursor: Annotated[Text, Field(description="from the previous page")] = "",
) -> CallToolResult:
    """Read one idea of the backlog, with the channel lines it came from, a page at a time."""
    text = await request.store.backlog.read(filename, may_see=partial(_may_see, request))
    # A file made by hand may have any size: of 30 MB the rows take seconds.
    fingerprint, rows = await offload(lambda: (fingerprint_of(filename, text), _rows(text)))
    first = _first_row(cursor, fingerprint, len(rows))
    page = listing(
        [filename],
        rows[first:],
        request.budget,
        source="backlog",
        foot_tokens=_CURSOR_TOKENS,
        least=1,
    )
    onward = f"\nnext: cursor={first + page.shown}-{fingerprint}" if page.left_out else ""
    return tool_result(f"{page.text}{onward}")


def _rows(text: str) -> list[str]:
    """The lines of a file as rows, none longer than `LONGEST_ROW` besides its quotation mark."""
    rows = []
    for line in map(harmless, text.splitlines()):
        pieces = range(0, max(1, len(line)), LONGEST_ROW)
        rows += [f"{QUOTE}{line[start : start + LONGEST_ROW]}" for start in pieces]
    return rows


def _first_row(cursor: str, fingerprint: str, count: int) -> int:
    """The row at which a page begins.

    Raises:
        TerrariumError: the cursor is damaged, or belongs to another file or an earlier text of it.
    """
    if not cursor:
        return 0
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise TerrariumError("This cursor is damaged. Leave it out to begin at the first page.")
    if found["fingerprint"] != fingerprint or not int(found["row"]) < count:
        raise TerrariumError(
            "This cursor belongs to another file, or the file has changed since. Leave it out to"
            " begin at the first page."
        )
    return int(found["row"])


def _room_left(request: Request, everything: Sequence[Enhancement]) -> str:
    """How many more may be opened; not under a view, as that would show how many it hides."""
    if request.visible_only:
        return f"; at most {MOST_OPEN} of all channels may be open"
    free = max(0, MOST_OPEN - sum(idea.is_open for idea in everything))
    return f"; {free} more may be opened ({MOST_OPEN} at most)"


def _may_see(request: Request, idea: Enhancement) -> bool:
    """Whether a request may read an idea: without a view any, else those of its rooms and time.

    The lines saved with an idea are as old as the idea, so a cutoff hides ideas written after it.
    """
    if _is_after_cutoff(request, idea):
        return False
    return _reads_all_rooms(request) or any(
        names_room(room, idea.network, idea.channel) for room in request.rooms if idea.channel
    )


def _may_name(request: Request, idea: Enhancement) -> bool:
    """Whether a request may be told the name of an idea: it may read it, or its asker wrote it.

    A nick may be anybody's, so that it is the asker's shows nothing but the name; and that to
    nobody in a channel, if it was written in a private chat.
    """
    if _may_see(request, idea):
        return True
    asker = (harmless(request.view.network), "", harmless(request.view.asker))
    is_theirs = any(asker) and (idea.network, idea.channel, idea.author) == asker
    return is_theirs and len(request.rooms) != 1 and not _is_after_cutoff(request, idea)


def _is_after_cutoff(request: Request, idea: Enhancement) -> bool:
    return request.cutoff is not None and (
        idea.written_at is None or idea.written_at > request.cutoff
    )


def _reads_all_rooms(request: Request) -> bool:
    return request.view.rooms is None and not request.view.network


async def _newest_lines(request: Request, room: Room | None) -> list[str]:
    if room is None:
        return []
    page = await request.store.messages.newest([room], QUOTED_LINES, before=request.until)
    return [line_of(message, request.render_options([room])) for message in page.messages]
