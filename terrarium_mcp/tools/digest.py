"""catch_up: what a person missed, as a digest without a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from terrarium_mcp.chat.fence import line_cost, listing
from terrarium_mcp.chat.irctext import harmless, harmless_nick
from terrarium_mcp.chat.records import SPEECH, Message, Room
from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.chat.transcript import event_text
from terrarium_mcp.request import Request
from terrarium_mcp.store import RecentDigest
from terrarium_mcp.tools.digest_text import (
    MOST_SHOWN,
    USUAL_TOKENS,
    DigestRow,
    DigestSection,
    cut_note,
    digest_headline,
    digest_rows,
    digest_sections,
    most_shown,
    next_steps,
)
from terrarium_mcp.tools.facts import LEAST_JSON, head_facts, within_budget
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.known_nicks import unknown_nick_notes
from terrarium_mcp.tools.missed_mentions import missed_mentions
from terrarium_mcp.tools.parameters import (
    Channel,
    Forgiving,
    Nick,
    Text,
    clamped_to,
    clamping_notes,
)
from terrarium_mcp.tools.results import tool_result
from terrarium_mcp.tools.silence import last_line_note
from terrarium_mcp.tools.since import DigestStart, digest_start
from terrarium_mcp.wording import note

if TYPE_CHECKING:  # a type only: the package is loaded when a conversation is read
    from terrarium_mcp.chat.digest import ConversationSummary

_MOST_TOKENS = 4_000

_MOST_PEOPLE = 10
"""People of a conversation that its JSON names."""


class DigestLine(BaseModel):
    """A line; of a link `text` is the URL. From `first_id` on: the conversation it began."""

    id: str
    at: str
    channel: str
    nick: str
    text: str
    # The relay that carried it, if one did.
    via: str = ""
    first_id: str = ""
    last_id: str = ""
    lines: int = 0
    people: list[str] = []
    # How many are not among the people.
    more_people: int = 0


class CatchUp(BaseModel):
    """What was missed; `counts`: of each kind."""

    summary: str
    since: str
    why: str
    covered: str
    lines: int
    people: int
    counts: dict[str, int]
    mentions: list[DigestLine]
    questions: list[DigestLine]
    conversations: list[DigestLine]
    links: list[DigestLine]
    arrivals: list[DigestLine]
    # The newest lines, where no other list tells of them.
    said: list[DigestLine] = []
    # Where the time was not read whole, from when on it was: all numbers but that of the mentions
    # are of that part.
    read_from: str = ""
    notes: list[str] = []
    left_out: int = 0


async def catch_up(
    request: FromRequest,
    channel: Channel = "",
    since: Annotated[
        Text, Field(description="2h, yesterday, 2026-05-01, a message id; empty: nick's absence")
    ] = "",
    nick: Annotated[Nick, Field(description="who was away; empty: the asker")] = "",
    max_tokens: Annotated[
        int,
        Forgiving,
        clamped_to(LEAST_JSON, _MOST_TOKENS),
        Field(description=f"{LEAST_JSON} to {_MOST_TOKENS}"),
    ] = USUAL_TOKENS,
) -> Annotated[CallToolResult, CatchUp]:
    """Sum up what was missed until now: mentions; of the last 500 lines questions, talk, links."""
    is_named = bool(nick)
    nick, rooms = request.narrowed_to_nick(nick or request.view.asker, request.narrowed(channel))
    start = await digest_start(request, rooms, since, nick)
    recent = await request.store.digest.recent(rooms, start.after, nick, until=request.until)
    budget = min(max_tokens, request.budget)
    most = most_shown(budget)
    mentions = await missed_mentions(request, rooms, start.after, nick, recent, most["mentions"])
    sections = digest_sections(recent.digest, mentions, nick, most)
    covered = await request.coverage_line(rooms)
    # Who asks may never have said anything, and who has is not looked up again.
    named = [nick] if is_named and not start.is_known else []
    notes = [
        *map(note, await unknown_nick_notes(request, named, rooms)),
        *cut_note(request, recent, nick),
        *await _last_line_note(request, rooms, start, recent),
        *clamping_notes(max_tokens=max_tokens),
    ]
    about = digest_headline(request, rooms, start, recent)
    facts = head_facts(about, covered, notes) | _facts(request, start, recent, sections)
    longest = min(_MOST_TOKENS, request.budget)
    onward = next_steps(
        request, rooms, start, nick, sections, longer=longest if budget < longest else 0
    )
    return tool_result(
        _digest_text(
            [about, covered, *notes], [*digest_rows(request, rooms, sections)], onward, budget
        ),
        within_budget(facts, [*MOST_SHOWN], budget),
    )


async def _last_line_note(
    request: Request, rooms: Sequence[Room], start: DigestStart, recent: RecentDigest
) -> list[str]:
    """The last line before a time in which nothing was said: the channel may be an old log."""
    if recent.digest.said or recent.reached:
        return []
    return await last_line_note(request, rooms, start.after, "before that")


def _digest_text(
    head: Sequence[str], rows: Sequence[DigestRow], onward: Sequence[str], budget: int
) -> str:
    """The digest as text in `budget` tokens, the next steps included."""
    headings = {place for place, row in enumerate(rows) if row.is_heading}
    foot_tokens = sum(map(line_cost, onward))
    lines = [row.text for row in rows]
    text = listing(head, lines, budget, foot_tokens=foot_tokens, headings=headings).text
    return "\n".join([text, *onward])


def _facts(
    request: Request,
    start: DigestStart,
    recent: RecentDigest,
    sections: Sequence[DigestSection],
) -> dict[str, Any]:
    digest = recent.digest
    return {
        "since": to_iso(start.after.moment),
        "why": harmless(start.why),
        "lines": len(digest.said),
        "people": digest.people,
        **({"read_from": to_iso(recent.reached.moment)} if recent.reached else {}),
        "counts": {section.name: section.total for section in sections},
        **{name: [] for name in MOST_SHOWN},
        **{section.name: _section_facts(request, section) for section in sections},
    }


def _section_facts(request: Request, section: DigestSection) -> list[dict[str, Any]]:
    lines = [_line_facts(request, line) for line in section.lines]
    if not section.summaries:
        return lines
    together = zip(lines, section.summaries, strict=True)
    return [line | _conversation_facts(summary) for line, summary in together]


def _line_facts(request: Request, line: Message) -> dict[str, Any]:
    return {
        "id": str(line.id),
        "at": to_iso(line.said_at),
        "channel": request.room_name(line.room),
        "nick": harmless_nick(line.nick),
        "text": harmless(line.text) if line.kind in SPEECH else event_text(line),
        **({"via": harmless_nick(line.via)} if line.via else {}),
    }


def _conversation_facts(summary: "ConversationSummary") -> dict[str, Any]:
    more = len(summary.people) - _MOST_PEOPLE
    return {
        "first_id": str(summary.first.id),
        "last_id": str(summary.last.id),
        "lines": summary.lines,
        "people": [harmless_nick(nick) for nick in summary.people[:_MOST_PEOPLE]],
        **({"more_people": more} if more > 0 else {}),
    }
