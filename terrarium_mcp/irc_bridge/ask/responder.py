"""Serves commands: finds the reply and says it where the command was given."""

import logging
import secrets
from collections.abc import Sequence

import anyio

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.irc_bridge.answer.loop import answer
from terrarium_mcp.irc_bridge.answer.prompt import Question
from terrarium_mcp.irc_bridge.answer.reply import Reply, paged, reply_lines
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS, CommandContext
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, SendQueueFull
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage, Recorder
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ViewMeta
from terrarium_mcp.settings import Settings

THINKING_AFTER = 5.0
"""Seconds after which the asker gets `Thinking...`."""

FLUSH_WITHIN = 2.0
"""Seconds to wait until the question is on disk; a full disk must not silence the bot."""

log = logging.getLogger(__name__)

ReplyScope = tuple[str, ...]
"""Where a reply was said and which rooms it could see: `!more` continues it only there."""


class Responder:
    """Serves the commands of one network. The model answers one question at a time."""

    def __init__(
        self,
        network: IrcNetwork,
        recorder: Recorder,
        toolbox: Toolbox,
        llm: LLM,
        settings: Settings,
    ) -> None:
        self._network = network
        self._recorder = recorder
        self._toolbox = toolbox
        self._llm = llm
        self._settings = settings
        self._model = anyio.Lock()  # first come, first served, so channels take turns
        self._more: dict[ReplyScope, Sequence[str]] = {}
        self._turned_away: dict[str, set[str]] = {}

    async def serve(self, pending: PendingCommand) -> None:
        """Answer a command. Errors go to the asker and never end the bridge."""
        command = pending.command
        try:
            await self._say(command, await self._reply(pending))
        except (NotConnected, SendQueueFull) as error:
            log.warning("no answer for %s: %s", command.asker, error)
        except TerrariumError as error:
            await self._send(command, error.public)
        except Exception:
            error_id = secrets.token_hex(3)
            log.exception(
                "error %s while answering %s in %s", error_id, command.asker, command.target
            )
            await self._send(command, f"Something went wrong (error {error_id} in the log).")
        finally:
            if command.is_question:  # only now has the queue room again
                self._turned_away.pop(command.target, None)

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on."""
        self._settings = settings

    async def turn_away(self, command: Command) -> None:
        """Tell the asker that the queue is full; once, until it has room again."""
        informed = self._turned_away.setdefault(command.target, set())
        if command.asker not in informed:
            informed.add(command.asker)
            await self._send(command, "Too many questions are waiting here. Ask again in a while.")

    async def _reply(self, pending: PendingCommand) -> Reply:
        command = pending.command
        if command.name == "more":
            return self._rest(command)
        view = await self._view(command, pending.message)
        if command.is_question:
            return await self._answered(command, view)
        context = CommandContext(command, view, self._toolbox, self._settings)
        return self._lines(command, await HANDLERS[command.name](context))

    async def _answered(self, command: Command, view: ViewMeta) -> Reply:
        """The model's answer, announced with `Thinking...` if it takes long."""
        question = Question(command.rest, command.asker, command.channel, view)
        if not question.text:
            prefix = self._settings.command_prefix
            return self._lines(command, [f"Ask me something: {prefix}{command.name} QUESTION"])
        with plainly():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._say_thinking, command)
                async with self._model:
                    found = await answer(
                        question, self._llm, self._toolbox, self._settings, self._network.nick
                    )
                tasks.cancel_scope.cancel()
        mark = self._settings.llm_mark if found.by_model else ""
        return self._lines(command, found.lines, mark=mark)

    async def _say_thinking(self, command: Command) -> None:
        await anyio.sleep(THINKING_AFTER)
        await self._send(command, "Thinking...")

    async def _view(self, command: Command, message: PendingMessage | None) -> ViewMeta:
        """The channel up to the question; in a private chat, the shared channels."""
        view: dict[str, object] = {"network": self._recorder.network, "asker": command.asker}
        if not command.channel:
            return {**view, "channels": self._network.channels_of(command.asker)}
        with anyio.move_on_after(FLUSH_WITHIN):
            await self._recorder.flush()
        cutoff = {"as_of": str(message.message_id)} if message and message.message_id else {}
        return {**view, "channel": command.channel, **cutoff}

    def _rest(self, command: Command) -> Reply:
        """!more: the next lines of the last long reply here."""
        kept = self._more.pop(self._scope(command), None)
        if kept is None:
            return self._lines(command, ["There is no more."])
        return paged(
            kept, line_bytes=self._payload_bytes(command), prefix=self._settings.command_prefix
        )

    def _lines(self, command: Command, lines: Sequence[str], mark: str = "") -> Reply:
        # Text from another MCP server may hold line breaks.
        single = [harmless(part) for line in lines for part in line.splitlines() if part.strip()]
        return reply_lines(
            single or ["(no answer)"],
            to=command.asker if command.channel else "",
            mark=mark,
            line_bytes=self._payload_bytes(command),
            prefix=self._settings.command_prefix,
        )

    def _payload_bytes(self, command: Command) -> int:
        return self._network.payload_bytes(command.target)

    def _scope(self, command: Command) -> ReplyScope:
        shared = () if command.channel else self._network.channels_of(command.asker)
        return (command.target, *shared)

    async def _say(self, command: Command, reply: Reply) -> None:
        for line in reply.now:
            await self._network.say(command.target, line)
        if reply.more:
            self._more[self._scope(command)] = reply.more

    async def _send(self, command: Command, text: str) -> None:
        """Send one line; only log it if the network cannot be reached."""
        try:
            await self._say(command, self._lines(command, [text]))
        except (NotConnected, SendQueueFull) as error:
            log.warning("could not reply to %s: %s", command.asker, error)
