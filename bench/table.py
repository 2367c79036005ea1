"""The table: what was found, the goal, what stands beside it, and whether the goal is met."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.measure import Measured

FULL = 10_000_000
"""Lines of the full form. Goals are meant for it."""


@dataclass(frozen=True)
class Within:
    """At most so much."""

    p50: float | None = None
    p99: float | None = None

    def __str__(self) -> str:
        """As it stands in the table."""
        limits = [f"{limit:g}" for limit in (self.p50, self.p99) if limit is not None]
        return ("p99 <= " if self.p50 is None else "<= ") + " / ".join(limits)

    def met(self, row: "Row") -> bool:
        """Whether what was found is as little."""
        pairs = [(self.p50, row.found.p50), (self.p99, row.found.p99)]
        return all(limit is None or (one is not None and one <= limit) for limit, one in pairs)


@dataclass(frozen=True)
class AtLeast:
    """At least so much."""

    least: float

    def __str__(self) -> str:
        """As it stands in the table."""
        return f">= {self.least:,g}"

    def met(self, row: "Row") -> bool:
        """Whether what was found is as much."""
        return row.found.p50 >= self.least


@dataclass(frozen=True)
class Times:
    """The first rival needs at least so many times as much."""

    times: float

    def __str__(self) -> str:
        """As it stands in the table."""
        return f">= {self.times:,g}x"

    def met(self, row: "Row") -> bool:
        """Whether the rival does."""
        ratios = [row.ratio(rival) for rival in row.rivals[:1]]
        return any(ratio is not None and ratio >= self.times for ratio in ratios)


Goal = Within | AtLeast | Times


@dataclass(frozen=True)
class Rival:
    """What the same costs elsewhere, in the row's unit."""

    name: str
    p50: float


@dataclass(frozen=True)
class Row:
    """One line of the table. `whole` is the CPU of the whole process, where `found` is a part.

    A goal in `Times` is held against the first of the rivals.
    """

    name: str
    unit: str
    found: Measured
    whole: Measured | None = None
    rivals: Sequence[Rival] = ()
    goals: Sequence[Goal] = ()

    def ratio(self, rival: Rival) -> float | None:
        """How many times as much a rival needs."""
        return rival.p50 / self.found.p50 if self.found.p50 else None

    @property
    def met(self) -> bool | None:
        """Whether every goal is met; None where there is none."""
        return all(goal.met(self) for goal in self.goals) if self.goals else None


def table(rows: Sequence[Row]) -> str:
    """All rows as aligned text."""
    cells = [_HEAD, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(_line(one, widths) for one in cells)


def record(circumstances: Mapping[str, object], rows: Sequence[Row]) -> str:
    """The figures as JSON."""
    told = [_told(row) for row in rows]
    return json.dumps({**circumstances, "rows": told}, indent=2) + "\n"


_HEAD = ["", "p50", "p99", "whole p50", "p99", "unit", "goal", "met", "beside it"]
_LEFT = {0, 5, 6, 7, 8}


def _cells(row: Row) -> list[str]:
    met = {None: "", True: "yes", False: "NO"}[row.met]
    whole = row.whole or Measured(float("nan"))
    return [
        row.name,
        _number(row.found.p50),
        _number(row.found.p99),
        _number(whole.p50 if row.whole else None),
        _number(whole.p99),
        row.unit,
        ", ".join(map(str, row.goals)),
        met,
        ", ".join(_beside(row, rival) for rival in row.rivals),
    ]


def _beside(row: Row, rival: Rival) -> str:
    ratio = row.ratio(rival)
    times = "" if ratio is None else f" ({_number(ratio)}x)"
    return f"{rival.name} {_number(rival.p50)}{times}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(_placed(cells, widths)).rstrip()


def _placed(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        yield cell.ljust(width) if column in _LEFT else cell.rjust(width)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return (
        f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
    )


def _told(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "unit": row.unit,
        **_rounded(row.found),
        "whole": row.whole and _rounded(row.whole),
        "rivals": [{**asdict(rival), "ratio": row.ratio(rival)} for rival in row.rivals],
        "goal": ", ".join(map(str, row.goals)),
        "met": row.met,
    }


def _rounded(measured: Measured) -> dict[str, float | None]:
    p99 = None if measured.p99 is None else round(measured.p99, 4)
    return {"p50": round(measured.p50, 4), "p99": p99}
