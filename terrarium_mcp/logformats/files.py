"""A file that an import names: what people are told of it, its bytes, its lines.

Of a file only the line at hand is in memory, however long it is.
"""

import codecs
import hashlib
import io
import lzma
import os
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.log_reader import LONGEST_LINE
from terrarium_mcp.logformats.unpacking import HoldsTooMuch
from terrarium_mcp.zstd import ZstdError

_AT_ONCE = 64 * 1024
"""Bytes of a log that are read at a time."""

_WORD_OF_KVIRC = re.compile(rb"\r![^\r\n]*\r([^\r\n]*)\r")
"""A word that can be clicked on, a nick or a channel, as KVIrc's logs hold it unless their user
has such codes left out: what a click does stands before it, as in `\\r!n\\rada\\r`."""

UNREADABLE = (
    OSError,
    EOFError,
    OverflowError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    ZstdError,
    zlib.error,
    RuntimeError,  # zipfile: it is encrypted, or packed in an unknown way
)
"""What reading a file raises that cannot be opened, is damaged, or cannot be unpacked here."""


class UnusableFile(TerrariumError):
    """A file that an import names cannot be read."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file to import.

    Attributes:
        path: as shown to people; for a file in an archive, the archive's path precedes it.
        name: the path in which the place of the log is looked for, without `.gz` and the like.
        stored: where its bytes are, if they are a file of their own: databases need one.
        size: of that file when it was found: a folder may have 5,000, each asked once.
        is_plain: whether what is read of it are the bytes of that file, as they are.
    """

    path: str
    name: str
    stored: Path
    size: int
    _open: Callable[[], IO[bytes]]
    """Can be pickled: another process may read the file."""
    is_plain: bool = False

    @property
    def folder(self) -> str:
        """Where it is, for people to read; empty if that is not known."""
        return self.path.replace(os.sep, "/").rpartition("/")[0]

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Its bytes, decompressed.

        Raises:
            UnusableFile: it cannot be read.
        """
        with readable(self.path), self._open() as stream:
            yield stream


def stored_file(path: str, name: str, stored: Path, size: int) -> LogFile:
    """A file to import whose bytes, so many, are stored as they are read."""
    return LogFile(path, name, stored, size, partial(_plain, stored), is_plain=True)


def _plain(path: Path) -> IO[bytes]:
    return path.open("rb")


class FileReading:
    """One reading of a file, which its program may write, or empty, meanwhile.

    Its lines can be read once; afterwards the rest is known.
    """

    def __init__(self, file: LogFile, stream: IO[bytes]) -> None:
        """The reading of a file that was opened."""
        self._stream = stream
        self._bytes = _MeasuredBytes(stream)
        self._found = file.size if file.is_plain else None

    @property
    def sha256(self) -> str:
        """That of what was read, which need not be what was there before or afterwards."""
        return self._bytes.digest.hexdigest()

    @property
    def became_shorter(self) -> bool:
        """Whether the file ended before the end that it had when it was found, or as it was read.

        One that grew meanwhile is read beyond the end that it had, and may be emptied then.
        """
        if self._found is None:
            return False
        read = self._bytes.count
        return read < self._found or os.fstat(self._stream.fileno()).st_size < read

    def lines(self) -> Iterator[bytes]:
        """The lines as `lines_of` reads them; if the file became shorter, no half of one."""
        stream = io.BufferedReader(self._bytes, _AT_ONCE)
        return lines_of(stream, is_cut=lambda: self.became_shorter)


class _MeasuredBytes(io.RawIOBase):
    """A stream of which is known how many bytes were read, and their SHA-256."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._stream.read(len(buffer))
        self.digest.update(read)
        self.count += len(read)
        buffer[: len(read)] = read
        return len(read)


def lines_of(stream: IO[bytes], is_cut: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    """The lines of a stream, without line breaks. Of one that is too long, only its beginning.

    What precedes the text of a line is dropped: the zeros that a crash leaves in a file, however
    many, and the byte order mark that an editor puts in front, also where files were joined.

    `is_cut`: whether a last line without a line break is to be left out, asked when it was read.
    """
    line, is_too_long = b"", False
    for piece in _pieces(stream):
        is_ended = piece.endswith((b"\n", b"\r"))
        if is_too_long:
            is_too_long = not is_ended
            continue
        line = (line + piece).lstrip(b"\0").removeprefix(codecs.BOM_UTF8)
        if is_ended or len(line) > LONGEST_LINE:
            yield line.rstrip(b"\r\n")
            line, is_too_long = b"", not is_ended
    if line and not is_cut():
        yield line


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a stream, cut behind each line break, and where none comes for too long.

    A carriage return alone is one too, as on a classic Mac: no IRC server lets it through. Those
    around a word of KVIrc are none.
    """
    while read := stream.readline(LONGEST_LINE + 1):
        if b"\r" in read and b"\r" in read.rstrip(b"\r\n"):
            yield from _WORD_OF_KVIRC.sub(rb"\1", read).splitlines(keepends=True)
        else:
            yield read


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Turn failures of reading a file into one error that names it.

    Raises:
        UnusableFile: it cannot be read.
    """
    try:
        yield
    except (UnusableFile, HoldsTooMuch) as error:
        raise UnusableFile(f"{path}: {error}") from error
    except UNREADABLE as error:
        raise unusable(path, error) from error


def unusable(path: str, error: Exception) -> UnusableFile:
    """The error for a file, given one of UNREADABLE."""
    return UnusableFile(f"{path}: {_why(error)}")


def _why(error: Exception) -> str:
    if isinstance(error, RuntimeError):
        return f"{error}. Unpack it first."
    return str((isinstance(error, OSError) and error.strerror) or error)
