"""The host: serves one command, and says the reply where it was asked."""

import logging
import secrets
from collections.abc import Sequence

import anyio

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError, plainly
from terrarium_mcp.irc_bridge.answer import answer
from terrarium_mcp.irc_bridge.chores import CHORES, Errand
from terrarium_mcp.irc_bridge.commands import Command
from terrarium_mcp.irc_bridge.context import Question
from terrarium_mcp.irc_bridge.desk import Asking
from terrarium_mcp.irc_bridge.llm import LLM
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotConnected, SendQueueFull
from terrarium_mcp.irc_bridge.recorder import Note, Recorder
from terrarium_mcp.irc_bridge.reply import Reply, paged, reply_lines
from terrarium_mcp.irc_bridge.toolbox import Toolbox, View
from terrarium_mcp.settings import Settings

THINKING_AFTER = 5.0
"""Seconds after which the asker is told that we are at it."""

FLUSH_WITHIN = 2.0
"""Seconds to wait for the question itself to be on disk; a full disk must not keep us silent."""

log = logging.getLogger(__name__)

Place = tuple[str, ...]
"""Where a reply was said and what it could see: only there its rest may be shown."""


class Host:
    """Serves what is asked on one network. The model answers one question at a time."""

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
        self._more: dict[Place, Sequence[str]] = {}
        self._turned_away: dict[str, set[str]] = {}

    async def serve(self, asking: Asking) -> None:
        """Answer a command; whatever goes wrong, the asker hears of it and the host lives on."""
        command = asking.command
        if command.is_question:  # the line moves on
            self._turned_away.pop(command.target, None)
        try:
            await self._say(command, await self._reply(asking))
        except (NotConnected, SendQueueFull) as why:
            log.warning("no answer for %s: %s", command.asker, why)
        except TerrariumError as why:
            await self._tell(command, str(why))
        except Exception:
            mark = secrets.token_hex(3)
            log.exception("error %s while answering %s in %s", mark, command.asker, command.target)
            await self._tell(command, f"Something went wrong here (error {mark} in the log).")

    async def turn_away(self, command: Command) -> None:
        """Tell somebody that too many are waiting; once, until the line moves on."""
        told = self._turned_away.setdefault(command.target, set())
        if command.asker not in told:
            told.add(command.asker)
            await self._tell(command, "Too many questions are waiting here. Ask again in a while.")

    async def _reply(self, asking: Asking) -> Reply:
        command = asking.command
        if command.name == "more":
            return self._rest(command)
        view = await self._view(command, asking.note)
        if command.is_question:
            return await self._answered(Question(command, view))
        errand = Errand(command, view, self._toolbox, self._settings)
        return self._lines(command, await CHORES[command.name](errand))

    async def _answered(self, question: Question) -> Reply:
        """The model's answer; a word that we are at it, if it takes long."""
        command = question.command
        if not question.text:
            sign = self._settings.command_prefix
            return self._lines(command, [f"Ask me something: {sign}{command.name} QUESTION"])
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
        await self._tell(command, "Thinking...")

    async def _view(self, command: Command, note: Note | None) -> View:
        """What the answer may see: this channel up to the question; in private, shared channels."""
        view: dict[str, object] = {"network": self._recorder.network, "asker": command.asker}
        if not command.channel:
            return {**view, "channels": self._network.channels_of(command.asker)}
        with anyio.move_on_after(FLUSH_WITHIN):
            await self._recorder.flush()
        cutoff = {"as_of": str(note.number)} if note and note.number else {}
        return {**view, "channel": command.channel, **cutoff}

    def _rest(self, command: Command) -> Reply:
        """!more: what the last long reply here had besides."""
        kept = self._more.pop(self._place(command), None)
        if kept is None:
            return self._lines(command, ["There is no more."])
        return paged(kept, room=self._room(command), prefix=self._settings.command_prefix)

    def _lines(self, command: Command, lines: Sequence[str], mark: str = "") -> Reply:
        # A text of another server's may hold line breaks.
        single = [harmless(part) for line in lines for part in line.splitlines() if part.strip()]
        return reply_lines(
            single or ["(no answer)"],
            to=command.asker if command.channel else "",
            mark=mark,
            room=self._room(command),
            prefix=self._settings.command_prefix,
        )

    def _room(self, command: Command) -> int:
        return self._network.payload_bytes(command.target)

    def _place(self, command: Command) -> Place:
        shared = () if command.channel else self._network.channels_of(command.asker)
        return (command.target, *shared)

    async def _say(self, command: Command, reply: Reply) -> None:
        for line in reply.now:
            await self._network.say(command.target, line)
        if reply.more:
            self._more[self._place(command)] = reply.more

    async def _tell(self, command: Command, text: str) -> None:
        """Say something small, if there is still somebody to say it to."""
        try:
            await self._say(command, self._lines(command, [text]))
        except (NotConnected, SendQueueFull) as why:
            log.warning("could not tell %s: %s", command.asker, why)
