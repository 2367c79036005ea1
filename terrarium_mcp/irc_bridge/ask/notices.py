"""Tells people that they must wait, or are not answered: at once, all of a channel together.

Each hears it once: a person named in a line is not named again until a minute has passed in which
nobody was refused there. Clients show a line to those whom it names, so it names as many as fit,
and where those are not all, a second line goes on. Nobody can have others named by it: each of them
has just spoken to us. The lines leave last of all that is said (`OutgoingQueue`), and are written
only then, with what is true by then: on a busy network that is minutes later. Who is off the record
is named in lines of their own, which begin with `[off]`.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import anyio
import anyio.abc

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.irctext import OFF_RECORD
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.limits import Refusal

GATHERED = 2.0
"""Seconds after the first refusal, in which others come into the same line."""

EVERY = 60.0
"""Seconds until more is said in the same channel."""

STALE_AFTER = 15.0
"""Seconds after which a refusal of the moment is no longer said, and any other only as far as it
still holds: else that something was refused."""

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
        return now - self.at > STALE_AFTER

    def ends_with(self, served: Command) -> bool:
        """Whether nothing was lost by it, since the same is served now. A pause goes on."""
        again = (served.asker, served.name, served.rest)
        refused = (self.command.asker, self.command.name, self.command.rest)
        return refused == again and self.why is not Refusal.PAUSED


@dataclass(slots=True)
class _Board:
    """What is to be said in one channel, or in one private chat."""

    channel: str
    refused: dict[str, _Refused] = field(default_factory=dict)
    waiting: list[PendingCommand] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    off_record: dict[str, bool] = field(default_factory=dict)
    """Whether a person is off the record; of who is not in it, this is not known yet."""
    lookups: int = 0
    """Of how many commands this is being looked up."""
    looked_up: Bell = field(default_factory=Bell)
    leaves_out: bool = False
    """Whether the last line had no room for some who were to be in it."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def named(self, *, off_record: bool) -> Sequence[str]:
        """Who is to be told something, on the record or off it, each once."""
        nicks = dict.fromkeys([*(one.command.asker for one in self.waiting), *self.refused])
        return [nick for nick in nicks if self.off_record.get(nick) is off_record]

    def tell(self, nicks: Collection[str]) -> None:
        """These have been told."""
        self.told.update(nicks)
        self.waiting = [one for one in self.waiting if one.command.asker not in nicks]
        self.refused = {nick: one for nick, one in self.refused.items() if nick not in nicks}

    def has_room(self) -> bool:
        return len(self.refused) + len(self.waiting) + len(self.told) < MOST_NICKS


class NoticeBoard:
    """Gathers who is to be told what."""

    def __init__(
        self,
        *,
        say_last: Callable[[str, Callable[[int], str]], Awaitable[None]],
        still_waits: Callable[[PendingCommand], bool],
        refusal_now: Callable[[Command], Refusal | None],
        is_off_record: Callable[[Command], Awaitable[bool]],
        label: Callable[[str], str],
    ) -> None:
        """A board without notices.

        Args:
            say_last: as that of `IrcNetwork`.
            still_waits: whether a question waits still.
            refusal_now: why a command would not be served if it were given now.
            is_off_record: whether neither a command nor what is said to it is recorded.
            label: as that of `IrcNetwork`.
        """
        self._say_last = say_last
        self._still_waits = still_waits
        self._refusal_now = refusal_now
        self._is_off_record = is_off_record
        self._label = label
        self._boards: dict[str, _Board] = {}
        self._tasks: anyio.abc.TaskGroup | None = None

    def refuse(self, command: Command, why: Refusal) -> None:
        """Tell the asker of a command why it is not served; of a pause also who was told before."""
        board = self._board(command)
        if board and (why is Refusal.PAUSED or command.asker not in board.told):
            board.refused[command.asker] = _Refused(command, why, anyio.current_time())
            self._look_up(board, command)

    def announce(self, pending: PendingCommand) -> None:
        """Tell the asker of a question that it waits, if it still does then."""
        board = self._board(pending.command)
        if board and pending.command.asker not in board.told:
            board.waiting.append(pending)
            self._look_up(board, pending.command)

    def served(self, command: Command) -> None:
        """Tell its asker no more why the same was refused before: it is served now."""
        if board := self._boards.get(command.target):
            board.refused = {
                nick: one for nick, one in board.refused.items() if not one.ends_with(command)
            }

    def withdraw(self, is_unwanted: Callable[[Command], bool]) -> None:
        """Tell nobody any more why these commands are not served."""
        for board in self._boards.values():
            board.refused = {
                nick: one for nick, one in board.refused.items() if not is_unwanted(one.command)
            }

    def take_off_record(self, nick: str) -> None:
        """What is said to whoever has this nick now is off the record from here on."""
        for board in self._boards.values():
            if nick in board.off_record:
                board.off_record[nick] = True

    def forget(self, is_unwanted: Callable[[str], bool]) -> None:
        """Tell nobody anything more in these channels and chats; drop what waits to be sent."""
        for target, board in self._boards.items():
            if is_unwanted(target):
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

    def _look_up(self, board: _Board, command: Command) -> None:
        """Look up whether a command, and so what is said to its asker, is off the record."""

        async def look_up() -> None:
            is_off = await self._is_off_record(command)
            board.off_record[command.asker] = is_off or board.off_record.get(command.asker, False)
            board.lookups -= 1
            board.looked_up.ring()

        if self._tasks:
            board.lookups += 1
            self._tasks.start_soon(look_up)

    async def _serve(self, target: str, board: _Board) -> None:
        """Say what there is to say, and more each minute, as long as there is something."""
        try:
            with board.scope:
                await anyio.sleep(GATHERED)
                is_said = await self._say_all(target, board)
                while is_said:
                    await anyio.sleep(EVERY)
                    is_said = await self._say_all(target, board)
        finally:
            del self._boards[target]

    async def _say_all(self, target: str, board: _Board) -> bool:
        """Say what is to be said, on the record and off it; returns whether anything was."""
        while board.lookups:
            await board.looked_up.wait()
        said = [await self._say_part(target, board, off_record=off) for off in (False, True)]
        return any(said)

    async def _say_part(self, target: str, board: _Board, *, off_record: bool) -> bool:
        """Say a part of it, in two lines at most; returns whether anything was said."""
        if not board.named(off_record=off_record):
            return False
        is_said = await self._say_line(target, board, off_record=off_record, is_last=False)
        if board.leaves_out:
            await self._say_line(target, board, off_record=off_record, is_last=True)
        return is_said

    async def _say_line(
        self, target: str, board: _Board, *, off_record: bool, is_last: bool
    ) -> bool:
        """Say a line of what is to be said; returns whether there was one.

        All else that is said leaves first, so the line is written when it leaves.
        """
        is_said = False

        def written(size: int) -> str:
            nonlocal is_said
            start = f"{OFF_RECORD} " if off_record else ""
            room = size - len(start.encode())
            text, told = self._line(board, room, off_record=off_record, is_last=is_last)
            is_said = text != ""
            board.tell(told)
            board.leaves_out = bool(board.named(off_record=off_record))
            return start + text if text else ""

        try:
            await self._say_last(target, written)
        except TerrariumError as error:
            log.info("could not post a notice in %s: %s", self._label(target), error)
        return is_said

    def _line(
        self, board: _Board, size: int, *, off_record: bool, is_last: bool
    ) -> tuple[str, Collection[str]]:
        """The line of `size` bytes for those who are to be told something now, as `line_for`."""
        board.waiting = [one for one in board.waiting if self._still_waits(one)]
        reasons = {nick: self._reason_now(one) for nick, one in board.refused.items()}
        board.refused = {nick: one for nick, one in board.refused.items() if reasons[nick]}
        named = board.named(off_record=off_record)
        refused = {nick: why for nick, why in reasons.items() if why and nick in named}
        waiting = [nick for nick in named if nick not in refused]
        return line_for(refused, waiting, named=bool(board.channel), size=size, is_last=is_last)

    def _reason_now(self, one: _Refused) -> Refusal | None:
        """What is still to be told of a refusal; None if it is nothing."""
        if not one.is_stale(anyio.current_time()):
            return one.why
        if one.why.is_of_the_moment:
            return None
        return self._refusal_now(one.command) or Refusal.NO_LONGER


def line_for(
    refused: Mapping[str, Refusal],
    waiting: Sequence[str],
    *,
    named: bool,
    size: int,
    is_last: bool,
) -> tuple[str, Collection[str]]:
    """A line for those who wait, then for those who are refused, and who they are; "" for nobody.

    The reason is the one that most of the refused share, but for those that stand alone. In a
    private chat nobody is `named`. In a channel as many are named as fit `size` bytes, one at least
    of each reason, or of those reasons that fit; the last line tells the others by their number.
    """
    notices = _notices(refused, waiting)
    if not named:
        text = " ".join(f"{text[:1].upper()}{text[1:]}" for text, _ in notices)
        return text, {*waiting, *refused}
    longest = max((len(nicks) for _, nicks in notices), default=0)
    choices = product(range(len(notices), 0, -1), range(longest, 0, -1))
    line = partial(_line, notices, is_last=is_last)
    count, most = next(
        (choice for choice in choices if len(line(*choice).encode()) <= size), (len(notices), 1)
    )
    told = {nick for _, nicks in notices[:count] for nick in (nicks if is_last else nicks[:most])}
    return line(count, most), told


_Notice = tuple[str, Sequence[str]]
"""What is told, and to which nicks."""


def _notices(refused: Mapping[str, Refusal], waiting: Sequence[str]) -> Sequence[_Notice]:
    """What is told, and to whom."""
    shared = Counter(why for why in refused.values() if not why.stands_alone).most_common(1)
    notices = defaultdict[str, list[str]](list)
    if waiting:
        notices["one moment, other questions come first."] = list(waiting)
    for nick, why in refused.items():
        told = why if why.stands_alone else shared[0][0]
        notices[told.value].append(nick)
    return list(notices.items())


def _line(notices: Sequence[_Notice], count: int, most: int, *, is_last: bool) -> str:
    """The first `count` notices, each with `most` of its nicks."""
    return " ".join(f"{_people(nicks, most, is_last)}: {text}" for text, nicks in notices[:count])


def _people(nicks: Sequence[str], most: int, counts_others: bool) -> str:
    """`ada`, `ada and bo`, `ada, bo, cy and 12 others`: `most` by their nicks."""
    shown, left = list(nicks[:most]), len(nicks) - most
    if left > 0 and counts_others:
        return f"{', '.join(shown)} and {left} other{'s' if left > 1 else ''}"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
