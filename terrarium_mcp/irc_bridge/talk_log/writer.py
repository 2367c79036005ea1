"""Appends the lines of the talk log to its file, beside everything else the bridge does."""

import logging
import os
import stat
import sys
from pathlib import Path

import anyio
from anyio import to_thread

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.talk_log.record import TalkRecord, to_json
from terrarium_mcp.wording import quantity

MOST_WAITING = 1_000
"""Lines that wait for the disk, of 1 to 2 kB each; of more the newest are lost."""

AT_THE_END = 1.0
"""Seconds in which what waits is written when the bridge ends, on a disk that may hang."""

_NOT_ORDINARY = "is no ordinary file"

if sys.platform == "win32":
    _FLAGS = os.O_RDWR | os.O_BINARY  # line breaks are written as they are
else:
    _FLAGS = os.O_RDWR | os.O_NONBLOCK  # opening a pipe that nobody reads would wait for ever

log = logging.getLogger(__name__)


class TalkLog:
    """The talk log of a process: one file for all of its networks. Without a path it is off.

    Questions that are off the record (`[off]`, or a person who opted out) must not be noted: who
    opted out was promised that nothing is kept of what they ask, and a time in a channel tells who
    asked. The counts are then of the other questions alone.

    Each batch opens the file by its name, so a file that was rotated or deleted starts over. A
    trouble with it is logged once, and the lines that meet it are lost: no answer waits for them.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._waiting: list[str] = []
        self._bell = Bell()
        self._lost = 0

    def note(self, record: TalkRecord) -> None:
        """Add a question. Never waits."""
        if self._path is None:
            return
        if len(self._waiting) >= MOST_WAITING:
            self._lose(1, "the disk does not keep up")
            return
        self._waiting.append(to_json(record))
        self._bell.ring()

    async def run(self) -> None:
        """Write until cancelled, and then what still waits."""
        if self._path is None:
            return
        try:
            while True:
                await self._bell.wait()
                await self._write(self._path)
        finally:
            with anyio.move_on_after(AT_THE_END, shield=True):
                await self._write(self._path)

    async def _write(self, path: Path) -> None:
        """Append what waits."""
        lines, self._waiting = self._waiting, []
        if not lines:
            return
        try:
            await to_thread.run_sync(append_lines, path, lines, abandon_on_cancel=True)
        except OSError as error:
            self._lose(len(lines), error.strerror or str(error))
        else:
            self._recover()

    def _lose(self, lines: int, why: str) -> None:
        if not self._lost:
            log.warning(
                "the talk log %s cannot be written: %s. Questions are still answered; "
                "check TERRARIUM_TALK_LOG.",
                self._path,
                why,
            )
        self._lost += lines

    def _recover(self) -> None:
        if self._lost:
            log.warning("the talk log is written again; %s lost", quantity(self._lost, "line"))
            self._lost = 0


def why_unwritable(path: Path) -> str:
    """Why `append_lines` could not write a file, in words; "" if it could. Changes nothing."""
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        if not path.parent.is_dir():
            return f"there is no folder {path.parent}"
        may_make = os.access(path.parent, os.W_OK | os.X_OK)
        return "" if may_make else f"this account may not create a file in {path.parent}"
    except OSError as error:
        return error.strerror or str(error)
    try:
        is_ordinary = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return "" if is_ordinary else f"it {_NOT_ORDINARY}"
    finally:
        os.close(descriptor)


def append_lines(path: Path, lines: list[str]) -> None:
    """Append whole lines to a file, which is made for its owner alone if there is none.

    Raises:
        OSError: it cannot be written, or is no ordinary file.
    """
    descriptor = os.open(path, _FLAGS | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} {_NOT_ORDINARY}")
        start = "" if _ends_a_line(descriptor) else "\n"
        text = memoryview((start + "".join(f"{line}\n" for line in lines)).encode())
        while text:
            text = text[os.write(descriptor, text) :]
    finally:
        os.close(descriptor)


def _ends_a_line(descriptor: int) -> bool:
    """Whether the file ends with a line break: a full disk may have cut its last line."""
    end = os.fstat(descriptor).st_size
    if not end:
        return True
    if sys.platform == "win32":  # which has no pread
        os.lseek(descriptor, end - 1, os.SEEK_SET)
        return os.read(descriptor, 1) == b"\n"
    return os.pread(descriptor, 1, end - 1) == b"\n"
