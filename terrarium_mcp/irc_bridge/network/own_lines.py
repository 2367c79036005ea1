"""Our own lines on their way: they are history once the network has taken them.

A server with echo-message sends them back. To any other we send a PING behind them: what it refuses
(a moderated channel, a ban) it refuses before the PONG. ZNC answers PING, and echoes, by itself:
behind it we send USERHOST, which the network answers (302, RFC 1459 5.7).
"""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import anyio

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.errors import NotTaken
from terrarium_mcp.irc_bridge.network.own_mask import OwnMask
from terrarium_mcp.irc_bridge.network.pongs import OURS, Pongs
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient
from terrarium_mcp.irc_bridge.network.refused_lines import RefusedLines
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.wording import quantity

log = logging.getLogger(__name__)

REFUSALS = frozenset(
    map(str, (401, 403, 404, 407, 408, 415, 437, 439, 442, 477, 482, 486, 489, 492, 531, 707, 716))
)
"""Refusals of a PRIVMSG or NOTICE: no such nick or channel, cannot send, too many targets, colours,
a mask, unavailable, not on that channel, registered nicks only, operators only, TLS only, no CTCP,
a user who wants none, and other targets too quickly: 439 of ircu and bahamut, 707 of solanum and
charybdis (RFC 1459 6.1, and what solanum, inspircd, UnrealIRCd and bahamut add)."""

_TOKEN = f"{OURS}-said-"


@dataclass(slots=True, eq=False)
class _LineUnderWay:
    """A line of ours to `target` (folded) of which it is not known yet whether it was taken.

    `line` is to be delivered then; None: the server echoes it.
    """

    target: str
    line: IrcMessage | None
    refusal: str = ""
    ended: anyio.Event = field(default_factory=anyio.Event)


class OwnLines:
    """Delivers each of our own lines when the network has taken it, in the order of all lines.

    One probe (PING or USERHOST) at a time is on its way, for all lines that were sent before it.
    """

    def __init__(
        self,
        config: ServerConfig,
        client: PydleClient,
        post: Post,
        deliver: Callable[[IrcMessage], None],
        refused: RefusedLines,
        pongs: Pongs,
        own_mask: OwnMask,
    ) -> None:
        self._config = config
        self._client = client
        self._post = post
        self._deliver = deliver
        self._refused = refused
        self._pongs = pongs
        self._own_mask = own_mask
        self._probed: deque[_LineUnderWay] = deque()
        self._sent: deque[_LineUnderWay] = deque()
        self._probe = 0
        self._is_probing = False
        self._complaints: set[str] = set()

    def sent(self, line: IrcMessage) -> None:
        """A line was sent that the server will not echo."""
        self._expect(_LineUnderWay(self._client.fold(line.params[0]), line))

    def was_refused(self, line: IrcMessage) -> bool:
        """Whether a line is the playback of one of ours that was refused."""
        if not line.replay or len(line.params) < 2 or not self._client.is_own(line.source):
            return False
        return self._refused.has(self._client.fold(line.params[0]), line)

    async def why_refused(self, target: str) -> str:
        """Why the last line to `target` was refused, once that is known; empty if it was taken.

        To be asked as soon as it was sent. Empty, too, if the connection ends first.
        """
        folded = self._client.fold(target)
        under_way = [one for one in (*self._probed, *self._sent) if one.target == folded]
        if not under_way:  # the server echoes it, and refuses it before it answers a probe
            under_way = [_LineUnderWay(folded, None)]
            self._expect(under_way[0])
        await under_way[-1].ended.wait()
        return under_way[-1].refusal

    def on_echo(self, line: IrcMessage) -> None:
        """Deliver a line no second time that the server echoes after all.

        It does so from our CAP REQ of echo-message on, of which we know only when its ACK comes.
        """
        if not self._client.is_own(line.source) or len(line.params) < 2:
            return
        said = self._client.fold(line.params[0]), line.command, line.params[-1]
        for own in (*self._probed, *self._sent):
            if own.line and said == (own.target, own.line.command, own.line.params[-1]):
                own.line = None
                return

    def on_pong(self, line: IrcMessage) -> None:
        """Deliver what was sent before this PING and not refused."""
        if not self._is_probing or self._client.is_behind_bouncer:
            return
        if self._pongs.answers(line, f"{_TOKEN}{self._probe}"):
            self._deliver_probed()

    def on_userhost(self, line: IrcMessage) -> None:  # noqa: ARG002 - that it comes is enough
        """Deliver what was sent before this USERHOST and not refused."""
        if self._is_probing and self._client.is_behind_bouncer:
            self._deliver_probed()

    def on_welcome(self, line: IrcMessage) -> None:  # noqa: ARG002 - that it comes is enough
        """Forget what was sent while a bouncer had no server: it is back, and welcomed again."""
        self.lose()

    def on_refused(self, line: IrcMessage) -> None:
        """Forget a line that was refused: `404 me #tea :Cannot send to channel`."""
        if len(line.params) > 1:
            self._refuse(line.params[1], line.params[-1], is_certain=line.command == "404")

    def on_fail(self, line: IrcMessage) -> None:
        """Forget a line refused by a standard reply: `FAIL PRIVMSG CODE #tea :Cannot send`."""
        if line.params[:1] in (("PRIVMSG",), ("NOTICE",)) and len(line.params) > 3:
            self._refuse(line.params[2], line.params[-1], is_certain=True)

    def lose(self) -> None:
        """The connection to the network has ended: whether anyone heard the rest is not known."""
        left = [*self._probed, *self._sent]
        if unheard := sum(one.line is not None for one in left):
            lines = quantity(unheard, "line")
            name = self._config.display_name
            log.warning("%s: %s that we sent may not have arrived; not recorded", name, lines)
        self._probed.clear()
        self._sent.clear()
        self._is_probing = False
        for one in left:
            one.ended.set()

    def _expect(self, under_way: _LineUnderWay) -> None:
        self._sent.append(under_way)
        if not self._is_probing:
            self._send_probe()

    def _send_probe(self) -> None:
        self._probed, self._sent = self._sent, deque()
        self._probe += 1
        self._is_probing = True
        if self._client.is_behind_bouncer:
            self._post("USERHOST", self._client.nickname)
        else:
            self._post("PING", f"{_TOKEN}{self._probe}")

    def _deliver_probed(self) -> None:
        taken, self._probed, self._is_probing = self._probed, deque(), False
        if self._sent:
            self._send_probe()
        for own in taken:
            self._complaints.discard(own.target)
            if own.line:  # our nick may have changed since it was sent
                self._deliver(replace(own.line, source=self._own_mask.source))
            own.ended.set()

    def _refuse(self, target: str, why: str, *, is_certain: bool) -> None:
        """Drop the first line to `target` that is under way; log the first refusal in a row.

        With echo-message none may be under way here: then it is one of ours only if that
        `is_certain`.
        """
        folded = self._client.fold(target)
        why = why or "no reason given"
        for waiting in (self._probed, self._sent):
            for own in waiting:
                if own.target == folded:
                    waiting.remove(own)
                    own.refusal = why
                    if own.line:
                        self._refused.add(folded, own.line.params[-1])
                    own.ended.set()
                    self._complain(folded, target, why)
                    return
        if is_certain and self._client.in_channel(target):
            self._complain(folded, target, why)

    def _complain(self, folded: str, target: str, why: str) -> None:
        if folded not in self._complaints:
            self._complaints.add(folded)
            log.warning("%s", NotTaken(self._config.label(target), why))
