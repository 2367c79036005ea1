"""What those hear who must wait or are refused: together, a minute apart, each once."""

import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.irc_bridge.ask import notices
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.limits import Refusal
from terrarium_mcp.irc_bridge.ask.notices import MOST_NICKS, NoticeBoard, line_for
from terrarium_mcp.irc_bridge.network.errors import NotConnected
from tests.patience import PATIENCE
from tests.servers.beside import beside

FULL, QUICK = Refusal.QUESTIONS_FULL, Refusal.TOO_QUICK
ALONE = Refusal.PAUSED, Refusal.NO_LONGER


def command(nick: str, channel: str = "#tea") -> Command:
    return Command("ask", "why?", Source(nick, "u", nick), "", channel)


class Wall:
    """Where lines are put up."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.broken = False
        self.waiting = True
        self.refusal: Refusal | None = FULL
        """Why a command would not be served now."""
        self.off_record: set[str] = set()
        self.free = anyio.Event()
        """Set while nothing else is said."""
        self.free.set()
        self._news = Bell()
        self._offered = 0

    async def is_off_record(self, command: Command) -> bool:
        return command.asker in self.off_record

    async def has_lines(self, count: int) -> None:
        with anyio.fail_after(PATIENCE):
            while len(self.lines) < count:
                await self._news.wait()

    async def has_waiting(self, count: int) -> None:
        with anyio.fail_after(PATIENCE):
            while self._offered < count:
                await self._news.wait()

    async def say_last(self, target: str, text: Callable[[int], str]) -> None:
        self._offered += 1
        self._news.ring()
        await self.free.wait()
        if line := text(400):
            self.lines.append((target, line))
        self._news.ring()
        if self.broken:
            raise NotConnected("irc.example")


@asynccontextmanager
async def board_on(
    wall: Wall, monkeypatch: pytest.MonkeyPatch, *, every: float = 0.05
) -> AsyncIterator[NoticeBoard]:
    monkeypatch.setattr(notices, "GATHERED", 0.01)
    monkeypatch.setattr(notices, "EVERY", every)
    board = NoticeBoard(
        say_last=wall.say_last,
        still_waits=lambda _: wall.waiting,
        refusal_now=lambda _: wall.refusal,
        is_off_record=wall.is_off_record,
        label=lambda target: f"local/{target}",
    )
    async with beside(board.run):
        await anyio.wait_all_tasks_blocked()
        yield board


async def until_empty(board: NoticeBoard) -> None:
    with anyio.fail_after(PATIENCE):
        while board._boards:  # noqa: ASYNC110, SLF001 -- that it has nothing to say shows nowhere
            await anyio.sleep(0.01)


def line(
    refused: Mapping[str, Refusal],
    waiting: Sequence[str] = (),
    *,
    named: bool = True,
    size: int = 400,
    is_last: bool = True,
) -> str:
    return line_for(refused, waiting, named=named, size=size, is_last=is_last)[0]


@pytest.mark.parametrize(
    ("nicks", "people"),
    [
        (["ada"], "ada"),
        (["ada", "bo"], "ada and bo"),
        (["ada", "bo", "cy"], "ada, bo and cy"),
        ([f"n{n}" for n in range(5)], "n0, n1, n2, n3 and n4"),
    ],
)
def test_a_line_names_all_whom_it_has_room_for(nicks: list[str], people: str) -> None:
    assert line(dict.fromkeys(nicks, FULL)) == f"{people}: {FULL.value}"


def test_a_line_names_as_many_as_fit_it_and_one_where_not_even_that_one_does() -> None:
    ada, bo, cy = (letter * 30 for letter in "abc")
    refused = dict.fromkeys([ada, bo, cy, "di"], FULL)
    wait = "eve: one moment, other questions come first."
    whole = line(refused, ["eve"])
    assert whole == f"{wait} {ada}, {bo}, {cy} and di: {FULL.value}"
    some = line(refused, ["eve"], size=len(whole) - 1)
    assert some == f"{wait} {ada}, {bo} and 2 others: {FULL.value}"
    assert line(refused, ["eve"], size=1) == f"{wait} {ada} and 3 others: {FULL.value}"


def test_a_line_with_another_behind_it_counts_nobody_and_tells_those_whom_it_names() -> None:
    refused = dict.fromkeys(["ada", "bo", "cy"], FULL)
    size = len(line(refused)) - 1
    told = line_for(refused, ["di"], named=True, size=400, is_last=False)[1]
    assert told == {"ada", "bo", "cy", "di"}
    first = line_for(refused, [], named=True, size=size, is_last=False)
    assert first == (f"ada and bo: {FULL.value}", {"ada", "bo"})


def test_a_line_gives_the_reason_of_most_and_says_who_only_waits() -> None:
    refused = {"ada": QUICK, "bo": FULL, "cy": FULL}
    assert line(refused, ["di"]) == (
        f"di: one moment, other questions come first. ada, bo and cy: {FULL.value}"
    )
    quick = "That was quick. Ask again in a little while."
    assert line({"ada": QUICK}, named=False) == quick
    assert line({}) == ""


def test_nobody_is_told_of_another_s_pause_or_of_another_reason_in_place_of_their_own() -> None:
    refused = {"eve": FULL, "onion": Refusal.PAUSED, "ada": Refusal.NO_LONGER, "bo": QUICK}
    assert line(refused) == (
        f"eve and bo: {FULL.value} onion: {Refusal.PAUSED.value} ada: {Refusal.NO_LONGER.value}"
    )


def test_a_reason_that_has_no_room_in_a_line_is_left_for_the_next() -> None:
    refused = {letter * 60: why for letter, why in zip("abc", (FULL, *ALONE), strict=True)}
    for is_last in (False, True):
        text, told = line_for(refused, ["eve"], named=True, size=400, is_last=is_last)
        assert told == {"eve", "a" * 60, "b" * 60}
        assert text.endswith(Refusal.PAUSED.value)


async def test_who_has_no_room_in_a_line_is_named_in_a_second_and_there_is_no_third(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        for number in range(80):
            board.refuse(command(f"n{number}"), FULL)
        for number in range(180):
            board.refuse(command(f"m{number}", channel="#mate"), FULL)
        await until_empty(board)
    first, second = [text for target, text in wall.lines if target == "#tea"]
    named = [re.findall(r"n\d+", text) for text in (first, second)]
    assert [*named[0], *named[1]] == [f"n{number}" for number in range(80)]
    assert "other" not in first + second
    first, second = [text for target, text in wall.lines if target == "#mate"]
    assert max(len(first), len(second)) <= 400
    told = re.findall(r"m\d+", first + second)
    assert told == [f"m{number}" for number in range(len(told))]
    assert f" and {180 - len(told)} others: " in second


async def test_who_is_off_the_record_is_named_in_lines_of_their_own_with_the_mark_in_front(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    wall.off_record = {"leek", "di", *(f"n{number}" for number in range(100))}
    async with board_on(wall, monkeypatch) as board:
        board.announce(PendingCommand(command("tom"), None, "#tea"))
        board.announce(PendingCommand(command("di"), None, "#tea"))
        for nick in ("leek", "bo"):
            board.refuse(command(nick), QUICK)
        board.refuse(command("leek", channel=""), QUICK)
        for number in range(100):
            board.refuse(command(f"n{number}", channel="#mate"), FULL)
        await until_empty(board)
    wait = "one moment, other questions come first."
    assert [text for target, text in wall.lines if target == "#tea"] == [
        f"tom: {wait} bo: {QUICK.value}",
        f"[off] di: {wait} leek: {QUICK.value}",
    ]
    assert ("leek", "[off] That was quick. Ask again in a little while.") in wall.lines
    crowd = [text for target, text in wall.lines if target == "#mate"]
    assert len(crowd) == 2
    assert all(text.startswith("[off] n") and len(text) <= 400 for text in crowd)


async def test_who_opts_out_while_the_line_waits_to_leave_is_not_in_it_but_in_one_off_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    wall.free = anyio.Event()
    async with board_on(wall, monkeypatch) as board:
        for nick in ("leek", "bo"):
            board.refuse(command(nick), QUICK)
        await wall.has_waiting(1)
        board.take_off_record("leek")
        wall.free.set()
        await until_empty(board)
    assert [text for _, text in wall.lines] == [f"bo: {QUICK.value}", f"[off] leek: {QUICK.value}"]


async def test_each_hears_once_and_later_ones_in_the_next_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        for nick in ("ada", "bo", "ada"):
            board.refuse(command(nick), FULL)
        board.refuse(command("eve", channel=""), FULL)
        await wall.has_lines(2)
        board.refuse(command("ada"), FULL)
        board.refuse(command("cy"), FULL)
        await until_empty(board)
        assert sorted(wall.lines) == [
            ("#tea", f"ada and bo: {FULL.value}"),
            ("#tea", f"cy: {FULL.value}"),
            ("eve", FULL.value),
        ]
        board.refuse(command("ada"), FULL)  # the minute in which nobody was refused has passed
        await until_empty(board)
        assert wall.lines[-1] == ("#tea", f"ada: {FULL.value}")


async def test_who_was_served_meanwhile_is_not_told_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        wall.waiting = False
        board.announce(PendingCommand(command("ada"), None, "#tea"))
        await until_empty(board)
        assert wall.lines == []
        wall.waiting = True
        board.announce(PendingCommand(command("ada"), None, "#tea"))
        await until_empty(board)
        assert wall.lines == [("#tea", "ada: one moment, other questions come first.")]


async def test_who_is_served_while_the_line_waits_to_leave_is_not_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    wall.free = anyio.Event()
    async with board_on(wall, monkeypatch) as board:
        board.announce(PendingCommand(command("ada"), None, "#tea"))
        board.refuse(command("bo"), FULL)
        await wall.has_waiting(1)
        wall.waiting = False
        board.refuse(command("cy"), FULL)
        wall.free.set()
        await wall.has_lines(1)
        await until_empty(board)
    assert wall.lines == [("#tea", f"bo and cy: {FULL.value}")]


async def test_a_refusal_of_the_moment_that_waited_long_is_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        board.refuse(command("di"), Refusal.NOT_OPERATOR)
        await wall.has_lines(1)
        monkeypatch.setattr(notices, "STALE_AFTER", 0)
        board.refuse(command("ada"), Refusal.NOT_OPERATOR)
        board.refuse(command("bo"), Refusal.NOTHING_TO_STOP)
        board.refuse(command("cy"), FULL)
        await until_empty(board)
        assert wall.lines == [
            ("#tea", f"di: {Refusal.NOT_OPERATOR.value}"),
            ("#tea", f"cy: {FULL.value}"),
        ]


async def test_a_refusal_that_waited_long_is_told_as_it_is_by_then_and_never_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        wall.refusal = None
        board.refuse(command("di"), Refusal.ONE_WAITS)
        await wall.has_lines(1)
        monkeypatch.setattr(notices, "STALE_AFTER", 0)
        board.refuse(command("ada"), Refusal.ONE_WAITS)
        board.refuse(command("bo"), Refusal.PAUSED)
        await wall.has_lines(2)
        wall.refusal = QUICK
        board.refuse(command("cy"), Refusal.ONE_WAITS)
        await until_empty(board)
    assert wall.lines == [
        ("#tea", f"di: {Refusal.ONE_WAITS.value}"),
        ("#tea", "ada and bo: I did not take what you asked a while ago. Ask again."),
        ("#tea", f"cy: {QUICK.value}"),
    ]


async def test_who_asks_the_same_again_and_is_served_is_told_nothing_but_of_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        for nick in ("ada", "bo"):
            board.refuse(command(nick), QUICK)
        board.refuse(command("cy"), Refusal.PAUSED)
        for nick in ("ada", "cy", "eve"):
            board.served(command(nick))
        board.served(Command("ask", "and how?", Source("bo", "u", "bo"), "", "#tea"))
        await until_empty(board)
    assert wall.lines == [("#tea", f"bo: {QUICK.value} cy: {Refusal.PAUSED.value}")]


async def test_who_was_told_of_something_else_still_hears_of_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        board.refuse(command("ada"), QUICK)
        await wall.has_lines(1)
        board.refuse(command("ada"), Refusal.PAUSED)
        board.refuse(command("bo"), QUICK)
        await until_empty(board)
    assert wall.lines[1:] == [("#tea", f"ada: {Refusal.PAUSED.value} bo: {QUICK.value}")]


async def test_who_is_refused_again_is_told_of_the_last_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        board.refuse(command("ada"), QUICK)
        board.refuse(command("ada"), FULL)
        await until_empty(board)
        assert wall.lines == [("#tea", f"ada: {FULL.value}")]


async def test_a_lost_connection_ends_no_board_and_a_crowd_fills_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    wall = Wall()
    wall.broken = True
    async with board_on(wall, monkeypatch) as board:
        for number in range(5_000):
            board.refuse(command(f"n{number}"), FULL)
            board.refuse(command(f"n{number}", channel=""), FULL)
        assert len(board._boards) == MOST_NICKS  # noqa: SLF001 -- its memory is what this is about
        assert len(board._boards["#tea"].refused) == MOST_NICKS  # noqa: SLF001
        await until_empty(board)
        assert len([target for target, _ in wall.lines if target == "#tea"]) == 2
    why = "could not post a notice in local/#tea: "
    assert [text for text in caplog.messages if text.startswith(why)]


async def test_what_is_forgotten_is_not_said_and_the_next_is_told_as_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    async with board_on(wall, monkeypatch) as board:
        board.refuse(command("ada"), FULL)
        board.refuse(command("bo", channel="#mate"), FULL)
        board.forget(lambda target: target in ("#tea", "#never"))
        await until_empty(board)
        assert wall.lines == [("#mate", f"bo: {FULL.value}")]
        board.refuse(command("ada"), FULL)
        await wall.has_lines(2)
        assert wall.lines[-1] == ("#tea", f"ada: {FULL.value}")
