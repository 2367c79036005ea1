"""The last questions of the talk log, on standard output."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from terrarium_mcp.cli.starting.standard_output import StandardOutput
from terrarium_mcp.errors import HostFailure, TerrariumError
from terrarium_mcp.irc_bridge.talk_log.record import TalkRecord, record_from_json
from terrarium_mcp.irc_bridge.talk_log.timeline import rendered
from terrarium_mcp.settings import Settings
from terrarium_mcp.wording import quantity

BLOCK = 65_536
"""Bytes read at a time, from the end of the file."""

log = logging.getLogger(__name__)


class NoTalkLog(TerrariumError):
    """There is no talk log, or nothing in it."""


class TalkLogUnreadable(HostFailure):
    """The talk log cannot be read."""


class LoggedQuestion(NamedTuple):
    """A line of the talk log, as it is there and as a value."""

    line: str
    record: TalkRecord


def show_last(settings: Settings, file: Path | None, last: int, *, as_json: bool) -> None:
    """Print the last questions of the talk log `file` (None: that of the settings), oldest first.

    Raises:
        NoTalkLog: there is none, or no question is in it.
        TalkLogUnreadable: it cannot be read.
    """
    path = file or settings.talk_log
    if path is None:
        raise NoTalkLog(
            "No talk log is kept. Set TERRARIUM_TALK_LOG to a file, such as talk.jsonl, restart the"
            " bridge, and ask the bot something."
        )
    questions = last_questions(path, last)
    if as_json:
        text = "\n".join(one.line for one in questions)
    else:
        text = "\n\n".join(rendered(one.record, settings.zone) for one in questions)
    output = StandardOutput()
    for line in text.split("\n"):
        output.write(line)
    output.flush()


def last_questions(path: Path, last: int) -> list[LoggedQuestion]:
    """The last questions of a talk log, oldest first. Lines that are none are skipped, and counted.

    Raises:
        NoTalkLog: there is no such file, or no question in it.
        TalkLogUnreadable: it cannot be read.
    """
    found: list[LoggedQuestion] = []
    bad = 0
    try:
        with path.open("rb") as stream:
            for line in _lines_from_the_end(stream):
                try:
                    found.append(LoggedQuestion(line.decode(), record_from_json(line)))
                except ValueError:
                    bad += 1
                if len(found) == last:
                    break
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise NoTalkLog(
                f"There is no folder {path.parent} for the talk log {path.name}. Make it: until"
                " then the bridge cannot write the timings of any question."
            ) from None
        raise NoTalkLog(
            f"There is no talk log {path}. The bridge makes it with the first question, if it runs"
            f" with TERRARIUM_TALK_LOG={path}."
        ) from None
    except OSError as error:
        raise TalkLogUnreadable(
            f"{path} cannot be read: {error.strerror}. Name the talk log with --file."
        ) from error
    if bad:
        log.warning("%s in %s skipped: not from a talk log", quantity(bad, "line"), path)
    if not found:
        raise NoTalkLog(f"There is no question in {path} yet.")
    return found[::-1]


def _lines_from_the_end(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a file that are not empty, the last one first; the file may be large."""
    rest = b""
    end = stream.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - BLOCK)
        stream.seek(start)
        first, *lines = (stream.read(end - start) + rest).split(b"\n")
        yield from filter(bytes.strip, reversed(lines))
        rest, end = first, start
    if rest.strip():
        yield rest
