"""Serves commands: finds the reply and says it where the command was given."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import anyio

from terrarium_mcp.chat.defusing import NOBODY, Unaddressed
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.irc_bridge.answer.loop import answer
from terrarium_mcp.irc_bridge.answer.prompt import Question
from terrarium_mcp.irc_bridge.answer.reply import Reply, paged, reply_lines
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.ask.guardians import Guardians, GuardianWatch
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS, WITHOUT_HISTORY
from terrarium_mcp.irc_bridge.ask.loop_guard import LoopGuard
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import Lane
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage, Recorder
from terrarium_mcp.irc_bridge.talk_log.record import Outcome
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog
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
    """Serves the commands of one network. Whoever holds `model_lock` has the model answer."""

    def __init__(
        self,
        network: IrcNetwork,
        recorder: Recorder,
        toolbox: Toolbox,
        llm: LLM,
        settings: Settings,
        model_lock: anyio.Lock,
        guard: LoopGuard,
        consent: Consent,
        talk_log: TalkLog,
    ) -> None:
        self._network = network
        self._recorder = recorder
        self._toolbox = toolbox
        self._llm = llm
        self._settings = settings
        self._guard = guard
        self._consent = consent
        self._talk_log = talk_log
        self._guardians = GuardianWatch(network, Guardians(settings.guardians))
        self._model = model_lock  # first come, first served, so places take turns
        self._more: dict[ReplyScope, Reply] = {}

    async def serve(self, pending: PendingCommand) -> None:
        """Answer a command; return when the reply has been said.

        Errors go to the asker and never end the bridge.
        """
        watch = pending.watch
        watch.lap("queue")
        try:
            with watch.part("consent"):
                off_record = await self._consent.is_off_record(pending.command)
            pending.command = replace(pending.command, off_record=off_record)
            with self._noted(pending):
                await self._say(pending, await self._reply(pending))
        except (NotConnected, SendQueueFull) as error:
            log.warning("no answer for %s: %s", pending.command.asker, error)
        except TerrariumError as error:
            await self._send(pending, error.public)
        except Exception:
            command = pending.command
            log.exception(
                "error %s while answering %s in %s", watch.id, command.asker, command.target
            )
            await self._send(pending, f"Something went wrong (error {watch.id} in the log).")

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on."""
        self._settings = settings
        self._guardians = GuardianWatch(self._network, Guardians(settings.guardians))

    @contextmanager
    def _noted(self, pending: PendingCommand) -> Iterator[None]:
        """Note a question in the talk log when it is over, unless it is off the record."""
        watch, command = pending.watch, pending.command
        try:
            yield
        except BaseException as error:
            watch.outcome = _outcome_of(error)
            raise
        finally:
            if command.is_question and not command.off_record:
                self._talk_log.note(
                    watch.record(
                        network=self._recorder.network,
                        channel=command.channel,
                        model=self._llm.model,
                    )
                )

    async def _reply(self, pending: PendingCommand) -> Reply:
        command = pending.command
        if command.name == "more":
            return self._rest(command)
        if command.name in WITHOUT_HISTORY:  # nor do they wait for the disk
            view: ViewMeta = {}
        else:
            with pending.watch.part("flush"):
                view = await self._view(command, pending.message)
        if command.is_question:
            if not self._guardians.allow(command):
                return self._unaccompanied(command)
            return await self._answered(pending, view)
        context = CommandContext(command, view, self._toolbox, self._settings, self._consent)
        return self._lines(command, await HANDLERS[command.name](context))

    async def _answered(self, pending: PendingCommand, view: ViewMeta) -> Reply:
        """The model's answer, announced with `Thinking...` if it takes long."""
        command = pending.command
        question = Question(
            command.rest,
            command.asker,
            command.channel,
            view,
            command.off_record,
            self._unaddressed(command),
            pending.watch,
        )
        if not question.text:
            prefix = self._settings.command_prefix
            return self._lines(command, [f"Ask me something: {prefix}{command.name} QUESTION"])
        with plainly():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._say_thinking, pending)
                async with self._model:
                    pending.watch.lap("model queue")
                    found = await answer(
                        question, self._llm, self._toolbox, self._settings, self._network.nick
                    )
                tasks.cancel_scope.cancel()
        mark = self._settings.llm_mark if found.by_model else ""
        pending.watch.outcome = Outcome.ANSWERED if found.by_model else Outcome.BEST_LINES
        with pending.watch.part("splitting"):
            return self._addressed(pending.command, found.lines, mark)

    async def _say_thinking(self, pending: PendingCommand) -> None:
        await anyio.sleep(THINKING_AFTER)
        beside_the_answer = replace(pending, watch=Stopwatch())
        await self._send(beside_the_answer, "Thinking...")

    async def _view(self, command: Command, message: PendingMessage | None) -> ViewMeta:
        """The channel up to the question; in a private chat, the shared channels."""
        view: dict[str, object] = {"network": self._recorder.network, "asker": command.asker}
        if not command.channel:
            shared = self._network.channels_of(command.asker)
            if command.is_question:
                shared = self._guardians.accompanied(shared)
            return {**view, "channels": shared}
        with anyio.move_on_after(FLUSH_WITHIN):
            await self._recorder.flush()
        cutoff = {"as_of": str(message.message_id)} if message and message.message_id else {}
        return {**view, "channel": command.channel, **cutoff}

    def _unaccompanied(self, command: Command) -> Reply:
        """Why no model answers, unless it was said here a short time ago."""
        why = self._guardians.refusal(command.target, self._settings.command_prefix)
        return self._lines(command, [why]) if why else Reply(())

    def _rest(self, command: Command) -> Reply:
        """The rest of the last long reply here."""
        kept = self._more.pop(self._scope(command), None)
        if kept is None:
            return self._lines(command, ["There is no more."])
        return paged(
            kept, line_bytes=self._payload_bytes(command), prefix=self._settings.command_prefix
        )

    def _lines(self, command: Command, lines: Sequence[str]) -> Reply:
        """A reply of our own, or of another MCP server, whose text may hold line breaks."""
        single = [harmless(part) for line in lines for part in line.splitlines() if part.strip()]
        unaddressed = self._unaddressed(command)
        return self._addressed(command, [unaddressed.defused(line) for line in single])

    def _addressed(self, command: Command, lines: Sequence[str], mark: str = "") -> Reply:
        """Harmless lines as a reply to the asker."""
        return reply_lines(
            lines or ["(no answer)"],
            to=command.asker if command.channel else "",
            mark=mark,
            line_bytes=self._payload_bytes(command),
            prefix=self._settings.command_prefix,
            off_record=command.off_record,
        )

    def _unaddressed(self, command: Command) -> Unaddressed:
        """Who is in the channel besides the asker and us."""
        if not command.channel:
            return NOBODY
        here = {self._network.fold(one.nick) for one in self._network.members(command.channel)}
        addressed = {self._network.fold(nick) for nick in (command.asker, self._network.nick)}
        return Unaddressed(frozenset(here - addressed), self._network.fold)

    def _payload_bytes(self, command: Command) -> int:
        return self._network.payload_bytes(command.target)

    def _scope(self, command: Command) -> ReplyScope:
        shared = () if command.channel else self._network.channels_of(command.asker)
        # What is off the record is not said again for somebody whose lines are on it.
        alone = (command.asker,) if command.off_record else ()
        return (command.target, *shared, *alone)

    async def _say(self, pending: PendingCommand, reply: Reply) -> None:
        """Say the lines of a reply, each when the one before it has left."""
        lane = Lane.ANSWER if pending.command.is_question else Lane.COMMAND
        reply_to = _msgid(pending.message)
        ready_at = anyio.current_time()
        for number, line in enumerate(reply.now):
            with pending.watch.saying(line):
                await self._network.say(pending.command.target, line, lane, reply_to=reply_to)
            if number == 0:
                self._guard.replied(pending.command.person, ready_at)
        if reply.more:
            self._more[self._scope(pending.command)] = reply
            self._guard.offered(pending.command.person)

    async def _send(self, pending: PendingCommand, text: str) -> None:
        """Send one line; only log it if the network cannot be reached."""
        try:
            await self._say(pending, self._lines(pending.command, [text]))
        except (NotConnected, SendQueueFull) as error:
            log.warning("could not reply to %s: %s", pending.command.asker, error)


def _msgid(asked: PendingMessage | None) -> str:
    """The msgid of the line that was answered; empty if it has none, or was not recorded."""
    return asked.message.msgid if asked else ""


def _outcome_of(error: BaseException) -> Outcome:
    """What became of a question that this ended."""
    match error:
        case NotConnected() | SendQueueFull():
            return Outcome.CUT
        case Exception():
            return Outcome.FAILED
    return Outcome.STOPPED
