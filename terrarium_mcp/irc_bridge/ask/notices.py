"""Tells people that they must wait, or are not answered: one line a minute and channel for all.

Each hears it once: a person named in a line is not named again until a minute has passed in which
nobody was refused there. The lines leave last of all that is said (`OutgoingQueue`), and are
written only then: what is no longer true by then is not in them.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import anyio.abc

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.limits import Refusal

GATHERED = 2.0
"""Seconds after the first refusal, in which others come into the same line."""

EVERY = 60.0
"""Seconds between two lines in one channel."""

STALE_AFTER = 15.0
"""Seconds after which a refusal of the moment is no longer said."""

NAMED = 3
"""Nicks in a line at most; of the others it says how many there are."""

MOST_NICKS = 200
"""Nicks remembered for each channel, and private chats with a line on its way."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Refused:
    """A command that is not served, why, and since when."""

    command: Command
    why: Refusal
    at: float

    def is_stale(self, now: float) -> bool:
        return self.why.is_of_the_moment and now - self.at > STALE_AFTER


@dataclass(slots=True)
class _Board:
    """What is to be said in one channel, or in one private chat."""

    channel: str
    refused: dict[str, _Refused] = field(default_factory=dict)
    waiting: list[PendingCommand] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    @property
    def named(self) -> Sequence[str]:
        """Who is to be told something, each once."""
        return tuple(dict.fromkeys([*(one.command.asker for one in self.waiting), *self.refused]))

    def tell(self) -> None:
        """They have been told."""
        self.told.update(self.named)
        self.waiting.clear()
        self.refused.clear()

    def has_room(self) -> bool:
        return len(self.refused) + len(self.waiting) + len(self.told) < MOST_NICKS


class NoticeBoard:
    """Gathers who is to be told what. `say_last` and `label` are as those of `IrcNetwork`."""

    def __init__(
        self,
        say_last: Callable[[str, Callable[[int], str]], Awaitable[None]],
        still_waits: Callable[[PendingCommand], bool],
        label: Callable[[str], str],
    ) -> None:
        self._say_last = say_last
        self._still_waits = still_waits
        self._label = label
        self._boards: dict[str, _Board] = {}
        self._tasks: anyio.abc.TaskGroup | None = None

    def refuse(self, command: Command, why: Refusal) -> None:
        """Tell the asker of a command why it is not served."""
        board = self._board(command)
        if board and command.asker not in board.told:
            board.refused[command.asker] = _Refused(command, why, anyio.current_time())

    def announce(self, pending: PendingCommand) -> None:
        """Tell the asker of a question that it waits, if it still does then."""
        board = self._board(pending.command)
        if board and pending.command.asker not in board.told:
            board.waiting.append(pending)

    def withdraw(self, is_unwanted: Callable[[Command], bool]) -> None:
        """Tell nobody any more why these commands are not served."""
        for board in self._boards.values():
            board.refused = {
                nick: one for nick, one in board.refused.items() if not is_unwanted(one.command)
            }

    def forget(self, target: str) -> None:
        """Tell nobody anything more in a channel, neither what waits to be sent."""
        if board := self._boards.get(target):
            board.scope.cancel()

    async def run(self) -> None:
        """Say what is gathered until cancelled."""
        async with anyio.create_task_group() as self._tasks:
            await anyio.sleep_forever()

    def _board(self, command: Command) -> _Board | None:
        """The board of the command's channel or chat; None if there is no room."""
        board = self._boards.get(command.target)
        if board is None:
            if self._tasks is None or len(self._boards) >= MOST_NICKS:
                return None
            board = self._boards[command.target] = _Board(command.channel)
            self._tasks.start_soon(self._serve, command.target, board)
        return board if board.has_room() else None

    async def _serve(self, target: str, board: _Board) -> None:
        """Say a line, and another each minute, as long as there is something to say."""
        try:
            with board.scope:
                await anyio.sleep(GATHERED)
                is_said = await self._say_line(target, board)
                while is_said:
                    await anyio.sleep(EVERY)
                    is_said = await self._say_line(target, board)
        finally:
            del self._boards[target]

    async def _say_line(self, target: str, board: _Board) -> bool:
        """Say what is to be said; returns whether anything was.

        All else that is said leaves first, so the line is written when it leaves.
        """
        is_said = False

        def written(size: int) -> str:
            nonlocal is_said
            text = self._line(board, size)
            is_said = text != ""
            board.tell()
            return text

        try:
            await self._say_last(target, written)
        except TerrariumError as error:
            log.info("could not post a notice in %s: %s", self._label(target), error)
        return is_said

    def _line(self, board: _Board, size: int) -> str:
        """The line of `size` bytes for all who are to be told something now."""
        now = anyio.current_time()
        board.waiting = [one for one in board.waiting if self._still_waits(one)]
        board.refused = {nick: one for nick, one in board.refused.items() if not one.is_stale(now)}
        waiting = [nick for nick in board.named if nick not in board.refused]
        refused = {nick: one.why for nick, one in board.refused.items()}
        return line_for(refused, waiting, named=bool(board.channel), size=size)


def line_for(
    refused: Mapping[str, Refusal], waiting: Sequence[str], *, named: bool, size: int
) -> str:
    """One line for all: those who wait, then those who are refused; "" if there are none.

    The reason is the one that most of the refused share. In a private chat nobody is `named`. In a
    channel as many are named, one at least, as fit `size` bytes.
    """
    parts = []
    if waiting:
        parts.append((waiting, "one moment, other questions come first."))
    if refused:
        reasons = list(refused.values())
        parts.append((list(refused), max(reasons, key=reasons.count).value))
    if not named:
        return " ".join(f"{text[:1].upper()}{text[1:]}" for _, text in parts)
    lines = [
        " ".join(f"{_people(nicks, most)}: {text}" for nicks, text in parts)
        for most in range(NAMED, 0, -1)
    ]
    return next((line for line in lines if len(line.encode()) <= size), lines[-1])


def _people(nicks: Sequence[str], most: int) -> str:
    """`ada`, `ada and bo`, `ada, bo, cy and 12 others`: `most` by their nicks."""
    shown, left = list(nicks[:most]), len(nicks) - most
    if left > 0:
        return f"{', '.join(shown)} and {left} other{'s' if left > 1 else ''}"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
