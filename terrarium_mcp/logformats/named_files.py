"""Finds the files that the paths of an import name: folders, patterns, archives, standard input."""

import glob
import os
import shutil
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.logformats.archives import tarred, zipped
from terrarium_mcp.logformats.decoding import decoded_otherwise
from terrarium_mcp.logformats.files import LogFile, UnusableFile, readable, stored_file
from terrarium_mcp.logformats.unpacking import COMPRESSED, Allowance, bounded, decompressed

STANDARD_INPUT = "-"

_TAR = (".tar", ".tar.zst", ".tzst", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")


def log_files(
    paths: Iterable[str], scratch: Path, encoding: str = ""
) -> Iterator[LogFile | UnusableFile]:
    """The files that paths name, in the order of names; an error for what cannot be read.

    Links come last, and what they lead to only if the paths name it nowhere else. `scratch` is a
    folder for what has to be unpacked first, and for standard input. A name that is not UTF-8 is
    read as the lines are: in `encoding`, else as cp1252, else as latin-1.
    """
    spelt = dict[str, bool]()  # whether the name of each was read in another encoding
    for file in _found(paths, scratch):
        if isinstance(file, UnusableFile):
            yield file
            continue
        path = readable_name(file.path, encoding)
        is_other = path != file.path
        if path in spelt and (is_other or spelt[path]):
            yield UnusableFile(
                f"{path}: there is another file of this name, spelt in another encoding. Import"
                " one of them alone, and say whose it is: --channel '#tea'"
            )
            continue
        spelt[path] = is_other
        yield (
            replace(file, path=path, name=readable_name(file.name, encoding)) if is_other else file
        )


def readable_name(path: str, encoding: str = "") -> str:
    """A path whose names are UTF-8, or were read in another encoding where they are not.

    Python keeps each byte that is not UTF-8 as a surrogate, which looks like any other.
    """
    if _is_utf_8(path):
        return path
    return "/".join(
        part if _is_utf_8(part) else _read_otherwise(part, encoding) for part in path.split("/")
    )


def _is_utf_8(name: str) -> bool:
    return name.isascii() or encodable(name) == name


def _read_otherwise(name: str, encoding: str) -> str:
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # on Windows, whose names are no bytes
        return encodable(name)
    return decoded_otherwise(raw, encoding)[0]


def _found(paths: Iterable[str], scratch: Path) -> Iterator[LogFile | UnusableFile]:
    walk = _Walk(scratch)
    for path in paths:
        if path == STANDARD_INPUT:
            yield _standard_input(scratch)
        elif found := _named(path):
            for one in found:
                yield from walk.at(one)
        else:
            yield UnusableFile(f"{path}: there is no such file.")
    yield from walk.behind_links()


def _named(path: str) -> list[Path]:
    """What a path or a pattern names. `#tea[1].log` may be a name too."""
    try:
        if Path(path).exists():
            return [Path(path)]
    except OSError:  # a folder of it is closed, which is said when it is read
        return [Path(path)]
    return sorted(map(Path, glob.glob(path, recursive=True)))  # noqa: PTH207 -- Path.glob takes no absolute pattern


class _Walk:
    """A walk through files and folders that comes to each once: links may lead back to a folder.

    Links come last. What they lead to may be on the way as well, and its own path tells its network
    and its channel.
    """

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._seen = set[tuple[int, int]]()
        self._links = deque[Path]()

    def at(self, path: Path) -> Iterator[LogFile | UnusableFile]:
        """The files at a path, except behind links."""
        if os.path.islink(path):  # noqa: PTH114 -- which raises nothing of a closed folder
            self._links.append(path)
        else:
            yield from self._files(path)

    def behind_links(self) -> Iterator[LogFile | UnusableFile]:
        """The files behind the links that the walk came by."""
        while self._links:
            yield from self._files(self._links.popleft())

    def _files(self, path: Path) -> Iterator[LogFile | UnusableFile]:
        try:
            with readable(str(path)):
                status = path.stat()
                if (identity := (status.st_dev, status.st_ino)) in self._seen:
                    return
                self._seen.add(identity)
                if S_ISREG(status.st_mode):
                    yield from _unpacked(path, status.st_size, self._scratch)
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
            yield from self.at(one)


def _unpacked(path: Path, size: int, scratch: Path) -> Iterator[LogFile | UnusableFile]:
    """A file, or those in an archive."""
    name = path.name.lower()
    if name.endswith(".zip"):
        yield from zipped(path, scratch)
    elif name.endswith(_TAR):
        yield from tarred(path, scratch)
    elif path.suffix.lower() in COMPRESSED:
        name_within = path.with_suffix("").as_posix()
        yield LogFile(str(path), name_within, path, size, partial(_compressed, path))
    else:
        yield stored_file(str(path), path.as_posix(), path, size)


def _compressed(path: Path) -> IO[bytes]:
    allowance = Allowance(path.stat().st_size)
    return bounded(decompressed(path, path.suffix.lower()), allowance)


def _standard_input(scratch: Path) -> LogFile:
    copy = scratch / "standard-input"
    with copy.open("wb") as written:
        shutil.copyfileobj(sys.stdin.buffer, written)
    return stored_file("standard input", "", copy, copy.stat().st_size)
