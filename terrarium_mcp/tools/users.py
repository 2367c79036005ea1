"""get_current_users: who is in a channel."""

from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Present, Room
from terrarium_mcp.chat.transcript import listing
from terrarium_mcp.chat.when import to_iso
from terrarium_mcp.store.messages import EVERY_LINE
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


async def get_current_users(
    asked: FromRequest, channel: Channel = ""
) -> Annotated[CallToolResult, CurrentUsers]:
    """See who is in a channel now: rank, away, account, since when."""
    rooms = asked.narrowed(channel)
    users, as_of, stale = [], [], {}
    for room in rooms:
        there = await asked.store.presence.of(room)
        users += [_user(room, one) for one in there.people]
        as_of += [there.as_of] if there.as_of else []
        if why := await _why_stale(asked, room, known=there.as_of is not None):
            stale[asked.name(room)] = why
    result = CurrentUsers(
        users=users,
        live=not stale,
        as_of=to_iso(min(as_of)) if as_of else "",
        why_stale="; ".join(f"{name}: {why}" for name, why in stale.items()),
    )
    state = "live" if result.live else f"as of {result.as_of or 'never'}; {result.why_stale}"
    head = [f"{len(users)} in {asked.where(rooms)} ({state})"]
    rows = [_row(one, rooms) for one in users]
    return answer(listing(head, rows, asked.budget), result.model_dump())


async def _why_stale(asked: Asked, room: Room, *, known: bool) -> str:
    if asked.until is not EVERY_LINE:
        return "this is the present, not the moment you look at"
    if not known:
        return "nobody has looked yet"
    spans = (await asked.coverage([room])).spans
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


def _row(user: User, rooms: tuple[Room, ...]) -> str:
    where = f"{user.channel} " if len(rooms) > 1 else ""
    away = ", away" if user.away else ""
    account = f", account {user.account}" if user.account else ""
    since = f", since {user.since[:16].replace('T', ' ')}" if user.since else ""
    return f"{where}{user.rank}{user.nick}{account}{away}{since}"
