"""The development set: questions, and the lines of the logs that answer them."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("questions.toml")

LATER_FILE = Path(__file__).with_name("later_questions.toml")
"""Questions written after the others; no weight was fitted to them."""

ABSENT = "absent"
"""The table of the questions that nothing in the logs answers."""


class Half(StrEnum):
    """The set in two halves, which alternate within each log and kind."""

    TUNED = "tuned"
    HELD_OUT = "held out"


@dataclass(frozen=True, slots=True)
class DevelopmentQuestion:
    """A question, and the numbers (from 1) of the lines of `log` that answer it.

    Nothing answers it where there are none.
    """

    text: str
    kind: str
    half: Half
    log: str
    lines: frozenset[int]

    @property
    def is_answerable(self) -> bool:
        """Whether anything answers it."""
        return bool(self.lines)


def development_set(file: Path = FILE) -> list[DevelopmentQuestion]:
    """All questions, in the order of the file."""
    tables = tomllib.loads(file.read_text("utf-8"))
    return list(_questions(tables))


def _questions(tables: Mapping[str, Mapping[str, list[Any]]]) -> Iterator[DevelopmentQuestion]:
    halves = tuple(Half)
    number = 0
    for log, kinds in tables.items():
        for kind, questions in kinds.items():
            for asked in questions:
                half = halves[number % len(halves)]
                number += 1
                if log == ABSENT:
                    yield DevelopmentQuestion(asked, f"{ABSENT} {kind}", half, log, frozenset())
                else:
                    text, numbers = asked
                    lines = frozenset(_lines(numbers))
                    yield DevelopmentQuestion(text, kind, half, log, lines)


def _lines(numbers: list[Any]) -> Iterator[int]:
    """The line numbers, with each range `[first, last]` in full."""
    for number in numbers:
        if isinstance(number, list):
            first, last = number
            yield from range(first, last + 1)
        else:
            yield number
