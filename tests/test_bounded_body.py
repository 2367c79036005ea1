"""What is read of a body has bounds, however it is compressed."""

import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.bounded_body import BodyTooLarge, bound_body


@dataclass
class Sent(httpx2.AsyncByteStream):
    """A body as it comes from the network, in parts."""

    parts: Sequence[bytes]

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part


def response(*parts: bytes, coding: str = "") -> httpx2.Response:
    headers = {"content-encoding": coding} if coding else {}
    request = httpx2.Request("GET", "http://a.example")
    return httpx2.Response(200, headers=headers, stream=Sent(parts), request=request)


def halves(body: bytes, at: int) -> tuple[bytes, bytes]:
    return body[: at % (len(body) + 1)], body[at % (len(body) + 1) :]


@given(st.binary(max_size=300), st.integers(0, 900), st.integers(0, 400))
async def test_what_fits_is_read_as_it_was_before_it_was_compressed(
    body: bytes, repeated: int, cut: int
) -> None:
    whole = body * repeated
    for coding, sent in (
        ("", whole),
        ("identity", whole),
        ("gzip", gzip.compress(whole)),
        ("Deflate", zlib.compress(whole)),
    ):
        answer = response(*halves(sent, cut), coding=coding)
        bound_body(answer, len(whole))
        assert await answer.aread() == whole


@pytest.mark.parametrize("coding", ["", "gzip"])
async def test_what_is_larger_is_not_read(coding: str) -> None:
    body = b"x" * 100_001
    answer = response(gzip.compress(body) if coding else body, coding=coding)
    bound_body(answer, 100_000)
    with pytest.raises(BodyTooLarge, match="more than 100,000 bytes"):
        await answer.aread()


@pytest.mark.parametrize("coding", ["gzip, gzip", "zstd", "br", "identity, zstd", "gzip, br"])
def test_a_coding_that_cannot_be_bounded_is_refused(coding: str) -> None:
    with pytest.raises(httpx2.DecodingError, match="which is not read"):
        bound_body(response(b"", coding=coding))


async def test_a_stream_without_a_limit_is_unpacked_piece_by_piece() -> None:
    answer = response(gzip.compress(bytes(50_000_000)), coding="gzip")
    bound_body(answer)
    size = 0
    tracemalloc.start()
    async for piece in answer.aiter_bytes():
        size += len(piece)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == 50_000_000
    assert most < 2_000_000


@pytest.mark.parametrize(
    ("coding", "compress"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
async def test_a_compressed_body_that_breaks_off_is_not_taken_for_a_whole_one(
    coding: str, compress: Callable[[bytes], bytes]
) -> None:
    sent = compress(b"green tea")
    for length in range(1, len(sent)):
        answer = response(sent[:length], coding=coding)
        bound_body(answer)
        with pytest.raises(httpx2.DecodingError, match="the compressed body ends early"):
            await answer.aread()


@pytest.mark.parametrize("parts", [(), (b"",)])
async def test_an_answer_without_a_body_may_name_a_coding(parts: Sequence[bytes]) -> None:
    answer = response(*parts, coding="gzip")
    bound_body(answer)
    assert await answer.aread() == b""


async def test_what_follows_the_end_of_a_compressed_body_is_left_out() -> None:
    answer = response(gzip.compress(b"tea") + b"garbage", b"more of it", coding="gzip")
    bound_body(answer, 10)
    assert await answer.aread() == b"tea"
