"""Findings: what an examination of the database says, for people."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was seen; `wrong` when somebody has to do something about it."""

    name: str
    text: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Facts about one matter."""

    title: str
    facts: Sequence[Fact]
