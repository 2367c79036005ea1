"""Says replies where the command was given, line by line, and keeps the rest for `!more`."""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import replace

import anyio

from terrarium_mcp.chat.defusing import NO_ONE_HERE, Unaddressed
from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.chat.irctext import OFF_RECORD, harmless
from terrarium_mcp.irc_bridge.answer.reply import Reply, paged, refitted, reply_lines
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command, PersonKey, nick_at
from terrarium_mcp.irc_bridge.ask.floors import Floors
from terrarium_mcp.irc_bridge.ask.kept_replies import KeptReplies, NothingLeft, ReplyKey
from terrarium_mcp.irc_bridge.ask.loop_guard import LoopGuard
from terrarium_mcp.irc_bridge.ask.repeat_limit import RepeatLimit
from terrarium_mcp.irc_bridge.dialogue.memory import OpenTurn
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.errors import NotSaid, NotTaken
from terrarium_mcp.irc_bridge.network.outgoing import Lane
from terrarium_mcp.irc_bridge.record.recorder import PendingMessage
from terrarium_mcp.settings import Settings

WHISPER_EVERY = 60.0
"""Seconds between two notices to the same person: otherwise anyone able to make a channel refuse us
could make us flood people with notices."""

MOST_WHISPERED = 200
"""People of whom it is known when they got a notice."""

log = logging.getLogger(__name__)


class ReplySpeech:
    """What the bot says on one network."""

    def __init__(
        self, network: IrcNetwork, guard: LoopGuard, settings: Callable[[], Settings]
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._network = network
        self._guard = guard
        self._settings = settings
        self._floors = Floors()
        self._kept = KeptReplies()
        self._whispered = RepeatLimit[PersonKey](WHISPER_EVERY, MOST_WHISPERED)

    def renamed(self, source: Source, nick: str) -> None:
        """A person has another nick now: what is left of a reply to them is still theirs."""
        fold = self._network.fold
        self._kept.renamed(nick_at(source, fold), nick_at(replace(source, nick=nick), fold))

    def lines(self, command: Command, lines: Sequence[str]) -> Reply:
        """A reply of our own, or of another MCP server, whose text may hold line breaks."""
        single = [harmless(part) for line in lines for part in line.splitlines()]
        unaddressed = self.unaddressed(command)
        return self.addressed(
            command, [unaddressed.defused(line) for line in single if line.strip()]
        )

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
            return NO_ONE_HERE
        fold = self._network.fold
        here = frozenset(map(fold, self._network.nicks(command.channel)))
        return Unaddressed(here - {fold(command.asker), fold(self._network.nick)}, fold)

    def text_bytes(self, command: Command) -> int:
        """How many bytes of text a line of a reply holds at least."""
        return self._payload_bytes(command) - len(f"{OFF_RECORD} {command.asker}: ".encode())

    async def say(
        self, pending: PendingCommand, reply: Reply, turn: OpenTurn | None = None
    ) -> None:
        """Say the lines of a reply, each when the one before it has left.

        One of several lines begins when none of several is being said there. If the network does
        not take a line, or this is cancelled, the rest is not said: neither now nor by `!more`,
        which says so. Its turn, if it has one, then holds what was said.

        Raises:
            NotSaid: the network does not take them.
        """
        ready_at = anyio.current_time()
        if pending.command.traits.keeps_more:
            await self._say_lines(pending, reply, ready_at)
            return
        key = self._reply_key(pending.command)
        async with self._floor(pending) if len(reply.now) > 1 else nullcontext():
            pending.watch.lap("floor")
            # Its rooms are those in which it was made; its asker may have another nick by now.
            key = replace(key, asker=self._asker(pending.command))
            await self._say_kept(pending, key, reply, ready_at, turn)

    async def say_more(self, pending: PendingCommand) -> None:
        """Say the next page of the reply that `!more` continues, after what is being said there.

        Raises:
            NotSaid: the network does not take it.
        """
        ready_at = anyio.current_time()
        async with self._floor(pending):
            command = pending.command  # whose asker may have another nick by now
            key = self._reply_key(command)
            found = self._kept.to_continue(key, off_record=command.off_record)
            if found is None:
                nothing = self.lines(command, [self._kept.why_nothing(key)])
                await self._say_lines(pending, nothing, ready_at)
                return
            key, kept = found
            prefix = self._settings().command_prefix
            page = paged(kept, line_bytes=self._payload_bytes(command), prefix=prefix)
            await self._say_kept(pending, key, page, ready_at)

    async def send(self, pending: PendingCommand, text: str) -> None:
        """Reply with one line; only log it if the network cannot be reached."""
        await self._attempt(pending, self.say(pending, self.lines(pending.command, [text])))

    async def say_thinking(self, pending: PendingCommand) -> None:
        """Say that the reply takes long; only log it if the network cannot be reached."""
        line, ready_at = self.lines(pending.command, ["Thinking..."]), anyio.current_time()
        await self._attempt(pending, self._say_lines(pending, line, ready_at))

    async def whisper(self, pending: PendingCommand, text: str) -> None:
        """Tell the asker of a command in a channel by a notice; each once a minute at most."""
        command = pending.command
        if not command.channel:
            return
        if not self._whispered.take_due(command.person, anyio.current_time()):
            return
        private = f"Ask me in private: /msg {self._network.nick} QUESTION"
        line = harmless(f"{text.removesuffix('.')}. {private}")
        await self._attempt(pending, self._network.notice(command.asker, line))

    async def _attempt(self, pending: PendingCommand, saying: Awaitable[None]) -> None:
        try:
            await saying
        except NotSaid as error:
            asker = self._network.label(pending.command.asker)
            log.warning("could not reply to %s: %s", asker, error)

    async def _say_kept(
        self,
        pending: PendingCommand,
        key: ReplyKey,
        reply: Reply,
        ready_at: float,
        turn: OpenTurn | None = None,
    ) -> None:
        """Say a reply, of which `!more` then says what is left; nothing if it is cut short.

        Its asker may have another nick by then.
        """
        is_own = key.asker == self._asker(pending.command)

        def key_now() -> ReplyKey:
            return replace(key, asker=self._asker(pending.command)) if is_own else key

        self._kept.lose(key, reply, NothingLeft.STOPPED)  # unless it is said after all
        try:
            await self._say_lines(pending, reply, ready_at, turn)
        except NotSaid:
            self._kept.lose(key_now(), reply, NothingLeft.LOST)
            raise
        self._kept.keep(key_now(), reply)
        if reply.more:
            self._guard.offered(pending.command.person)

    async def _say_lines(
        self,
        pending: PendingCommand,
        reply: Reply,
        ready_at: float,
        turn: OpenTurn | None = None,
    ) -> None:
        lane = Lane.ANSWER if pending.command.is_question else Lane.COMMAND
        reply_to = _msgid(pending.message)
        # What is remembered of a line, and what follows it, depend on whether it was taken.
        is_confirmed = pending.command.is_question or bool(reply.more) or len(reply.now) > 1
        with _held_as_far_as_said(turn) as said:
            for line, text in self._fitting(pending, reply):
                with pending.watch.saying(line):
                    await self._network.say(pending.command.target, line, lane, reply_to=reply_to)
                if not said:
                    self._guard.replied(pending.command.person, ready_at)
                said.append(text)
                if is_confirmed:
                    with pending.watch.part("confirmation"), _refusal_noted(said):
                        is_confirmed = await self._network.confirm(pending.command.target)

    def _fitting(self, pending: PendingCommand, reply: Reply) -> Iterator[tuple[str, str]]:
        """The lines to say now, each as it fits when it is due: our mask may have grown by then.

        Beside each is what it says of the text; of a line that became several, beside the first.
        """
        for line, text in zip(reply.now, reply.texts, strict=True):
            size = self._payload_bytes(pending.command)
            pieces = refitted(line, reply, line_bytes=size)
            yield from zip(pieces, [text, *[""] * len(pieces)], strict=False)

    def _floor(self, pending: PendingCommand) -> AbstractAsyncContextManager[None]:
        command = pending.command
        # In private the person, not the nick: another reply may come under the next one.
        place = self._network.fold(command.channel) if command.channel else command.person
        return self._floors.floor(place, pending.watch.began)

    def _payload_bytes(self, command: Command) -> int:
        return self._network.payload_bytes(command.target)

    def _reply_key(self, command: Command) -> ReplyKey:
        fold, asker = self._network.fold, self._asker(command)
        if command.channel:
            return ReplyKey(fold(command.channel), asker)
        rooms = sorted(map(fold, self._network.channels_of(command.asker)))
        return ReplyKey("", asker, tuple(rooms))

    def _asker(self, command: Command) -> tuple[str, ...]:
        """Who asks, as a reply is kept for them."""
        return command.exact_person(self._network.fold)


@contextmanager
def _held_as_far_as_said(turn: OpenTurn | None) -> Iterator[list[str]]:
    """Takes what is said of a turn; it holds no more than that if the rest is not said."""
    said: list[str] = []
    try:
        yield said
    except BaseException:  # also if it is cancelled
        if turn and said:
            turn.cut_short("\n".join(filter(None, said)))
        raise
    if turn:
        turn.said()


@contextmanager
def _refusal_noted(said: list[str]) -> Iterator[None]:
    """Nobody has read a line that is refused."""
    try:
        yield
    except NotTaken:
        said.pop()
        raise


def _msgid(asked: PendingMessage | None) -> str:
    """The msgid of the line that was answered; empty if it has none, or was not recorded."""
    return asked.message.msgid if asked else ""
