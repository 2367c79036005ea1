"""Sits in the channels that the settings name, comes back to them, and goes nowhere else."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import anyio

from terrarium_mcp.irc_bridge.network.base import Heard
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.membership import Membership
from terrarium_mcp.irc_bridge.network.timing import Timing

log = logging.getLogger(__name__)

_JOIN_ROOM = 400  # bytes of channel names in one JOIN: well inside a line of 512


@dataclass
class Seat:
    """Our place in one channel, and how welcome we were."""

    name: str
    key: str = field(default="", repr=False)
    since: float = 0
    kicks: int = 0
    refusals: int = 0
    returning: bool = False


class Joining(Membership):
    """`keep_seats` is one of the session's tasks; returning to a channel is one each."""

    def __init__(self, login: Login, listener: Listener, timing: Timing) -> None:
        super().__init__(login, listener, timing)
        self._seats = [_seat_for(channel) for channel in login.channels]

    async def take_seats(self) -> None:
        """Join all channels: in few lines, those with a key one by one."""
        for seat in self._seats:
            if seat.key:
                await self.rawmsg("JOIN", seat.name, seat.key)
        open_ones = (seat.name for seat in self._seats if not seat.key)
        at_once = self._target_limits.get("JOIN") or len(self._seats)
        for names in _join_lines(open_ones, at_once):
            await self.rawmsg("JOIN", names)

    async def keep_seats(self) -> None:
        """Look round now and then: a JOIN may also be met by silence."""
        while True:
            await anyio.sleep(self.timing.look_round)
            for seat in self._seats:
                if self.welcomed and not self.in_channel(seat.name) and not self._gave_up(seat):
                    self._return_to(seat, 0)

    def _seat(self, channel: str) -> Seat | None:
        return next(
            (seat for seat in self._seats if self.is_same_channel(seat.name, channel)), None
        )

    def _gave_up(self, seat: Seat) -> bool:
        return seat.kicks > len(self.timing.rejoin)

    async def on_join(self, channel: str, user: str) -> None:
        """Sit down where we want to be, and leave where somebody else wants us to be."""
        if not self.is_same_nick(user, self.nickname):
            return
        seat = self._seat(channel)
        if seat is None:
            log.warning("we were put into %s, which the settings do not name: leaving", channel)
            await self.rawmsg("PART", channel, "only here by invitation of my operator")
            return
        seat.since, seat.refusals = anyio.current_time(), 0
        self.listener.joined(channel)
        await self.ask_who(channel)

    async def on_raw_366(self, message: Heard) -> None:
        """Tell that a member list is complete."""
        channel = message.params[1] if len(message.params) > 1 else ""
        if self.in_channel(channel) and self._seat(channel):
            self.listener.present(channel)

    async def on_raw_kick(self, message: Heard) -> None:
        """Come back after a while if we were kicked."""
        seated = self.joined_channels()
        await super().on_raw_kick(message)
        kicker, _ = self._parse_user(message.source)
        self._unseated(seated, ": ".join([f"kicked by {kicker}", *message.params[2:3]]))

    async def on_raw_part(self, message: Heard) -> None:
        """Come back after a while if we were made to part."""
        seated = self.joined_channels()
        await super().on_raw_part(message)
        self._unseated(seated, ": ".join(["parted", *message.params[1:2]]))

    def _unseated(self, seated: Iterable[str], why: str) -> None:
        for channel in seated:
            seat = self._seat(channel)
            if seat and not self.in_channel(channel):
                self.listener.left(channel, why)
                self._after_kick(seat, why)

    def _after_kick(self, seat: Seat, why: str) -> None:
        if anyio.current_time() - seat.since > self.timing.forgiven:
            seat.kicks = 0
        seat.kicks += 1
        if self._gave_up(seat):
            log.error("%s: %s. Staying out until the next connection.", seat.name, why)
        else:
            log.warning("%s: %s. Coming back later.", seat.name, why)
            self._return_to(seat, self.timing.rejoin[seat.kicks - 1])

    async def _not_let_in(self, message: Heard) -> None:
        seat = self._seat(message.params[1]) if len(message.params) > 1 else None
        if seat and not self.in_channel(seat.name):
            delays = self.timing.refused
            delay = delays[min(seat.refusals, len(delays) - 1)]
            seat.refusals += 1
            log.warning(
                "%s did not let us in: %s. Again in %g s.", seat.name, message.params[-1], delay
            )
            self._return_to(seat, delay)

    # No such channel, too many, unavailable, forwarded, full, invited only, banned, wrong key, bad
    # name, registered nicks only, throttled, TLS only.
    on_raw_403 = on_raw_405 = on_raw_437 = on_raw_470 = on_raw_471 = on_raw_473 = _not_let_in
    on_raw_474 = on_raw_475 = on_raw_476 = on_raw_477 = on_raw_480 = on_raw_489 = _not_let_in

    def _return_to(self, seat: Seat, delay: float) -> None:
        if not seat.returning:
            seat.returning = True
            self.tasks.start_soon(self._return_later, seat, delay)

    async def _return_later(self, seat: Seat, delay: float) -> None:
        await anyio.sleep(delay)
        seat.returning = False
        if not self.in_channel(seat.name):
            await self.rawmsg("JOIN", seat.name, *([seat.key] if seat.key else []))


def _seat_for(channel: str) -> Seat:
    name, _, key = channel.strip().partition(" ")
    return Seat(name, key.strip())


def _join_lines(channels: Iterable[str], at_once: int) -> Iterator[str]:
    """Channels by commas, as many as a line and the server take."""
    names: list[str] = []
    for channel in channels:
        if names and (
            len(names) == at_once or len(",".join([*names, channel]).encode()) > _JOIN_ROOM
        ):
            yield ",".join(names)
            names = []
        names.append(channel)
    if names:
        yield ",".join(names)
