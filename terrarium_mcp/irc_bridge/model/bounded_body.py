"""Bounds the body of a response while it is read, so that an endless one fills no memory."""

from collections.abc import AsyncIterator

import httpx2

MAX_BYTES = 4_000_000
"""Bytes of a response; a completion of 8,000 tokens is about 40,000."""

MAX_COMPRESSED_BYTES = 16_000
"""Bytes of a compressed response, which nobody asked for: DEFLATE makes up to 1,032 of one."""


class BodyTooLarge(httpx2.ReadError):
    """The endpoint sent more than any answer needs."""


async def bound_body(response: httpx2.Response) -> None:
    """Let reading `response` fail with BodyTooLarge after its bound; a response hook of httpx2."""
    is_compressed = response.headers.get("content-encoding", "identity") != "identity"
    limit = MAX_COMPRESSED_BYTES if is_compressed else MAX_BYTES
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _BoundedBody(response.stream, limit)


class _BoundedBody(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.AsyncByteStream, limit: int) -> None:
        self._body = body
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for part in self._body:
            read += len(part)
            if read > self._limit:
                raise BodyTooLarge(f"more than {self._limit:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()
