"""Lines on standard output, also where it is a terminal, a pipe or a full disk."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.output import OutputFailed


class StandardOutput:
    """Lines on standard output, in UTF-8.

    What controls a terminal does not reach one: strangers wrote it.
    """

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()
        # A buffer of our own: with PYTHONUNBUFFERED that of Python is none, and writes only a part
        # of a line where the process is stopped and goes on (Ctrl-Z and fg).
        self._lines = os.fdopen(sys.stdout.fileno(), "wb", closefd=False)

    def write(self, line: str) -> None:
        """Write a line.

        Raises:
            OutputFailed: it cannot be written.
            BrokenPipeError: its reader has ended.
        """
        text = harmless(line) if self._is_terminal else line
        with self._named_failures():
            self._lines.write(f"{text}\n".encode())

    def flush(self) -> None:
        """Write what is still in memory; raises as `write`."""
        with self._named_failures():
            self._lines.flush()

    @contextmanager
    def _named_failures(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise output_failed(error) from error


def output_failed(error: OSError) -> OutputFailed:
    """The expected failure that standard output cannot be written; nothing more is written to it.

    Python tries to write the rest when it ends, and would complain a second time.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OutputFailed(f"Standard output cannot be written: {error.strerror}.")
