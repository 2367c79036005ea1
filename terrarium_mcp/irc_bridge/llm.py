"""Asks the OpenAI-compatible endpoint for the model's next turn, patient where that helps."""

import dataclasses
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential
from tenacity.wait import wait_base

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.breaker import Breaker
from terrarium_mcp.irc_bridge.complaints import (
    complaint,
    reason,
    says_no_tools,
    says_too_long,
    shortened,
    way_out,
)
from terrarium_mcp.irc_bridge.turns import TalkMessage, ToolSchema, Turn
from terrarium_mcp.irc_bridge.wire import NotATurn, read_turn, wire_talk, wire_tool
from terrarium_mcp.settings import Settings

Answer = TypeVar("Answer")

ATTEMPTS = 3
BACKOFF = wait_random_exponential(multiplier=0.5, max=4)
CONNECT_SECONDS = 10.0
HEALTH_SECONDS = 5.0
WELL = {"ok", "healthy", "up", "ready", "running", "pass", "alive", "available"}


class ModelUnavailable(TerrariumError):
    """The endpoint gave no turn: out of reach, too slow, broken, or left alone after failures."""


class TalkTooLong(TerrariumError):
    """The talk does not fit the model's context: ask again with less of it."""


class _ToolsRejected(Exception):
    """The endpoint refused the request because it offered tools."""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the endpoint can answer, and what it said about it."""

    ok: bool
    text: str


class LLM:
    """The model behind an OpenAI-compatible endpoint.

    `takes_tools` turns false for good once the endpoint has refused a request with tools and
    taken the same one without.
    """

    takes_tools: bool = True

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        temperature: float,
        max_tokens: int,
        timeout: float,
        wait: wait_base = BACKOFF,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = re.sub(r"(/v1)?/*$", "", base_url)
        self._model = model
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._timeout = timeout
        self._wait = wait
        self._clock = clock
        self._breaker = Breaker()
        self._client = AsyncOpenAI(
            base_url=f"{self._root}/v1",
            api_key=api_key or "none",  # an empty one would be looked for in OPENAI_API_KEY
            max_retries=0,
            http_client=_fresh_connections(),
        )

    @classmethod
    def of(cls, settings: Settings, *, wait: wait_base = BACKOFF) -> "LLM":
        """The model that the settings name."""
        return cls(
            base_url=settings.agent_api_url,
            api_key=settings.agent_api_key,
            model=settings.agent_model,
            temperature=settings.agent_temperature,
            max_tokens=settings.agent_max_tokens,
            timeout=settings.agent_timeout,
            wait=wait,
        )

    async def next_turn(
        self,
        talk: Sequence[TalkMessage],
        tools: Sequence[ToolSchema],
        *,
        max_tokens: int | None = None,
    ) -> Turn:
        """What the model says or calls next, within the timeout, retries included.

        Raises:
            ModelUnavailable: there is no answer; the text says why and the way out.
            TalkTooLong: the model's context is too small for this talk.
        """
        self._spare_the_endpoint()
        limit = max_tokens or self._max_tokens
        try:
            with anyio.fail_after(self._timeout):
                turn = await self._turn(talk, tools, limit)
        except TimeoutError:
            self._breaker = self._breaker.failed(self._clock())
            raise ModelUnavailable(
                f"The model at {self._where} did not answer within {self._timeout:g} s. "
                "Ask again later, or raise AGENT_TIMEOUT."
            ) from None
        except ModelUnavailable:
            self._breaker = self._breaker.failed(self._clock())
            raise
        except TalkTooLong:
            self._breaker = Breaker()
            raise
        self._breaker = Breaker()
        return turn

    async def health(self) -> Health:
        """Whether the endpoint says that it is well; a status of 200 alone does not say it."""
        try:
            with anyio.fail_after(HEALTH_SECONDS):
                return await self._examined()
        except TimeoutError:
            return Health(ok=False, text=f"no answer within {HEALTH_SECONDS:g} s")
        except ModelUnavailable as error:
            return Health(ok=False, text=str(error))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    @property
    def _where(self) -> str:
        """The endpoint's address as an error may show it, without a password."""
        address = urlsplit(self._root)
        return address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()

    def _spare_the_endpoint(self) -> None:
        if seconds := self._breaker.seconds_open(self._clock()):
            raise ModelUnavailable(
                f"The model at {self._where} failed {self._breaker.failures} times in a row. "
                f"It is left alone for {seconds:.0f} s more; ask again then."
            )

    async def _turn(
        self, talk: Sequence[TalkMessage], tools: Sequence[ToolSchema], limit: int
    ) -> Turn:
        """One turn; where tools are refused, the same question without them."""
        if not self.takes_tools:
            return await self._asked(wire_talk(talk, with_tools=False), limit)
        try:
            offered = {"tools": [wire_tool(tool) for tool in tools]} if tools else {}
            return await self._asked(wire_talk(talk), limit, **offered)
        except _ToolsRejected:
            turn = await self._asked(wire_talk(talk, with_tools=False), limit)
            self.takes_tools = False  # only now do we know that it was the tools
            return turn

    async def _asked(self, messages: list[dict[str, Any]], limit: int, **offered: Any) -> Turn:
        """The endpoint's answer to one request."""
        model = await self._model_name()
        body: Any = {
            "model": model,
            "messages": messages,
            "temperature": self._temperature,
            "max_tokens": limit,
            **offered,
        }
        answer = await self._patiently(
            lambda: self._client.chat.completions.with_raw_response.create(**body),
            with_tools=bool(offered),
        )
        try:
            return _with_ids(read_turn(answer.http_response.content))
        except NotATurn as error:
            raise self._refusal(200, str(error), with_tools=bool(offered)) from error

    async def _model_name(self) -> str:
        """The model named in the settings, else the endpoint's first, asked for once."""
        if not self._model:
            self._model = await self._first_model()
        return self._model

    async def _first_model(self) -> str:
        answer = await self._patiently(self._client.models.with_raw_response.list)
        match _json(answer.http_response):
            case {"data": [{"id": str(name)}, *_]}:
                return name
        raise ModelUnavailable(
            f"The endpoint at {self._where} names no model. "
            "Set AGENT_MODEL, or check AGENT_API_URL."
        )

    async def _examined(self) -> Health:
        """The answer to /health; where there is none, being able to name a model is health."""
        url = f"{self._root}/health"
        try:
            answer = await self._client.get(url, cast_to=httpx2.Response)
        except APIStatusError as error:
            if error.status_code == 404:
                return Health(ok=True, text=f"serves {await self._first_model()}")
            return Health(ok=False, text=shortened(complaint(error.response.text)))
        except APIConnectionError as error:
            raise self._out_of_reach(error) from error
        match _json(answer):
            case {"status": str(status)}:
                return Health(ok=status.lower() in WELL, text=status)
        return Health(ok=True, text="ok")

    async def _patiently(
        self, request: Callable[[], Awaitable[Answer]], *, with_tools: bool = False
    ) -> Answer:
        """The answer to `request`, repeated only where the model cannot have begun with it.

        A read timeout never is: terrarium-agent would queue each copy and run them all.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception(_is_worth_a_retry),
            stop=stop_after_attempt(ATTEMPTS),
            wait=self._wait,
            sleep=anyio.sleep,
            reraise=True,
        )

        async def once() -> Answer:  # tenacity awaits nothing but coroutine functions
            return await request()

        try:
            return await retrying(once)
        except APIStatusError as error:
            raise self._refusal(
                error.status_code, error.response.text, with_tools=with_tools
            ) from error
        except APIConnectionError as error:
            raise self._out_of_reach(error) from error

    def _refusal(self, status: int, body: str, *, with_tools: bool) -> Exception:
        """What a status or a body that is no answer means for the asker."""
        said = complaint(body)
        if says_too_long(status, said):
            return TalkTooLong(f"The talk is too long for the model: {shortened(said)}")
        if with_tools and says_no_tools(status, said):
            return _ToolsRejected()
        return ModelUnavailable(
            f"The model at {self._where} gave no answer (status {status}: {shortened(said)}). "
            f"{way_out(status)}"
        )

    def _out_of_reach(self, error: APIConnectionError) -> ModelUnavailable:
        return ModelUnavailable(
            f"The model at {self._where} is not answering ({reason(error)}). "
            "Check AGENT_API_URL, or try again in a minute."
        )


def _fresh_connections() -> DefaultAsyncHttpxClient:
    """A connection for each request.

    One that the endpoint has just closed for idleness would look like a failure in the middle of
    an answer, which must not be repeated. Only connecting has a limit here: `next_turn` has one
    for the whole.
    """
    return DefaultAsyncHttpxClient(
        limits=httpx2.Limits(max_keepalive_connections=0),
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
    )


def _is_worth_a_retry(error: BaseException) -> bool:
    if isinstance(error, APIStatusError):
        return error.status_code in {429, 502, 503, 504}
    return isinstance(error, APIConnectionError) and isinstance(
        error.__cause__, httpx2.ConnectError
    )


def _json(answer: httpx2.Response) -> Any:
    """The body as JSON, or None where it is something else."""
    try:
        return json.loads(answer.content)
    except (ValueError, RecursionError):
        return None


def _with_ids(turn: Turn) -> Turn:
    """`turn` with an id for each call that came without one."""
    calls = (
        call if call.id else dataclasses.replace(call, id=f"call_{secrets.token_hex(4)}")
        for call in turn.calls
    )
    return dataclasses.replace(turn, calls=tuple(calls))
