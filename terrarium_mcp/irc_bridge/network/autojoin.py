"""Joins the configured channels, returns to them when we lose one, and leaves all others."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import anyio

from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.membership import Membership
from terrarium_mcp.irc_bridge.network.message import IrcMessage
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

log = logging.getLogger(__name__)

_JOIN_BYTES = 400  # channel names in one JOIN: well inside a line of 512 bytes


@dataclass
class ChannelState:
    """A configured channel, and how its server and operators have treated us."""

    name: str
    key: str = field(repr=False)
    joined_as: str = ""
    """The name as the server spells it; empty while we are not in it."""
    joined_at: float = 0
    kicks: int = 0
    refusals: int = 0
    returning: bool = False


class AutoJoin:
    """Keeps us in the configured channels.

    `rejoin_loop` runs as a task of the session, and so does each return to a channel.
    """

    def __init__(
        self,
        channels: Sequence[str],
        timeouts: Timeouts,
        client: PydleClient,
        membership: Membership,
        listener: Listener,
        post: Post,
        start: Callable[..., None],
    ) -> None:
        self._channels = [_channel_state(channel) for channel in channels]
        self._takes_part = False
        self._timeouts = timeouts
        self._client = client
        self._membership = membership
        self._listener = listener
        self._post = post
        self._start = start

    def join_all(self) -> None:
        """Join all channels in few lines; those with a key in a line each."""
        self._takes_part = True
        for channel in self._channels:
            if channel.key:
                self._post("JOIN", channel.name, channel.key)
        without_key = (channel.name for channel in self._channels if not channel.key)
        per_line = self._client.joins_per_line or len(self._channels)
        for names in _join_lines(without_key, per_line):
            self._post("JOIN", names)

    def change_channels(self, channels: Sequence[str]) -> None:
        """Leave the channels that are not among these, and join the others once we take part."""
        before, self._channels = self._channels, [_channel_state(one) for one in channels]
        for known in before:
            channel = self._configured(known.name)
            if channel:
                known.key = channel.key
                self._channels[self._channels.index(channel)] = known
            elif known.joined_as:
                self._post("PART", known.name, "no longer in my settings")
                self._listener.left(known.joined_as, "no longer in the settings")
        if self._takes_part:
            for channel in self._channels:
                if channel not in before:
                    self._return_after(0, channel)

    async def rejoin_loop(self) -> None:
        """Look for lost channels now and then: a server may answer a JOIN with nothing at all."""
        while True:
            await anyio.sleep(self._timeouts.look_round)
            for channel in self._channels:
                if not self._client.in_channel(channel.name) and not self._gave_up(channel):
                    self._return_after(0, channel)

    def on_join(self, line: IrcMessage) -> None:
        """Note that we are in a channel, or leave one that the settings do not name."""
        if not self._client.is_own(line.source):
            return
        for name in line.params[0].split(","):
            channel = self._configured(name)
            if channel is None:
                log.warning("forced into %s, which the settings do not name: leaving it", name)
                self._post("PART", name, "only here by invitation of my operator")
                continue
            channel.joined_as, channel.joined_at = name, anyio.current_time()
            channel.refusals = 0
            self._listener.joined(name)
            self._membership.ask_who(name)

    def on_names_end(self, line: IrcMessage) -> None:
        """Report that a member list is complete."""
        name = line.params[1] if len(line.params) > 1 else ""
        if self._client.in_channel(name) and self._configured(name):
            self._listener.members_complete(name)

    def on_kick(self, line: IrcMessage) -> None:
        """Return later if we were kicked."""
        kicker = line.source.nick if line.source else "the server"
        self._left(": ".join([f"kicked by {kicker}", *line.params[2:3]]))

    def on_part(self, line: IrcMessage) -> None:
        """Return later if the server made us part."""
        self._left(": ".join(["parted", *line.params[1:2]]))

    def on_refused(self, line: IrcMessage) -> None:
        """Try a channel again later that did not let us in."""
        channel = self._configured(line.params[1]) if len(line.params) > 1 else None
        if channel is None or self._client.in_channel(channel.name):
            return
        pauses = self._timeouts.refused
        pause = pauses[min(channel.refusals, len(pauses) - 1)]
        channel.refusals += 1
        log.warning("%s refused us: %s. Retrying in %g s.", channel.name, line.params[-1], pause)
        self._return_after(pause, channel)

    def _left(self, why: str) -> None:
        """Handle the loss of every channel that pydle no longer has."""
        for channel in self._channels:
            if channel.joined_as and not self._client.in_channel(channel.name):
                self._listener.left(channel.joined_as, why)
                channel.joined_as = ""
                self._after_kick(channel, why)

    def _after_kick(self, channel: ChannelState, why: str) -> None:
        if anyio.current_time() - channel.joined_at > self._timeouts.forgiven:
            channel.kicks = 0
        channel.kicks += 1
        if self._gave_up(channel):
            log.error("%s: %s. Staying out until the next connection.", channel.name, why)
        else:
            log.warning("%s: %s. Returning later.", channel.name, why)
            self._return_after(self._timeouts.rejoin[channel.kicks - 1], channel)

    def _gave_up(self, channel: ChannelState) -> bool:
        return channel.kicks > len(self._timeouts.rejoin)

    def _return_after(self, pause: float, channel: ChannelState) -> None:
        if not channel.returning:
            channel.returning = True
            self._start(self._return, pause, channel)

    async def _return(self, pause: float, channel: ChannelState) -> None:
        await anyio.sleep(pause)
        channel.returning = False
        if not self._client.in_channel(channel.name):
            self._post("JOIN", channel.name, *([channel.key] if channel.key else []))

    def _configured(self, name: str) -> ChannelState | None:
        same = self._client.is_same_channel
        return next((channel for channel in self._channels if same(channel.name, name)), None)


def _channel_state(setting: str) -> ChannelState:
    name, _, key = setting.strip().partition(" ")
    return ChannelState(name, key.strip())


def _join_lines(channels: Iterable[str], at_most: int) -> Iterator[str]:
    """Names joined by commas, as many as a line and the server accept."""
    names: list[str] = []
    for channel in channels:
        full = len(names) == at_most or len(",".join([*names, channel]).encode()) > _JOIN_BYTES
        if names and full:
            yield ",".join(names)
            names = []
        names.append(channel)
    if names:
        yield ",".join(names)
