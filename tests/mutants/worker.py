"""Runs mutants in a copy of the project: one JSON job a line in, one verdict a line out.

The libraries are imported once, the package never: each mutant's tests run in a forked process that
imports the package as it stands in the copy, with the mutant in it. Child processes of the tests
find the copy first, too: PYTHONPATH names it.
"""

import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYTEST = ["-q", "-x", "--tb=line", "-p", "tests.mutants.plugin", "-p", "no:xdist"]
PYTEST += ["-p", "no:cacheprovider", "-p", "no:faulthandler"]
PYTEST += ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
KILLED, SURVIVED, TIMEOUT = "killed", "survived", "timeout"
SLACK = 60.0  # seconds above the sum of the tests' own limits: collecting, importing


def main() -> None:
    """Answer jobs until the input ends."""
    start = json.loads(sys.stdin.readline())
    warnings.simplefilter("ignore")
    for name in start["libraries"]:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("tests", "terrarium_mcp")
    ]:
        del sys.modules[name]
    for line in sys.stdin:
        job = json.loads(line)
        with _mutated(job["path"], job["source"]):
            verdict = _run(job)
        sys.stdout.write(json.dumps(verdict) + "\n")
        sys.stdout.flush()


@contextlib.contextmanager
def _mutated(path: str, source: str | None) -> Iterator[None]:
    """The file with the mutant in it; its compiled form goes, or it might be taken for it."""
    if source is None:
        yield
        return
    file = Path(path)
    before = file.read_text("utf-8")
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()
    file.write_text(source, "utf-8")
    try:
        yield
    finally:
        file.write_text(before, "utf-8")


def _run(job: dict[str, Any]) -> dict[str, Any]:
    scratch = Path(os.environ["MUTANTS_SCRATCH"])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    (scratch / "chosen.json").write_text(
        json.dumps({"limits": job["limits"], "chosen": job["tests"]})
    )
    child = os.fork()
    if not child:
        _child(job["files"], scratch)
    began = time.monotonic()
    status = _waited(child, sum(job["limits"].values()) + SLACK)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    said = (scratch / "said.txt").read_text("utf-8", "replace")
    if status is None or "Timeout (" in said:
        verdict = TIMEOUT
    else:
        verdict = SURVIVED if status in (0, 5) else KILLED  # 5: the mutant left no test to run
    shutil.rmtree(scratch, ignore_errors=True)
    return {
        "verdict": verdict,
        "said": said[-3000:],
        "status": status,
        "seconds": time.monotonic() - began,
    }


def _waited(child: int, seconds: float) -> int | None:
    """The child's exit code, minus the number of a signal, or None when it took too long."""
    patience = time.monotonic() + seconds
    pause = 0.01
    while time.monotonic() < patience:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(pause * 1.2, 0.1)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _child(files: list[str], scratch: Path) -> None:
    """Never returns: what pytest says goes into a file, how it ended is the exit code."""
    code = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        said = os.open(scratch / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(said, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        warnings.resetwarnings()
        os.environ["MUTANTS_CHOSEN"] = str(scratch / "chosen.json")
        import pytest

        code = int(pytest.main([*PYTEST, f"--basetemp={scratch / 'tmp'}", *files]))
    except BaseException:  # noqa: BLE001  # told like any other end; the process ends here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
