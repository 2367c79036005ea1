"""Receives what is said to the bot: decides who is served, who waits, who is refused.

What a person decides about their own record (`consent`) takes effect before. Then, in this
order: the ignore list, TERRARIUM_PRIVATE, channels that are quiet or only recorded, talks
without end (`loop_guard`), who may ask the model (`askers`), then the limits of a person and a
channel. What passes waits in `CommandQueue`.
`!stop` and `!quiet` (`moderation`) take effect at once. Of those who decide for a channel they do
so at whatever pace they write, and decisions about a record are answered then too, now and again.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import anyio

from terrarium_mcp.chat.irc_message import IrcMessage, must_be_last
from terrarium_mcp.irc_bridge.ask.askers import AskerCheck
from terrarium_mcp.irc_bridge.ask.command_queue import CommandQueue, PendingCommand
from terrarium_mcp.irc_bridge.ask.command_traits import NEAR_MISS, Silence
from terrarium_mcp.irc_bridge.ask.commands import Command, PersonKey
from terrarium_mcp.irc_bridge.ask.consent import Consent
from terrarium_mcp.irc_bridge.ask.host_cycles import HostCycles
from terrarium_mcp.irc_bridge.ask.ignored import IgnoreList
from terrarium_mcp.irc_bridge.ask.limits import QuestionLimits, Refusal
from terrarium_mcp.irc_bridge.ask.loop_guard import LoopGuard, Pace
from terrarium_mcp.irc_bridge.ask.moderation import Moderation
from terrarium_mcp.irc_bridge.ask.notices import NoticeBoard
from terrarium_mcp.irc_bridge.ask.quiet_times import QuietTimes
from terrarium_mcp.irc_bridge.ask.repeat_limit import RepeatLimit
from terrarium_mcp.irc_bridge.ask.speech import ReplySpeech
from terrarium_mcp.irc_bridge.ask.suggestions import SuggestionMemory
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.outgoing import PRIVATE
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage
from terrarium_mcp.settings import Settings

MOVEMENTS = frozenset(("JOIN", "KICK", "NICK", "PART", "QUIT"))
"""IRC commands after which a person is gone, is back, or goes by another nick."""

MOST_SHORT = 2
"""Short commands of one person whose replies have not been said."""

DECIDES_AGAIN = 60.0
"""Seconds until the same decision about their record is answered again of a person who writes
faster than a person could: two bots that answer each other's decisions come to an end."""

MOST_DECISIONS = 1_000
"""Such people and decisions remembered: those answered last."""

READY_WITHIN = 2.0
"""Seconds. A history that takes longer to open must not keep the recorder from the network; until
then a channel that should be quiet may be answered."""

log = logging.getLogger(__name__)


class Reception:
    """The way in to the responder, for one network."""

    def __init__(
        self,
        network: IrcNetwork,
        settings: Settings,
        queue: CommandQueue,
        quiet: QuietTimes,
        guard: LoopGuard,
        consent: Consent,
        speech: ReplySpeech,
    ) -> None:
        self._network = network
        self._settings = settings
        self._queue = queue
        self._ignored = IgnoreList(settings.ignore)
        self._askers = AskerCheck(network, settings)
        self._limits = _question_limits(settings)
        self._suggestions = SuggestionMemory()
        self._guard = guard
        self._decided = RepeatLimit[tuple[PersonKey, str, bool]](DECIDES_AGAIN, MOST_DECISIONS)
        self._host_cycles = HostCycles(network.fold)
        self._board = NoticeBoard(
            say_last=self._refuse_aloud,
            still_waits=queue.waits,
            refusal_now=self._refusal_now,
            is_off_record=consent.is_off_record,
            label=network.label,
        )
        self._moderation = Moderation(network, settings, queue, quiet, self._board, consent, speech)

    def change_settings(self, settings: Settings) -> None:
        """Use other settings from now on; what was asked before no longer counts.

        What waits in a channel in which they let us answer no longer is dropped.
        """
        self._settings = settings
        self._ignored = IgnoreList(settings.ignore)
        self._askers = AskerCheck(self._network, settings)
        self._limits = _question_limits(settings)
        self._moderation.change_settings(settings)
        self._queue.stop(lambda one: not self._is_answered(one.command.channel))

    async def run(self) -> None:
        """Serve what is received until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._moderation.run)
            tasks.start_soon(self._board.run)
            await self._queue.run()

    async def until_ready(self) -> None:
        """Wait until it is known which channels are quiet; READY_WITHIN seconds at most."""
        with anyio.move_on_after(READY_WITHIN):
            await self._moderation.loaded.wait()

    def hear(self, command: Command, message: PendingMessage | None, now: datetime) -> None:
        """A person gave us a command. `message` is its record, if it has one."""
        if command.name == "optout":
            self._take_off_record(command)
        if not self._is_served(command):
            return
        silence = self._silence(command.channel)
        if silence:
            if silence not in command.traits.served_in:
                return
            if command.name != "quiet":  # which ends the silence, or is to be seen there
                command = command.answered_privately()
        at = anyio.current_time()
        if command.name == NEAR_MISS and not self._suggestions.take_due(command, at):
            return
        if not (self._is_urgent(command) or self._is_heeded(command, at)):
            return
        match command.name:
            case "stop":
                self._moderation.stop(command)
            case "quiet":
                self._moderation.set_quiet(command, now)
            case _:
                self._admit(PendingCommand(command, message, self._flow(command)))

    def follow(self, line: IrcMessage) -> None:
        """Follow one of MOVEMENTS: an answer whose asker has left is not said.

        A person who quits and is back at once is answered. Comes before the line changes who is in
        which channel.
        """
        if line.replay or line.source is None:
            return
        match line.command, line.params:
            case "QUIT", _:
                self._host_cycles.quit(self._gone(line.source.nick, ""))
            case "JOIN", (_, *_):
                for pending in self._host_cycles.joined(line):
                    self._queue.put(pending)
            case "PART", (_, *_):
                for channel in line.targets:
                    self._gone(line.source.nick, channel)
            case "KICK", (channel, nick, *_):
                self._gone(nick, channel)
            case "NICK", (nick, *_) if must_be_last(nick):  # no line of ours could name them
                self._gone(line.source.nick, "")
            case "NICK", (nick, *_):
                self._renamed(line.source.nick, nick)

    def on_left(self, channel: str) -> None:
        """We are no longer in a channel: neither answers nor refusals are for it any more."""
        self._queue.stop(lambda one: self._is_in(one.command, channel))
        self._board.forget(lambda target: self._network.fold(target) == self._network.fold(channel))

    def on_lost(self) -> None:
        """The connection is lost: whoever asked has to ask again."""
        self._queue.stop(lambda _: True)
        self._board.forget(lambda _: True)

    def _is_served(self, command: Command) -> bool:
        """Whether this person is answered here at all; others get no word.

        Everybody may decide about the record of themselves, also who has left every channel.
        A stranger in private is not even told so: there is no end of strangers, networks punish a
        client that writes to many, and every line to one of them is a line less for a channel.
        """
        if self._ignored.covers(command.source, self._network.casemapping):
            return False
        if command.channel or command.traits.is_consent:
            return True
        match self._settings.private:
            case "anyone":
                return True
            case "members":
                return bool(self._shared_with(command.asker))
            case _:
                return False

    def _silence(self, channel: str) -> Silence | None:
        """Why nothing is said in a channel; None where the bot may speak."""
        if self._moderation.is_quiet(channel):
            return Silence.QUIET
        return None if self._is_answered(channel) else Silence.ONLY_RECORDED

    def _is_answered(self, channel: str) -> bool:
        """Whether the settings let us answer in a channel; in a private chat ("") they do."""
        return self._settings.channel_ways(channel, self._network.casemapping).is_answered

    def _is_urgent(self, command: Command) -> bool:
        """Whether a command takes effect at whatever pace it comes: it is for the whole channel."""
        return command.name in ("stop", "quiet") and self._moderation.may_moderate(command)

    def _is_heeded(self, command: Command, at: float) -> bool:
        """Whether a command comes at a human pace, or is answered although it does not.

        A pause begins with the first that comes too quickly.
        """
        pace = self._guard.heard(command.person, at, reads_on=command.name == "more")
        if pace is Pace.TOO_MUCH:
            label = self._network.label(str(command.source))
            log.warning("%s is sending faster than a person could: ignoring it for a while", label)
            self._queue.stop(lambda one: one.command.person == command.person)
            self._board.refuse(command, Refusal.PAUSED)
        if pace is Pace.HUMAN:
            return True
        decision = command.person, command.name, command.confirms_removal
        return command.traits.is_consent and self._decided.take_due(decision, at)

    def _admit(self, pending: PendingCommand) -> None:
        """Queue a command, or refuse it."""
        command, at = pending.command, anyio.current_time()
        if why := self._refusal(command, at):
            self._board.refuse(command, why)
            return
        self._queue.put(pending)
        self._board.served(command)
        if command.is_question:
            self._limits.count(command.person, command.channel, at)
            if not self._queue.is_next(pending):
                self._board.announce(pending)

    def _refusal_now(self, command: Command) -> Refusal | None:
        """Why a command would not be served if it were given now."""
        at = anyio.current_time()
        if self._guard.is_paused(command.person, at):
            return Refusal.PAUSED
        return self._refusal(command, at)

    def _refusal(self, command: Command, at: float) -> Refusal | None:
        """Why a command is one too many of its asker or channel."""
        if why := self._own_refusal(command, at):
            return why
        if self._queue.has_room(self._flow(command), questions=command.is_question):
            return None
        return Refusal.QUESTIONS_FULL if command.is_question else Refusal.COMMANDS_FULL

    def _own_refusal(self, command: Command, at: float) -> Refusal | None:
        """The same, whether or not there is room where it would wait."""
        own = self._queue.pending(command.person, questions=command.is_question)
        if not command.is_question and len(own) >= MOST_SHORT:
            return Refusal.TOO_QUICK
        shared = [] if command.channel else self._shared_with(command.asker)
        if command.traits.asks_model and (why := self._askers.refusal(command, shared)):
            return why
        if not command.is_question:
            return None
        if len(own) > 1 or any(self._queue.waits(one) for one in own):
            return Refusal.ONE_WAITS
        return self._limits.refusal(command.person, command.channel, at)

    def _flow(self, command: Command) -> str:
        """Where a command waits."""
        return self._network.fold(command.channel) if command.channel else PRIVATE

    def _shared_with(self, nick: str) -> list[str]:
        """The channels of the settings in which we and `nick` are."""
        network = self._network
        return [one for one in network.channels_of(nick) if network.is_configured(one)]

    def _is_in(self, command: Command, channel: str) -> bool:
        return self._network.fold(command.channel) == self._network.fold(channel)

    def _gone(self, nick: str, channel: str) -> Sequence[PendingCommand]:
        """A person left a channel, or with "" all of them: they are told nothing more there.

        Returns their commands that are dropped for it.
        """

        def is_unwanted(command: Command, *, in_private: bool) -> bool:
            if not self._network.same_nick(command.asker, nick):
                return False
            if not command.channel:
                return in_private
            return not channel or self._is_in(command, channel)

        self._board.withdraw(partial(is_unwanted, in_private=False))
        left = self._network.fold(channel)
        in_private = not channel or (
            self._settings.private == "members"
            and all(self._network.fold(one) == left for one in self._shared_with(nick))
        )
        if in_private:
            self._network.drop(nick)
        if not any(self._network.same_nick(one.command.asker, nick) for one in self._queue):
            return ()  # as nearly always: a netsplit brings hundreds
        return self._queue.stop(lambda one: is_unwanted(one.command, in_private=in_private))

    def _renamed(self, nick: str, new: str) -> None:
        """Whoever asked goes by another nick now."""
        for one in self._queue:
            if self._network.same_nick(one.command.asker, nick):
                one.command = replace(one.command, source=replace(one.command.source, nick=new))

    def _take_off_record(self, opt_out: Command) -> None:
        """Whoever opts out is answered off the record, also what they asked before."""
        self._board.take_off_record(opt_out.asker)
        for one in self._queue:
            if one.command.person == opt_out.person:
                one.command = replace(one.command, off_record=True)

    async def _refuse_aloud(self, target: str, text: Callable[[int], str]) -> None:
        channel = target if self._network.is_channel(target) else ""
        if not self._moderation.is_quiet(channel):
            await self._network.say_last(target, text)


def _question_limits(settings: Settings) -> QuestionLimits:
    return QuestionLimits(settings.ask_burst, settings.ask_every, settings.channel_questions)
