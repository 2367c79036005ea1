"""The findings of an examination, and the size of the history."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One finding of an examination.

    Attributes:
        name: what it is about.
        text: what was found.
        wrong: whether it needs attention.
        unfilled: whether it is an index that is not complete, which the keeper sees to.
    """

    name: str
    text: str
    wrong: bool = False
    unfilled: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """The facts of an examination about one subject."""

    title: str
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class DeepCheck:
    """The result of a deep check; `wrong` names the derived structures to rebuild."""

    facts: Sequence[Fact]
    wrong: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Growth:
    """How fast the history grows."""

    messages_a_day: float
    bytes_a_year: int


@dataclass(frozen=True, slots=True)
class DatabaseSize:
    """What the history takes on disk, in bytes, and how fast it grows.

    `growth` is None until the record is a day long: it could be anything.
    """

    file: int
    wal: int
    messages: int
    growth: Growth | None
