"""What follows our own JOIN of a channel: some servers replay history there, in no batch.

inspircd does with chanhistory but without ircv3_batch, pounce and WeeChat's relay may. Where lines
have times (IRCv3 server-time), what was said before our JOIN is history. Elsewhere it can only be
told that the replay has ended: a PING sent after our JOIN is answered behind all that the JOIN
brought.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import anyio

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.pongs import OURS, Pongs
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient
from terrarium_mcp.irc_bridge.network.send_queue import SPEAKING
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

_SLACK = timedelta(seconds=30)
"""How much before our JOIN a line must be dated if the JOIN has our own time, having none of the
server's: the two clocks differ."""

_FOLLOWS_WITHIN = 120
"""Seconds after our JOIN in which history comes. A server may set its clock back later, and all
that is said for a while be dated before our JOIN."""

_MOST = 1_000
"""Channels whose JOIN is remembered: a server may force us into any number."""

_TOKEN = f"{OURS}-joined-"


class _Joined(NamedTuple):
    """When we joined a channel, in seconds of the event loop, and by the server's clock."""

    at: float
    server_time: datetime


class Arrivals:
    """Our JOINs of one connection, and the history behind them.

    Where lines have no times, the listener is told when a channel's history may follow, and when
    it no longer does. One PING at a time is on its way, for all channels joined before it.
    """

    def __init__(
        self,
        timeouts: Timeouts,
        client: PydleClient,
        post: Post,
        listener: Listener,
        start: Callable[..., None],
        pongs: Pongs,
    ) -> None:
        self._timeouts = timeouts
        self._client = client
        self._post = post
        self._listener = listener
        self._start = start
        self._pongs = pongs
        self._joined = BoundedDict[str, _Joined](_MOST)
        """Our last JOIN of each channel, which is folded."""
        self._probed: list[str] = []
        self._arriving: list[str] = []
        self._probe = 0

    def marked(self, line: IrcMessage) -> IrcMessage:
        """`line`, with `replay` and `replay_of` set if it was said before we joined."""
        if line.replay or line.command not in SPEAKING or "time" not in line.tags:
            return line
        channel = line.params[0] if line.params else ""
        joined = self._joined.get(self._client.fold(channel))
        if joined is None or anyio.current_time() - joined.at > _FOLLOWS_WITHIN:
            return line
        if (sent_at := line.sent_at) is None or sent_at >= joined.server_time:
            return line
        return replace(line, replay=True, replay_of=channel)

    def on_join(self, line: IrcMessage) -> None:
        """Note when we joined."""
        if not self._client.is_own(line.source):
            return
        for channel in filter(self._client.in_channel, line.targets):
            if self._client.has_capability("server-time"):
                server_time = line.sent_at or datetime.now(UTC) - _SLACK
                joined = _Joined(anyio.current_time(), server_time)
                self._joined[self._client.fold(channel)] = joined
            else:
                self._arriving.append(channel)
                self._listener.on_arriving(channel)
        if self._arriving and not self._probed:
            self._send_probe()

    def on_pong(self, line: IrcMessage) -> None:
        """All that came with the JOINs before this PING has come."""
        if self._pongs.answers(line, f"{_TOKEN}{self._probe}"):
            self._arrive()

    def _arrive(self) -> None:
        arrived, self._probed = self._probed, []
        if self._arriving:
            self._send_probe()
        for channel in arrived:
            self._listener.on_arrived(channel)

    def _send_probe(self) -> None:
        self._probed, self._arriving = self._arriving, []
        self._probe += 1
        self._post("PING", f"{_TOKEN}{self._probe}")
        self._start(self._wait_for_pong, self._probe)

    async def _wait_for_pong(self, probe: int) -> None:
        """Believe that all has come if a PING is not answered: what people say must not wait."""
        await anyio.sleep(self._timeouts.confirm)
        if probe == self._probe:
            self._arrive()
