"""The files in archives, zip and tar. What an archive may give is limited (unpacking.py)."""

import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import IO, cast

from terrarium_mcp.logformats.files import (
    UNREADABLE,
    LogFile,
    UnusableFile,
    stored_file,
    unusable,
)
from terrarium_mcp.logformats.unpacking import (
    BEGINNINGS,
    COMPRESSED,
    Allowance,
    bounded,
    decompressed,
)
from terrarium_mcp.wording import shown

LONGEST_PATH, LONGEST_NAME = 4096, 255
"""Characters of the name of a file in an archive, and of each of its parts: as Linux allows it."""

_BLOCK = 4096
"""Bytes that a file takes of a disk at least."""

_LONGEST_HEADER = 1024 * 1024
"""Bytes that a header of tar may have: names, and what a file system keeps beside a file."""

_IS_UTF_8 = 0x800
"""The flag of a zip's member whose name is UTF-8 (APPNOTE.TXT 4.4.4, bit 11)."""

_WITH_BACKSLASHES_IN_NAMES = (3, 19)
"""The systems on which a zip was made where a name may hold a backslash: Unix and macOS
(APPNOTE.TXT 4.4.2)."""


def zipped(path: Path, scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """The files in a zip; those that are compressed themselves are unpacked."""
    status = path.stat()
    changed = status.st_mtime_ns
    archive = _archive(path, changed)
    members = {name: one for one in archive.infolist() if _is_of_a_file(name := _name_of(one))}
    allowance = Allowance(status.st_size)
    allowance.spend(sum(one.file_size for one in members.values()))  # none gives more than it says
    with _new_folder(scratch) as folder:
        found: list[LogFile | UnusableFile] = []
        for name in sorted(members):
            open_it = partial(_member, path, changed, members[name].filename)
            if _is_too_long(name):
                found.append(_with_long_name(path, name))
            elif _is_compressed(name):
                found.append(_stored(path, name, open_it, folder, allowance))
            else:
                found.append(LogFile(f"{path}/{name}", name, path, status.st_size, open_it))
    yield from found


def _name_of(member: zipfile.ZipInfo) -> str:
    """The path of a file in a zip, as its packer meant it.

    Without the flag that it is UTF-8, `zipfile` reads a name as cp437, though some packers write
    UTF-8 all the same; and on Windows some separate folders as paths there do.
    """
    name = member.filename
    if not member.flag_bits & _IS_UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name if member.create_system in _WITH_BACKSLASHES_IN_NAMES else name.replace("\\", "/")


@lru_cache(maxsize=4)
def _archive(path: Path, changed: int) -> zipfile.ZipFile:  # noqa: ARG001 -- another file is another
    """An archive as it was changed last. It stays open: its directory may be long."""
    return zipfile.ZipFile(path)


def _member(path: Path, changed: int, name: str) -> IO[bytes]:
    allowance = Allowance(path.stat().st_size)
    return bounded(_archive(path, changed).open(name), allowance)


def tarred(path: Path, scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """The files in an archive of tar, unpacked: to read one, all before it must be read."""
    found: dict[str, LogFile | UnusableFile] = {}
    allowance = Allowance(path.stat().st_size)
    with _new_folder(scratch) as folder, _tar_at(path) as archive:
        while member := archive.next():
            vars(archive)["members"].clear()  # else it keeps all of them
            if member.isfile() and _is_too_long(member.name):
                found[member.name] = _with_long_name(path, member.name)
            elif member.isfile() and (content := archive.extractfile(member)):
                open_it = partial(closing, content)
                found[member.name] = _stored(path, member.name, open_it, folder, allowance)
    for name in sorted(found):
        yield found[name]


@contextmanager
def _tar_at(path: Path) -> Iterator[tarfile.TarFile]:
    """An archive of tar, compressed or not, whose files are read in their order."""
    with path.open("rb") as stored:
        beginning = stored.read(max(map(len, BEGINNINGS)))
        stored.seek(0)
        suffix = next((one for mark, one in BEGINNINGS.items() if beginning.startswith(mark)), "")
        content = decompressed(stored, suffix) if suffix else cast("IO[bytes]", stored)
        stream = _TarStream(bounded(content, Allowance(path.stat().st_size)))
        with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r:") as archive:
            yield archive


class _TarStream:
    """What `tarfile` reads an archive from: forward only, and no header that fills the memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, position: int) -> None:
        while self._at < position and self.read(min(position - self._at, _LONGEST_HEADER)):
            pass

    def read(self, size: int) -> bytes:
        if size > _LONGEST_HEADER:  # files are read in smaller pieces
            raise tarfile.ReadError(f"it has a header of {size:,} bytes, as no archive of logs has")
        data = self._stream.read(size)
        self._at += len(data)
        return data


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
    open_it: Callable[[], AbstractContextManager[IO[bytes]]],
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
            allowance.spend(_BLOCK)
            with (
                bounded(inner, allowance) as read,
                tempfile.NamedTemporaryFile(dir=folder, delete=False) as stored,
            ):
                shutil.copyfileobj(read, stored)
    except UNREADABLE as error:
        return unusable(path, error)
    at = Path(stored.name)
    return stored_file(path, name, at, at.stat().st_size)


def _is_of_a_file(name: str) -> bool:
    """Whether a name in a zip is one of a file: those of folders end with a slash."""
    return name != "" and not name.endswith("/")


def _is_compressed(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in COMPRESSED


def _is_too_long(name: str) -> bool:
    return len(name) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in name.split("/"))


def _with_long_name(archive: Path, name: str) -> UnusableFile:
    return UnusableFile(f"{archive}/{shown(name)}: its name is longer than that of any file.")
