"""A forked process is one of its own, and ends as any other."""

import signal
import subprocess
from pathlib import Path

import pytest

from terrarium_mcp import __version__
from tests.patience import PATIENCE
from tests.servers.forked import forked

SHOWING = """
import os, sys
assert __name__ == "__main__"
print(os.getcwd(), sys.argv[1:], os.environ, oct(os.umask(0)), input())
sys.stderr.write("caf\\u00e9")
sys.exit(7)
"""
WAITING = """
import sys, time
print("ready", flush=True)
while sys.stdin.readline():
    pass
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


def waiting(script: Path) -> subprocess.Popen[bytes]:
    script.write_text(WAITING)
    pipe = subprocess.PIPE
    process = subprocess.Popen(forked(script), stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_it_has_its_own_folder_arguments_environment_umask_streams_and_status(
    tmp_path: Path, script: Path
) -> None:
    script.write_text(SHOWING)
    done = subprocess.run(
        forked(script, "green tea", 4),
        cwd=tmp_path,
        env={"LANG": "C.UTF-8", "TEA": "green"},
        umask=0o027,
        input="typed\n",
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        encoding="utf-8",
    )
    environ = "environ({'LANG': 'C.UTF-8', 'TEA': 'green'})"
    assert done.stdout == f"{tmp_path} ['green tea', '4'] {environ} 0o27 typed\n"
    assert (done.stderr, done.returncode) == ("caf\u00e9", 7)


def test_an_error_is_a_traceback_and_status_1(script: Path) -> None:
    script.write_text("raise ValueError('no tea')")
    done = subprocess.run(
        forked(script), capture_output=True, check=False, timeout=PATIENCE, text=True
    )
    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: no tea\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_reaches_it_and_is_how_it_ended(script: Path, number: signal.Signals) -> None:
    with waiting(script) as process:
        process.send_signal(number)
        assert process.wait(PATIENCE) == -number


def test_it_is_interrupted_as_python_is(script: Path) -> None:
    with waiting(script) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT
        assert process.stderr is not None
        said = process.stderr.read()
    assert said.endswith(b"KeyboardInterrupt\n")


def test_who_kills_what_stands_in_for_it_kills_it(script: Path) -> None:
    with waiting(script) as process:
        process.kill()
        assert process.communicate(timeout=PATIENCE) == (b"", b"")  # which it alone held open


def test_one_that_kills_itself_ends_so() -> None:
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run(forked("-c", killed), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, b"")


def test_each_ends_with_its_own_input(script: Path) -> None:
    with waiting(script) as one, waiting(script) as other:
        one.communicate(timeout=PATIENCE)
        assert one.returncode == 0
        assert other.poll() is None
        other.communicate(timeout=PATIENCE)
    assert other.returncode == 0


def test_programs_and_modules_are_run_as_python_runs_them() -> None:
    showing = "import sys; print(__name__, sys.argv)"
    done = subprocess.run(forked("-c", showing, "tea"), capture_output=True, check=True, text=True)
    assert done.stdout == "__main__ ['-c', 'tea']\n"
    module = subprocess.run(
        forked("-m", "terrarium_mcp", "--version"), capture_output=True, check=True, text=True
    )
    assert module.stdout == f"terrarium-mcp {__version__}\n"


ENDING = """
import atexit, threading, sys
class Tea:
    def __del__(self):
        print("garbage is collected")
tea = Tea()
tea.itself = tea
del tea
atexit.register(print, "what is registered is called")
go_on = threading.Event()
threading.Thread(target=lambda: (go_on.wait(), print("threads are waited for"))).start()
threading.Timer(0, go_on.set).start()
sys.exit({status})
"""


@pytest.mark.parametrize(
    ("status", "ended"), [("", 0), ("None", 0), ("3", 3), ("-1", 255), ("'no tea'", 1)]
)
def test_its_end_is_one_of_python(status: str, ended: int) -> None:
    done = subprocess.run(
        forked("-c", ENDING.format(status=status)), capture_output=True, check=False, text=True
    )
    assert done.stdout.splitlines() == [
        "threads are waited for",
        "what is registered is called",
        "garbage is collected",
    ]
    assert (done.stderr, done.returncode) == ("no tea\n" if "tea" in status else "", ended)


def test_what_it_could_not_write_is_reported() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            forked("-c", "print('tea')"), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 120  # as Python ends then
    assert b"No space left on device" in done.stderr
