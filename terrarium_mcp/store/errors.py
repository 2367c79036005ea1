"""Errors of the store that callers handle. Nothing here knows SQL."""

from terrarium_mcp.errors import TerrariumError


class BadLine(TerrariumError):
    """A message of a bulk append cannot be stored: the one at `position` (from 1)."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(
            f"Line {position:,} cannot be stored: {reason}. All lines before it are stored."
            " Fix it or leave it out, then continue from there."
        )
        self.position = position


class StillOpening(TerrariumError):
    """The history is being migrated or indexed; the caller should try again later."""

    def __init__(self, doing: str, part: float) -> None:
        self.progress = f"{doing}, {part:.0%}".replace("%", " %")
        super().__init__(f"{self.progress}. Try again in a little while.")


class StoreFailed(TerrariumError):
    """The database cannot do what was asked: full disk, lock, damage. The text names a way out."""


class IndexDamaged(StoreFailed):
    """A full-text index cannot be read. The messages can, and the keeper rebuilds it from them."""


class Locked(StoreFailed):
    """Other processes kept the write lock; nothing was written, and the call may be repeated."""


class TookTooLong(TerrariumError):
    """A read was interrupted at its deadline."""
