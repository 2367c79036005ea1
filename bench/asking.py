"""Asking: from a question at the bridge's socket to the first line of its reply, without the model.

The bridge is a process of its own, with the stdio server that it starts, in a channel with a long
history. Its model answers at once; from the beginning of a connection until its answer the time is
the model's own, and does not count. The talk log says where the rest goes. Each question finds the
bridge at rest, as people leave it: it has stored the turn before and written its notes.
"""

import math
import os
import random
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import DEVNULL, Popen
from tempfile import TemporaryDirectory

from anyio import to_thread

from bench.bed import Bed
from bench.blasting import PATIENCE, BlastingServer
from bench.corpus import talk
from bench.measure import Measured, children, cpu_of_process
from bench.prompt_model import PromptModel, prompt_model
from bench.questions import Line
from bench.table import Row, Within
from bench.vocabulary import spoken
from bench.wording import MENTIONED, question_about, remembered
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.irc_bridge.talk_log.record import TalkRecord, record_from_json
from terrarium_mcp.irc_bridge.talk_log.timeline import timeline
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store

HISTORY = 100_000
"""Lines of the channel."""

QUESTIONS = 200

PAUSE, WORK = 0.05, 0.002
"""At rest the bridge and its server take less than so many seconds of CPU in such a pause."""

WARM_UP = 5
"""Questions that do not count."""

CHANNEL = "#tea"
ASKERS = [f"nick{number}" for number in range(50)]
"""Several, since one person may not ask so much."""

_GOAL = (Within(50.0),)
_BRIDGE = Path(__file__).with_name("unpaced_bridge.py")


@dataclass(frozen=True)
class QuestionCost:
    """What one question took, in milliseconds, and its record.

    `ms` is the time to its first line without `model_ms`, the model's own; `bridge` and `server`
    are the CPU of the two processes.
    """

    ms: float
    model_ms: float
    bridge: float
    server: float
    record: TalkRecord

    @property
    def cpu(self) -> float:
        """The CPU of both."""
        return self.bridge + self.server


@dataclass(frozen=True)
class BridgeAtWork:
    """A bridge in the channel: its process, the IRC server's side of it, and its talk log."""

    process: int
    server: BlastingServer
    log: Path

    @property
    def cpu(self) -> tuple[float, float]:
        """Seconds of CPU so far: its own, and those of its MCP server."""
        (mcp_server,) = children(self.process)
        return cpu_of_process(self.process), cpu_of_process(mcp_server)

    @property
    def noted(self) -> int:
        """Bytes of the talk log so far."""
        return self.log.stat().st_size if self.log.exists() else 0

    def rests(self) -> None:
        """Return once nothing is left to do of the question before."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            before = sum(self.cpu)
            time.sleep(PAUSE)
            if sum(self.cpu) - before < WORK:
                return
        raise TimeoutError("The bridge does not come to rest.")

    def next_record(self, noted: int) -> TalkRecord:
        """The record behind the first `noted` bytes, once its line is whole."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.noted > noted and (line := self.log.read_bytes()[noted:]).endswith(b"\n"):
                return record_from_json(line)
            time.sleep(0.001)
        raise TimeoutError("The bridge noted no question in its talk log.")


async def rows(bed: Bed) -> list[Row]:
    """Questions that are answered at once, then such with a search, and where their time goes."""
    with TemporaryDirectory(prefix="terrarium-bench-") as name:
        folder = Path(name)
        lines = await _history(folder / "irc_logs.db", min(HISTORY, bed.lines))
        count = min(QUESTIONS, bed.rounds)
        return await to_thread.run_sync(_measured, folder, lines, count)


async def _history(database: Path, count: int) -> list[Line]:
    """Fill a database with the talk of one channel; returns some of its lines."""
    said = [
        message._replace(channel=CHANNEL)
        for message in talk(count, ended=datetime.now(UTC), vocabulary=spoken(), seed=5)
    ]
    async with open_store(database, Settings(network="bench")) as store:
        await store.messages.append(said)
    some = random.Random(5).sample(said, min(count, 2_000))  # noqa: S311 -- made-up questions
    return [line for line in map(_line, some) if len(remembered(line)) >= MENTIONED]


def _line(message: NewMessage) -> Line:
    return Line(message.channel, message.nick, message.text, f"{message.said_at:%Y-%m-%d %H:%M:%S}")


def _measured(folder: Path, lines: Sequence[Line], count: int) -> list[Row]:
    rng = random.Random(6)  # noqa: S311 -- made-up questions
    lines = [lines[number % len(lines)] for number in range(WARM_UP + count)]
    found: list[Row] = []
    with prompt_model() as model, _bridge(folder, model.url) as bridge:
        for what, query in _KINDS.items():
            asked = list[QuestionCost]()
            for number, line in enumerate(lines):
                bridge.rests()
                model.will(query(line))
                asker = ASKERS[number % len(ASKERS)]
                question = question_about(line, rng)
                asked.append(_ask(bridge, model, asker, question))
            found += _rows(what, asked[WARM_UP:])
    return found


_KINDS: Mapping[str, Callable[[Line], str]] = {
    "answered at once": lambda _: "",
    "after a search": lambda line: " ".join(remembered(line)[:MENTIONED]),
}
"""What the model searches for before it answers."""


def _ask(bridge: BridgeAtWork, model: PromptModel, asker: str, question: str) -> QuestionCost:
    noted, cpu = bridge.noted, bridge.cpu
    began = time.perf_counter()
    bridge.server.say(f":{asker}!{asker}@host.example PRIVMSG {CHANNEL} :!ask {question}")
    bridge.server.heard(f"PRIVMSG {CHANNEL} :{asker}: ")
    ms, model_ms = (time.perf_counter() - began) * 1e3, model.seconds * 1e3
    bridge.server.confirm()
    record = bridge.next_record(noted)
    own, servers = ((after - before) * 1e3 for before, after in zip(cpu, bridge.cpu, strict=True))
    return QuestionCost(ms - model_ms, model_ms, own, servers, record)


def _rows(what: str, asked: Sequence[QuestionCost]) -> list[Row]:
    """The whole, what it costs the two processes, and its parts."""
    spent = [one.ms for one in asked]
    return [
        Row(f"question, {what}: p95 (wall)", "ms", Measured(_p95(spent)), goals=_GOAL),
        Row(f"question, {what} (wall)", "ms", Measured.of(spent)),
        Row(f"{what}: the bridge (CPU)", "ms", Measured.of([one.bridge for one in asked])),
        Row(f"{what}: its MCP server (CPU)", "ms", Measured.of([one.server for one in asked])),
        Row(f"{what}: both, p95 (CPU)", "ms", Measured(_p95([one.cpu for one in asked]))),
        *(
            Row(f"{what}: {part} (wall)", "ms", Measured.of(each))
            for part, each in _parts(asked).items()
        ),
    ]


def _parts(asked: Sequence[QuestionCost]) -> Mapping[str, Sequence[float]]:
    """Milliseconds of each part in each question; of the model's requests, without its own."""
    found: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * len(asked))
    for number, one in enumerate(asked):
        for row in timeline(one.record):
            if row.share is not None:
                found[row.name][number] += row.ms
        found["model request"][number] -= one.model_ms
    return found


def _p95(spent: Sequence[float]) -> float:
    return sorted(spent)[math.ceil(0.95 * len(spent)) - 1]


@contextmanager
def _bridge(folder: Path, model: str) -> Iterator[BridgeAtWork]:
    """A bridge in the channel, ready to be asked."""
    talk_log = folder / "talk.jsonl"
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        settings = {
            "IRC_SERVER": "127.0.0.1",
            "IRC_PORT": f"{listener.getsockname()[1]}",
            "IRC_USE_SSL": "off",
            "IRC_CHANNELS": CHANNEL,
            "TERRARIUM_NETWORK": "bench",
            "TERRARIUM_ASK_BURST": "1000",
            "TERRARIUM_CHANNEL_QUESTIONS": "10000",
            "TERRARIUM_TALK_LOG": str(talk_log),
            "AGENT_API_URL": model,
            "DB_PATH": str(folder / "irc_logs.db"),
        }
        process = Popen(  # noqa: S603 -- ourselves
            [sys.executable, "-P", str(_BRIDGE)],
            cwd=folder,  # which holds no settings
            env={**os.environ, **settings},
            stderr=DEVNULL,
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        server = stack.enter_context(closing(BlastingServer(listener)))
        server.let_in(ASKERS)
        yield BridgeAtWork(process.pid, server, talk_log)
