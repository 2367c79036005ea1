"""The sdist and the wheel: built, installed away from the checkout, and started.

`make release-check` installs everything in an empty environment; the test in test_package.py
installs the wheel only and borrows the installed packages of the environment it runs in.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import terrarium_mcp

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Build into dist/ and check what was built."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    wheel = built(ROOT / "dist")
    with tempfile.TemporaryDirectory() as folder:
        check(installed(wheel, Path(folder)), Path(folder))
    print(f"{wheel.name} and its sdist are in dist/, and run in an empty environment")


def built(folder: Path) -> Path:
    """The wheel of the sdist: what the sdist lacks, the wheel lacks too."""
    _build(ROOT, "sdist", folder)
    (sdist,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        # Not shutil.unpack_archive: it warns without a filter, and knows none before 3.11.4.
        subprocess.run(["tar", "-xzf", sdist, "-C", unpacked], check=True)
        (source,) = Path(unpacked).iterdir()
        _build(source, "wheel", folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _build(source: Path, target: str, folder: Path) -> None:
    build = ["hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run([sys.executable, "-m", *build], cwd=source, check=True, capture_output=True)


def installed(wheel: Path, folder: Path, *, borrowing: bool = False) -> Path:
    """The program of a new environment in `folder` that has the wheel and what it needs.

    `borrowing` takes what it needs from the environment this runs in, all but our own package.
    """
    bin_ = folder / "venv" / "bin"
    python = str(bin_ / "python")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    alone = ["--no-deps", "--no-index"] if borrowing else []
    subprocess.run([*install, "--disable-pip-version-check", *alone, str(wheel)], check=True)
    if borrowing:
        (ours,) = (folder / "venv").glob("lib/*/site-packages")
        _borrow(Path(sysconfig.get_path("purelib")), ours)
    return bin_ / "terrarium-mcp"


def _borrow(theirs: Path, ours: Path) -> None:
    """Link their packages; no .pth file is read, and so no checkout is on the path."""
    for entry in theirs.iterdir():
        is_ours = entry.name.startswith("terrarium_mcp") or (ours / entry.name).exists()
        if not is_ours and entry.suffix != ".pth":
            (ours / entry.name).symlink_to(entry)


def files(wheel: Path) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def check(program: Path, folder: Path) -> None:
    """The installed program runs, none of it from here."""
    home = folder / "home"
    home.mkdir()
    clean = {"PATH": os.defpath, "HOME": str(home), "DB_PATH": str(home / "irc_logs.db")}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(program), *arguments],
            cwd=home,
            env=clean,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0 or arguments == ("doctor",), said
        assert str(ROOT) not in said
        return said

    where = "import sys, terrarium_mcp; print(terrarium_mcp.__file__); print(sys.path)"
    asked = subprocess.check_output([program.parent / "python", "-c", where], cwd=home, env=clean)
    assert str(program.parents[1]) in asked.decode()
    assert str(ROOT) not in asked.decode()
    assert terrarium_mcp.__version__ in run("--version")
    assert "doctor" in run("--help")
    assert "irc_logs.db" in run("doctor")
    anyio.run(_initialize, str(program), clean, home)


async def _initialize(program: str, env: dict[str, str], home: Path) -> None:
    server = StdioServerParameters(command=program, args=["serve"], env=env, cwd=home)
    with anyio.fail_after(120):
        async with Client(stdio_client(server)) as client:
            assert (await client.list_tools()).tools


if __name__ == "__main__":
    main()
