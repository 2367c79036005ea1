"""`make matrix`: the suite in short form on each Python found, from 3.11 to 3.14.

With `--newest`, for CI beside `make test`, only the newest one runs the short form, unless it is
the one that runs this: each further version would take a tenth of the ten minutes that CI has, and
what changes between two versions is seen on the newest first.
With `--prepare` only the environments are made, for which any Python will do.
Each gets a virtual environment of its own, .venv-3.12 beside .venv, with the versions that
requirements/dev.txt pins. They are constraints without hashes: the file was resolved on one Python,
and another may need one more package (libcst needs pyyaml-ft on 3.13 only), which pip refuses
where hashes are asked for.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
OURS = "{}.{}".format(*sys.version_info[:2])
SHORT = (
    "tests/test_policy.py",
    "tests/settings/test_settings.py",
    "tests/test_sdk.py",
    "tests/store/sqlite/ingest/test_append.py",
    "tests/store/sqlite/topics/test_spans.py",
    "tests/store/sqlite/search/test_search.py",
    "tests/serving/test_wire.py",  # a server over stdio
    "tests/irc_bridge/test_bridge.py",
    "tests/irc_bridge/network/test_channels.py",
)
SCENES = ("networks", "truth", "wire", "fuzzed_wire")
NEWEST = ("tests/chat", *(f"tests/irc_bridge/hostile/test_{scene}.py" for scene in SCENES))
"""What is pure, where the Unicode tables and regular expressions of a version count, and scenes of
sockets and tasks. They take ten times as long as all of the above: only the newest Python runs
them, beside the one of `make test`, and not in CI."""

QUIETLY = ("-q", "-p", "no:cacheprovider")
ASKING = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2], sys.executable)"


def main(*, only_newest: bool, prepare: bool) -> int:
    """1 when a test fails on one of them; the versions that are not found are named."""
    found = interpreters()
    newest = max(found, key=VERSIONS.index, default="")
    if only_newest:
        found = {newest: found[newest]} if newest not in ("", OURS) else {}
    with ThreadPoolExecutor() as pool:  # pip mostly waits for the network and the disk
        pythons = dict(zip(found, pool.map(environment, found, found.values()), strict=True))
    if prepare:
        return 0
    with ThreadPoolExecutor() as pool:  # one at a time would leave a CPU idle at each end
        scenes_on = "" if only_newest else newest
        done = pool.map(
            lambda version: run(pythons[version], with_scenes=version == scenes_on), pythons
        )
        failed = [
            version
            for version, result in zip(pythons, done, strict=True)
            if not is_told_as_passed(version, result)
        ]
    missing = [version for version in VERSIONS if version not in found]
    print(f"ran on {', '.join(found) or 'none'}; not on {', '.join(missing) or 'none'}")
    if failed:
        print(f"failed on {', '.join(failed)}")
    return 1 if failed or not (found or only_newest) else 0


def interpreters() -> dict[str, str]:
    """The first interpreter of each version that runs and has venv, those on the PATH first.

    A shim of pyenv on the PATH may lead nowhere: each is asked which version it is.
    """
    found: dict[str, str] = {}
    for candidate in candidates():
        try:
            asked = subprocess.run(
                [candidate, "-c", ASKING], capture_output=True, text=True, check=False, timeout=30
            )
        except OSError:
            continue
        version, _, program = asked.stdout.strip().partition(" ")
        if asked.returncode == 0 and version in VERSIONS:
            found.setdefault(version, program)
    return {version: found[version] for version in VERSIONS if version in found}


def candidates() -> Iterator[str]:
    """Programs that may be a Python of one of the versions."""
    for version in VERSIONS:
        if program := shutil.which(f"python{version}"):
            yield program
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for version in VERSIONS:
        yield from map(str, sorted(pyenv.glob(f"versions/{version}*/bin/python{version}")))


@dataclass(frozen=True)
class Result:
    """How the tests ended there."""

    status: int
    printed: str
    seconds: float


def run(python: str, *, with_scenes: bool) -> Result:
    """Run the tests there.

    The short form alone is bound by CPU, and every process collects and compiles all of it: there
    are as many as cores. Scenes mostly wait, for which `-n auto` has twice as many.
    """
    tests = SHORT + (NEWEST if with_scenes else ())
    processes = "auto" if with_scenes else f"{os.cpu_count() or 2}"
    began = time.monotonic()
    done = subprocess.run(
        [python, "-m", "pytest", *QUIETLY, "-n", processes, *tests],
        cwd=ROOT,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Result(done.returncode, done.stdout, time.monotonic() - began)


def is_told_as_passed(version: str, result: Result) -> bool:
    """Print what the tests printed, and return whether all passed."""
    passed = result.status == 0
    print(result.printed, end="")
    print(f"{version}: {'passed' if passed else 'FAILED'} in {result.seconds:.0f} s", flush=True)
    return passed


def environment(version: str, interpreter: str) -> str:
    """The Python of an environment with the pinned packages, made where it is not there yet."""
    pins = ROOT / "requirements" / "dev.txt"
    folder = ROOT / f".venv-{version}"
    python, stamp = str(folder / "bin" / "python"), folder / "packages"
    print(f"{version}: {interpreter}", flush=True)
    made_from = hashlib.sha256(pins.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != made_from:
        subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True)
        constraints = folder / "constraints.txt"
        pinned = re.findall(r"^[\w.-]+==\S+", pins.read_text("utf-8"), re.MULTILINE)
        constraints.write_text("\n".join(pinned), "utf-8")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        install += ["--no-compile", "--constraint", str(constraints)]
        subprocess.run([*install, "editables", "hatchling"], check=True)
        itself = ["--no-build-isolation", "--editable", f"{ROOT}[dev]"]
        subprocess.run([*install, *itself], check=True)
        stamp.write_text(made_from)
    return python


if __name__ == "__main__":
    sys.exit(main(only_newest="--newest" in sys.argv, prepare="--prepare" in sys.argv))
