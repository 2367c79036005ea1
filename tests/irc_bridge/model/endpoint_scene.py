"""A model client for scenes with a stand-in: its clock is moved by hand, and it never sleeps."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from tenacity import wait_none

from terrarium_mcp.irc_bridge.model.client import LLM


@dataclass
class Clock:
    """A clock that a test moves; to sleep by it takes no time."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


@asynccontextmanager
async def llm_for(url: str, **changes: Any) -> AsyncIterator[LLM]:
    """The model `glm` at an address."""
    settings: dict[str, Any] = {
        "base_url": url,
        "api_key": "",
        "model": "glm",
        "temperature": 0.8,
        "max_tokens": 512,
        "timeout": 20,
        "wait": wait_none(),
    }
    llm = LLM(**settings | changes)
    try:
        with anyio.fail_after(15):
            yield llm
    finally:
        await llm.aclose()
