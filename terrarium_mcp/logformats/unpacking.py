"""Reads what is packed, up to a limit.

What an archive says about itself is not believed: reading ends once more comes out, of all that is
packed in it together, than logs could shrink from.
"""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.zstd import ZSTD_MAGIC, ZstdFile

LARGEST_RATIO = 100
"""How many times its size a file may give. Chat shrinks to a tenth or a twentieth, the same lines
in several logs to less."""

ALWAYS_ALLOWED = 64 * 1024 * 1024
"""Bytes that a file may give, whatever its size."""

_AT_ONCE = 4096
"""Bytes read at a time. From a zip member packed with bzip2, 4,096 bytes expand to 80 MB at
most."""

_DECOMPRESS: dict[str, Callable[[Path | IO[bytes]], IO[bytes]]] = {
    ".gz": lambda packed: cast("IO[bytes]", gzip.open(packed)),  # noqa: SIM115 -- the caller closes it
    ".xz": lzma.LZMAFile,
    ".bz2": lambda packed: cast("IO[bytes]", bz2.BZ2File(packed)),
    ".zst": lambda packed: cast("IO[bytes]", ZstdFile(packed)),
}

COMPRESSED = frozenset(_DECOMPRESS)
"""The endings of names of files that are compressed."""

BEGINNINGS = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"BZh": ".bz2", ZSTD_MAGIC: ".zst"}
"""How compressed files begin, each with the ending of its name."""


class HoldsTooMuch(TerrariumError):
    """A packed file gives more bytes than it may."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"It holds more than {most // 1024**2:,} MiB, far more than its size suggests, as an"
            " archive does that is meant to fill a disk. Unpack it yourself if it is genuine."
        )


class Allowance:
    """How many bytes a packed file may give, with all that is packed in it."""

    def __init__(self, size: int) -> None:
        """The allowance of a file of `size` bytes."""
        self._most = self._left = max(size * LARGEST_RATIO, ALWAYS_ALLOWED)

    def spend(self, size: int) -> None:
        """Note that it gave `size` bytes.

        Raises:
            HoldsTooMuch: it may not give as many.
        """
        self._left -= size
        if self._left < 0:
            raise HoldsTooMuch(self._most)


def decompressed(packed: Path | IO[bytes], suffix: str) -> IO[bytes]:
    """The content of a compressed file whose name ends with `suffix`, one of COMPRESSED."""
    return _DECOMPRESS[suffix](packed)


def bounded(stream: IO[bytes], allowance: Allowance) -> IO[bytes]:
    """A stream of which what is read is taken from an allowance."""
    return io.BufferedReader(_BoundedReader(stream, allowance))


class _BoundedReader(io.RawIOBase):
    def __init__(self, stream: IO[bytes], allowance: Allowance) -> None:
        self._stream = stream
        self._allowance = allowance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(min(len(buffer), _AT_ONCE))
        self._allowance.spend(len(data))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
