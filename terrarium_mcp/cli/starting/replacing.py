"""Replaces a whole file: afterwards it has the old text or the new one, never a part."""

import os
from contextlib import suppress
from pathlib import Path

from terrarium_mcp.errors import TerrariumError


def replace_file(file: Path, text: str, *, mode: int) -> None:
    """Write `text` to `file`, or to where it links; missing folders are made.

    Raises:
        TerrariumError: it cannot be written.
    """
    place = file.resolve()
    new = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        new.chmod(mode)  # whatever the umask
        new.replace(place)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise TerrariumError(
            f"{file} cannot be written: {error.strerror or error}. Nothing was changed."
        ) from error
