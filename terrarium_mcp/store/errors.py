"""Errors of the store that callers handle; each names its way out. Nothing here knows SQL."""

from pathlib import Path

from terrarium_mcp.errors import HostFailure, TerrariumError


class UnstorableMessage(TerrariumError):
    """A message of a bulk append cannot be stored: the one at `position` (from 1)."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(
            f"Line {position:,} cannot be stored: {reason}. All lines before it are stored."
            " Fix it or leave it out, then continue from there."
        )
        self.position = position


class StillOpening(TerrariumError):
    """The history is being migrated or indexed; the caller should try again later.

    Args:
        doing: what is at work.
        part: how much of it is done, 0 to 1.
        obstacle: a sentence for the operator on what has to be done first, if anything.
    """

    def __init__(self, doing: str, part: float, obstacle: str = "") -> None:
        self.progress = f"{doing}, {part:.0%}".replace("%", " %")
        self._public = (
            "The history is not open: a program of an older version is using it, and must be"
            " stopped first. This server's log names that program, for its operator."
            if obstacle
            else f"{self.progress}. Try again in a little while."
        )
        super().__init__(obstacle or self._public)

    @property
    def public(self) -> str:
        """How far it is, or that the operator has to act: an obstacle names paths and processes."""
        return self._public


class StoreFailed(HostFailure):
    """The database cannot do what was asked: full disk, lock, damage. The text names a way out."""


class IndexDamaged(StoreFailed):
    """A full-text index cannot be read. The messages can, and the keeper rebuilds it from them."""

    what_failed = "The index of the history is being rebuilt: try again in a little while"


class Locked(StoreFailed):
    """Other processes kept the write lock; nothing was written, and the call may be repeated."""

    what_failed = "Another program has locked the history: try again in a little while"


class TookTooLong(TerrariumError):
    """A read was interrupted at its deadline."""


class DiskFull(StoreFailed):
    """Nothing can be written until there is room; what is there can be read."""


class BacklogFailed(HostFailure):
    """The backlog folder, or a file in it, cannot be read or written."""

    what_failed = "The backlog cannot be used at the moment"


class BacklogFull(TerrariumError):
    """The backlog holds as many open ideas as it may."""


class BacklogBusy(TerrariumError):
    """Other processes add to the backlog, and this one did not get its turn."""

    def __init__(self, waited: float) -> None:
        super().__init__(
            f"Another process has been adding to the backlog for {waited:.0f} s. Nothing was saved:"
            " try again in a moment."
        )


class FileInUse(HostFailure):
    """Another process has the database open, so it cannot be rewritten."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Another process has {path} open, and --thorough must rewrite the whole file. Stop the"
            " bridge, every server and any other program that uses it, then run the same command"
            " again. Without --thorough, a purge works while they run."
        )


class NotChecked(HostFailure):
    """A deep check cannot run."""


class NotMigrated(NotChecked):
    """A deep check compares a database of the current version, and this one is of an older one."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is of an older version: start terrarium-mcp once, which migrates it, then"
            " repeat this command."
        )


class NotEnoughDisk(HostFailure):
    """There is no room on the disk for a second copy of the database."""


class EnhancementTooLong(TerrariumError):
    """The title or the summary of an idea is longer than the backlog accepts."""


class UnknownEnhancement(TerrariumError):
    """There is no such backlog file, or it belongs to a room the caller may not see."""


class UnknownImport(TerrariumError):
    """There is no import with this number."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"There is no import {number}. terrarium-mcp import --list shows them all."
        )


class ImportWasUndone(TerrariumError):
    """An import cannot go on, as it has been undone meanwhile."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"Import {number} was undone while it was running, and stops. Run the undo once more to"
            " remove what it had added by then."
        )


class RankedAnew(TerrariumError):
    """The ranking that a cursor continues can no longer be reproduced."""

    def __init__(self) -> None:
        super().__init__(
            "The ranking that this cursor continues is gone: the server was restarted and the"
            " history has changed since. Omit the cursor to start at the first page, or page with"
            " sort=newest, whose order never changes."
        )
