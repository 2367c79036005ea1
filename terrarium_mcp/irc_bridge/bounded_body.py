"""Bounds the body of a response while it is read, so that an endless one fills no memory."""

from collections.abc import AsyncIterator

import httpx2


class BodyTooLarge(httpx2.ReadError):
    """The server sent more than any answer needs."""


def bound(response: httpx2.Response, limit: int) -> None:
    """Let reading a response fail after `limit` bytes of its body, as it is sent.

    Reading raises BodyTooLarge then.
    """
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
