"""The process that reads and prepares the contents of an import, for the one that stores them.

It is told what to read by pickles on its standard input, and writes lists of parts to its standard
output, a pickle each. It ends when it has read everything, or when its parent is gone.
"""

import gc
import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate, chain, pairwise
from queue import Queue
from threading import Thread
from typing import IO, Any

from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.files import UnusableFile
from terrarium_mcp.logformats.read_parts import ReadPart, read_parts
from terrarium_mcp.store import LINES_IN_BLOCK, prepared

AHEAD = 20
"""Lists of parts that are read before they are asked for: as many as are stored together, and more.
"""

ReadParts = list[ReadPart | UnusableFile]
"""Parts that are sent together: a large one, or those of many small files. An error is the last."""


def prepared_parts(
    contents: Iterable[LogContent], rules: Mapping[str, VoiceRules]
) -> Iterator[ReadParts]:
    """The parts of contents, one after the other, their messages as prepared lines.

    They come by lists, of as many lines as a block may have, which are prepared at once. After a
    content that cannot be read to its end comes nothing.
    """
    parts: list[ReadPart] = []
    lines = 0
    try:
        for content in contents:
            for part in read_parts(content, rules):
                if parts and lines + part.lines > LINES_IN_BLOCK:
                    yield [*_prepared(parts)]
                    parts, lines = [], 0
                parts.append(part)
                lines += part.lines
    except UnusableFile as error:
        yield [*_prepared(parts), error]
        return
    if parts:
        yield [*_prepared(parts)]


def _prepared(parts: Sequence[ReadPart]) -> Iterator[ReadPart]:
    """The parts with their messages as prepared lines: all messages are one block."""
    block = prepared([*chain.from_iterable(part.messages for part in parts)])
    ends = accumulate((len(part.messages) for part in parts), initial=0)
    for part, (begin, end) in zip(parts, pairwise(ends), strict=True):
        yield part._replace(messages=block[begin:end])


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Look for cycles of objects more rarely: lines and files hold none.

    To look took 2 to 5 us a line, of 30, in the process that reads, and 3 in that which stores; and
    40 us a file, of 400, while files are found.
    """
    usual = gc.get_threshold()
    gc.set_threshold(100_000)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def main() -> None:
    """Read what standard input names."""
    order = _order()
    rules: Mapping[str, VoiceRules] | None = next(order, None)
    if rules is None:  # our parent is gone, or found nothing to read
        return
    pickles = Queue[bytes](AHEAD)
    writer = Thread(target=_write, args=(pickles, private_output()))
    writer.start()
    try:
        with rarely_collecting():
            contents = chain.from_iterable(order)
            for parts in chain(prepared_parts(contents, rules), [[]]):  # none: that was all
                pickles.put(pickle.dumps(parts, pickle.HIGHEST_PROTOCOL))
    finally:
        pickles.put(b"")
        writer.join()


def _order() -> Iterator[Any]:
    """What our parent orders: the rules, then lists of contents."""
    with suppress(EOFError, pickle.UnpicklingError):  # the second in the middle of an order
        while True:
            yield pickle.load(sys.stdin.buffer)  # noqa: S301 -- from our own parent


def private_output() -> IO[bytes]:
    """The pipe of standard output, which from now on nothing else in this process writes to.

    It has a buffer of its own: with PYTHONUNBUFFERED that of `sys.stdout` is none, and writes only
    a part of a pickle where the process is stopped and goes on (Ctrl-Z and fg).
    """
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def _write(pickles: "Queue[bytes]", pipe: IO[bytes]) -> None:
    """Write pickles until an empty one: beside the reading, which must not wait for the parent."""
    try:
        while parts := pickles.get():
            pipe.write(parts)
            pipe.flush()
    except OSError:  # the parent is gone
        os._exit(1)


if __name__ == "__main__":
    main()
