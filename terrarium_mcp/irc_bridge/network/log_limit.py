"""Bounded logging of what strangers send: a line for the first of a kind, then a count a minute."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import anyio

from terrarium_mcp.wording import quantity

EVERY = 60.0
"""Seconds between two lines of one kind."""

_MOST_KINDS = 100
_OTHER = "other"


@dataclass(slots=True)
class _Kind:
    logged_at: float = float("-inf")
    unlogged: int = 0


class LogLimit:
    """Writes to a log at most one line a minute for each kind of event, and counts the others.

    Each line begins with the name of the network.
    """

    def __init__(
        self, log: logging.Logger, name: str, clock: Callable[[], float] = anyio.current_time
    ) -> None:
        self._log = log
        self._name = name
        self._clock = clock
        self._kinds: dict[str, _Kind] = {}

    def warning(
        self, kind: str, message: str, *args: object, error: BaseException | None = None
    ) -> None:
        """Log an event, unless one of this kind was logged a moment ago.

        The traceback of the error that came with it is shown at DEBUG.
        """
        traceback = error if self._log.isEnabledFor(logging.DEBUG) else None
        self._write(logging.WARNING, kind, message, args, traceback)

    def exception(self, kind: str, message: str, *args: object, error: BaseException) -> None:
        """Log an error with its traceback, unless one of this kind was logged a moment ago."""
        self._write(logging.ERROR, kind, message, args, error)

    def _write(
        self,
        level: int,
        kind: str,
        message: str,
        args: Sequence[object],
        error: BaseException | None = None,
    ) -> None:
        if kind not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            kind = _OTHER
        known = self._kinds.setdefault(kind, _Kind())
        if self._clock() - known.logged_at < EVERY:
            known.unlogged += 1
            return
        more = f" (and {known.unlogged} more like it before)" if known.unlogged else ""
        known.logged_at, known.unlogged = self._clock(), 0
        self._log.log(level, f"%s: {message}%s", self._name, *args, more, exc_info=error)

    def finish(self) -> None:
        """Log how many events were not, at the end of their source."""
        for kind, known in self._kinds.items():
            if known.unlogged:
                more = quantity(known.unlogged, "more line")
                self._log.warning("%s: %s: %s like it", self._name, kind, more)
                known.unlogged = 0
