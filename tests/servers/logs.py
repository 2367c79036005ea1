"""Waiting for what a program in this process logs."""

import asyncio
import logging

import pytest

from terrarium_mcp.bell import Bell


async def until_logged(caplog: pytest.LogCaptureFixture, *words: str, times: int = 1) -> None:
    """Wait until that many messages of the log hold all of these words; earlier ones count."""
    with_news = _Ringing()
    logging.getLogger().addHandler(with_news)
    try:
        while sum(all(word in line for word in words) for line in caplog.messages) < times:
            await with_news.bell.wait()
    finally:
        logging.getLogger().removeHandler(with_news)


class _Ringing(logging.Handler):
    """Rings at every record, which any thread may write."""

    def __init__(self) -> None:
        super().__init__()
        self.bell = Bell()
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 -- that there is one is all
        self._loop.call_soon_threadsafe(self.bell.ring)
