"""Serves questions: each is a turn of a dialogue, from its context to its answer's last line."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import anyio

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.errors import plainly
from terrarium_mcp.irc_bridge.answer.briefing import Briefing
from terrarium_mcp.irc_bridge.answer.gathering import GatheredLines, gathered_lines
from terrarium_mcp.irc_bridge.answer.loop import Answer, answer
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.command_views import CommandViews
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.guardians import NO_GUARDIAN, GuardianWatch
from terrarium_mcp.irc_bridge.ask.speech import ReplySpeech
from terrarium_mcp.irc_bridge.dialogue.access import DialogueHere
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotSaid
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage
from terrarium_mcp.irc_bridge.talk_log.record import Outcome
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ToolsAtHand, ViewMeta
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import DialoguePlace, StoredDialogue

THINKING_AFTER = 5.0
"""Seconds after which the asker gets `Thinking...`."""

MOST_BREAKDOWNS = 100
"""Places of which it is known what their last request was made of."""

log = logging.getLogger(__name__)


class QuestionService:
    """Serves the questions of one network."""

    def __init__(
        self,
        *,
        network: IrcNetwork,
        views: CommandViews,
        speech: ReplySpeech,
        toolbox: Toolbox,
        llm: LLM,
        memory: DialogueMemory,
        summarizer: Summarizer,
        talk_log: TalkLog,
        settings: Callable[[], Settings],
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._network = network
        self._views = views
        self._speech = speech
        self._toolbox = toolbox
        self._llm = llm
        self._memory = memory
        self._summarizer = summarizer
        self._talk_log = talk_log
        self._settings = settings
        self._guardians = GuardianWatch(network, settings)
        self._breakdowns = BoundedDict[DialoguePlace, tuple[str, ...]](MOST_BREAKDOWNS)

    def dialogue(self, place: DialoguePlace) -> DialogueHere:
        """The dialogue of a place: each of its turns is a question served here."""
        breakdown = self._breakdowns.get(place, ())
        return DialogueHere(place, self._memory, self._summarizer, breakdown)

    async def serve(self, pending: PendingCommand) -> None:
        """Answer a question, or say why it is not answered; return when that has been said.

        Raises:
            NotSaid: the network does not take the answer.
        """
        with self._noted(pending):
            command = pending.command
            view = self._views.present_view(pending, self._guardians.accompanied)
            question = self._question(pending, view)
            if not self.may_ask_model(command):
                await self.say_no_guardian(pending)
            elif not question.text:
                prefix = self._settings().command_prefix
                usage = f"Ask me something: {prefix}{command.name} QUESTION"
                await self._speech.say(pending, self._speech.lines(command, [usage]))
            else:
                await self._hold_turn(pending, question)

    def may_ask_model(self, command: Command) -> bool:
        """Whether a model may be asked for a command: its guardians, if it needs any, are there."""
        return self._guardians.allow(command)

    async def say_no_guardian(self, pending: PendingCommand) -> None:
        """Say why no model is asked for a command, unless that was said here a short time ago.

        Raises:
            NotSaid: the network does not take it.
        """
        command = pending.command
        if self._guardians.take_due(command.target):
            why = NO_GUARDIAN.format(prefix=self._settings().command_prefix)
            await self._speech.say(pending, self._speech.lines(command, [why]))

    async def _hold_turn(self, pending: PendingCommand, question: Question) -> None:
        """Answer a question within its dialogue: the turn ends when the answer has been said."""
        command, place = pending.command, self._views.place(pending.command)
        question, lines, before = await self._gathered(pending, question, place)
        with self._memory.turn(
            place,
            before,
            command.identity(self._network.name),
            question.text,
            message_id=_message_id(pending.message),
            is_off_record=question.is_off_record,
        ) as turn:
            found = await self._answered(pending, question, before, lines)
            self._breakdowns[place] = found.breakdown
            turn.answer("\n".join(found.lines), found.steps, found.shown)
            mark = self._settings().llm_mark if found.by_model else ""
            pending.watch.outcome = Outcome.ANSWERED if found.by_model else Outcome.BEST_LINES
            with pending.watch.part("splitting"):
                reply = self._speech.addressed(pending.command, found.lines, mark)
            await self._speech.say(pending, reply, turn)
        self._summarizer.consider(place, replace(before, turns=(*before.turns, turn.turn)))

    async def _gathered(
        self, pending: PendingCommand, question: Question, place: DialoguePlace
    ) -> tuple[Question, GatheredLines, StoredDialogue]:
        """What a question is answered from: the lines for it, and the dialogue before it.

        Returns:
            The question with its cutoff (it is on disk now), the lines, and the dialogue.
        """
        before, changes = StoredDialogue(), 0

        async def settled() -> ViewMeta:
            nonlocal question
            with pending.watch.beside("flush"):
                view = await self._views.view(pending, self._guardians.accompanied)
            if question.channel:  # in private there is no cutoff, and the view stays what it was
                question = replace(question, view=view)
            return question.view

        async def remember() -> None:
            nonlocal before, changes
            changes = self._memory.changes
            with pending.watch.beside("dialogue"):
                before = await self._memory.current(place)

        with pending.watch.part("context"), plainly():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(remember)
                tools = self._tools_for(question)
                lines = await gathered_lines(question, tools, self._settings(), settled)
            if changes != self._memory.changes:  # as by `!clear`, said in the same breath
                before = await self._memory.current(place)
        return question, lines, before

    async def _answered(
        self,
        pending: PendingCommand,
        question: Question,
        before: StoredDialogue,
        lines: GatheredLines,
    ) -> Answer:
        """The model's answer, announced with `Thinking...` if it takes long."""
        tools = self._tools_for(question)
        with plainly():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._say_thinking, pending)
                async with self._llm.queue.question():
                    pending.watch.lap("model queue")
                    tasks.start_soon(self._network.show_typing, pending.command.target)
                    settings, nick = self._settings(), self._network.nick
                    briefing = Briefing(question, before, lines, settings, nick)
                    found = await answer(briefing, self._llm, tools)
                tasks.cancel_scope.cancel()
        return found

    def _question(self, pending: PendingCommand, view: ViewMeta) -> Question:
        command, ways = pending.command, self._views.ways(pending.command)

        def is_off_record() -> bool:  # which an opt-out or a reload may change meanwhile
            return pending.command.off_record or not self._views.ways(pending.command).is_recorded

        def is_readable(channel: str) -> bool:
            return channel in self._views.shared(pending.command, self._guardians.accompanied)

        return Question(
            typed=command.rest,
            asker=command.asker,
            channel=command.channel,
            view=view,
            is_off_record=is_off_record,
            unaddressed=self._speech.unaddressed(command),
            persona=ways.persona,
            watch=pending.watch,
            is_readable=is_readable,
            recorded=self._memory.recorded,
        )

    def _tools_for(self, question: Question) -> ToolsAtHand:
        """Our own tools, and those mounted in the channel of the question."""
        return self._toolbox.at_hand(
            self._network.name,
            question.channel,
            self._network.casemapping,
            off_record=question.is_off_record(),
        )

    async def _say_thinking(self, pending: PendingCommand) -> None:
        await anyio.sleep(THINKING_AFTER)
        beside_the_answer = replace(pending, watch=Stopwatch())
        await self._speech.say_thinking(beside_the_answer)

    @contextmanager
    def _noted(self, pending: PendingCommand) -> Iterator[None]:
        """Note a question in the talk log when it is over, unless it is off the record."""
        watch = pending.watch
        try:
            yield
        except BaseException as error:
            watch.outcome = _outcome_of(error)
            raise
        finally:
            command = pending.command  # whose asker may have opted out meanwhile
            if not command.off_record:
                record = watch.record(
                    network=self._network.name, channel=command.channel, model=self._llm.model
                )
                self._talk_log.note(record)


def _message_id(asked: PendingMessage | None) -> int:
    """The id of a line; 0 if it is not recorded, or not on disk yet."""
    return asked.message_id if asked else 0


def _outcome_of(error: BaseException) -> Outcome:
    """What became of a question that this ended."""
    match error:
        case NotSaid():
            return Outcome.CUT
        case Exception():
            return Outcome.FAILED
    return Outcome.STOPPED
