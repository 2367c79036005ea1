"""The file of a backup: a tar archive, perhaps compressed with zstd, that begins with its manifest.

    manifest.json        version, schema, counts, and size and SHA-256 of each file
    history.db           the database
    enhancements/*.md    the backlog

`tar xf` unpacks it too. Nothing is believed because of its name: what a manifest does not name, or
has another sum, makes the whole file useless.
"""

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, cast

from terrarium_mcp.chat.times.timestamps import from_iso
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store.private_files import PRIVATE, create_private
from terrarium_mcp.zstd import ZSTD_MAGIC, ZstdError, ZstdFile

VERSION = 1
MANIFEST, DATABASE, BACKLOG = "manifest.json", "history.db", "enhancements"

_MEMBER = re.compile(rf"{re.escape(DATABASE)}|{BACKLOG}/[^/\x00-\x1f.][^/\x00-\x1f]*\.md")
"""Names of files in a backup. None leads out of the folder; people may name ideas as they like."""

_MOST_MANIFEST = 1_000_000
_BLOCK = 1024 * 1024


class BackupFailed(HostFailure):
    """A backup could not be made; nothing was left."""


class NotABackup(HostFailure):
    """The file is no backup, or it is damaged."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file in a backup: its size in bytes, and the SHA-256 of its content."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds.

    Attributes:
        made_at: when (ISO 8601, UTC).
        program: the name and version of the program that made it.
        schema: the version of the database.
        messages: how many messages it holds.
        private_messages: how many private ones besides.
        rooms: how many rooms.
        files: its files, by their names in it.
    """

    made_at: str
    program: str
    schema: int
    messages: int
    private_messages: int
    rooms: int
    files: Mapping[str, PackedFile]

    def as_json(self) -> bytes:
        """The manifest as it is written."""
        return json.dumps({"terrarium_backup": VERSION, **asdict(self)}, indent=1).encode()

    @classmethod
    def parse(cls, text: bytes) -> "Manifest":
        """A manifest as it is read.

        Raises:
            NotABackup: it is none, or of a later version.
        """
        try:
            fields = json.loads(text)
            version = fields.pop("terrarium_backup")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise NotABackup("it is not a backup of terrarium-mcp") from error
        if version != VERSION:
            raise NotABackup(
                f"it has version {version} of the backup's form, and this terrarium-mcp knows"
                f" version {VERSION}: install a newer one"
            )
        try:
            packed = {name: PackedFile(**one) for name, one in fields.pop("files").items()}
            manifest = cls(**fields, files=packed)
        except (TypeError, KeyError, AttributeError) as error:
            raise NotABackup("its manifest is damaged") from error
        if not all(type(one.bytes) is int for one in packed.values()):
            raise NotABackup("its manifest is damaged")
        if DATABASE not in packed or not all(map(may_be_packed, packed)):
            raise NotABackup("its manifest names no database, or files that are not a backup's")
        return manifest


def may_be_packed(name: str) -> bool:
    """Whether a file may have this name in a backup."""
    return _MEMBER.fullmatch(name) is not None


def describe(file: Path) -> PackedFile:
    """The size and sum of a file."""
    with file.open("rb") as stream:
        return PackedFile(file.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest())


def pack(place: Path, manifest: Manifest, files: Mapping[str, Path], *, compress: bool) -> None:
    """Write a backup into the file `place`.

    Raises:
        OSError: it cannot be written.
    """
    with (
        ZstdFile(place, "wb") if compress else place.open("wb") as stream,
        tarfile.open(
            fileobj=cast("IO[bytes]", stream), mode="w|", format=tarfile.PAX_FORMAT
        ) as tar,
    ):
        text, made_at = manifest.as_json(), from_iso(manifest.made_at)
        tar.addfile(_entry(MANIFEST, len(text), made_at), io.BytesIO(text))
        for name, file in files.items():
            with file.open("rb") as content:
                tar.addfile(_entry(name, manifest.files[name].bytes, made_at), content)


def unpack(bundle: Path, folder: Path | None) -> Manifest:
    """Read a whole backup and compare it with its manifest.

    Args:
        bundle: the file.
        folder: where its files are written, under their names in it; None: nowhere.

    Raises:
        NotABackup: it is none, or a file is missing, too many, or not as it was.
        OSError: it cannot be read, or a file cannot be written.
    """
    with _members(bundle) as members:
        manifest = _manifest(members)
        found = set[str]()
        for entry, content in members:
            if entry.name not in manifest.files or entry.name in found:
                raise NotABackup(f"it holds {entry.name!r}, which its manifest does not name")
            target = folder / entry.name if folder else None
            if entry.size != manifest.files[entry.name].bytes:
                raise NotABackup(f"{entry.name} in it is damaged: its size differs")
            if _copied(content, target) != manifest.files[entry.name]:
                raise NotABackup(f"{entry.name} in it is damaged: its SHA-256 differs")
            found.add(entry.name)
    if missing := manifest.files.keys() - found:
        raise NotABackup(f"it was cut: {', '.join(sorted(missing))} is missing")
    return manifest


def manifest_in(bundle: Path) -> Manifest:
    """The manifest of a backup, which is not compared with its files.

    Raises:
        NotABackup: it is none.
        OSError: it cannot be read.
    """
    with _members(bundle) as members:
        return _manifest(members)


_BundleEntry = tuple[tarfile.TarInfo, IO[bytes]]


@contextmanager
def _members(bundle: Path) -> Iterator[Iterator[_BundleEntry]]:
    """The files in a backup, in their order."""
    try:
        with _decompressed(bundle) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
            yield _each(tar)
    except (tarfile.TarError, EOFError, ZstdError) as error:
        raise NotABackup(f"it is damaged, cut, or no backup ({error})") from error


def _each(tar: tarfile.TarFile) -> Iterator[_BundleEntry]:
    for entry in tar:
        content = tar.extractfile(entry) if entry.isfile() else None
        if content is None:
            raise NotABackup(f"it holds {entry.name!r}, which is not a file")
        yield entry, content


@contextmanager
def _decompressed(bundle: Path) -> Iterator[IO[bytes]]:
    with bundle.open("rb") as stream:
        is_compressed = stream.read(len(ZSTD_MAGIC)) == ZSTD_MAGIC
        stream.seek(0)
        if not is_compressed:
            yield stream
            return
        with ZstdFile(stream, "rb") as decompressed:
            yield cast("IO[bytes]", decompressed)


def _manifest(members: Iterator[_BundleEntry]) -> Manifest:
    entry, content = next(members, (None, None))
    if entry is None or content is None or entry.name != MANIFEST or entry.size > _MOST_MANIFEST:
        raise NotABackup("it does not begin with the manifest of a backup")
    return Manifest.parse(content.read())


def _entry(name: str, size: int, made_at: datetime) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = size, PRIVATE, made_at.timestamp()
    return entry


def _copied(content: IO[bytes], target: Path | None) -> PackedFile:
    """Read a file of a backup to its end, and write it to `target`."""
    sum_, size = hashlib.sha256(), 0
    if target:
        create_private(target)
    with target.open("wb") if target else io.BytesIO() as written:
        while block := content.read(_BLOCK):
            sum_.update(block)
            size += len(block)
            if target:
                written.write(block)
    return PackedFile(size, sum_.hexdigest())
