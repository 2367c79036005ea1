"""`python -m bench`: fill the databases, measure, print a table."""

import os
import platform
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import click

from bench import (
    alone,
    asking,
    importing,
    reading,
    rebuilding,
    recording,
    searching,
    serving,
    size,
    writing,
)
from bench.bed import Bed
from bench.corpus import SEED
from bench.filling import fill
from bench.table import Row, record, table
from terrarium_mcp.cli.process import freeze_imports

PARTS: dict[str, Callable[[Bed], Awaitable[list[Row]]]] = {
    "reading": reading.rows,
    "searching": searching.rows,
    "size": size.rows,
    "alone": alone.rows,
    "serving": serving.rows,
    "rebuilding": rebuilding.rows,
    "recording": recording.rows,
    "asking": asking.rows,
    "importing": importing.rows,
    "writing": writing.rows,  # last: it adds lines
}

WITHOUT_BED = {"asking", "importing"}
"""Parts that make their own databases."""


@click.command()
@click.argument("lines", type=click.IntRange(min=1_000), default=1_000_000)
@click.option("--only", default=",".join(PARTS), help="Parts to measure, with commas.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder of databases to use again.")
@click.option("--record", "file", type=click.Path(path_type=Path), help="JSON file to write.")
@click.option("--rounds", type=click.IntRange(min=1), default=200, help="Questions of a kind.")
def main(lines: int, only: str, keep: Path | None, file: Path | None, rounds: int) -> None:
    """Measure the store and the server over LINES lines of made-up talk."""
    parts = [part for part in PARTS if part in only.split(",")]
    if len(parts) != len(only.split(",")):
        raise click.UsageError(f"The parts are: {', '.join(PARTS)}.")
    circumstances = _circumstances(lines, rounds)
    freeze_imports()  # as whatever serves does
    with _folder(keep) as folder:
        rows = anyio.run(_measured, Bed(Path(folder).resolve(), lines, rounds), parts)
    click.echo(table(rows))
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(record({**circumstances, "load after": _load()}, rows), "utf-8")


async def _measured(bed: Bed, parts: Sequence[str]) -> list[Row]:
    if not WITHOUT_BED.issuperset(parts):
        await _fill(bed)
    rows = []
    for part in parts:
        click.echo(f"Measuring: {part} ...", err=True)
        rows += await PARTS[part](bed)
    return rows


async def _fill(bed: Bed) -> None:
    if bed.filling is None:
        click.echo(f"Filling the databases with {bed.lines:,} lines ...", err=True)
        await fill(bed)
    elif bed.filling.lines != bed.lines:
        raise click.UsageError(
            f"{bed.folder} holds {bed.filling.lines:,} lines."
            " Ask for as many, or name another folder."
        )


def _folder(keep: Path | None) -> AbstractContextManager[str | Path]:
    if keep is None:
        return TemporaryDirectory()
    keep.mkdir(parents=True, exist_ok=True)
    return nullcontext(keep)


def _circumstances(lines: int, rounds: int) -> dict[str, object]:
    """What the figures depend on besides the code."""
    return {
        "lines": lines,
        "seed": SEED,
        "rounds": rounds,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "cpus": os.cpu_count(),
        "load before": _load(),
    }


def _load() -> list[float]:
    return [round(load, 2) for load in os.getloadavg()]


if __name__ == "__main__":
    main()
