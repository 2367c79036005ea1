"""The progress of a long command on stderr."""

import sys
from types import TracebackType
from typing import Self

from terrarium_mcp.cli.console import ERASE_LINE, is_terminal


class Progress:
    """Shows each step on one line of a terminal, which is gone after the block; elsewhere none.

    A file, a mail of cron or a journal would get a line for each of them.
    """

    def __init__(self) -> None:
        self._on_terminal = is_terminal(sys.stderr)
        self._last = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        if self._last:
            self._write(ERASE_LINE)

    def __call__(self, step: str) -> None:
        """Show the step, unless it is the last one again."""
        if self._on_terminal and step != self._last:
            self._last = step
            self._write(f"{ERASE_LINE}{step}")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)  # click.echo would remove the control codes if NO_COLOR is set
        sys.stderr.flush()
