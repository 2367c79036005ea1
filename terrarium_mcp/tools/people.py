"""lookup_nick: who a person is, as far as the log shows it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from terrarium_mcp.chat.fence import listing
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless, harmless_nick
from terrarium_mcp.chat.records import Message, MessageType, Room, networks_of
from terrarium_mcp.chat.times.timestamps import minute, to_iso
from terrarium_mcp.chat.transcript import dated_line, event_text
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.request import Request
from terrarium_mcp.store import Evidence, NickActivity, NickArrival, Person
from terrarium_mcp.tools.facts import iso_or_empty, within_budget
from terrarium_mcp.tools.from_request import FromRequest
from terrarium_mcp.tools.known_nicks import (
    IS_A_RELAY,
    is_relay,
    look_up,
    newest_by,
    similar_to,
    without_opted_out,
)
from terrarium_mcp.tools.parameters import Nick
from terrarium_mcp.tools.results import tool_result
from terrarium_mcp.tools.shortened_lines import shortened
from terrarium_mcp.wording import quantity, shown

_SHARED = {"account": "same account", "host": "same host"}
"""Evidence of what two nicks have in common, in words."""

_ASIDES = "to a bot or by the recording bot"
"""What asides are, after their number."""

_WITH_A_COMMAND = "with a command to a bot"
"""How somebody was seen last whose command is not quoted."""

_LISTS = ("near", "other_nicks", "channels")
"""What may be left out of the structured content, the last first."""


class OtherNick(BaseModel):
    """Another nick, and why it may be theirs; `times` 0: not known."""

    nick: str
    evidence: str
    times: int
    first: str
    last: str


class NickChannel(BaseModel):
    """What it did in a channel; times are ISO 8601 or empty."""

    channel: str
    lines: int
    # Commands to a bot and words of the recording bot, which are none of the lines.
    asides: int
    spoke: str
    seen: str


class NickReport(BaseModel):
    """What is known of a nick; if nothing is, `near` are similar ones."""

    summary: str
    nick: str
    covered: str
    known: bool
    # Whether it carries the words of others: then those are known, and it is not.
    relay: bool
    spoke_at: str
    spoke_channel: str
    spoke_id: str
    spoke_text: str
    # The relay that carried it, if one did.
    spoke_via: str
    seen_at: str
    seen_channel: str
    seen_id: str
    # The nick that they had until then, if what was seen is the change to this one.
    seen_as: str
    # What happened then, unless it is what they said last.
    seen_text: str
    near: list[str]
    other_nicks: list[OtherNick]
    channels: list[NickChannel]
    left_out: int = 0


class LastSighting(NamedTuple):
    """When and where a nick last did something; no `message` if that was a command to a bot."""

    at: datetime
    room: Room
    message: Message | None


async def lookup_nick(
    request: FromRequest, nick: Annotated[Nick, Field(description="a nick, in any case")]
) -> Annotated[CallToolResult, NickReport]:
    """Look up a person: when and where last seen.

    Also lines said, other nicks and the evidence.
    """
    if not nick:
        raise TerrariumError("Name a nick. get_channel_stats lists who says most.")
    nick, rooms = request.narrowed_to_nick(nick, request.narrowed(""))
    people = [await _person(request, nick, network, rooms) for network in networks_of(rooms)]
    arrivals = await _arrivals(request, nick, rooms)
    active = [one for person in people for one in person.rooms]
    active = sorted(_seen_arriving(active, arrivals), key=lambda one: -one.lines)
    active = [await _apart_from_asides(request, nick, one) for one in active]
    spoke = await _newest(request, nick, active, ())
    did = await _newest(request, nick, active, tuple(MessageType))
    seen = _last_sighting(active, did, await _newest_arrival(request, arrivals))
    covered = await request.coverage_line(rooms)
    nick = spoke.nick if spoke else nick  # as they spell it
    known = any(person.is_known for person in people)
    relays = await is_relay(request, nick, rooms)
    about = f"{shown(nick)} {IS_A_RELAY}" if relays else _headline(nick, known=known)
    facts = {
        "summary": harmless(about),
        "nick": harmless_nick(nick),
        "covered": harmless(covered),
        "known": known,
        "relay": relays,
        **_spoke_facts(request, spoke),
        **_seen_facts(request, nick, seen, spoke),
        "near": [harmless_nick(near) for near in similar_to(people)],
        "other_nicks": [
            _other(request, one, person) for person in people for one in person.evidence
        ],
        "channels": [_channel(request, one) for one in active],
    }
    structured = within_budget(facts, _LISTS, request.budget)
    rows = _rows(request, people, active, spoke, seen)
    return tool_result(listing([about, covered], rows, request.budget).text, structured)


async def _person(request: Request, nick: str, network: str, rooms: Sequence[Room]) -> Person:
    """What is known of the nick on a network: of a person who opted out of the record, nothing."""
    opt_outs = await request.store.opt_outs.current()
    if opt_outs.has_nick(network, nick):
        return Person(nick, network)
    return await without_opted_out(request, await look_up(request, nick, network, rooms))


async def _newest(
    request: Request, nick: str, active: Sequence[NickActivity], kinds: tuple[MessageType, ...]
) -> Message | None:
    """As `newest_by`, where they were active."""
    if not active:
        return None
    return await newest_by(request, nick, [one.room for one in active], kinds)


async def _apart_from_asides(request: Request, nick: str, activity: NickActivity) -> NickActivity:
    """The activity with the time of the newest line, where the counters may have an aside's."""
    if not activity.asides:
        return activity
    spoke = await _newest(request, nick, [activity], ())
    return activity._replace(spoke=spoke.said_at if spoke else None)


async def _arrivals(request: Request, nick: str, rooms: Sequence[Room]) -> list[NickArrival]:
    """The newest change to a nick in each room, but for those of people who opted out."""
    opt_outs = await request.store.opt_outs.current()
    return [
        one
        for network in networks_of(rooms)
        if not opt_outs.has_nick(network, nick)
        for one in await request.store.people.arrivals(nick, network, rooms, until=request.until)
        if not opt_outs.has_nick(network, one.old)
    ]


def _seen_arriving(
    active: Sequence[NickActivity], arrivals: Sequence[NickArrival]
) -> list[NickActivity]:
    """What a nick did in each room; somebody who changes to it is seen there too."""
    arrived = {one.room: one.at for one in arrivals}
    seen = [
        one._replace(seen=max(filter(None, (one.seen, arrived.pop(one.room, None))), default=None))
        for one in active
    ]
    return seen + [NickActivity(room, 0, None, at) for room, at in arrived.items()]


async def _newest_arrival(request: Request, arrivals: Sequence[NickArrival]) -> Message | None:
    """The newest message by which somebody changed to a nick."""
    newest = max(arrivals, key=lambda one: (one.at, one.message), default=None)
    return newest and await request.store.messages.get(newest.message, [newest.room])


def _last_sighting(
    active: Sequence[NickActivity], did: Message | None, arrival: Message | None
) -> LastSighting | None:
    """The newest message of a nick, unless the counters know of a later sign: a command.

    Args:
        active: what it did in each room.
        did: the newest message by it.
        arrival: that of the newest change to it.
    """
    messages = filter(None, (did, arrival))
    newest = max(messages, key=lambda one: (one.said_at, one.id), default=None)
    sightings = [(one.seen, one.room) for one in active if one.seen]
    if not sightings:
        return None
    at, room = max(sightings, key=lambda one: one[0])
    if newest and newest.said_at >= at:  # the counters are exact to the second
        return LastSighting(newest.said_at, newest.room, newest)
    return LastSighting(at, room, None)


def _spoke_facts(request: Request, spoke: Message | None) -> dict[str, str]:
    return {
        "spoke_at": to_iso(spoke.said_at) if spoke else "",
        "spoke_channel": request.room_name(spoke.room) if spoke else "",
        "spoke_id": str(spoke.id) if spoke else "",
        "spoke_text": harmless(shortened(spoke).text) if spoke else "",
        "spoke_via": harmless_nick(spoke.via) if spoke else "",
    }


def _seen_facts(
    request: Request, nick: str, seen: LastSighting | None, spoke: Message | None
) -> dict[str, str]:
    return {
        "seen_at": to_iso(seen.at) if seen else "",
        "seen_channel": request.room_name(seen.room) if seen else "",
        "seen_id": str(seen.message.id) if seen and seen.message else "",
        "seen_as": harmless_nick(_nick_before(nick, seen)) if seen else "",
        "seen_text": _seen_text(seen) if seen and not _is_same(seen, spoke) else "",
    }


def _nick_before(nick: str, seen: LastSighting) -> str:
    """The nick from which they changed to this one, if that is what was seen; else empty."""
    change = seen.message
    if change and change.kind is MessageType.NICK and fold(change.nick) != fold(nick):
        return change.nick
    return ""


def _seen_text(seen: LastSighting) -> str:
    """What they did: `quit (good night)`."""
    return event_text(shortened(seen.message)) if seen.message else _WITH_A_COMMAND


def _is_same(seen: LastSighting, spoke: Message | None) -> bool:
    """Whether they were last seen when they last spoke."""
    return bool(spoke and seen.message and seen.message.id == spoke.id)


def _other(request: Request, evidence: Evidence, person: Person) -> dict[str, Any]:
    return {
        "nick": _nick_label(request, evidence, person),
        "evidence": _evidence(evidence),
        "times": evidence.count or 0,
        "first": to_iso(evidence.first),
        "last": to_iso(evidence.last),
    }


def _channel(request: Request, activity: NickActivity) -> dict[str, Any]:
    return {
        "channel": request.room_name(activity.room),
        "lines": activity.lines,
        "asides": activity.asides,
        "spoke": iso_or_empty(activity.spoke),
        "seen": iso_or_empty(activity.seen),
    }


def _evidence(evidence: Evidence) -> str:
    return _SHARED.get(evidence.kind, evidence.kind)


def _nick_label(request: Request, evidence: Evidence, person: Person) -> str:
    """The nick, with its network where there are several: `libera/ada_`."""
    several = request.directory.several_networks
    return harmless_nick(f"{person.network}/{evidence.nick}" if several else evidence.nick)


def _headline(nick: str, *, known: bool) -> str:
    if not known:
        return f"no one called {shown(nick)} is recorded here"
    return f"{shown(nick)}; other nicks are evidence, not proof, of the same person"


def _rows(
    request: Request,
    people: Sequence[Person],
    active: Sequence[NickActivity],
    spoke: Message | None,
    seen: LastSighting | None,
) -> list[str]:
    """The report as rows of a listing, the most wanted first."""
    rows = [f"last spoke {_quoted(request, spoke)}"] if spoke else []
    if seen and not _is_same(seen, spoke):
        rows.append(_seen_row(request, seen))
    if not seen and any(person.is_known for person in people):
        rows.append("never seen under this nick")
    near = ", ".join(map(harmless_nick, similar_to(people)))
    rows += [f"similar nicks: {near}"] if near else []
    rows += [_other_row(request, one, person) for person in people for one in person.evidence]
    return rows + [_channel_row(request, one) for one in active]


def _seen_row(request: Request, seen: LastSighting) -> str:
    if seen.message:
        return f"last seen {_quoted(request, seen.message)}"
    where = request.room_name(seen.room)
    return f"last seen {minute(seen.at, request.settings.zone)} {where}, {_WITH_A_COMMAND}"


def _other_row(request: Request, evidence: Evidence, person: Person) -> str:
    """`also ada_: nick change, 3 times, 2026-01-01 to 2026-10-01`; of one day, `2026-01-01`."""
    times = f", {quantity(evidence.count, 'time')}" if evidence.count else ""
    first, last = (minute(at, request.settings.zone)[:10] for at in (evidence.first, evidence.last))
    nick = _nick_label(request, evidence, person)
    days = first if first == last else f"{first} to {last}"
    return f"also {nick}: {_evidence(evidence)}{times}, {days}"


def _channel_row(request: Request, activity: NickActivity) -> str:
    """`in #tea: 1,200 lines, last spoke 2026-11-05 14:23, last seen 2026-11-05 15:00`.

    It says of asides that they are none of these lines.
    """
    name, lines = request.room_name(activity.room), quantity(activity.lines, "line")
    zone = request.settings.zone
    spoke = f", last spoke {minute(activity.spoke, zone)}" if activity.spoke else ""
    seen = f", last seen {minute(activity.seen, zone)}" if activity.seen else ""
    besides = f" besides {activity.asides:,} {_ASIDES}" if activity.asides else ""
    return f"in {name}: {lines}{besides}{spoke}{seen}"


def _quoted(request: Request, message: Message) -> str:
    """The message on a line of its own, with its date and room."""
    options = replace(request.render_options(request.rooms), rooms_named=True)
    return dated_line(shortened(message), options)
