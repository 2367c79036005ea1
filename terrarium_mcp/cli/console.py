"""What the commands write to stderr: messages with coloured levels, and progress on one line."""

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError

ERASE_LINE = "\r\x1b[2K"
"""Moves the cursor of a terminal to the start of its line, and empties that line."""

_TIME = "%Y-%m-%d %H:%M:%SZ"

_COLOURS = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}


def is_terminal(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that understands control codes."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def colour_wanted() -> bool | None:
    """False where NO_COLOR says so (https://no-color.org); None leaves it to the terminal."""
    return False if os.environ.get("NO_COLOR") else None


def goes_to_journal(stream: TextIO) -> bool:
    """Whether systemd's journal reads `stream`, and notes the time of each line (systemd.exec(5)).

    A variable alone does not say so: it is inherited by those whose output goes elsewhere.
    """
    place = os.environ.get("JOURNAL_STREAM")
    if not place:
        return False
    try:
        at = os.fstat(stream.fileno())
    except OSError:
        return False
    return place == f"{at.st_dev}:{at.st_ino}"


def date_log_lines() -> None:
    """Begin each line of the log with its time, in UTC, unless the journal adds one.

    For what runs for months, before it reads its settings, of which it may have to warn; a person
    who waits for a command needs none.
    """
    for handler in logging.getLogger().handlers:
        if isinstance(handler, ConsoleHandler):
            handler.is_dated = not goes_to_journal(handler.stream)


@contextmanager
def asking(instead: str) -> Iterator[None]:
    """Ask within the block; `instead` says what to do where nobody can answer.

    Raises:
        TerrariumError: the input ended, and there is no terminal.
    """
    try:
        yield
    except click.Abort:  # Ctrl-C, Ctrl-D, or an input that ended
        if sys.stdin.isatty():
            raise
        click.echo(err=True)  # ends the line of the question
        raise TerrariumError(f"There is no terminal to ask at. {instead}") from None


class ConsoleHandler(logging.StreamHandler[TextIO]):
    """Writes log records to stderr.

    A record with the attribute `progress` is overwritten by the next record on a terminal.
    Elsewhere it is a line like any other.

    Attributes:
        is_dated: whether each record begins with its time.
    """

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self._on_terminal = is_terminal(sys.stderr)
        self._coloured = self._on_terminal and colour_wanted() is None
        self._shows_progress = False
        self.is_dated = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        self.end_progress()
        self._shows_progress = self._on_terminal and getattr(record, "progress", False)
        self.terminator = "" if self._shows_progress else "\n"
        super().emit(record)

    def end_progress(self) -> None:
        """Remove a progress line that is still shown."""
        if self._shows_progress:
            self._shows_progress = False
            self.stream.write(ERASE_LINE)
            self.flush()

    def format(self, record: logging.LogRecord) -> str:
        """The level and the text, with a traceback if there is one, and the time if wanted.

        What strangers put into the text, such as the reason of a kick, moves no cursor.
        """
        colour = _COLOURS.get(record.levelname) if self._coloured else None
        level = click.style(record.levelname, fg=colour) if colour else record.levelname
        when = time.strftime(_TIME, time.gmtime(record.created)) + " " if self.is_dated else ""
        text = "\n".join(map(harmless, super().format(record).split("\n")))
        return f"{when}{level} {text}"
