"""Since when to catch a person up: the time they name, their own absence, or a day."""

import re
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from terrarium_mcp.chat.absence import newest_absence
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.query_dates import parse_moment
from terrarium_mcp.chat.times.timestamps import Position, lasting, minute, to_iso
from terrarium_mcp.errors import TerrariumError, UnknownMessage
from terrarium_mcp.offload import offload
from terrarium_mcp.policy import is_year, message_id
from terrarium_mcp.request import Request
from terrarium_mcp.tools.known_nicks import newest_by
from terrarium_mcp.tools.signs import signs_of
from terrarium_mcp.wording import quantity, shown

_USUAL = timedelta(hours=24)
"""How far back to go for a person of whom no absence is known."""

_HOURS = re.compile(r"[1-9]\d{0,2}")
"""A number that may mean hours: up to six weeks."""


class DigestStart(NamedTuple):
    """The position after which a digest begins, and why there, in words.

    `is_known` is whether anything of the nick was found on the way.
    """

    after: Position
    why: str
    is_known: bool = False


async def digest_start(
    request: Request, rooms: Sequence[Room], since: str, nick: str
) -> DigestStart:
    """Where a digest of `rooms` begins for `nick`, if `since` names no time or message.

    Raises:
        TerrariumError: `since` is neither a past time nor the id of a readable message of `rooms`.
    """
    if since:
        return await _asked_for(request, rooms, since)
    if not nick:
        return _usual(request, "no nick was given")
    theirs = await signs_of(request, rooms, nick)
    if not theirs:
        where = "" if set(rooms) == set(request.rooms) else f" in {request.room_names(rooms)}"
        if await newest_by(request, nick, rooms, ()):  # of another network, so no sign of them
            why = f"only a relay carried anything of that nick{where}"
            return _usual(request, why)._replace(is_known=True)
        return _usual(request, f"nothing of that nick is recorded{where}")
    absence = newest_absence(theirs, request.now)
    if absence is None:
        return _usual(request, "no absence is known")._replace(is_known=True)
    last = absence.last
    is_other = fold(last.nick, last.room.casemapping) != fold(nick, last.room.casemapping)
    who = f"{shown(nick)}, as {shown(last.nick)}," if is_other else shown(nick)
    did = "left" if absence.began_by_leaving else "was last active"
    why = f"when {who} {did}, away for {lasting(absence.length)}"
    return DigestStart(last.position, why, is_known=True)


async def _asked_for(request: Request, rooms: Sequence[Room], since: str) -> DigestStart:
    """The time or message that the caller names."""
    if message_id(since) is not None and not is_year(since):
        try:
            message = await request.message(since)
        except UnknownMessage as error:
            raise UnknownMessage(since, _as_hours(since)) from error
        if message.room not in rooms:
            raise TerrariumError(
                f"Message {message.id} is in {request.room_name(message.room)},"
                f" not in {request.room_names(rooms)}."
                f" Write since={to_iso(message.said_at)} for what was said since that message."
                f"{_as_hours(since)}"
            )
        return DigestStart(message.position, f"message {message.id}, as asked")
    zone = request.settings.zone
    moment = await offload(partial(parse_moment, since, request.now, zone))  # may take 5 ms
    if moment is None:
        raise TerrariumError(
            f"since={shown(since)} is neither a time nor a message id."
            " Write a time as 2h, yesterday or 2026-05-01."
        )
    if moment > request.now:
        raise TerrariumError(
            f"since={shown(since)} is in the future: {minute(moment, zone)}."
            " Write a time as 2h, yesterday or 2026-05-01."
        )
    return DigestStart(Position.at(moment), "as asked")


def _as_hours(since: str) -> str:
    """A sentence on how to write a small number that was meant as hours; empty if it is none."""
    number = since.strip()
    if not _HOURS.fullmatch(number):
        return ""
    return f" Write since={number}h for the last {quantity(int(number), 'hour')}."


def _usual(request: Request, why: str) -> DigestStart:
    return DigestStart(Position.at(request.now - _USUAL), f"24 hours, as {why}")
