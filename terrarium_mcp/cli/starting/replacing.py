"""Replaces a whole file: afterwards it has the old contents or the new ones, never a part."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from terrarium_mcp.durable import sync_file
from terrarium_mcp.errors import TerrariumError

PRIVATE = 0o600
"""The mode of a file for its owner alone: it may hold keys, or what people said."""


@contextmanager
def replacing(file: Path, mode: int = PRIVATE) -> Iterator[Path]:
    """An empty file that takes the place of `file`, or of where it links, unless the block fails.

    Raises:
        OSError: it cannot be written; `file` is as it was.
    """
    place = file.resolve()
    new = beside(place)
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        new.chmod(mode)  # whatever the umask
        yield new
        sync_file(new)
        new.replace(place)
    finally:
        for leftover in ("", "-journal"):  # SQLite's, if a database was being written
            with suppress(OSError):
                new.with_name(new.name + leftover).unlink()


def replace_file(file: Path, text: str, *, mode: int) -> None:
    """Write `text` to `file`, or to where it links; missing folders are made.

    Raises:
        TerrariumError: it cannot be written.
    """
    try:
        file.resolve().parent.mkdir(parents=True, exist_ok=True)
        with replacing(file, mode) as new:
            new.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise TerrariumError(
            f"{file} cannot be written: {error.strerror or error}. Nothing was changed."
        ) from error


def beside(path: Path) -> Path:
    """The path under which this process writes what is to take the place of `path`."""
    return path.with_name(f".{path.name}.{os.getpid()}.new")
