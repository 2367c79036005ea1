"""Runs the tests against mutants: once as it is, then each mutant in one of a few copies."""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.mutants.mutants import Mutant
from tests.mutants.plugin import RECORD
from tests.mutants.worker import KILLED, PYTEST, SURVIVED

# A test may take this much longer with a mutant before it is ended. Seconds, for a machine that is
# busy with other things; and a factor on what it took while its lines were being recorded.
LEAST, FACTOR = 20.0, 6.0


class NotGreen(Exception):
    """The tests fail without any mutant."""


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: `killed`, `timeout` (killed, too) or `survived`."""

    mutant: Mutant
    verdict: str
    by: str  # the test that failed, where one did
    seconds: float

    @property
    def is_killed(self) -> bool:
        """Whether a test noticed."""
        return self.verdict != SURVIVED


@dataclass(frozen=True)
class Baseline:
    """What one run without a mutant showed."""

    seconds: dict[str, float]
    starts_python: frozenset[str]
    lines: dict[str, dict[str, list[str]]]
    libraries: list[str]

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that may notice, the most likely and quickest first.

        Those that run one of its lines; all of them where a line runs at import. What a test's
        child process runs is not seen: tests that start Python come last, whatever they run.
        """
        lines = self.lines.get(mutant.path, {})
        named = {test for line in mutant.lines for test in lines.get(str(line), [])}
        near = {test for tests in lines.values() for test in tests}
        at_import = not mutant.function or "" in named
        chosen = set(self.seconds) if at_import else named | self.starts_python
        return sorted(
            chosen & self.seconds.keys(),
            key=lambda test: (test not in named, test not in near, self.seconds[test], test),
        )

    @property
    def limits(self) -> dict[str, float]:
        """The seconds after which a test is ended."""
        return {test: LEAST + FACTOR * took for test, took in self.seconds.items()}


def run(
    root: Path,
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    *,
    processes: int,
    tell: Callable[[str], None],
) -> list[Verdict]:
    """The verdict on each mutant, in their order.

    Raises:
        NotGreen: the tests fail without a mutant.
    """
    with ExitStack() as stack:
        copies = [
            stack.enter_context(_copy(root)) for _ in range(min(processes, len(mutants)) or 1)
        ]
        tell(f"running {', '.join(tests)} without a mutant")
        baseline = _baseline(copies[0], tests)
        tell(f"{len(baseline.seconds)} tests in {sum(baseline.seconds.values()):.0f} s")
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(len(mutants)):
            waiting.put(number)
        verdicts: dict[int, Verdict] = {}
        errors: list[BaseException] = []

        def work(copy: Path) -> None:
            try:
                with _Worker(copy, baseline) as worker:
                    if copy == copies[0]:
                        worker.check(thoroughly=len(mutants) >= 100)
                    while True:
                        number = waiting.get_nowait()
                        verdict = worker.judge(mutants[number])
                        verdicts[number] = verdict
                        tell(_progress(len(verdicts), len(mutants), verdict))
            except queue.Empty:
                return
            except BaseException as error:  # noqa: BLE001  # raised again below, in the caller's thread
                errors.append(error)

        threads = [threading.Thread(target=work, args=[copy]) for copy in copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
    return [verdicts[number] for number in range(len(mutants))]


def _progress(done: int, all_: int, verdict: Verdict) -> str:
    ended = f"{done}/{all_} {verdict.verdict:8} {verdict.seconds:5.1f} s {verdict.mutant.place}"
    return ended if verdict.is_killed else f"{ended}\n{verdict.mutant.diff}"


class _Worker:
    """A process that runs mutants in a copy of the project."""

    def __init__(self, copy: Path, baseline: Baseline) -> None:
        self._copy, self._baseline = copy, baseline

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.worker"],
            cwd=self._copy,
            env=_environment(self._copy),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._say({"libraries": self._baseline.libraries})
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:  # closes its input, at which it ends
            pass

    def check(self, *, thoroughly: bool) -> None:
        """With no mutant, every test has to pass here, too, or else the quickest of each file."""
        seconds = self._baseline.seconds
        slowest_first = sorted(seconds, key=lambda test: -seconds[test])
        quickest = {test.partition("::")[0]: test for test in slowest_first}
        answer = self._ask("", None, slowest_first if thoroughly else list(quickest.values()))
        if answer["verdict"] != SURVIVED:
            raise NotGreen(f"{answer}")

    def judge(self, mutant: Mutant) -> Verdict:
        tests = self._baseline.tests_for(mutant)
        if not tests:
            return Verdict(mutant, SURVIVED, "", 0.0)
        answer = self._ask(mutant.path, mutant.source, tests)
        by = next(
            (
                line
                for line in answer["said"].splitlines()
                if line.startswith(("FAILED ", "ERROR "))
            ),
            "",
        )
        return Verdict(mutant, answer["verdict"], by, answer["seconds"])

    def _ask(self, path: str, source: str | None, tests: list[str]) -> dict[str, Any]:
        limits = self._baseline.limits
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        self._say(
            {"path": path, "source": source, "tests": tests, "files": files, "limits": limits}
        )
        assert self._process.stdout
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def _baseline(copy: Path, tests: Sequence[str]) -> Baseline:
    record = copy / "record.json"
    arguments = [one for one in PYTEST if one != "-x"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, f"--basetemp={copy / 'tmp'}", *tests],
        cwd=copy,
        env=_environment(copy, writing=True) | {RECORD: str(record)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotGreen(done.stdout[-8000:])
    told = json.loads(record.read_text())
    return Baseline(
        told["seconds"], frozenset(told["starts_python"]), told["lines"], told["libraries"]
    )


def _environment(copy: Path, *, writing: bool = False) -> dict[str, str]:
    """The copy is what everybody imports, and only the first run leaves compiled files."""
    ours = {"PYTHONPATH": str(copy), "MUTANTS_SCRATCH": f"{copy}.scratch"}
    return os.environ | ours | ({} if writing else {"PYTHONDONTWRITEBYTECODE": "1"})


@contextmanager
def _copy(root: Path) -> Iterator[Path]:
    """The project's files, those that are not committed as well, in a folder of their own."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder, "copy").resolve()
        for name in listed:
            if name and (root / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, copy / name)
        yield copy


__all__ = ["KILLED", "Baseline", "NotGreen", "Verdict", "run"]
