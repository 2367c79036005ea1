"""Requests the model's next message from an OpenAI-compatible endpoint, with retries where safe."""

import dataclasses
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential
from tenacity.wait import wait_base

from terrarium_mcp.chat.quoted_secrets import without_secrets
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.model.breaker import Breaker
from terrarium_mcp.irc_bridge.model.chat_types import ModelMessage, TalkMessage, ToolSchema
from terrarium_mcp.irc_bridge.model.condition import EndpointCondition
from terrarium_mcp.irc_bridge.model.endpoint_errors import (
    error_text,
    hint_for,
    reason,
    says_no_tools,
    says_too_long,
    shortened,
)
from terrarium_mcp.irc_bridge.model.openai_format import (
    NotACompletion,
    read_message,
    request_messages,
    request_tool,
)
from terrarium_mcp.settings import Settings

Response = TypeVar("Response")

ATTEMPTS = 3
BACKOFF = wait_random_exponential(multiplier=0.5, max=4)
CONNECT_SECONDS = 10.0
HEALTH_SECONDS = 5.0
WELL = {"ok", "healthy", "up", "ready", "running", "pass", "alive", "available"}


class ModelUnavailable(TerrariumError):
    """The endpoint gave no answer: unreachable, too slow, failing, or paused by the breaker.

    The text is for the operator: it names the address, the cause and the setting. `in_channel` is
    for the asker, and names none of them.
    """

    def __init__(
        self, text: str, *, in_channel: str = "The model gave no answer.", status: int = 0
    ) -> None:
        super().__init__(text)
        self.in_channel = in_channel
        self.status = status
        """The HTTP status, where there was an answer."""
        self.kind = f"{in_channel} {status}"
        """Equal for failures that an operator would call the same."""


class TalkTooLong(TerrariumError):
    """The talk exceeds the model's context: retry with less of it."""


class _ToolsRejected(Exception):
    """The endpoint rejected the request because it offered tools; the text is its own."""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the endpoint can answer, and its own words about it."""

    ok: bool
    text: str
    kind: str = ""
    """The `kind` of the failure, if the endpoint did not report on itself."""


@dataclass(frozen=True, slots=True)
class _ModelChoice:
    """Which model of which endpoint to use, and how; the arguments of `LLM`."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    temperature: float
    max_tokens: int
    timeout: float

    @classmethod
    def from_settings(cls, settings: Settings) -> "_ModelChoice":
        """The choice of these settings."""
        return cls(
            base_url=settings.agent_api_url,
            api_key=settings.agent_api_key,
            model=settings.agent_model,
            temperature=settings.agent_temperature,
            max_tokens=settings.agent_max_tokens,
            timeout=settings.agent_timeout,
        )


class LLM:
    """The model behind an OpenAI-compatible endpoint.

    `takes_tools` becomes false for good once the endpoint has rejected a request with tools and
    accepted the same one without.
    """

    takes_tools: bool
    _no_tools: str
    """The endpoint's own words for that."""

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
        self._wait = wait
        self._clock = clock
        self.condition = EndpointCondition()
        self._retired: list[AsyncOpenAI] = []
        self._choice = _ModelChoice(base_url, api_key, model, temperature, max_tokens, timeout)
        self._use(self._choice)

    @classmethod
    def from_settings(cls, settings: Settings, *, wait: wait_base = BACKOFF) -> "LLM":
        """The model that the settings name."""
        return cls(**asdict(_ModelChoice.from_settings(settings)), wait=wait)

    def change_settings(self, settings: Settings) -> bool:
        """Use the model that these settings name; returns whether anything about it changes.

        Requests in work end as they began.
        """
        choice = _ModelChoice.from_settings(settings)
        if choice == self._choice:
            return False
        self._choice = choice
        self._retired.append(self._client)
        self._use(choice)
        return True

    def _use(self, choice: "_ModelChoice") -> None:
        """Begin with this endpoint and model: nothing is known about them."""
        self._root = re.sub(r"(/v1)?/*$", "", choice.base_url)
        self._model = choice.model
        self._temperature = choice.temperature
        self._max_tokens = choice.max_tokens
        self._timeout = choice.timeout
        self._breaker = Breaker()
        self.takes_tools, self._no_tools = True, ""
        self._client = AsyncOpenAI(
            base_url=f"{self._root}/v1",
            api_key=choice.api_key or "none",  # if empty, openai reads OPENAI_API_KEY
            max_retries=0,
            http_client=_fresh_connections(),
        )

    async def next_message(
        self,
        talk: Sequence[TalkMessage],
        tools: Sequence[ToolSchema],
        *,
        max_tokens: int | None = None,
    ) -> ModelMessage:
        """The model's next message, within the timeout, retries included.

        Raises:
            ModelUnavailable: there is no answer; the message names the cause and the way out.
            TalkTooLong: the talk exceeds the model's context.
        """
        self._check_breaker()
        try:
            said = await self._message_in_time(talk, tools, max_tokens or self._max_tokens)
        except ModelUnavailable as error:
            self._breaker = self._breaker.failed(self._clock())
            self.condition.troubled(error.kind, str(error))
            raise
        except TalkTooLong:
            self._breaker = Breaker()
            raise
        self._breaker = Breaker()
        self._note_success()
        return said

    async def models(self) -> list[str]:
        """The names of the models that the endpoint lists.

        Raises:
            ModelUnavailable: it lists none, or cannot be reached.
        """
        answer = await self._with_retries(self._client.models.with_raw_response.list)
        match _json(answer.http_response):
            case {"data": [{"id": str()}, *_] as listed}:
                return [str(one["id"]) for one in listed if isinstance(one, dict) and "id" in one]
        raise ModelUnavailable(
            f"The endpoint at {self._where} names no model. "
            "Set AGENT_MODEL, or check AGENT_API_URL."
        )

    async def health(self) -> Health:
        """The endpoint's health by its own report; a status of 200 alone does not count."""
        try:
            with anyio.fail_after(HEALTH_SECONDS):
                return await self._reported_health()
        except TimeoutError:
            return Health(ok=False, text=f"no answer within {HEALTH_SECONDS:g} s")
        except ModelUnavailable as error:
            return Health(ok=False, text=str(error), kind=error.kind)

    @property
    def model(self) -> str:
        """The model in use; empty until the endpoint's first has been asked for."""
        return self._model

    async def aclose(self) -> None:
        """Close the connections."""
        for client in (*self._retired, self._client):
            await client.close()

    @property
    def _where(self) -> str:
        """The endpoint's address as an error may show it, without a password."""
        address = urlsplit(self._root)
        return address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()

    def _check_breaker(self) -> None:
        if seconds := self._breaker.seconds_open(self._clock()):
            raise ModelUnavailable(
                f"The model at {self._where} failed {self._breaker.failures} times in a row. "
                f"It gets no requests for {seconds:.0f} s more; ask again then.",
                in_channel="The model is not answering at the moment.",
            )

    async def _message_in_time(
        self, talk: Sequence[TalkMessage], tools: Sequence[ToolSchema], limit: int
    ) -> ModelMessage:
        try:
            with anyio.fail_after(self._timeout):
                return await self._message_for(talk, tools, limit)
        except TimeoutError:
            raise ModelUnavailable(
                f"The model at {self._where} did not answer within {self._timeout:g} s. "
                "Ask again later, or raise AGENT_TIMEOUT.",
                in_channel="The model did not answer in time.",
            ) from None

    def _note_success(self) -> None:
        if self.takes_tools:
            self.condition.well()
        else:
            self.condition.limited(
                f"The endpoint at {self._where} refuses tools ({self._no_tools}), so a search is"
                " put before each question instead. vLLM needs --enable-auto-tool-choice and"
                " --tool-call-parser, llama.cpp --jinja."
            )

    async def _message_for(
        self, talk: Sequence[TalkMessage], tools: Sequence[ToolSchema], limit: int
    ) -> ModelMessage:
        """One message; if tools are rejected, the same request without them."""
        if not self.takes_tools:
            return await self._completion(request_messages(talk, with_tools=False), limit)
        try:
            offered = {"tools": [request_tool(tool) for tool in tools]} if tools else {}
            return await self._completion(request_messages(talk), limit, **offered)
        except _ToolsRejected as rejected:
            said = await self._completion(request_messages(talk, with_tools=False), limit)
            self.takes_tools = False  # it worked without, so the tools were the reason
            self._no_tools = str(rejected)
            return said

    async def _completion(
        self, messages: list[dict[str, Any]], limit: int, **offered: Any
    ) -> ModelMessage:
        """The message in the endpoint's answer to one request."""
        model = await self._model_name()
        body: Any = {
            "model": model,
            "messages": messages,
            "temperature": self._temperature,
            "max_tokens": limit,
            **offered,
        }
        answer = await self._with_retries(
            lambda: self._client.chat.completions.with_raw_response.create(**body),
            with_tools=bool(offered),
        )
        try:
            return _with_ids(read_message(answer.http_response.content))
        except NotACompletion as error:
            raise self._refusal(200, str(error), with_tools=bool(offered)) from error

    async def _model_name(self) -> str:
        """The model of the settings, or else the endpoint's first, requested once."""
        if not self._model:
            self._model = (await self.models())[0]
        return self._model

    async def _reported_health(self) -> Health:
        """The answer of /health; an endpoint without it is healthy if it lists a model."""
        url = f"{self._root}/health"
        try:
            answer = await self._client.get(url, cast_to=httpx2.Response)
        except APIStatusError as error:
            if error.status_code == 404:
                return Health(ok=True, text=f"serves {(await self.models())[0]}")
            if error.status_code in (401, 403):
                raise self._refusal(
                    error.status_code, error.response.text, with_tools=False
                ) from error
            return Health(ok=False, text=shortened(self._error_text(error.response.text)))
        except APIConnectionError as error:
            raise self._unreachable(error) from error
        match _json(answer):
            case {"status": str(status)}:
                return Health(ok=status.lower() in WELL, text=status)
        return Health(ok=True, text="ok")

    async def _with_retries(
        self, request: Callable[[], Awaitable[Response]], *, with_tools: bool = False
    ) -> Response:
        """The answer to `request`, retried only if the model cannot have started on it.

        A read timeout is never retried: terrarium-agent would queue and run every copy.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception(_is_worth_a_retry),
            stop=stop_after_attempt(ATTEMPTS),
            wait=self._wait,
            sleep=anyio.sleep,
            reraise=True,
        )

        async def once() -> Response:  # tenacity awaits only coroutine functions
            return await request()

        try:
            return await retrying(once)
        except APIStatusError as error:
            raise self._refusal(
                error.status_code, error.response.text, with_tools=with_tools
            ) from error
        except APIConnectionError as error:
            raise self._unreachable(error) from error

    def _error_text(self, body: str) -> str:
        """The error text in a response body, which may quote our key."""
        return without_secrets(error_text(body), [self._choice.api_key])

    def _refusal(self, status: int, body: str, *, with_tools: bool) -> Exception:
        """The exception for an error status, or for a body that is not a completion."""
        text = self._error_text(body)
        if says_too_long(status, text):
            return TalkTooLong(f"The talk is too long for the model: {shortened(text)}")
        if with_tools and says_no_tools(status, text):
            return _ToolsRejected(shortened(text))
        return ModelUnavailable(
            f"The model at {self._where} gave no answer (status {status}: {shortened(text)}). "
            f"{hint_for(status)}",
            status=status,
        )

    def _unreachable(self, error: APIConnectionError) -> ModelUnavailable:
        return ModelUnavailable(
            f"The model at {self._where} is not answering ({reason(error)}). "
            "Check AGENT_API_URL, or try again in a minute.",
            in_channel="The model is not answering.",
        )


def _fresh_connections() -> DefaultAsyncHttpxClient:
    """An HTTP client that opens a connection for each request.

    A kept connection that the endpoint has just closed for idleness would look like a failure in
    the middle of an answer, which must not be retried. Only connecting has a timeout here:
    `next_message` bounds the whole.
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
    """The body as JSON, or None if it is not JSON."""
    try:
        return json.loads(answer.content)
    except (ValueError, RecursionError):
        return None


def _with_ids(said: ModelMessage) -> ModelMessage:
    """`said` with a generated id for each call that lacks one."""
    calls = (
        call if call.id else dataclasses.replace(call, id=f"call_{secrets.token_hex(4)}")
        for call in said.calls
    )
    return dataclasses.replace(said, calls=tuple(calls))
