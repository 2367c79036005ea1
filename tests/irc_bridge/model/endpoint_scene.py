"""A model client for scenes with a stand-in: its clock is moved by hand, and it never sleeps."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
from tenacity import wait_none
from tenacity.wait import wait_base

from terrarium_mcp.irc_bridge.model.client import LLM, ModelChoice
from terrarium_mcp.irc_bridge.model.retries import Sleep
from tests.patience import PATIENCE

GLM = ModelChoice(base_url="", api_key="", model="glm", temperature=0.8, max_tokens=512, timeout=20)
NO_PAUSE = wait_none()


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
async def llm_for(
    url: str,
    *,
    wait: wait_base = NO_PAUSE,
    clock: Callable[[], float] = time.monotonic,
    sleep: Sleep = anyio.sleep,
    **changes: Any,
) -> AsyncIterator[LLM]:
    """The model `glm` at an address; `changes` are of its `ModelChoice`."""
    llm = LLM(replace(GLM, base_url=url, **changes), wait=wait, clock=clock, sleep=sleep)
    try:
        with anyio.fail_after(PATIENCE):
            yield llm
    finally:
        await llm.aclose()
