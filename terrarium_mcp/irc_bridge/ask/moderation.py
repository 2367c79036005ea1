"""`!stop` and `!quiet`: what people take back, and how operators silence the bot."""

import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import anyio
import anyio.abc

from terrarium_mcp.chat.durations import length_named
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.ask.admins import Admins
from terrarium_mcp.irc_bridge.ask.command_queue import CommandQueue, PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.ask.limits import Refusal
from terrarium_mcp.irc_bridge.ask.notices import NoticeBoard
from terrarium_mcp.irc_bridge.ask.quiet_times import LONGEST, QuietTimes
from terrarium_mcp.irc_bridge.ask.speech import ReplySpeech
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.settings import Settings

log = logging.getLogger(__name__)


class Moderation:
    """Serves `!stop` and `!quiet` on one network. They take effect at once, whoever waits."""

    def __init__(
        self,
        network: IrcNetwork,
        settings: Settings,
        queue: CommandQueue,
        quiet: QuietTimes,
        board: NoticeBoard,
        consent: Consent,
        speech: ReplySpeech,
    ) -> None:
        self._network = network
        self.change_settings(settings)
        self._queue = queue
        self._quiet = quiet
        self._board = board
        self._consent = consent
        self._speech = speech
        self._tasks: anyio.abc.TaskGroup | None = None
        self.loaded = anyio.Event()
        """Set once it is known which channels are quiet."""

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on."""
        self._prefix = settings.command_prefix
        self._admins = Admins(settings.admins)

    async def run(self) -> None:
        """Answer to those commands until cancelled."""
        async with anyio.create_task_group() as self._tasks:
            await self._quiet.load()
            self.loaded.set()
            await anyio.sleep_forever()

    def is_quiet(self, channel: str) -> bool:
        """Whether nothing is said in a channel; never so in a private chat ("")."""
        return channel != "" and self._quiet.covers(self._network.fold(channel))

    def may_moderate(self, command: Command) -> bool:
        """Whether the asker decides for everybody in the channel where they ask."""
        if not command.channel:
            return False
        identity = command.identity(self._network.name)
        is_admin = self._admins.include(identity, self._network.casemapping)
        return is_admin or self._network.is_operator(command.channel, command.asker)

    def stop(self, command: Command) -> None:
        """!stop: the asker's own commands here; an operator's stops all in the channel."""
        may_any = self.may_moderate(command)
        stopped = self._stopped(
            lambda one: (
                self._network.fold(one.command.target) == self._network.fold(command.target)
                and (may_any or self._is_by_asker(one.command, command))
            )
        )
        if not stopped:
            self._board.refuse(command, Refusal.NOTHING_TO_STOP)
            return
        self._start(self._say_stopped, command)

    def set_quiet(self, command: Command, now: datetime) -> None:
        """!quiet 1h: nothing is said in the channel until then. !quiet off: it is again."""
        if not command.channel:
            self._board.refuse(command, Refusal.NO_CHANNEL)
            return
        if not self.may_moderate(command):
            if not self.is_quiet(command.channel):
                self._board.refuse(command, Refusal.NOT_OPERATOR)
            return
        channel = self._network.fold(command.channel)
        if command.rest.lower() == "off":
            self._quiet.end(channel)
            self._start(self._confirm, command, f"I answer in {command.channel} again.")
            return
        named = length_named(command.rest)
        if not named:  # no length, or none at all: `0h`
            self._start(self._notice, command.asker, self._examples())
            return
        duration = min(named, LONGEST)
        until = now + duration
        self._quiet.begin(channel, duration)
        self._stopped(lambda one: self._network.fold(one.command.channel) == channel)
        self._board.forget(lambda target: self._network.fold(target) == channel)
        text = (
            f"I say nothing in {command.channel} until {until:%Y-%m-%d %H:%M} UTC"
            f"{_at_most(duration)}, and go on recording it. {self._prefix}quiet off ends this."
        )
        self._start(self._confirm, command, text)

    def _stopped(self, is_unwanted: Callable[[PendingCommand], bool]) -> Sequence[PendingCommand]:
        """Stop commands; returns them. A confirmed removal goes on, and its asker alone is told."""
        for one in self._queue:
            if one.is_binding and is_unwanted(one):
                one.command = one.command.answered_privately()
        return self._queue.stop(lambda one: not one.is_binding and is_unwanted(one))

    async def _confirm(self, command: Command, text: str) -> None:
        """Store what was decided, and tell the operator alone."""
        try:
            await self._quiet.save(self._network.fold(command.channel), str(command.source))
        except TerrariumError as error:
            label = self._network.label(command.channel)
            log.warning("could not store whether %s is quiet: %s", label, error)
            text += " This could not be stored: it ends when I am restarted."
        await self._notice(command.asker, text)

    def _examples(self) -> str:
        prefix = self._prefix
        return (
            f"For how long? For example: {prefix}quiet 30m, {prefix}quiet 1h, {prefix}quiet 2d"
            f" ({LONGEST.days}d at most), or {prefix}quiet off."
        )

    def _is_by_asker(self, earlier: Command, command: Command) -> bool:
        """Whether a command waits for whoever gives this one.

        Its asker is known by their nick of today (`Reception.follow`).
        """
        fold = self._network.fold
        return earlier.exact_person(fold) == command.exact_person(fold)

    def _start(self, job: Callable[..., Coroutine[Any, Any, None]], *args: object) -> None:
        if self._tasks:
            self._tasks.start_soon(job, *args)

    async def _say_stopped(self, command: Command) -> None:
        """Say that commands were stopped; off the record to whoever is."""
        off_record = await self._consent.is_off_record(command)
        reply = self._speech.lines(replace(command, off_record=off_record), ["Stopped."])
        try:
            for line in reply.now:
                await self._network.say(command.target, line)
        except TerrariumError as error:
            log.info("could not say so in %s: %s", self._network.label(command.target), error)

    async def _notice(self, nick: str, text: str) -> None:
        try:
            await self._network.notice(nick, text)
        except TerrariumError as error:
            log.info("could not tell %s: %s", self._network.label(nick), error)


def _at_most(duration: timedelta) -> str:
    return f" ({LONGEST.days}d, which is the most)" if duration == LONGEST else ""
