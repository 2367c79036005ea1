"""`python -m bench.compare REVISION`: what reading and searching cost beside another revision.

The same code takes half as long again from one minute to the next where a machine is shared. So
both revisions are asked at once, a few questions in turn: what slows one of them slows the other.
Each has databases of its own, with the same talk.
"""

import json
import os
import sys
import tarfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from subprocess import PIPE, Popen, run
from tempfile import TemporaryDirectory
from typing import Self

import click

from bench.measure import LONG, PASSES, Measured
from bench.servers import opened
from bench.table import Rival, Row, Times, record, table

HERE = Path(__file__).parents[1]

IN_TURN = 5
"""Questions that one of the two is asked before the other is: they take a few milliseconds."""

NOT_SLOWER = Times(0.9)
"""The other revision takes at least so many times as much."""


class Answering:
    """A process that answers with the code of one checkout."""

    def __init__(self, checkout: Path, folder: Path, lines: int, rounds: int) -> None:
        self._process = Popen(  # noqa: S603 -- ourselves
            [sys.executable, HERE / "bench" / "answering.py", folder, str(lines), str(rounds)],
            env=_environment(checkout),
            stdin=PIPE,
            stdout=PIPE,
            text=True,
        )
        self.questions: Mapping[str, int] = json.loads(self._line())
        """How many questions each kind of call has."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def spent(self, name: str, first: int) -> list[float]:
        """Milliseconds of CPU for each of `IN_TURN` questions of a kind."""
        last = min(first + IN_TURN, self.questions[name])
        stdin = opened(self._process.stdin)
        stdin.write(json.dumps([name, first, last]) + "\n")
        stdin.flush()
        told: list[float] = json.loads(self._line())
        return told

    def _line(self) -> str:
        line = opened(self._process.stdout).readline()
        if not line:
            raise click.ClickException("One of the two ended: what it printed says why.")
        return line


@click.command()
@click.argument("revision")
@click.argument("lines", type=click.IntRange(min=1_000), default=1_000_000)
@click.option("--keep", type=click.Path(path_type=Path), help="Folder of databases to use again.")
@click.option("--only", multiple=True, help="A part of the name of what is measured.")
@click.option("--record", "file", type=click.Path(path_type=Path), help="JSON file to write.")
@click.option("--rounds", type=click.IntRange(min=1), default=200, help="Questions of a kind.")
def main(
    revision: str,
    lines: int,
    keep: Path | None,
    only: Sequence[str],
    file: Path | None,
    rounds: int,
) -> None:
    """Measure reading and searching over LINES lines of talk, here and at REVISION, in turn."""
    load = os.getloadavg()
    with ExitStack() as stack:
        source, made = (Path(stack.enter_context(TemporaryDirectory())) for _ in range(2))
        folder, checkouts = keep or made, {"here": HERE, "there": _extract(revision, source)}
        for name, checkout in checkouts.items():
            _fill(checkout, folder / name, lines)
        here, there = (
            stack.enter_context(Answering(checkout, folder / name, lines, rounds))
            for name, checkout in checkouts.items()
        )
        rows = [
            _row(name, revision, here, there)
            for name in here.questions
            if name in there.questions and any(part in name for part in only or [""])
        ]
    click.echo(table(rows))
    if file:
        circumstances = {"revision": revision, "lines": lines, "load before": load}
        file.write_text(record(circumstances, rows), "utf-8")


def _row(name: str, revision: str, here: Answering, there: Answering) -> Row:
    """One kind of call: what it takes here, and there."""
    click.echo(f"Measuring: {name} ...", err=True)
    firsts = range(0, min(here.questions[name], there.questions[name]), IN_TURN)
    ours, theirs = list[list[float]](), list[list[float]]()
    firsts = _warmed_up(name, here, there, firsts)
    for number in range(PASSES):
        passes = {here: list[float](), there: list[float]()}
        for first in firsts:
            turns = (here, there) if (first // IN_TURN + number) % 2 else (there, here)
            for one in turns:
                passes[one] += one.spent(name, first)
        ours.append(passes[here])
        theirs.append(passes[there])
    rival = Rival(revision, Measured.of_passes(theirs).p50)
    return Row(name, "ms", Measured.of_passes(ours), rivals=[rival], goals=[NOT_SLOWER])


def _warmed_up(name: str, here: Answering, there: Answering, firsts: range) -> range:
    """Ask both every question once, as long as that takes; returns those asked."""
    until = time.perf_counter() + 2 * LONG
    for asked, first in enumerate(firsts, 1):
        here.spent(name, first)
        there.spent(name, first)
        if time.perf_counter() > until:
            return firsts[:asked]
    return firsts


def _extract(revision: str, folder: Path) -> Path:
    """Put the files of a revision into a folder; returns it."""
    archive = ["git", "-C", str(HERE), "archive", revision]
    packed = run(archive, capture_output=True, check=False)  # noqa: S603 -- of whoever runs this
    if packed.returncode:
        raise click.ClickException(packed.stderr.decode(errors="replace").strip())
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


def _fill(checkout: Path, folder: Path, lines: int) -> None:
    """Fill databases with the code of a checkout, if that is yet to be done."""
    asked_once = ["--only", "reading", "--rounds", "1"]
    run(  # noqa: S603 -- ourselves
        [sys.executable, "-m", "bench", str(lines), "--keep", folder, *asked_once],
        env=_environment(checkout),
        stdout=PIPE,
        check=True,
    )


def _environment(checkout: Path) -> Mapping[str, str]:
    """The variables by which Python finds the modules of a checkout, and no others of ours."""
    return {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": str(checkout)}


if __name__ == "__main__":
    main()
