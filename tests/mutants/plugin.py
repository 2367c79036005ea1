"""The pytest plugin of a mutant's run, and of the run before it that sees which test runs what.

Hypothesis repeats itself (no database, no chance, no shrinking: one failure is enough), every test
has a time of its own after which the process ends, and only the tests that were chosen run.
"""

import faulthandler
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import hypothesis
import pytest

# Also read by tests/mutants/coverage.py and worker.py.
CHOSEN = "MUTANTS_CHOSEN"  # a JSON file: {"limits": seconds by test, "chosen": [...] or null}
RECORD = "MUTANTS_RECORD"  # a JSON file to write: which test runs which lines, and for how long

hypothesis.settings.register_profile(
    "mutants",
    database=None,
    derandomize=True,
    deadline=None,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)
hypothesis.settings.load_profile("mutants")


class Choosing:
    """Runs the chosen tests, the quickest first, each in its time."""

    def __init__(self, limits: dict[str, float], chosen: list[str] | None, said: Path) -> None:
        self._limits = limits
        self._said = said.open("a", encoding="utf-8")  # past pytest, which holds stderr back
        self._order = None if chosen is None else {name: at for at, name in enumerate(chosen)}
        self._most = max(limits.values(), default=60.0)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A test of another name than before exists because of the mutant: it runs."""
        order = self._order
        if order is not None:
            items[:] = [
                one for one in items if one.nodeid in order or one.nodeid not in self._limits
            ]
            items.sort(key=lambda one: order.get(one.nodeid, -1))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Ends the process when the test takes many times what it took before."""
        limit = self._limits.get(item.nodeid, self._most)
        faulthandler.dump_traceback_later(limit, exit=True, file=self._said)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()


class Recording:
    """Writes which test runs which lines of the package, which starts Python, and their times."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, source=["terrarium_mcp"], messages=False
        )
        self._seconds: dict[str, float] = {}
        self._starts: set[str] = set()
        self._failed: list[str] = []
        self._now = ""
        sys.addaudithook(self._audit)
        self._coverage.start()

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen" and self._now and "python" in str(arguments[0:2]):
            self._starts.add(self._now)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """What runs from here on runs because of this test."""
        self._coverage.switch_context(item.nodeid)
        self._now, began = item.nodeid, time.monotonic()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = time.monotonic() - began
            self._now = ""
            self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A mutant cannot fail a test that fails without it."""
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Writes the record."""
        self._coverage.stop()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a test that runs nothing of the package
            data = self._coverage.get_data()
        here = Path.cwd()
        lines = {
            str(Path(file).relative_to(here)): {
                str(line): contexts for line, contexts in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        loaded = [
            name
            for name, module in sys.modules.items()
            if not str(getattr(module, "__file__", None) or here).startswith(str(here))
        ]
        record = {
            "seconds": self._seconds,
            "starts_python": sorted(self._starts),
            "failed": self._failed,
            "lines": lines,
            "libraries": loaded,
        }
        self._file.write_text(json.dumps(record))


# Recording begins here and not in a hook: the conftest.py files import the package before any.
_recording = Recording(Path(os.environ[RECORD])) if RECORD in os.environ else None


def pytest_configure(config: pytest.Config) -> None:
    """What this run is for is said by the environment: see CHOSEN and RECORD."""
    if _recording:
        config.pluginmanager.register(_recording)
    if file := os.environ.get(CHOSEN):
        chosen = json.loads(Path(file).read_text())
        config.pluginmanager.register(
            Choosing(chosen["limits"], chosen["chosen"], Path(file).with_name("said.txt"))
        )
