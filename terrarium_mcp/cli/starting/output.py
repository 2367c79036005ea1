"""New files and folders of a command: they get their name once they are complete.

None takes the place of a file that the command reads, whatever its options say.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from terrarium_mcp.cli.starting.replacing import beside, replacing
from terrarium_mcp.durable import move_folder
from terrarium_mcp.errors import HostFailure, TerrariumError
from terrarium_mcp.store import belongs_to, leftover

_PRIVATE_FOLDER = 0o700
"""The mode of a folder for what people said."""


class OutputExists(TerrariumError):
    """There is something in the place of an output."""


class OutputIsSource(TerrariumError):
    """An output would be written over what the command reads."""


class OutputFailed(HostFailure):
    """An output cannot be written."""


def require_apart(path: Path, database: Path, sources: Iterable[Path] = ()) -> None:
    """Check that `path` is no file of the history, and none of `sources`, by any name.

    Raises:
        OutputIsSource: it is one.
    """
    if belongs_to(path, database):
        raise OutputIsSource(f"{path} belongs to the history in {database}. Name another file.")
    for source in sources:
        with suppress(OSError):  # one of them is not there
            if path.samefile(source):
                raise OutputIsSource(f"{path} is read by this command. Name another file.")


def require_free_file(path: Path, database: Path, *, force: bool | None = None) -> None:
    """Check that a file may be written at `path`.

    `force` is whether to replace one that is there; None where the command never does.

    Raises:
        OutputIsSource: it is a file of the history in `database`.
        OutputExists: there is one, and it is not to be replaced; or it is no ordinary file.
        OutputFailed: there is no such folder, or it may not be looked into.
    """
    require_apart(path, database)
    with looking_at(path):
        if path.exists() and not path.is_file():
            raise OutputExists(f"{path} is not an ordinary file. Name another.")
        if path.exists() and not force:
            or_force = "" if force is None else ", or replace it with --force"
            raise OutputExists(f"{path} exists. Name another file{or_force}.")
        if not path.parent.is_dir():
            raise _without_folder(path)


def require_no_leftover(path: Path) -> None:
    """Check that nothing is beside `path` that SQLite would apply to a database there.

    Raises:
        OutputExists: something is.
    """
    if left := leftover(path):
        raise OutputExists(left)


@contextmanager
def in_folder(path: Path) -> Iterator[None]:
    """A folder for what the block writes; if the block fails, a folder created for it is removed.

    Raises:
        OutputFailed: it cannot be made.
    """
    is_new = not path.exists()
    _make_folder(path)
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):  # something else was put there
                path.rmdir()
        raise


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(_PRIVATE_FOLDER, exist_ok=True)
    except FileNotFoundError as error:
        raise _without_folder(path) from error
    except OSError as error:
        raise OutputFailed(
            f"The folder {path} cannot be made: {error.strerror}. {_way_out(path, error)}"
        ) from error


def require_free_folder(path: Path, database: Path) -> None:
    """Check that a folder may be written at `path`: there is none, or an empty one.

    Raises:
        OutputIsSource: it is a file or folder of the history in `database`.
        OutputExists: there is something.
        OutputFailed: there is no folder in which it could be, or it may not be looked into.
    """
    require_apart(path, database)
    with looking_at(path):
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise OutputExists(f"{path} exists, and is not an empty folder. Name another.")
        if not path.parent.is_dir():
            raise _without_folder(path)


@contextmanager
def looking_at(path: Path) -> Iterator[None]:
    """Name the place of an output that the block cannot look at.

    Raises:
        OutputFailed: its folder may not be entered, or no file can have such a name.
    """
    try:
        yield
    except OSError as error:
        raise OutputFailed(
            f"{path} cannot be looked at: {error.strerror}. {_way_out(path, error)}"
        ) from error


def _way_out(path: Path, error: OSError) -> str:
    if isinstance(error, PermissionError):
        return f"Give this account access to {path.parent}, or name another place."
    return "Name another place."


def _without_folder(path: Path) -> OutputFailed:
    return OutputFailed(f"There is no folder {path.parent}. Create it, or name another.")


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """An empty private file that takes the place of `path` after the block, unless it failed.

    Raises:
        OutputFailed: it cannot be written; nothing is left.
    """
    with _named_failures(path), replacing(path) as new:
        yield new


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """An empty private folder that takes the place of `path` after the block, unless it failed.

    Raises:
        OutputFailed: it cannot be written; nothing is left.
    """
    new = beside(path)
    with _named_failures(path):
        try:
            new.mkdir(_PRIVATE_FOLDER)
            yield new
            move_folder(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)


@contextmanager
def _named_failures(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        named = error.filename  # none where a stream was being written
        if named and not os.fspath(named).startswith(os.fspath(beside(path.resolve()))):
            raise OutputFailed(
                f"{named} cannot be used: {error.strerror or error}. {path} was not written."
            ) from error
        raise OutputFailed(
            f"{path} cannot be written: {error.strerror or error}. Nothing was left there."
            f" {_way_out(path, error)}"
        ) from error
