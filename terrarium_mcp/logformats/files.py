"""Finds the files that an import names: folders, patterns, archives, standard input.

Of a file only the line at hand is in memory, however long it is. What a packed file may give is
limited (unpacking.py).
"""

import codecs
import glob
import lzma
import shutil
import struct
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import IO

from terrarium_mcp.errors import TerrariumError, shown
from terrarium_mcp.logformats.log_reader import LONGEST_LINE
from terrarium_mcp.logformats.unpacking import (
    COMPRESSED,
    Allowance,
    HoldsTooMuch,
    bounded,
    decompressed,
    tar_at,
)
from terrarium_mcp.zstd import ZstdError

STANDARD_INPUT = "-"

LONGEST_PATH, LONGEST_NAME = 4096, 255
"""Characters of the name of a file in an archive, and of each of its parts: as Linux allows it."""

_TAR = (".tar", ".tar.zst", ".tzst", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")


_DAMAGED = (
    *(EOFError, OverflowError, ValueError, lzma.LZMAError, struct.error, tarfile.TarError),
    *(zipfile.BadZipFile, ZstdError, zlib.error),
)

_NOT_UNPACKED = (RuntimeError, NotImplementedError)
"""What zipfile raises for a file that is encrypted, or packed in a way that it does not know."""


_BLOCK = 4096
"""Bytes that a file takes of a disk at least."""


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


def _unpacked(path: Path, scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """A file, or those in an archive."""
    name = path.name.lower()
    if name.endswith(".zip"):
        yield from _zipped(path, scratch)
    elif name.endswith(_TAR):
        yield from _tarred(path, scratch)
    elif path.suffix.lower() in COMPRESSED:
        yield LogFile(str(path), path.with_suffix("").as_posix(), path, partial(_compressed, path))
    else:
        yield LogFile(str(path), path.as_posix(), path, partial(_plain, path))


def _plain(path: Path) -> IO[bytes]:
    return path.open("rb")


def _compressed(path: Path) -> IO[bytes]:
    allowance = Allowance(path.stat().st_size)
    return bounded(decompressed(path, path.suffix.lower()), allowance)


def _zipped(path: Path, scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """The files in a zip; those that are compressed themselves are unpacked."""
    changed = path.stat().st_mtime_ns
    archive = _archive(path, changed)
    members = {name: one for one in archive.infolist() if _is_of_a_file(name := one.filename)}
    allowance = Allowance(path.stat().st_size)
    allowance.take(sum(one.file_size for one in members.values()))  # none gives more than it says
    with _new_folder(scratch) as folder:
        found: list[LogFile | UnusableFile] = []
        for name in sorted(members):
            if _is_compressed(name) and not _is_too_long(name):
                open_it = partial(_member, path, changed, name)
                found.append(_stored(path, name, open_it, folder, allowance))
            else:
                found.append(_in_zip(path, changed, name))
    yield from found


def _in_zip(path: Path, changed: int, name: str) -> LogFile | UnusableFile:
    if _is_too_long(name):
        return _with_long_name(path, name)
    return LogFile(f"{path}/{name}", name, path, partial(_member, path, changed, name))


@lru_cache(maxsize=4)
def _archive(path: Path, changed: int) -> zipfile.ZipFile:  # noqa: ARG001 -- another file is another
    """An archive as it was changed last. It stays open: its directory may be long."""
    return zipfile.ZipFile(path)


def _member(path: Path, changed: int, name: str) -> IO[bytes]:
    allowance = Allowance(path.stat().st_size)
    return bounded(_archive(path, changed).open(name), allowance)


def _tarred(path: Path, scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """The files in an archive of tar, unpacked: to read one, all before it must be read."""
    found: dict[str, LogFile | UnusableFile] = {}
    allowance = Allowance(path.stat().st_size)
    with _new_folder(scratch) as folder, tar_at(path) as archive:
        while member := archive.next():
            vars(archive)["members"].clear()  # else it keeps all of them
            if member.isfile() and _is_too_long(member.name):
                found[member.name] = _with_long_name(path, member.name)
            elif member.isfile() and (content := archive.extractfile(member)):
                open_it = partial(_itself, content)
                found[member.name] = _stored(path, member.name, open_it, folder, allowance)
    for name in sorted(found):
        yield found[name]


def _itself(stream: IO[bytes]) -> IO[bytes]:
    return stream


@contextmanager
def _new_folder(scratch: Path) -> Iterator[Path]:
    """A folder for what an archive holds; it is removed if the archive cannot be read."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder)
        raise


def _stored(
    archive: Path,
    name: str,
    open_it: Callable[[], IO[bytes]],
    folder: Path,
    allowance: Allowance,
) -> LogFile | UnusableFile:
    """A file of an archive, stored in a folder; decompressed, as rotated logs may be compressed.

    Raises:
        HoldsTooMuch: the archive may not give as much.
    """
    path = f"{archive}/{name}"
    try:
        with open_it() as content:
            if _is_compressed(name):
                inner = decompressed(content, PurePosixPath(name).suffix.lower())
                name = str(PurePosixPath(name).with_suffix(""))
            else:
                inner = content
            allowance.take(_BLOCK)
            with (
                bounded(inner, allowance) as read,
                tempfile.NamedTemporaryFile(dir=folder, delete=False) as stored,
            ):
                shutil.copyfileobj(read, stored)
    except (OSError, *_DAMAGED, *_NOT_UNPACKED) as error:
        return UnusableFile(f"{path}: {_why(error)}")
    stored_at = Path(stored.name)
    return LogFile(path, name, stored_at, partial(_plain, stored_at))


def _is_of_a_file(name: str) -> bool:
    """Whether a name in a zip is one of a file: those of folders end with a slash."""
    return name != "" and not name.endswith("/")


def _is_compressed(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in COMPRESSED


def _is_too_long(name: str) -> bool:
    return len(name) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in name.split("/"))


def _with_long_name(archive: Path, name: str) -> UnusableFile:
    return UnusableFile(f"{archive}/{shown(name)}: its name is longer than that of any file.")


def _standard_input(scratch: Path) -> LogFile:
    copy = scratch / "standard-input"
    with copy.open("wb") as written:
        shutil.copyfileobj(sys.stdin.buffer, written)
    return LogFile("standard input", "", copy, partial(_plain, copy))


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turn failures of reading a file into one error that names it.

    Raises:
        UnusableFile: it cannot be read.
    """
    try:
        yield
    except (UnusableFile, HoldsTooMuch) as error:
        raise UnusableFile(f"{path}: {error}") from error
    except (OSError, *_DAMAGED, *_NOT_UNPACKED) as error:
        raise UnusableFile(f"{path}: {_why(error)}") from error


def _why(error: Exception) -> str:
    """Why a file cannot be read."""
    if isinstance(error, _NOT_UNPACKED):
        return f"{error}. Unpack it first."
    return str((isinstance(error, OSError) and error.strerror) or error)
