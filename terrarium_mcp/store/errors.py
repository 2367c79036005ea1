"""Errors of the store that name their way out."""

from pathlib import Path

from terrarium_mcp.errors import TerrariumError


class BacklogFailed(TerrariumError):
    """The backlog folder, or a file in it, cannot be read or written."""


class BacklogFull(TerrariumError):
    """The backlog holds as many open ideas as it may."""


class FileInUse(TerrariumError):
    """Another process has the database open, so it cannot be rewritten."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Another process has {path} open, and --thorough must rewrite the whole file. Stop the"
            " bridge, every server and any other program that uses it, then run the same command"
            " again. Without --thorough, a purge works while they run."
        )


class NotChecked(TerrariumError):
    """A deep check cannot run."""


class NotEnoughDisk(TerrariumError):
    """There is no room on the disk for a second copy of the database."""


class UnknownEnhancement(TerrariumError):
    """There is no such backlog file, or it belongs to a room the caller may not see."""
