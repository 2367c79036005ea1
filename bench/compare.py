"""`python -m bench.compare REVISION`: what reading and searching cost beside another revision.

The same code takes half as long again from one minute to the next where a machine is shared. So the
two are asked a few questions in turn: what slows one of them slows the other. Each has databases of
its own, with the same talk.
"""

import json
import os
import sys
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, run
from tempfile import TemporaryDirectory
from typing import Any, Self

import click

from bench.bed import Bed
from bench.measure import LONG, PASSES, Measured
from bench.servers import opened
from bench.table import Rival, Row, Times, record, table

HERE = Path(__file__).parents[1]

IN_TURN = 5
"""Questions that one of the two is asked before the other is: they take a few milliseconds."""

NOT_SLOWER = Times(0.9)
"""The other revision takes at least so many times as much."""


class Answering:
    """A process that answers with the code of one checkout; leaving it ends the process."""

    def __init__(self, checkout: Path, folder: Path, lines: int, rounds: int) -> None:
        self._process = Popen(  # noqa: S603 -- ourselves
            [sys.executable, HERE / "bench" / "answering.py", folder, str(lines), str(rounds)],
            env=_environment(checkout),
            stdin=PIPE,
            stdout=PIPE,
            text=True,
        )
        try:
            greeting = self._told()
        except BaseException:
            self.__exit__()
            raise
        self.checkout = Path(greeting["checkout"])
        """Where its code is."""
        self.questions: Mapping[str, int] = greeting["questions"]
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
        try:
            stdin.write(json.dumps([name, first, last]) + "\n")
            stdin.flush()
        except OSError as error:
            raise _Ended from error
        spent: list[float] = self._told()
        return spent

    def _told(self) -> Any:
        line = opened(self._process.stdout).readline()
        if not line:
            raise _Ended
        return json.loads(line)


class _Ended(click.ClickException):
    """A process ended too early."""

    def __init__(self) -> None:
        super().__init__("One of the two ended: what it printed says why.")


@click.command()
@click.argument("revision")
@click.argument("lines", type=click.IntRange(min=1_000), default=1_000_000)
@click.option("--keep", type=click.Path(path_type=Path), help="Folder of databases to use again.")
@click.option("--only", default="", help="Parts of the names of what is measured, with commas.")
@click.option("--record", "file", type=click.Path(path_type=Path), help="JSON file to write.")
@click.option("--rounds", type=click.IntRange(min=1), default=200, help="Questions of a kind.")
def main(
    revision: str, lines: int, keep: Path | None, only: str, file: Path | None, rounds: int
) -> None:
    """Measure reading and searching over LINES lines of talk, here and at REVISION, in turn."""
    load = os.getloadavg()
    commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    with ExitStack() as stack:
        source, made = (Path(stack.enter_context(TemporaryDirectory())) for _ in range(2))
        extract(commit, source)
        folders = [(keep or made) / name for name in ("here", commit[:12])]
        both = [*zip((HERE, source), folders, strict=True)]
        for checkout, folder in both:
            _fill(checkout, folder, lines)
        check_questions(*folders)
        here, there = (
            stack.enter_context(Answering(checkout, folder, lines, rounds))
            for checkout, folder in both
        )
        known = [name for name in here.questions if name in there.questions]
        rows = [_row(name, revision, here, there) for name in wanted(only, known)]
    click.echo(table(rows))
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        circumstances = {"revision": commit, "lines": lines, "rounds": rounds, "load before": load}
        file.write_text(record(circumstances, rows), "utf-8")


def extract(commit: str, folder: Path) -> None:
    """Put the files of a commit into a folder."""
    with tarfile.open(fileobj=BytesIO(_git("archive", commit))) as files:
        files.extractall(folder, filter="data")


def _git(*arguments: str) -> bytes:
    done = run(["git", "-C", HERE, *arguments], capture_output=True, check=False)  # noqa: S603, S607 -- of whoever runs this
    if done.returncode:
        raise click.ClickException(done.stderr.decode(errors="replace").strip())
    return done.stdout


def _fill(checkout: Path, folder: Path, lines: int) -> None:
    """Fill databases with the code of a checkout, if that is yet to be done."""
    filling = Bed(folder, lines, rounds=0).filling
    if filling is None:
        few = ["--only", "reading", "--rounds", "20"]  # of fewer lines none may be said
        done = run(  # noqa: S603 -- ourselves
            [sys.executable, "-m", "bench", str(lines), "--keep", folder, *few],
            env=_environment(checkout),
            stdout=PIPE,
            check=False,
        )
        if done.returncode:
            raise click.ClickException(f"{folder} is not filled: what is printed above says why.")
    elif filling.lines != lines:
        raise click.ClickException(f"{folder} holds {filling.lines:,} lines. Name another folder.")


def check_questions(*folders: Path) -> None:
    """Check that both are asked the same, but for the times of lines, which end at the present.

    Raises:
        ClickException: they are not.
    """
    asked = [
        json.loads((one / "questions.json").read_text("utf-8"), object_hook=_without_times)
        for one in folders
    ]
    if asked[0] != asked[1]:
        raise click.ClickException("The talk differs between the two: they cannot be compared.")


def _without_times(told: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in told.items() if name != "said_at"}


def wanted(only: str, known: Sequence[str]) -> list[str]:
    """The kinds of calls whose names hold any of the parts of `only`.

    Raises:
        ClickException: there is none.
    """
    parts = only.split(",")
    if named := [name for name in known if any(part in name for part in parts)]:
        return named
    raise click.ClickException(f"No name holds {only}. They are: {', '.join(known)}.")


def _row(name: str, revision: str, here: Answering, there: Answering) -> Row:
    """One kind of call: what it takes here, and there."""
    click.echo(f"Measuring: {name} ...", err=True)
    firsts = range(0, min(here.questions[name], there.questions[name]), IN_TURN)
    firsts = _warmed_up(firsts, lambda first: (here.spent(name, first), there.spent(name, first)))
    passes, ratios = list[list[float]](), list[float]()
    for number in range(PASSES):
        spent = {here: list[float](), there: list[float]()}
        for first in firsts:
            turns = (here, there) if (first // IN_TURN + number) % 2 else (there, here)
            for one in turns:
                spent[one] += one.spent(name, first)
        passes.append(spent[here])
        ratios.append(median(spent[there]) / median(spent[here]))
    found = Measured.of_passes(passes)
    rival = Rival(revision, found.p50 * median(ratios))  # a pass of its own may be a slow one
    return Row(name, "ms", found, rivals=[rival], goals=[NOT_SLOWER])


def _warmed_up(firsts: range, ask: Callable[[int], object]) -> range:
    """Ask every question once, for half a minute at most; returns those asked."""
    until = time.perf_counter() + 2 * LONG
    for asked, first in enumerate(firsts, 1):
        ask(first)
        if time.perf_counter() > until:
            return firsts[:asked]
    return firsts


def _environment(checkout: Path) -> Mapping[str, str]:
    """Our variables, with those by which Python finds the modules of a checkout and no others."""
    return {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": str(checkout)}


if __name__ == "__main__":
    main()
