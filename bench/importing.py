"""Importing: logs of other programs through the command, beside a bare executemany of its rows.

The command is measured from its start to its exit: reading, parsing, recognising what is there
already, indexing, and the pauses in which others write. Its memory is that of both its processes.
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from anyio import to_thread

from bench.bare import Bare
from bench.bed import Bed
from bench.corpus import talk
from bench.measure import Measured
from bench.table import Rival, Row, Times, Within
from bench.vocabulary import spoken
from terrarium_mcp.chat.records import MessageType, NewMessage

FILES = 5_000
"""Day files of a ZNC that ran for fourteen years."""

LEAST, MOST = 20, 100
"""Lines of a day file: the command takes no longer a line for more of them."""

TURNS = 9
"""The folder and the one file are imported in turn, every other time in the opposite order: on a
shared machine two runs of the same differ by a fifth, and the median of five turns by a tenth."""

_WEECHAT = {
    MessageType.PRIVMSG: "{nick}\t{text}",
    MessageType.ACTION: " *\t{nick} {text}",
    MessageType.NOTICE: "--\tNotice({nick}): {text}",
    MessageType.JOIN: "-->\t{nick} (~u@h.example) has joined #bench",
    MessageType.PART: "<--\t{nick} (~u@h.example) has left #bench",
    MessageType.QUIT: "<--\t{nick} (~u@h.example) has quit ({text})",
    MessageType.TOPIC: '--\t{nick} has changed topic for #bench to "{text}"',
}
_ZNC = {
    MessageType.PRIVMSG: "<{nick}> {text}",
    MessageType.ACTION: "* {nick} {text}",
    MessageType.NOTICE: "-{nick}- {text}",
    MessageType.JOIN: "*** Joins: {nick} (~u@h.example)",
    MessageType.PART: "*** Parts: {nick} (~u@h.example)",
    MessageType.QUIT: "*** Quits: {nick} (~u@h.example) ({text})",
    MessageType.TOPIC: "*** {nick} changes topic to '{text}'",
}
_FIFTH = Times(0.2)
_SAME = Times(1.0)
_LITTLE = Within(300)
_LOOK_EVERY = 0.1
"""Seconds between two looks at the memory."""


async def rows(bed: Bed) -> list[Row]:
    """A file of WeeChat; then a folder of ZNC, and a file of WeeChat with the same days."""
    return await to_thread.run_sync(_measured, bed.lines, min(TURNS, bed.rounds))


def _measured(lines: int, turns: int) -> list[Row]:
    with TemporaryDirectory(prefix="terrarium-bench-") as name:
        folder = Path(name)
        one = _imported(folder / "one", _weechat(folder / "evenings", _talk(lines)))
        bare = _bare(folder / "one" / "irc_logs.db", folder / "bare.db", lines)
        taken = _in_turn(folder, lines, turns)
    many, same = sorted(taken, key=lambda turn: turn[0].wall / turn[1].wall)[turns // 2]
    us, us_of_days = 1e6 / lines, 1e6 / _in_days(lines)
    beside = [Rival("executemany, same table", bare * us)]
    days = [Rival("the same days in one file", same.wall * us_of_days)]
    wall = Measured(many.wall * us_of_days)
    memory = max(one.memory, *(folder.memory for folder, _ in taken))
    return [
        Row("import, one file (wall)", "us/line", Measured(one.wall * us), None, beside, [_FIFTH]),
        Row("import, 5,000 files (wall)", "us/line", wall, None, days, [_SAME]),
        Row("memory of an import", "MB", Measured(memory), goals=[_LITTLE]),
    ]


def _in_turn(folder: Path, lines: int, turns: int) -> "list[tuple[_Process, _Process]]":
    """What day files took, and one file with the same days, in each turn."""
    logs = {
        "many": _znc(folder / "znc", _by_day(lines)),
        "same": _weechat(folder / "days", _by_day(lines)),
    }
    taken = list[tuple[_Process, _Process]]()
    for turn in range(turns):
        order = reversed(logs) if turn % 2 else logs
        found = {name: _imported(folder / f"{name} {turn}", logs[name]) for name in order}
        taken.append((found["many"], found["same"]))
    return taken


def _weechat(folder: Path, talk: Iterable[NewMessage]) -> Path:
    """One file in a folder of its own."""
    folder.mkdir()
    with (folder / "irc.bench.#bench.weechatlog").open("w", encoding="utf-8") as log:
        for message in talk:
            said = _WEECHAT[message.kind].format(nick=message.nick, text=message.text)
            log.write(f"{message.said_at:%Y-%m-%d %H:%M:%S}\t{said}\n")
    return folder


def _znc(folder: Path, talk: Iterable[NewMessage]) -> Path:
    """A file for each day, as ZNC lays them out."""
    days = folder / "users" / "networks" / "bench" / "moddata" / "log" / "#bench"
    days.mkdir(parents=True)
    for day, messages in groupby(talk, lambda message: message.said_at.date()):
        with (days / f"{day}.log").open("w", encoding="utf-8") as log:
            for message in messages:
                said = _ZNC[message.kind].format(nick=message.nick, text=message.text)
                log.write(f"[{message.said_at:%H:%M:%S}] {said}\n")
    return folder


def _in_days(lines: int) -> int:
    """How many of the lines are laid out by days."""
    return min(lines, MOST * FILES)


def _by_day(lines: int) -> Iterator[NewMessage]:
    """Lines over FILES days, or fewer. Days meet: the last line of one is said at 23:59:59."""
    began = datetime(2010, 1, 1, tzinfo=UTC)
    of_day = max(LEAST, _in_days(lines) // FILES)
    for number, message in enumerate(_talk(_in_days(lines))):
        day, second = number // of_day, number % of_day * 86_399 // (of_day - 1)
        yield message._replace(said_at=began + timedelta(days=day, seconds=second))


def _talk(lines: int) -> Iterator[NewMessage]:
    return talk(lines, ended=datetime(2026, 1, 1, tzinfo=UTC), vocabulary=spoken(), seed=3)


@dataclass(frozen=True)
class _Process:
    """Seconds and megabytes that a process took."""

    wall: float
    memory: float


def _imported(home: Path, logs: Path) -> _Process:
    """Run the command over logs, into a database of its own."""
    home.mkdir()
    command = [sys.executable, "-m", "terrarium_mcp", "import", str(logs), "--timezone", "UTC"]
    environment = {**os.environ, "DB_PATH": str(home / "irc_logs.db")}
    memory = 0.0
    began = perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:  # noqa: S603 -- ours
        while process.returncode is None:
            memory = max(memory, _resident(process.pid))
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY)
    if process.returncode:
        raise RuntimeError(f"the import ended with {process.returncode}")
    return _Process(perf_counter() - began, memory)


def _resident(pid: int) -> float:
    """Megabytes that a process and those that it started have in memory; 0 once it is gone."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGESIZE") / 1024**2 + sum(
        _resident(int(one)) for one in children
    )


def _bare(ours: Path, theirs: Path, lines: int) -> float:
    """Seconds in which executemany writes the rows that the import has written."""
    with (
        closing(sqlite3.connect(f"{ours.as_uri()}?mode=ro", uri=True)) as rows,
        closing(Bare.same(theirs, rows)) as same,
    ):
        for first in range(1, lines + 1, 50_000):
            same.take(rows, first, first + 49_999)
        return same.spent.wall
