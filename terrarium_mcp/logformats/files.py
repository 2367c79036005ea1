"""Finds the files that an import names: folders, patterns, archives, standard input.

Of a file only the line at hand is in memory, however long it is. What an archive says about itself
is not believed: reading ends once more comes out than any log could shrink to.
"""

import bz2
import codecs
import glob
import gzip
import io
import lzma
import shutil
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import IO, Any, cast

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.log_reader import LONGEST_LINE
from terrarium_mcp.zstd import ZstdError, ZstdFile

STANDARD_INPUT = "-"

LARGEST_RATIO = 200
"""How many times its file a stream may grow. Chat shrinks to a tenth, repeated lines to less."""

ALWAYS_ALLOWED = 64 * 1024 * 1024
"""Bytes that any stream may have, whatever the size of its file."""

_COMPRESSED: dict[str, Callable[[Path], IO[bytes]]] = {
    ".gz": lambda path: cast("IO[bytes]", gzip.GzipFile(path)),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
    ".zst": lambda path: cast("IO[bytes]", ZstdFile(path)),
}
_TAR = (".tar", ".tar.zst", ".tzst", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")


_DAMAGED = (lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, ZstdError, zlib.error)

_NOT_UNPACKED = (RuntimeError, NotImplementedError)
"""What zipfile raises for a file that is encrypted, or packed in a way that it does not know."""


class UnusableFile(TerrariumError):
    """A file that an import names cannot be read."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file to import.

    Attributes:
        path: as people are told; a file in an archive has the archive's in front.
        name: the path in which the place of the log is looked for, without `.gz` and the like.
        stored: where its bytes are, if they are a file of their own: databases need one.
    """

    path: str
    name: str
    stored: Path
    _open: Callable[[], IO[bytes]]
    """Can be pickled: another process may read the file."""

    @property
    def folder(self) -> str:
        """Where it is, for people to read; empty if that is not known."""
        return self.path.rpartition("/")[0]

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Its bytes, decompressed.

        Raises:
            UnusableFile: it cannot be read.
        """
        with _readable(self.path), self._open() as stream:
            yield stream


def lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream, without line breaks. Of one that is too long, only its beginning."""
    while line := _next_line(stream):
        yield line.rstrip(b"\r\n")
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE + 1)


def _next_line(stream: IO[bytes]) -> bytes:
    """The next line, or its beginning; empty at the end.

    What precedes its text is dropped: the zeros that a crash leaves in a file, however many, and
    the byte order mark that an editor puts in front, also where files were joined.
    """
    line = b""
    while read := stream.readline(LONGEST_LINE + 1 - len(line)):
        line = (line + read).lstrip(b"\0").removeprefix(codecs.BOM_UTF8)
        if line.endswith(b"\n") or len(line) > LONGEST_LINE:
            break
    return line


def log_files(paths: Iterable[str], scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """The files that paths name, in the order of names; an error for what cannot be read.

    `scratch` is a folder for what has to be unpacked first, and for standard input.
    """
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if path == STANDARD_INPUT:
            yield _standard_input(scratch)
        elif found := _named(path):
            for one in found:
                yield from _at(one, seen, scratch)
        else:
            yield UnusableFile(f"{path}: there is no such file.")


def _named(path: str) -> list[Path]:
    """What a path or a pattern names. `#tea[1].log` may be a name too."""
    if Path(path).exists():
        return [Path(path)]
    return sorted(map(Path, glob.glob(path, recursive=True)))  # noqa: PTH207 -- Path.glob takes no absolute pattern


def _at(path: Path, seen: set[tuple[int, int]], scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """The files at a path, each once: links may lead back to a folder."""
    try:
        with _readable(str(path)):
            status = path.stat()
            if (identity := (status.st_dev, status.st_ino)) in seen:
                return
            seen.add(identity)
            if S_ISREG(status.st_mode):
                yield from _unpacked(path, scratch)
                return
            if not S_ISDIR(status.st_mode):
                yield UnusableFile(
                    f"{path}: neither a file nor a folder. A pipe is read from standard input:"
                    " terrarium-mcp import -"
                )
                return
            inside = sorted(path.iterdir())
    except UnusableFile as error:
        yield error
        return
    for one in inside:
        yield from _at(one, seen, scratch)


def _unpacked(path: Path, scratch: Path) -> Iterator[LogFile]:
    """A file, or those in an archive."""
    name = path.name.lower()
    if name.endswith(".zip"):
        yield from _zipped(path, scratch)
    elif name.endswith(_TAR):
        yield from _tarred(path, scratch)
    elif path.suffix.lower() in _COMPRESSED:
        yield LogFile(str(path), path.with_suffix("").as_posix(), path, partial(_bounded, path))
    else:
        yield LogFile(str(path), path.as_posix(), path, partial(_plain, path))


def _plain(path: Path) -> IO[bytes]:
    return path.open("rb")


def _bounded(path: Path) -> IO[bytes]:
    decompress = _COMPRESSED[path.suffix.lower()]
    return bounded(decompress(path), path.stat().st_size)


def _zipped(path: Path, scratch: Path) -> Iterator[LogFile]:
    changed = path.stat().st_mtime_ns
    archive = _archive(path, changed)
    names = sorted(one.filename for one in archive.infolist() if not one.is_dir())
    folder = _new_folder(scratch)
    for number, name in enumerate(names):
        if (suffix := PurePosixPath(name).suffix.lower()) in _COMPRESSED:
            unpacked_at = folder / f"{number}{suffix}"
            with _member(path, changed, name) as content, unpacked_at.open("wb") as unpacked:
                shutil.copyfileobj(content, unpacked)
            yield _unpacked_member(path, name, unpacked_at)
        else:
            yield LogFile(f"{path}/{name}", name, path, partial(_member, path, changed, name))


@lru_cache(maxsize=4)
def _archive(path: Path, changed: int) -> zipfile.ZipFile:  # noqa: ARG001 -- another file is another
    """An archive as it was changed last. It stays open: its directory may be long."""
    return zipfile.ZipFile(path)


def _member(path: Path, changed: int, name: str) -> IO[bytes]:
    archive = _archive(path, changed)
    return bounded(archive.open(name), archive.getinfo(name).compress_size)


def _tarred(path: Path, scratch: Path) -> Iterator[LogFile]:
    """The files in an archive of tar, unpacked: to read one, all before it must be read."""
    folder = _new_folder(scratch)
    names: dict[str, Path] = {}
    with _tar_at(path) as archive:
        for number, member in enumerate(archive):
            content = archive.extractfile(member) if member.isfile() else None
            if content:
                suffix = PurePosixPath(member.name).suffix.lower()
                names[member.name] = folder / f"{number}{suffix if suffix in _COMPRESSED else ''}"
                with content, names[member.name].open("wb") as unpacked:
                    shutil.copyfileobj(bounded(content, path.stat().st_size), unpacked)
    for name in sorted(names):
        yield _unpacked_member(path, name, names[name])


def _new_folder(scratch: Path) -> Path:
    """A folder for what an archive holds."""
    folder = scratch / f"archive-{len(list(scratch.iterdir()))}"
    folder.mkdir()
    return folder


def _unpacked_member(archive: Path, name: str, unpacked_at: Path) -> LogFile:
    """A file of an archive that was unpacked; it may be compressed itself, as rotated logs are."""
    if unpacked_at.suffix in _COMPRESSED:
        original = str(PurePosixPath(name).with_suffix(""))
        return LogFile(f"{archive}/{name}", original, unpacked_at, partial(_bounded, unpacked_at))
    return LogFile(f"{archive}/{name}", name, unpacked_at, partial(_plain, unpacked_at))


@contextmanager
def _tar_at(path: Path) -> Iterator[tarfile.TarFile]:
    if not path.name.lower().endswith((".zst", ".tzst")):
        with tarfile.open(path) as archive:
            yield archive
        return
    with ZstdFile(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        yield archive


def _standard_input(scratch: Path) -> LogFile:
    copy = scratch / "standard-input"
    with copy.open("wb") as written:
        shutil.copyfileobj(sys.stdin.buffer, written)
    return LogFile("standard input", "", copy, partial(_plain, copy))


def bounded(stream: IO[bytes], size: int) -> IO[bytes]:
    """A stream that fails once it is much larger than the `size` bytes that it was packed in."""
    return io.BufferedReader(_BoundedReader(stream, max(size * LARGEST_RATIO, ALWAYS_ALLOWED)))


class _BoundedReader(io.RawIOBase):
    """Reads at most `most` bytes."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream = stream
        self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise UnusableFile(
                "It holds far more than its size suggests, as an archive does that is meant to fill"
                " a disk. Unpack it yourself if it is genuine."
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turn failures of reading a file into one error that names it.

    Raises:
        UnusableFile: it cannot be read.
    """
    try:
        yield
    except UnusableFile as error:
        raise UnusableFile(f"{path}: {error}") from error
    except _NOT_UNPACKED as error:
        raise UnusableFile(f"{path}: {error}. Unpack it first.") from error
    except (OSError, EOFError, *_DAMAGED) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UnusableFile(f"{path}: {reason}") from error
