"""Bounds the body of a response while it is read, so that an endless one fills no memory.

It is decompressed here, piece by piece: DEFLATE can turn one byte into 1,032. A body compressed
more than once is refused.
"""

import math
import zlib
from collections.abc import AsyncIterator, Iterator

import httpx2

ACCEPT_ENCODING = "gzip, deflate"
"""The codings that are read: one of them at a time."""

_CODINGS = frozenset(ACCEPT_ENCODING.split(", "))
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_PIECE = 65_536  # bytes


class BodyTooLarge(httpx2.ReadError):
    """The server sent more than any answer needs."""


def bound_body(response: httpx2.Response, limit: float = math.inf) -> None:
    """Let reading a response fail after `limit` bytes of its body, as it is uncompressed.

    Reading raises BodyTooLarge then, and httpx2.DecodingError for a compressed body that is damaged
    or ends early. Whatever the limit, no more than a piece is in memory at once.

    Raises:
        httpx2.DecodingError: it has a coding that is not in ACCEPT_ENCODING, or several.
    """
    named = response.headers.get_list("content-encoding", split_commas=True)
    codings = [one for name in named if (one := name.strip().lower()) not in ("", "identity")]
    if len(codings) > 1 or not _CODINGS.issuperset(codings):
        raise httpx2.DecodingError(f"compressed as {', '.join(codings)[:60]}, which is not read")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.headers.pop("content-encoding", None)
        response.stream = _BoundedBody(response.stream, limit, is_compressed=bool(codings))


class _BoundedBody(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.AsyncByteStream, limit: float, *, is_compressed: bool) -> None:
        self._body = body
        self._limit = limit
        self._compressed = zlib.decompressobj(_GZIP_OR_ZLIB) if is_compressed else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        is_empty = True
        async for part in self._body:
            is_empty = is_empty and not part
            for piece in self._pieces(part):
                read += len(piece)
                if read > self._limit:
                    raise BodyTooLarge(f"more than {self._limit:,} bytes")
                yield piece
        # An answer without a body, as to HEAD, may name a coding all the same (RFC 9110 8.4).
        if self._compressed is not None and not self._compressed.eof and not is_empty:
            raise httpx2.DecodingError("the compressed body ends early")

    def _pieces(self, part: bytes) -> Iterator[bytes]:
        """A part of the body, uncompressed."""
        if self._compressed is None:
            yield part
            return
        piece = b""
        # A whole piece may leave some in the decompressor; what follows the end is no part of it.
        while (part or len(piece) == _PIECE) and not self._compressed.eof:
            try:
                piece = self._compressed.decompress(part, _PIECE)
            except zlib.error as error:
                raise httpx2.DecodingError(str(error)) from error
            part = self._compressed.unconsumed_tail
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
