"""Measures one question, from the moment it is heard until its answer has left."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.model.chat_types import TokenUsage
from terrarium_mcp.irc_bridge.talk_log.record import (
    PRIVATE_CHAT,
    Outcome,
    TalkRecord,
    TimedPart,
)

PartName = Literal[
    "queue",
    "consent",
    "flush",
    "dialogue",
    "model queue",
    "context",
    "model request",
    "tool calls",
    "cleaning",
    "splitting",
    "floor",
    "first line",
    "confirmation",
    "next line",
]
"""The parts of a question: they follow one another, but for those that stand within another."""


@dataclass(slots=True, eq=False)
class RunningPart:
    """A part that is being measured: seconds of the clock. `outcome` is that of a call."""

    name: str
    began: float
    ended: float | None = None
    outcome: str = ""
    parts: list["RunningPart"] = field(default_factory=list)


class Stopwatch:
    """The times and figures of one question. It keeps no text: of a line that is said, its length.

    Attributes:
        id: names the question in the talk log, and its errors in the operator's log.
        outcome: what has become of it so far.
        began: when it was heard, in seconds of the watch's clock.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.id = secrets.token_hex(3)
        self.outcome = Outcome.REFUSED
        self._clock = clock
        self._asked_at = datetime.now(UTC)
        self.began = self._lapped = clock()
        self._parts: list[RunningPart] = []
        self._open: list[RunningPart] = []
        self._tokens = TokenUsage(0, 0, estimated=False)
        self._lines = self._bytes = 0

    @contextmanager
    def part(self, name: PartName) -> Iterator[None]:
        """Measure a part: one at a time, or one within another."""
        part = self._begin(name)
        self._open.append(part)
        try:
            yield
        finally:
            self._open.remove(part)
            self._end(part)

    @contextmanager
    def beside(self, name: PartName) -> Iterator[None]:
        """Measure a part within another, side by side with others there."""
        part = self._begin(name)
        try:
            yield
        finally:
            self._end(part)

    @contextmanager
    def call(self, name: str) -> Iterator[RunningPart]:
        """Measure a call of a tool, within a part. Several may run side by side.

        `name` must be that of a tool that exists: a model may write anything for one.
        """
        call = self._begin(harmless(name))
        call.outcome = "ok"
        try:
            yield call
        except BaseException as error:
            call.outcome = "failed" if isinstance(error, Exception) else "stopped"
            raise
        finally:
            self._end(call)

    @contextmanager
    def saying(self, line: str) -> Iterator[None]:
        """Measure how long a line of the answer takes to leave, and count it once it has."""
        with self.part("next line" if self._lines else "first line"):
            yield
        self._lines += 1
        self._bytes += len(line.encode())

    @property
    def has_spoken(self) -> bool:
        """Whether a line of the answer has left."""
        return self._lines > 0

    def lap(self, name: PartName) -> None:
        """What has passed since the last part, or since the beginning, was this part."""
        waited = RunningPart(name, self._lapped)
        self._parts.append(waited)
        self._end(waited)

    def spent(self, usage: TokenUsage) -> None:
        """Add the tokens of a request."""
        self._tokens += usage

    def record(self, *, network: str, channel: str, model: str) -> TalkRecord:
        """The question as it stands now; `channel` is empty for a private chat."""
        return TalkRecord(
            time=self._asked_at,
            id=self.id,
            network=network,
            channel=harmless(channel) or PRIVATE_CHAT,
            model=harmless(model),
            outcome=self.outcome,
            ms=_ms(self._clock() - self.began),
            parts=tuple(map(self._timed, self._parts)),
            rounds=sum(part.name == "tool calls" for part in self._parts),
            tokens=self._tokens,
            lines=self._lines,
            bytes=self._bytes,
        )

    def _begin(self, name: str) -> RunningPart:
        part = RunningPart(name, self._clock())
        (self._open[-1].parts if self._open else self._parts).append(part)
        return part

    def _end(self, part: RunningPart) -> None:
        part.ended = self._lapped = self._clock()

    def _timed(self, part: RunningPart) -> TimedPart:
        ended = self._clock() if part.ended is None else part.ended
        return TimedPart(
            part.name,
            _ms(part.began - self.began),
            _ms(ended - part.began),
            part.outcome,
            tuple(map(self._timed, part.parts)),
        )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
