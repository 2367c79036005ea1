"""`make mutants`: draws mutants, runs the tests against them, prints and writes the scores."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.mutants import equivalent
from tests.mutants.mutants import Mutant, all_of, draw
from tests.mutants.report import Score, write
from tests.mutants.rooms import ROOMS, Room
from tests.mutants.running import NotGreen, Verdict, run

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".mutants"  # the survivors of each room's last run, for `--again` and to be marked
REPORTS = ROOT / "docs" / "mutants"
COUNT = 300


def main() -> int:
    """0: as many were killed as are to be; 1: fewer; 2: the tests fail without a mutant."""
    options = _options().parse_args()
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    seed = options.seed or commit
    rooms = [room for room in ROOMS if options.room in (None, room.name)]
    scores = []
    for room in rooms:
        began = time.monotonic()
        mutants = _mutants(room, options, seed)
        print(f"{room.name}: {len(mutants)} mutants, seed {seed}", flush=True)
        try:
            verdicts = run(ROOT, mutants, room.tests, processes=options.processes, tell=_tell)
        except NotGreen as error:
            print(f"{room.name}: the tests fail without a mutant\n{error}")
            return 2
        marked = equivalent.read(equivalent.FOLDER / f"{room.name}.toml")
        score = Score.counted(room.name, verdicts, marked, time.monotonic() - began)
        _keep(room, score.survivors)
        print(f"{room.name}: {score}", flush=True)
        scores.append(score)
        if options.report:
            write(REPORTS / f"{room.name}.md", score, commit=commit, seed=seed)
    return 0 if all(score.is_good for score in scores) else 1


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    options.add_argument("--room", choices=[room.name for room in ROOMS])
    options.add_argument("--count", type=int, default=COUNT, help="mutants to draw in each room")
    options.add_argument("--seed", help="what to draw by (otherwise the commit)")
    options.add_argument("--only", action="append", help="only mutants of this file or folder")
    options.add_argument("--again", action="store_true", help="only the last run's survivors")
    options.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options.add_argument("--report", action="store_true", help="write docs/mutants/ROOM.md")
    return options


def _mutants(room: Room, options: argparse.Namespace, seed: str) -> list[Mutant]:
    files = room.files(ROOT)
    if options.only:
        files = [file for file in files if any(file.startswith(one) for one in options.only)]
    if options.again:
        left = equivalent.read(_kept(room))
        files = [file for file in files if any(one.path == file for one in left)]
        return [one for one in all_of(ROOT, files) if equivalent.change(one) in left]
    return draw(ROOT, files, options.count, f"{seed} {room.name}")


def _kept(room: Room) -> Path:
    return KEPT / f"{room.name}.toml"


def _keep(room: Room, survivors: list[Verdict]) -> None:
    KEPT.mkdir(exist_ok=True)
    blocks = [equivalent.written(one.mutant) for one in survivors]
    _kept(room).write_text("\n".join(blocks) or "mutant = []\n", "utf-8")


def _tell(said: str) -> None:
    print(said, flush=True)


if __name__ == "__main__":
    sys.exit(main())
