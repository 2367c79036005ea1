"""get_current_users: who is in a channel."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from mcp.types import CallToolResult
from pydantic import BaseModel

from terrarium_mcp.chat.coverage import JOINED
from terrarium_mcp.chat.fence import listing
from terrarium_mcp.chat.irctext import harmless, harmless_nick
from terrarium_mcp.chat.records import Member, Room
from terrarium_mcp.chat.times.timestamps import minute
from terrarium_mcp.request import Request
from terrarium_mcp.tools.facts import iso_or_empty, within_budget
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.parameters import Channel
from terrarium_mcp.tools.results import tool_result
from terrarium_mcp.wording import quantity, shown


class User(BaseModel):
    """A member of a channel. `since`: first seen there, ISO 8601 or empty."""

    network: str
    channel: str
    nick: str
    rank: str
    away: bool
    account: str
    since: str


class CurrentUsers(BaseModel):
    """The members; if not `live`, as of `as_of`, for the reason `why_stale`."""

    users: list[User]
    live: bool
    as_of: str
    why_stale: str
    left_out: int = 0


class MemberList(NamedTuple):
    """The members of a room that the request may know of, and the reason if the list is stale."""

    room: Room
    members: Sequence[Member] = ()
    as_of: datetime | None = None
    why_stale: str = ""


_MOST_REASONS = 3
"""Rooms for which a stale list is explained; 400 reasons would leave no room for the members."""

_LONGEST_REASON = 160

_LEAST_USER = 20
"""Estimated tokens that a member takes as JSON at least: the names of the facts alone."""


async def get_current_users(
    request: FromRequest, channel: Channel = ""
) -> Annotated[CallToolResult, CurrentUsers]:
    """List who is in a channel now: rank, away, account, since when."""
    rooms = request.narrowed(channel)
    lists = [await _member_list(request, room) for room in rooms]
    members = [(found.room, member) for found in lists for member in found.members]
    as_of = [found.as_of for found in lists if found.as_of]
    reasons = _reasons(request, [found for found in lists if found.why_stale])
    result = CurrentUsers(
        users=[_user(*one) for one in members[: 1 + request.budget // _LEAST_USER]],
        live=not reasons,
        as_of=iso_or_empty(min(as_of, default=None)),
        why_stale="; ".join(reasons),
    )
    facts = result.model_dump(exclude_unset=True)
    structured = within_budget(facts, ["users"], request.budget)
    if left_out := len(members) - len(structured["users"]):
        structured["left_out"] = left_out
    as_of_when = f", as of {result.as_of}" if result.as_of else ""
    state = "live" if result.live else f"not live{as_of_when}"
    where = request.room_names(rooms)
    # An empty list that nobody has ever read is no channel without members.
    there = f"{len(members)} in {where} ({state})" if as_of else f"members of {where}: not known"
    head = [f"{there}. Times {request.settings.zone}."]
    # Inside the fence: a reason may quote strangers, such as the text of a kick.
    rows = [f"not live: {reason}" for reason in reasons]
    for room, member in members:
        prefix = f"{request.room_name(room)} " if len(rooms) > 1 else ""
        rows.append(f"{prefix}{_member_row(request, member)}")
    return tool_result(listing(head, rows, request.budget).text, structured)


def _reasons(request: Request, stale: Sequence[MemberList]) -> list[str]:
    """Why the lists of rooms are stale, for the first rooms; the others are counted."""
    reasons = [
        shown(f"{request.room_name(found.room)}: {found.why_stale}", _LONGEST_REASON)
        for found in stale[:_MOST_REASONS]
    ]
    left = len(stale) - len(reasons)
    return [*reasons, quantity(left, "more channel")] if left else reasons


async def _member_list(request: Request, room: Room) -> MemberList:
    """The members of a room, without those who joined after the cutoff; none if it looks back."""
    if request.looks_back:
        return MemberList(room, why_stale="only the current members are known, not earlier ones")
    there = await request.store.presence.current(room)
    if there.as_of is None:
        why_stale = await _why_unrecorded(request, room) or "the members have not been read yet"
        return MemberList(room, why_stale=why_stale)
    cutoff = request.cutoff
    members = [
        member for member in there.people if not cutoff or not member.since or member.since < cutoff
    ]
    as_of = min(there.as_of, cutoff) if cutoff else there.as_of
    return MemberList(room, members, as_of, await _why_stale(request, room, there.as_of))


async def _why_stale(request: Request, room: Room, as_of: datetime) -> str:
    """Why the list of a room, read at `as_of`, is not that of now; empty if it is."""
    spans = (await request.coverage([room])).spans
    if any(span.going_on and span.why_began == JOINED and span.began > as_of for span in spans):
        return "the members have not been read since the bot came back"
    return await _why_unrecorded(request, room)


async def _why_unrecorded(request: Request, room: Room) -> str:
    """Why nothing that happens in a room is recorded; empty if it is."""
    spans = (await request.coverage([room])).spans
    if any(span.going_on for span in spans):
        return ""
    own = [span for span in spans if not span.source]
    if not own:
        return "it is not being recorded now, so its members are unknown"
    last = max(own, key=lambda span: span.ended)
    return f"not recorded now ({last.why_ended or 'the recorder is silent'})"


def _user(room: Room, member: Member) -> User:
    return User(
        network=harmless(room.network),
        channel=harmless(room.channel),
        nick=harmless_nick(member.nick),
        rank=member.rank,
        away=member.away,
        account=harmless(member.account),
        since=iso_or_empty(member.since),
    )


def _member_row(request: Request, member: Member) -> str:
    account = f", account {member.account}" if member.account else ""
    away = ", away" if member.away else ""
    since = f", since {minute(member.since, request.settings.zone)}" if member.since else ""
    return f"{member.rank}{harmless_nick(member.nick)}{account}{away}{since}"
