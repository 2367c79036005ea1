"""Asks who is in our channels by WHO, and again where the server has no answer for the moment.

solanum limits how often a client may ask: `263 me WHO :This command could not be completed ...`,
and then `315 me * :End of /WHO list.`, which names no channel. Answers come in the order of asking.
"""

from collections.abc import Callable
from dataclasses import dataclass

import anyio

from terrarium_mcp.backoff import nth_pause
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.send_queue import QueuedLine
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts


@dataclass(frozen=True, slots=True, eq=False)
class _WhoRequest:
    """A WHO without an answer, after so many refusals for this channel."""

    channel: str
    queued: QueuedLine
    refusals: int


class WhoRequests:
    """The WHOs of one connection. `ask_who` queues one for a channel."""

    def __init__(
        self,
        timeouts: Timeouts,
        client: PydleClient,
        ask_who: Callable[[str], QueuedLine],
        start: Callable[..., None],
    ) -> None:
        self._timeouts = timeouts
        self._client = client
        self._ask_who = ask_who
        self._start = start
        self._unanswered: list[_WhoRequest] = []

    def ask(self, channel: str) -> QueuedLine:
        """Ask for the members of a channel that we joined; returns the request."""
        return self._ask(channel, refusals=0)

    def on_end(self, line: IrcMessage) -> None:
        """Note an answer: `315 me #tea :End of /WHO list`."""
        if len(line.params) > 1:
            self._forget(line.params[1])

    def on_refused(self, line: IrcMessage) -> None:
        """Ask again later, if it is a WHO that was refused: the first that has left."""
        if line.params[1:2] != ("WHO",) or not self._unanswered:
            return
        has_left = (one for one in self._unanswered if one.queued.ended.is_set())
        refused = next(has_left, self._unanswered[0])
        self._unanswered.remove(refused)
        self._start(self._ask_again, refused)

    async def _ask_again(self, refused: _WhoRequest) -> None:
        await anyio.sleep(nth_pause(self._timeouts.who_refused, refused.refusals))
        is_asked = any(self._is_for(one, refused.channel) for one in self._unanswered)
        if self._client.in_channel(refused.channel) and not is_asked:
            self._ask(refused.channel, refused.refusals + 1)

    def _ask(self, channel: str, refusals: int) -> QueuedLine:
        self._forget(channel)
        queued = self._ask_who(channel)
        self._unanswered.append(_WhoRequest(channel, queued, refusals))
        return queued

    def _forget(self, channel: str) -> None:
        self._unanswered = [one for one in self._unanswered if not self._is_for(one, channel)]

    def _is_for(self, request: _WhoRequest, channel: str) -> bool:
        return self._client.is_same_channel(request.channel, channel)
