"""One OpenAI-compatible endpoint over HTTP: requests with their retries, and bounded answers."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from tenacity.wait import wait_base

from terrarium_mcp.bounded_body import bound_body
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.quoted_secrets import without_secrets
from terrarium_mcp.http_clients import reason, tls_context, usable_environment
from terrarium_mcp.irc_bridge.model.adaptations import RequestBody
from terrarium_mcp.irc_bridge.model.endpoint_errors import error_text, shortened
from terrarium_mcp.irc_bridge.model.endpoint_json import parsed_json
from terrarium_mcp.irc_bridge.model.errors import ConnectionFailed, RejectedRequest
from terrarium_mcp.irc_bridge.model.health import Health, reported_health
from terrarium_mcp.irc_bridge.model.retries import Sleep, asked_seconds, retrying
from terrarium_mcp.offload import offload
from terrarium_mcp.settings import passwords_in, public_address

CONNECT_SECONDS = 10.0

MAX_BYTES = 4_000_000
"""Bytes of a response, uncompressed; a completion of 8,000 tokens is about 40,000."""

_VERSION = re.compile(r"/v\d{1,3}((alpha|beta)\d{0,3})?(/openai)?$")
"""The end of an address that names a version: `/v1`, Zhipu's `/v4`, Gemini's `/v1beta/openai`."""

_COMPLETIONS = "/chat/completions"
"""The path that is asked, with which some vendors show the address of their endpoint."""


class Endpoint:
    """The endpoint at `base_url`: with the version of its API at the end, or without: then `/v1`.

    A request that the model cannot have started on is retried, as long as `timeout` seconds from
    its beginning are not over; between tries `sleep` waits, for what `wait` says.
    """

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float, wait: wait_base, sleep: Sleep
    ) -> None:
        address = base_url.rstrip("/").removesuffix(_COMPLETIONS).rstrip("/")
        version = _VERSION.search(address)
        self.root = address[: version.start()] if version else address
        self.counts_tokens = False
        """Whether its last answer said how many tokens the request had."""
        self._secrets = [api_key, *passwords_in(address)]
        self._timeout = timeout
        self._wait = wait
        self._sleep = sleep
        self._client = AsyncOpenAI(
            base_url=address if version else f"{address}/v1",
            api_key=api_key or "none",  # if empty, openai reads OPENAI_API_KEY
            max_retries=0,
            http_client=_fresh_connections(),
            default_headers={"Accept-Encoding": "identity"},
        )

    @property
    def address(self) -> str:
        """The endpoint's address as an error may show it, without a password or a key."""
        return public_address(self.root)

    async def complete(self, body: RequestBody) -> bytes:
        """The body of the answer to a chat-completion request.

        Raises:
            RejectedRequest: it answers with an error status.
            ConnectionFailed: there is no whole answer.
        """
        answer = await self._with_retries(
            lambda: self._client.post(_COMPLETIONS, body=body, cast_to=httpx2.Response)
        )
        return answer.content

    async def models(self) -> list[str]:
        """The names of the models that the endpoint lists, at least one.

        One with characters that cannot be seen is left out: no person could set it as AGENT_MODEL,
        and it would disturb the terminal that shows the log.

        Raises:
            RejectedRequest: it lists none, or answers with an error status.
            ConnectionFailed: there is no whole answer.
        """
        answer = await self._with_retries(
            lambda: self._client.get("/models", cast_to=httpx2.Response)
        )
        match await _json(answer):
            case {"data": [*listed]}:
                ids = [one.get("id") for one in listed if isinstance(one, dict)]
                if names := [name for name in ids if isinstance(name, str) and _is_name(name)]:
                    return names
        raise RejectedRequest(answer.status_code, self.words(answer.text), is_foreign=True)

    async def health(self) -> Health:
        """The endpoint's own report; one without it is healthy if it lists a model.

        Of another status than 200 and 503 nothing is taken: a gateway may answer 405, 302 or 500 to
        a page that it does not know.

        Raises:
            RejectedRequest: it refuses the key, or has neither a report nor a model.
            ConnectionFailed: there is no whole answer.
        """
        try:
            answer = await self._once(
                lambda: self._client.get(f"{self.root}/health", cast_to=httpx2.Response)
            )
        except RejectedRequest as error:
            if error.status in (401, 403):
                raise
            if error.status == 503:  # llama.cpp and vLLM report so that they cannot answer
                return Health(ok=False, text=shortened(error.words))
        else:
            if health := reported_health(await _json(answer)):
                return health
        return Health(ok=True, text=f"serves {(await self.models())[0]}")

    def words(self, body: str) -> str:
        """The error text in a response body, which may quote our key or password."""
        return without_secrets(error_text(body), self._secrets)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _with_retries(
        self, request: Callable[[], Awaitable[httpx2.Response]]
    ) -> httpx2.Response:
        async def once() -> httpx2.Response:  # tenacity awaits only coroutine functions
            return await self._once(request)

        return await retrying(self._wait, within=self._timeout, sleep=self._sleep)(once)

    async def _once(self, request: Callable[[], Awaitable[httpx2.Response]]) -> httpx2.Response:
        try:
            return await request()
        except APIStatusError as error:
            answer = error.response
            pause = asked_seconds(answer.headers.get("retry-after", ""), datetime.now(UTC))
            raise RejectedRequest(answer.status_code, self.words(answer.text), pause) from error
        except APIConnectionError as error:
            never_sent = isinstance(error.__cause__, httpx2.ConnectError)
            raise ConnectionFailed(reason(error), never_sent=never_sent) from error


async def _bound_utf8(response: httpx2.Response) -> None:
    """Bound what is read of a response, as UTF-8; a response hook of httpx2.

    A charset that the endpoint names may be any codec of Python: `unicode_escape` makes surrogates,
    and others refuse to decode at all.
    """
    response.encoding = "utf-8"
    bound_body(response, MAX_BYTES)


def _fresh_connections() -> DefaultAsyncHttpxClient:
    """An HTTP client that opens a connection for each request.

    A kept connection that the endpoint has just closed for idleness would look like a failure in
    the middle of an answer, which must not be retried. Only connecting has a timeout here: the
    caller bounds the whole. Redirects are not followed: what was said in a channel goes to the
    address in the settings and to no other.

    Raises:
        UnusableEnvironment: the environment names a proxy or certificates that cannot be used.
    """
    with usable_environment():
        return DefaultAsyncHttpxClient(
            verify=tls_context(),
            limits=httpx2.Limits(max_keepalive_connections=0),
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            follow_redirects=False,
            event_hooks={"response": [_bound_utf8]},
        )


def _is_name(text: str) -> bool:
    return text != "" and text == harmless(text)


async def _json(answer: httpx2.Response) -> Any:
    """The body as JSON, or None if it is not JSON."""
    try:
        return await offload(partial(parsed_json, answer.content))  # it may be 4 MB
    except ValueError:
        return None
