"""Serves commands: finds the reply and says it where the command was given."""

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

import anyio

from terrarium_mcp.chat.defusing import NOBODY, Unaddressed
from terrarium_mcp.chat.irctext import OFF_RECORD, harmless
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.irc_bridge.answer.loop import Answer, answer
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.irc_bridge.answer.reply import Reply, paged, reply_lines
from terrarium_mcp.irc_bridge.ask.admins import Admins
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import CONSENT, Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.ask.guardians import Guardians, GuardianWatch
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS, WITHOUT_HISTORY
from terrarium_mcp.irc_bridge.ask.loop_guard import LoopGuard
from terrarium_mcp.irc_bridge.dialogue.access import DialogueHere
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.model.model_queue import ModelQueue
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, SendQueueFull
from terrarium_mcp.irc_bridge.network.outgoing import Lane
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage, Recorder
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ToolsAtHand, ViewMeta
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import BridgeReport, DialoguePlace, StoredDialogue

THINKING_AFTER = 5.0
"""Seconds after which the asker gets `Thinking...`."""

FLUSH_WITHIN = 2.0
"""Seconds to wait until the question is on disk; a full disk must not silence the bot."""

NOTHING_RECORDED = "Nothing that is said here is recorded, so I can look nothing up."
"""The answer to a command that needs the history of a channel which is only answered in."""

log = logging.getLogger(__name__)

ReplyScope = tuple[str, ...]
"""Where a reply was said and which rooms it could see: `!more` continues it only there."""


class Responder:
    """Serves the commands of one network."""

    def __init__(
        self,
        network: IrcNetwork,
        recorder: Recorder,
        toolbox: Toolbox,
        llm: LLM,
        settings: Settings,
        model: ModelQueue,
        guard: LoopGuard,
        consent: Consent,
        report: Callable[[], BridgeReport],
        dialogues: DialogueMemory,
        summarizer: Summarizer,
    ) -> None:
        self._network = network
        self._recorder = recorder
        self._toolbox = toolbox
        self._llm = llm
        self._settings = settings
        self._guard = guard
        self._consent = consent
        self._report = report
        self._guardians = GuardianWatch(network, Guardians(settings.guardians))
        self._model = model  # first come, first served, so places take turns
        self._dialogues = dialogues
        self._summarizer = summarizer
        self._more: dict[ReplyScope, Reply] = {}

    async def serve(self, pending: PendingCommand) -> None:
        """Answer a command; return when the reply has been said.

        Errors go to the asker and never end the bridge.
        """
        try:
            off_record = await self._consent.is_off_record(pending.command)
            pending.command = replace(pending.command, off_record=off_record)
            if pending.command.is_question:
                await self._serve_question(pending)
            else:
                await self._say(pending, await self._reply(pending))
        except (NotConnected, SendQueueFull) as error:
            log.warning("no answer for %s: %s", pending.command.asker, error)
        except TerrariumError as error:
            await self._send(pending, error.public)
        except Exception:
            error_id = secrets.token_hex(3)
            command = pending.command
            log.exception(
                "error %s while answering %s in %s", error_id, command.asker, command.target
            )
            await self._send(pending, f"Something went wrong (error {error_id} in the log).")

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on."""
        self._settings = settings
        self._guardians = GuardianWatch(self._network, Guardians(settings.guardians))

    async def _reply(self, pending: PendingCommand) -> Reply:
        command, ways = pending.command, self._ways(pending.command)
        if command.name == "more":
            return self._rest(command)
        if command.name in WITHOUT_HISTORY:  # nor do they wait for the disk
            view: ViewMeta = {}
        elif not (ways.is_recorded or command.name in CONSENT):
            return self._lines(command, [NOTHING_RECORDED])
        else:
            view = await self._view(command, pending.message)
        context = self._context(command, ways, view)
        return self._lines(command, await HANDLERS[command.name](context))

    def _context(self, command: Command, ways: ChannelWays, view: ViewMeta) -> CommandContext:
        identity = self._consent.identity(command)
        return CommandContext(
            command,
            view,
            self._toolbox,
            self._settings,
            self._consent,
            ways=ways,
            dialogue=DialogueHere(self._place(command), self._dialogues, self._summarizer),
            report=self._report,
            is_admin=Admins(self._settings.admins).include(identity, self._network.casemapping),
            text_bytes=self._payload_bytes(command)
            - len(f"{OFF_RECORD} {command.asker}: ".encode()),
        )

    async def _serve_question(self, pending: PendingCommand) -> None:
        """Answer a question, or say why it is not answered."""
        command = pending.command
        view = await self._view(command, pending.message)
        question = self._question(command, view)
        if not self._guardians.allow(command):
            await self._say(pending, self._unaccompanied(command))
        elif not question.text:
            usage = f"Ask me something: {self._settings.command_prefix}{command.name} QUESTION"
            await self._say(pending, self._lines(command, [usage]))
        else:
            await self._hold_turn(pending, question)

    async def _hold_turn(self, pending: PendingCommand, question: Question) -> None:
        """Answer a question within its dialogue: the turn ends when the answer has been said."""
        command, place = pending.command, self._place(pending.command)
        before = await self._dialogues.current(place)
        with self._dialogues.turn(
            place,
            before,
            command.identity(place.network),
            question.text,
            message_id=_message_id(pending.message),
            is_kept=not question.off_record,
        ) as turn:
            found = await self._answered(pending, question, before)
            mark = self._settings.llm_mark if found.by_model else ""
            turn.answer("\n".join(found.lines), found.steps, found.shown)
            reply = self._addressed(pending.command, found.lines, mark)
            await self._say(pending, reply, begun=turn.said)
        self._summarizer.consider(place)

    def _question(self, command: Command, view: ViewMeta) -> Question:
        ways = self._ways(command)
        return Question(
            command.rest,
            command.asker,
            command.channel,
            view,
            command.off_record or not ways.is_recorded,
            self._unaddressed(command),
            ways.persona,
        )

    async def _answered(
        self, pending: PendingCommand, question: Question, before: StoredDialogue
    ) -> Answer:
        """The model's answer, announced with `Thinking...` if it takes long."""
        tools = self._tools_for(question)
        with plainly():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._say_thinking, pending)
                async with self._model.question():
                    tasks.start_soon(self._network.show_typing, pending.command.target)
                    found = await answer(
                        question,
                        before,
                        self._llm,
                        tools,
                        self._settings,
                        self._network.nick,
                    )
                tasks.cancel_scope.cancel()
        return found

    def _ways(self, command: Command) -> ChannelWays:
        """The ways of the channel or private chat in which a command was given."""
        place = command.channel or command.given_in
        return self._settings.channel_ways(self._recorder.network, place, self._network.casemapping)

    def _tools_for(self, question: Question) -> ToolsAtHand:
        """Our own tools, and those mounted in the channel of the question."""
        network, names = self._recorder.network, self._network.casemapping
        return self._toolbox.at_hand(
            network, question.channel, names, off_record=question.off_record
        )

    async def _say_thinking(self, pending: PendingCommand) -> None:
        await anyio.sleep(THINKING_AFTER)
        await self._send(pending, "Thinking...")

    async def _view(self, command: Command, message: PendingMessage | None) -> ViewMeta:
        """The channel up to the question, if it is recorded; in private, the shared channels."""
        view: dict[str, object] = {"network": self._recorder.network, "asker": command.asker}
        if not command.channel:
            shared = self._network.channels_of(command.asker)
            if command.is_question:
                shared = self._guardians.accompanied(shared)
            return {**view, "channels": shared}
        if not self._ways(command).is_recorded:
            return {**view, "channels": []}
        with anyio.move_on_after(FLUSH_WITHIN):
            await self._recorder.flush()
        cutoff = {"as_of": str(message.message_id)} if message and message.message_id else {}
        return {**view, "channel": command.channel, **cutoff}

    def _place(self, command: Command) -> DialoguePlace:
        """Where the dialogue is held that a command belongs to."""
        network = self._recorder.network
        if command.channel:
            return DialoguePlace(network, channel=command.channel)
        return DialoguePlace(network, person=" ".join(command.person))

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

    async def _say(
        self, pending: PendingCommand, reply: Reply, begun: Callable[[], None] = lambda: None
    ) -> None:
        """Say the lines of a reply, each when the one before it has left.

        `begun` is called when the first has.
        """
        lane = Lane.ANSWER if pending.command.is_question else Lane.COMMAND
        reply_to = _msgid(pending.message)
        ready_at = anyio.current_time()
        for number, line in enumerate(reply.now):
            await self._network.say(pending.command.target, line, lane, reply_to=reply_to)
            if number == 0:
                self._guard.replied(pending.command.person, ready_at)
                begun()
        if reply.more:
            self._more[self._scope(pending.command)] = reply
            self._guard.offered(pending.command.person)

    async def _send(self, pending: PendingCommand, text: str) -> None:
        """Send one line; only log it if the network cannot be reached."""
        try:
            await self._say(pending, self._lines(pending.command, [text]))
        except (NotConnected, SendQueueFull) as error:
            log.warning("could not reply to %s: %s", pending.command.asker, error)


def _message_id(asked: PendingMessage | None) -> int:
    """The id of a line; 0 if it is not recorded, or not on disk yet."""
    return (asked.message_id or 0) if asked else 0


def _msgid(asked: PendingMessage | None) -> str:
    """The msgid of the line that was answered; empty if it has none, or was not recorded."""
    return asked.message.msgid if asked else ""
