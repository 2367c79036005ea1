"""Serves commands: finds the reply and says it where the command was given."""

import logging
from collections.abc import Callable
from dataclasses import replace

import anyio.lowlevel

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.answer.reply import Reply
from terrarium_mcp.irc_bridge.ask.admins import Admins
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.command_traits import HistoryUse
from terrarium_mcp.irc_bridge.ask.command_views import CommandViews
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS
from terrarium_mcp.irc_bridge.ask.question_service import QuestionService
from terrarium_mcp.irc_bridge.ask.speech import ReplySpeech
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotSaid, NotTaken
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ViewMeta
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import BridgeReport

NOTHING_RECORDED = "Nothing that is said here is recorded or remembered: I can look nothing up."
"""The answer to a command that needs the history of a channel which is only answered in."""

log = logging.getLogger(__name__)


class Responder:
    """Serves the commands of one network."""

    def __init__(
        self,
        *,
        network: IrcNetwork,
        views: CommandViews,
        speech: ReplySpeech,
        questions: QuestionService,
        toolbox: Toolbox,
        consent: Consent,
        settings: Callable[[], Settings],
        report: Callable[[], BridgeReport],
    ) -> None:
        """`settings` returns those in use, `report` the state of the bridge now."""
        self._network = network
        self._views = views
        self._speech = speech
        self._questions = questions
        self._toolbox = toolbox
        self._consent = consent
        self._settings = settings
        self._report = report

    async def serve(self, pending: PendingCommand) -> None:
        """Answer a command; return when the reply has been said.

        Errors go to the asker and never end the bridge.
        """
        watch = pending.watch
        watch.lap("queue")
        try:
            with watch.part("consent"):
                if await self._consent.is_off_record(pending.command):
                    pending.command = replace(pending.command, off_record=True)
            if pending.command.is_question:
                await self._questions.serve(pending)
            elif pending.command.traits.asks_model and not self._questions.may_ask_model(
                pending.command
            ):
                await self._questions.say_no_guardian(pending)
            elif pending.command.name == "more":
                await self._speech.say_more(pending)
            else:
                await self._speech.say(pending, await self._done(pending))
        except NotTaken as error:
            self._log_unanswered(pending, error)
            await self._speech.whisper(
                pending, f"I cannot speak in {pending.command.channel}: {error.why}"
            )
        except NotSaid as error:
            self._log_unanswered(pending, error)
        except TerrariumError as error:
            await self._speech.send(pending, error.public)
        except Exception:
            command = pending.command
            log.exception(
                "error %s while answering %s in %s",
                watch.id,
                command.asker,
                self._network.label(command.target),
            )
            told = f"Something went wrong (error {watch.id} in the log)."
            await self._speech.send(pending, told)

    def _log_unanswered(self, pending: PendingCommand, error: TerrariumError) -> None:
        log.warning("no answer for %s: %s", self._network.label(pending.command.asker), error)

    async def _done(self, pending: PendingCommand) -> Reply:
        """The reply to a short command, which is done; cancelled if nobody wants it any more."""
        try:
            return await self._reply(pending)
        finally:
            pending.done()
            await anyio.lowlevel.checkpoint()

    async def _reply(self, pending: PendingCommand) -> Reply:
        """The reply to a short command."""
        command, ways = pending.command, self._views.ways(pending.command)
        history = command.traits.history
        if history is HistoryUse.WHERE_RECORDED and not ways.is_recorded:
            return self._speech.lines(command, [NOTHING_RECORDED])
        view: ViewMeta = {} if history is HistoryUse.NOWHERE else await self._views.view(pending)
        settings, asker = self._settings(), command.identity(self._network.name)
        context = CommandContext(
            command,
            asker,
            view,
            self._toolbox,
            settings,
            self._consent,
            ways=ways,
            dialogue=self._questions.dialogue(self._views.place(command)),
            report=self._report,
            is_admin=Admins(settings.admins).include(asker, self._network.casemapping),
            text_bytes=self._speech.text_bytes(command),
        )
        said = await HANDLERS[command.name](context)
        return self._speech.lines(pending.command, said)  # which may be answered elsewhere by now
