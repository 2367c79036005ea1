"""Fetches what was said in our channels while we were away, and reports all history by the page."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import anyio

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.times.timestamps import FIRST_IRC
from terrarium_mcp.irc_bridge.network.chathistory import (
    CAPABILITIES,
    EVENT_CAPABILITIES,
    HistoryLine,
    HistoryPage,
    HistoryPoint,
    HistoryRequest,
    first_request,
    next_request,
    request_after_failure,
)
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.send_queue import QueuedLine
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

log = logging.getLogger(__name__)

_MOST_LINES = 2_000
"""Lines remembered of one page, the first ones and the last: a server sends what was requested, a
bouncer mostly less."""


class HistoryFetch:
    """Sends one CHATHISTORY at a time, and puts replayed lines together to pages.

    A server without the capability, or a bouncer, sends one page by itself when we join.
    """

    def __init__(
        self,
        config: ServerConfig,
        timeouts: Timeouts,
        client: PydleClient,
        listener: Listener,
        queue: Callable[[IrcMessage], QueuedLine],
        start: Callable[..., None],
    ) -> None:
        self._label_of = config.label
        self._timeouts = timeouts
        self._client = client
        self._listener = listener
        self._queue = queue
        self._start = start
        self._waiting: dict[str, HistoryRequest] = {}
        self._pending: HistoryRequest | None = None
        self._label = 0
        self._lines: dict[str, list[HistoryLine]] = {}
        self._complaints: set[tuple[str, str]] = set()

    def fetch(self, channel: str, after: HistoryPoint) -> None:
        """Request what was said in `channel` after a point, if the server offers that."""
        if self._client.has_capability(*CAPABILITIES) and self._client.in_channel(channel):
            request = first_request(channel, after, self._client.isupport)
            self._waiting[self._client.fold(channel)] = request
            self._send_next()

    def on_replay(self, line: IrcMessage) -> None:
        """Note a replayed line. It changes nothing else: what it tells is past."""
        if line.source is None or line.command == "BATCH":
            return
        if not self._client.in_channel(line.replay_of):
            return
        lines = self._lines.setdefault(self._client.fold(line.replay_of), [])
        if len(lines) == _MOST_LINES:
            lines.pop()
        text = line.params[-1] if line.params else ""
        at, msgid = _said_at(line), line.tags.get("msgid", "")
        lines.append(HistoryLine(at, msgid, line.source.nick, text))

    def on_batch(self, line: IrcMessage) -> None:
        """Report the page that ends here, and request the next one."""
        lines = self._lines.pop(self._client.fold(line.replay_of), [])
        request = self._pending
        if request and not self._client.is_same_channel(request.channel, line.replay_of):
            request = None
        if not self._client.in_channel(line.replay_of):  # we were kicked meanwhile
            if request:
                self._continue_with(None)
            return
        if request is None:
            # A server that sends history on request may say late, or by halves, what we gave up on.
            by_itself = not self._client.has_capability(*CAPABILITIES)
            self._report(HistoryPage(line.replay_of, lines, is_last=by_itself))
            return
        self._report(request.answered(lines))
        self._continue_with(next_request(request, lines))

    def _report(self, page: HistoryPage) -> None:
        has_events = self._client.has_capability(*EVENT_CAPABILITIES)
        self._listener.on_history_page(replace(page, has_events=has_events))

    def on_fail(self, line: IrcMessage) -> None:
        """Try another way, or do without: `FAIL CHATHISTORY CODE [context ...] :description`."""
        if line.params[:1] == ("CHATHISTORY",) and self._is_answer(line):
            code = line.params[1] if len(line.params) > 1 else ""
            self._fail(code, line.params[-1])

    def on_unknown_command(self, line: IrcMessage) -> None:
        """Do without history: `421 me CHATHISTORY :Unknown command`."""
        if line.params[1:2] == ("CHATHISTORY",):
            self._fail("UNKNOWN_COMMAND", line.params[-1])

    def on_ack(self, line: IrcMessage) -> None:
        """Do without history that the server has no word about (labeled-response)."""
        if "label" in line.tags and self._is_answer(line):
            self._fail("", "the server sent nothing")

    def _is_answer(self, line: IrcMessage) -> bool:
        return line.tags.get("label", str(self._label)) == str(self._label)

    def _fail(self, code: str, why: str) -> None:
        request = self._pending
        if request is None:
            return
        again = request_after_failure(request, code)
        complaint = (request.channel, code)
        if again is None and complaint not in self._complaints:
            self._complaints.add(complaint)
            label = self._label_of(request.channel)
            log.warning("no history of %s: %s", label, f"{code} {why}".strip())
        self._continue_with(again)

    def _continue_with(self, request: HistoryRequest | None) -> None:
        """Send a further request for the pending channel, or those that wait."""
        self._pending = None
        if request:
            self._waiting = {self._client.fold(request.channel): request, **self._waiting}
        self._send_next()

    def _send_next(self) -> None:
        while self._pending is None and self._waiting:
            request = self._waiting.pop(next(iter(self._waiting)))
            if not self._client.in_channel(request.channel):
                continue
            self._pending = request
            self._label += 1
            labelled = self._client.has_capability("labeled-response")
            tags = {"label": str(self._label)} if labelled else {}
            queued = self._queue(IrcMessage("CHATHISTORY", request.params, tags=tags))
            self._start(self._give_up, request, queued)

    async def _give_up(self, request: HistoryRequest, queued: QueuedLine) -> None:
        """Let the other channels have their turn where a server does not answer.

        With many channels a request waits for minutes behind our own WHO.
        """
        await queued.ended.wait()
        await anyio.sleep(self._timeouts.history)
        if self._pending is request:
            self._fail("", f"no answer within {self._timeouts.history:g} s")


def _said_at(line: IrcMessage) -> datetime:
    """When a replayed line was said; now, where it does not say so, or a time from before IRC."""
    sent_at = line.sent_at
    return sent_at if sent_at and sent_at >= FIRST_IRC else datetime.now(UTC)
