"""How things are measured here: CPU of this process, repeated, medians and worst of a hundred."""

import json
import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Spent:
    """Milliseconds of CPU over some rounds: the median, and the 99th of a hundred."""

    p50: float
    p99: float

    @classmethod
    def of(cls, rounds: list[float]) -> "Spent":
        """Summarise rounds."""
        ordered = sorted(rounds)
        worst = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
        return cls(round(statistics.median(ordered), 3), round(worst, 3))

    def __str__(self) -> str:
        """As it stands in the table."""
        return f"{self.p50:9.3f} {self.p99:9.3f}"


async def cpu(call: Callable[[T], Awaitable[object]], asked: Iterable[T]) -> Spent:
    """CPU of this process, all its threads, for each call; the first round warms up."""
    questions = list(asked)
    for question in questions[:5]:
        await call(question)
    rounds = []
    for question in questions:
        began = time.process_time()
        await call(question)
        rounds.append((time.process_time() - began) * 1e3)
    return Spent.of(rounds)


def cpu_of(call: Callable[[T], object], asked: Iterable[T]) -> Spent:
    """The same for something that does not wait."""
    rounds = []
    for question in asked:
        began = time.process_time()
        call(question)
        rounds.append((time.process_time() - began) * 1e3)
    return Spent.of(rounds)


def circumstances() -> dict[str, object]:
    """What the figures depend on besides the code."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "cpus": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def report(result: dict[str, object]) -> str:
    """The figures as JSON, for the record."""
    return json.dumps(result, indent=2, default=vars)
