"""get_current_users: who is in a channel."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Present, Room
from terrarium_mcp.chat.transcript import listing
from terrarium_mcp.chat.when import local, to_iso
from terrarium_mcp.tools.answer import answer
from terrarium_mcp.tools.parameters import Channel
from terrarium_mcp.tools.request import Asked, FromRequest


class User(BaseModel):
    """Somebody in a channel. `since` is ISO 8601, when we first saw them there, or empty."""

    network: str
    channel: str
    nick: str
    rank: str
    away: bool
    account: str
    since: str


class CurrentUsers(BaseModel):
    """Who is there. A list that is not `live` is as old as `as_of`; `why_stale` says why."""

    users: list[User]
    live: bool
    as_of: str
    why_stale: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Who is in a room, as far as the request may know, and why that is old, if it is."""

    room: Room
    people: Sequence[Present] = ()
    as_of: datetime | None = None
    why_stale: str = ""


async def get_current_users(
    asked: FromRequest, channel: Channel = ""
) -> Annotated[CallToolResult, CurrentUsers]:
    """See who is in a channel now: rank, away, account, since when."""
    rooms = asked.narrowed(channel)
    seen = [await _seen(asked, room) for room in rooms]
    as_of = [one.as_of for one in seen if one.as_of]
    stale = [f"{asked.name(one.room)}: {one.why_stale}" for one in seen if one.why_stale]
    result = CurrentUsers(
        users=[_user(one.room, person) for one in seen for person in one.people],
        live=not stale,
        as_of=to_iso(min(as_of)) if as_of else "",
        why_stale=harmless("; ".join(stale)),
    )
    state = "live" if result.live else f"not live, as of {result.as_of or 'never'}"
    times = f"Times {asked.settings.zone}."
    head = [f"{len(result.users)} in {asked.where(rooms)} ({state}). {times}"]
    # Why a recording ended may be told in a stranger's words, such as the reason of a kick.
    rows = [f"not live: {why}" for why in stale]
    for one in seen:
        where = f"{asked.name(one.room)} " if len(rooms) > 1 else ""
        rows += [f"{where}{_told(asked, person)}" for person in one.people]
    return answer(listing(head, rows, asked.budget), result.model_dump())


async def _seen(asked: Asked, room: Room) -> Seen:
    """Who is in a room: nobody who came after the cutoff, and nobody at all if it is long ago."""
    if asked.looks_back:
        return Seen(room, why_stale="only the present is known, not who was there then")
    there = await asked.store.presence.current(room)
    if there.as_of is None:
        return Seen(room, why_stale="nobody has looked yet")
    cutoff = asked.cutoff
    people = [one for one in there.people if not cutoff or not one.since or one.since < cutoff]
    return Seen(room, people, there.as_of, await _why_stale(asked, room))


async def _why_stale(asked: Asked, room: Room) -> str:
    """Why the list of a room is no longer kept, or nothing."""
    spans = (await asked.store.spans.coverage([room])).spans
    if any(span.going_on for span in spans):
        return ""
    own = [span for span in spans if not span.source]
    if not own:
        return "never recorded"
    last = max(own, key=lambda span: span.ended)
    return f"not recorded now ({last.why_ended or 'the recorder is silent'})"


def _user(room: Room, one: Present) -> User:
    return User(
        network=room.network,
        channel=harmless(room.channel),
        nick=harmless(one.nick),
        rank=one.rank,
        away=one.away,
        account=harmless(one.account),
        since=to_iso(one.since) if one.since else "",
    )


def _told(asked: Asked, one: Present) -> str:
    account = f", account {one.account}" if one.account else ""
    away = ", away" if one.away else ""
    since = f", since {local(one.since, asked.settings.zone):%Y-%m-%d %H:%M}" if one.since else ""
    return f"{one.rank}{one.nick}{account}{away}{since}"
