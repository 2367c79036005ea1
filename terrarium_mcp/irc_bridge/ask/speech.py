"""Says replies where the command was given, line by line, and keeps the rest for `!more`."""

import logging
from collections.abc import Callable, Sequence

import anyio

from terrarium_mcp.chat.defusing import NOBODY, Unaddressed
from terrarium_mcp.chat.irctext import OFF_RECORD, harmless
from terrarium_mcp.irc_bridge.answer.reply import Reply, paged, reply_lines
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.loop_guard import LoopGuard
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import Lane
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage
from terrarium_mcp.settings import Settings

log = logging.getLogger(__name__)

ReplyScope = tuple[str, ...]
"""Where a reply was said and which rooms it could see: `!more` continues it only there."""


class ReplySpeech:
    """What the bot says on one network."""

    def __init__(
        self, network: IrcNetwork, guard: LoopGuard, settings: Callable[[], Settings]
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._network = network
        self._guard = guard
        self._settings = settings
        self._more: dict[ReplyScope, Reply] = {}

    def lines(self, command: Command, lines: Sequence[str]) -> Reply:
        """A reply of our own, or of another MCP server, whose text may hold line breaks."""
        single = [harmless(part) for line in lines for part in line.splitlines() if part.strip()]
        unaddressed = self.unaddressed(command)
        return self.addressed(command, [unaddressed.defused(line) for line in single])

    def addressed(self, command: Command, lines: Sequence[str], mark: str = "") -> Reply:
        """Harmless lines as a reply to the asker."""
        return reply_lines(
            lines or ["(no answer)"],
            to=command.asker if command.channel else "",
            mark=mark,
            line_bytes=self._payload_bytes(command),
            prefix=self._settings().command_prefix,
            off_record=command.off_record,
        )

    def unaddressed(self, command: Command) -> Unaddressed:
        """Who is in the channel besides the asker and us."""
        if not command.channel:
            return NOBODY
        here = {self._network.fold(one.nick) for one in self._network.members(command.channel)}
        addressed = {self._network.fold(nick) for nick in (command.asker, self._network.nick)}
        return Unaddressed(frozenset(here - addressed), self._network.fold)

    def text_bytes(self, command: Command) -> int:
        """How many bytes of text a line of a reply holds at least."""
        return self._payload_bytes(command) - len(f"{OFF_RECORD} {command.asker}: ".encode())

    def rest(self, command: Command) -> Reply:
        """The rest of the last long reply here, one off the record only for whom it was said to."""
        scopes = {self._scope(command, off_record) for off_record in (True, command.off_record)}
        latest = next((scope for scope in reversed(self._more) if scope in scopes), None)
        if latest is None:
            return self.lines(command, ["There is no more."])
        kept = self._more.pop(latest)
        prefix = self._settings().command_prefix
        return paged(kept, line_bytes=self._payload_bytes(command), prefix=prefix)

    async def say(
        self, pending: PendingCommand, reply: Reply, begun: Callable[[], None] = lambda: None
    ) -> None:
        """Say the lines of a reply, each when the one before it has left.

        `begun` is called when the first has.

        Raises:
            NotConnected, SendQueueFull: the network does not take them.
        """
        lane = Lane.ANSWER if pending.command.is_question else Lane.COMMAND
        reply_to = _msgid(pending.message)
        ready_at = anyio.current_time()
        for number, line in enumerate(reply.now):
            with pending.watch.saying(line):
                await self._network.say(pending.command.target, line, lane, reply_to=reply_to)
            if number == 0:
                self._guard.replied(pending.command.person, ready_at)
                begun()
        if reply.more:
            scope = self._scope(pending.command, reply.is_off_record)
            self._more.pop(scope, None)  # so that the latest is the last
            self._more[scope] = reply
            self._guard.offered(pending.command.person)

    async def send(self, pending: PendingCommand, text: str) -> None:
        """Say one line; only log it if the network cannot be reached."""
        try:
            await self.say(pending, self.lines(pending.command, [text]))
        except (NotConnected, SendQueueFull) as error:
            log.warning("could not reply to %s: %s", pending.command.asker, error)

    def _payload_bytes(self, command: Command) -> int:
        return self._network.payload_bytes(command.target)

    def _scope(self, command: Command, off_record: bool) -> ReplyScope:
        shared = () if command.channel else self._network.channels_of(command.asker)
        # What is off the record is not said again for somebody whose lines are on it.
        alone = (command.asker,) if off_record else ()
        return (command.target, *shared, *alone)


def _msgid(asked: PendingMessage | None) -> str:
    """The msgid of the line that was answered; empty if it has none, or was not recorded."""
    return asked.message.msgid if asked else ""
