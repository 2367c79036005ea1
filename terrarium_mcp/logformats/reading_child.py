"""The process that reads and prepares the contents of an import, for the one that stores them.

It is told what to read by a pickle on its standard input, and writes a pickle for each part to its
standard output. It ends when it has read everything, or when its parent is gone.
"""

import gc
import os
import pickle
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from queue import Queue
from threading import Thread

from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.files import UnusableFile
from terrarium_mcp.logformats.read_parts import ReadPart, read_parts
from terrarium_mcp.store import prepared

AHEAD = 20
"""Parts that are read before they are asked for: as many as are stored together, and more."""


def prepared_parts(
    contents: Iterable[LogContent], rules: Mapping[str, VoiceRules]
) -> Iterator[ReadPart]:
    """The parts of contents, one after the other, their messages as prepared lines.

    Raises:
        UnusableFile: one cannot be read to its end.
    """
    for content in contents:
        for part in read_parts(content, rules):
            yield part._replace(messages=prepared(part.messages))


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Look for cycles of objects more rarely: lines hold none.

    To look took 2 to 5 us a line, of 30, in the process that reads, and 3 in that which stores.
    """
    usual = gc.get_threshold()
    gc.set_threshold(100_000)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def main() -> None:
    """Read what standard input names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told as well, and ends this
    contents, rules = pickle.load(sys.stdin.buffer)  # noqa: S301 -- from our own parent
    parts = Queue[bytes](AHEAD)
    writer = Thread(target=_write, args=(parts,))
    writer.start()
    try:
        with rarely_collecting():
            for part in prepared_parts(contents, rules):
                parts.put(pickle.dumps(part, pickle.HIGHEST_PROTOCOL))
    except UnusableFile as error:
        parts.put(pickle.dumps(error))
    finally:
        parts.put(b"")
        writer.join()


def _write(parts: "Queue[bytes]") -> None:
    """Write parts until an empty one: beside the reading, which must not wait for the parent."""
    try:
        while part := parts.get():
            sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
    except OSError:  # the parent is gone
        os._exit(1)


if __name__ == "__main__":
    main()
