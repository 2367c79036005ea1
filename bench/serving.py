"""Serving: what a call, a start and the memory cost beside a bare server of the SDK (`echo.py`).

Ours is `terrarium-mcp serve` on the filled database, over stdio and with --http. Both answer in
turns, and each turn gives a ratio, of which the median counts. Over stdio the CPU of the server's
process is compared; over HTTP the wall time at the client, which also shows where a server waits.
"""

import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.bed import Bed
from bench.measure import Measured
from bench.questions import enough
from bench.servers import HttpServer, ServerProcess, StdioServer, free_port
from bench.table import Row, Within

TURNS = 50
"""Turns of calls: many and short, so that other load on the machine meets both servers alike."""

A_TURN = 10
"""Calls of each kind in a turn."""

STARTS = 9
"""Starts of each server."""

SEARCH, READ, START = (Within(2.5),), (Within(1.6),), (Within(1.2),)

_ONCE = "SELECT word FROM words WHERE lines = 1 AND word GLOB '[a-z][a-z][a-z][a-z]*' ORDER BY word"
"""Words that are in one line."""

_ROOT = Path(__file__).parents[1]


async def rows(bed: Bed) -> list[Row]:
    """All that is measured here."""
    return [*_starts(bed), *_over_stdio(bed), *_over_http(bed)]


@dataclass(frozen=True)
class Call:
    """One kind of call, and its arguments one by one."""

    name: str
    tool: str
    questions: Sequence[Mapping[str, object]]
    goals: Sequence[Within] = ()


ECHO = Call("echo", "echo", [{"text": "tea at four"}] * A_TURN)

Cost = Callable[[ServerProcess, Call], float]
"""What one call costs a server, in milliseconds."""


def _starts(bed: Bed) -> list[Row]:
    """From the start of a process to its first list of tools, and its memory then."""
    turns = [
        (_start(_echo_over_stdio()), _start(_ours_over_stdio(bed)))
        for _ in range(min(STARTS, bed.rounds))
    ]
    found = []
    for n, (name, unit) in enumerate(
        [
            ("start to the first tools/list (CPU)", "s"),
            ("start to the first tools/list (wall)", "s"),
            ("memory after the first tools/list", "MB"),
        ]
    ):
        bare = [echo[n] for echo, _ in turns]
        found += [_absolute(f"echo: {name}", unit, bare)]
        found += [_ratio(name, bare, [ours[n] for _, ours in turns], START)]
    return found


def _start(server: ServerProcess) -> tuple[float, float, float]:
    """Seconds of CPU, seconds of wall, and megabytes."""
    with server:
        server.tools()
        return server.cpu, time.perf_counter() - server.began, server.megabytes


def _over_stdio(bed: Bed) -> list[Row]:
    with _echo_over_stdio() as bare, _ours_over_stdio(bed) as ours:
        return _in_turns(bed, bare, ours, _cpu, "over stdio (server's CPU)")


def _over_http(bed: Bed) -> list[Row]:
    port = free_port()
    with (
        HttpServer(["bench.echo", f"{port}"], _ROOT, port) as bare,
        HttpServer([*_serve(bed), "--http", "--port", "0"], bed.folder) as ours,
    ):
        return _in_turns(bed, bare, ours, _wall, "over keep-alive HTTP (wall)")


def _in_turns(
    bed: Bed, bare: ServerProcess, ours: ServerProcess, cost: Cost, how: str
) -> list[Row]:
    """Each kind of call beside the echo. The first turn warms up, and does not count."""
    calls = _calls(bed)
    spent = [
        (cost(bare, ECHO), *(cost(ours, call) for call in calls))
        for _ in range(min(TURNS, bed.rounds) + 1)
    ]
    echo, *others = zip(*spent[1:], strict=True)
    return [
        _absolute(f"echo {how}", "ms", echo),
        *(
            _ratio(f"{call.name} {how}", echo, mine, call.goals)
            for call, mine in zip(calls, others, strict=True)
        ),
    ]


def _cpu(server: ServerProcess, call: Call) -> float:
    began = server.cpu
    for question in call.questions:
        server.call(call.tool, question)
    return (server.cpu - began) / len(call.questions) * 1e3


def _wall(server: ServerProcess, call: Call) -> float:
    spent = []
    for question in call.questions:
        began = time.perf_counter()
        server.call(call.tool, question)
        spent.append((time.perf_counter() - began) * 1e3)
    return statistics.median(spent)


def _calls(bed: Bed) -> list[Call]:
    with closing(sqlite3.connect(f"{bed.ours.as_uri()}?mode=ro", uri=True)) as db:
        once = [word for (word,) in db.execute(_ONCE)]
    random.Random(3).shuffle(once)  # noqa: S311 -- made-up questions
    channels = [line.channel for line in enough(bed.questions.lines, A_TURN)]
    return [
        Call(
            "one-hit search",
            "search_irc_history",
            [{"query": word} for word in enough(once, A_TURN)],
            SEARCH,
        ),
        Call(
            "recent 20",
            "get_recent_irc_messages",
            [{"channel": channel, "limit": 20} for channel in channels],
            READ,
        ),
        Call("figures", "get_channel_stats", [{"channel": channel} for channel in channels], READ),
    ]


def _echo_over_stdio() -> StdioServer:
    return StdioServer(["bench.echo"], _ROOT)


def _ours_over_stdio(bed: Bed) -> StdioServer:
    return StdioServer(_serve(bed), bed.folder)  # in a folder without settings


def _serve(bed: Bed) -> list[str]:
    return ["terrarium_mcp", "serve", "--db", str(bed.ours)]


def _absolute(name: str, unit: str, turns: Iterable[float]) -> Row:
    return Row(name, unit, Measured(statistics.median(turns)))


def _ratio(name: str, bare: Iterable[float], ours: Iterable[float], goals: Sequence[Within]) -> Row:
    """How many times as much as the echo; the median turn counts."""
    ratios = [mine / echo for echo, mine in zip(bare, ours, strict=True)]
    return Row(name, "x", Measured(statistics.median(ratios)), goals=goals)
