"""A lasting connection to an MCP server.

One task owns the connection and reconnects when it breaks, which the SDK's client does not do.
Calls run as children of the connection: when it breaks they fail with `McpServerUnavailable`.
"""

import json
import logging
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.server import MCPServer
from mcp.types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Tool,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.errors import TerrariumError, single_errors
from terrarium_mcp.wording import shown

CALL_SECONDS = 20.0
"""Most seconds for a tool call, for a list of tools, and for the server to start."""

BROKEN_SECONDS = 3.0
"""Seconds that a call waits for a lost connection to return."""

SETTLED = 30.0
"""Seconds of a stable connection after which the pauses start from the first again."""

RELIST_PAUSE = 1.0
"""Seconds after a changed list of tools was read until the next change is looked at."""

MOST_PAGES = 100
"""Pages of a list of tools that are read; the SDK's client stops at as many."""

MOST_TOOLS = 1_000
"""Tools of a list that are kept. Of a mounted server each has a bounded size (`repairs.py`)."""

_CONNECTION_CLOSED = -32000
_ENDED = ("Connection closed", "SSE stream ")
"""How the SDK's own words for that code begin: of a server it may be any error (JSON-RPC 5.1)."""

_INVALID_PARAMS = -32602
_LONGEST_REASON = 300  # characters of an error in the log

log = logging.getLogger(__name__)

Target: TypeAlias = str | StdioServerParameters | MCPServer[Any] | AbstractAsyncContextManager[Any]
"""What to connect to: a URL, a server to start, one in this process, or a transport."""


class McpServerUnavailable(TerrariumError):
    """An MCP server is unavailable, or became so during the call."""


class CallFailed(McpServerUnavailable):
    """A call got no result. The text names the tool, for a model; people never heard of tools."""

    def __init__(self, text: str, *, subject: str, error_id: str) -> None:
        """`subject` is what people are told did not answer, `error_id` where the log has why."""
        super().__init__(text)
        self._subject = subject
        self._error_id = error_id

    @property
    def public(self) -> str:
        """What whoever typed a command is told: the way out, and where the log says why."""
        where = f"error {self._error_id} in the log"
        return f"{self._subject} did not answer ({where}). Ask again in a moment."


class CallRefused(CallFailed):
    """The server says that the arguments of a call are wrong; `reason` is in its words."""

    def __init__(self, text: str, *, subject: str, error_id: str, reason: str) -> None:
        super().__init__(text, subject=subject, error_id=error_id)
        self.reason = reason


@dataclass(slots=True, eq=False)
class _Call:
    """A call waiting for its result."""

    name: str
    arguments: Mapping[str, object]
    meta: Mapping[str, object] | None
    ended: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    result: CallToolResult | None = None
    failure: str = "the connection was lost"
    refused: bool = False


class ServerConnection:
    """Stays connected to one MCP server while `run()` runs.

    `trouble` is the reason why there is no connection; empty while there is one, and at first.
    """

    def __init__(
        self,
        target: Callable[[], Target],
        on_tools: Callable[[Sequence[Tool]], None],
        *,
        name: str,
        subject: str,
        advice: str = "",
        backoff: Sequence[float],
    ) -> None:
        """A connection that is not made yet.

        Args:
            target: returns what to connect to, asked at each connection.
            on_tools: takes the server's tools, at first and whenever they change.
            name: what the log calls the server.
            subject: what a model or a channel is told is unavailable.
            advice: a sentence for the log on what to check, if there is no connection; it may be
                empty.
            backoff: seconds between attempts to connect.
        """
        self._target = target
        self._on_tools = on_tools
        self._name = name
        self._subject = subject
        self._advice = advice
        self._backoff = Backoff(backoff, settled=SETTLED)
        self._tried = anyio.Event()
        self._ready = anyio.Event()
        self._calls, self._to_serve = anyio.create_memory_object_stream[_Call](math.inf)
        self._logged = ""
        self._logged_away = False
        self.trouble = ""

    @property
    def is_ready(self) -> bool:
        """Whether the server is connected and its tools are known."""
        return self._ready.is_set()

    @property
    def away(self) -> str:
        """A sentence for a model or a channel: why nothing can be called."""
        # The log has the reason: it may name an address, which is not for the channel.
        state = "unavailable at the moment" if self.trouble else "still starting"
        return f"{self._subject} is {state}."

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        meta: Mapping[str, object] | None = None,
    ) -> CallToolResult:
        """Call a tool. A tool error is a result with `is_error` set.

        Cancelling this cancels the call at the server.

        Raises:
            CallRefused: the server says that the arguments are wrong.
            CallFailed: it did not answer, or too late.
            McpServerUnavailable: it is not connected.
        """
        call = _Call(name, arguments, meta)
        await self._connected()
        try:
            self._calls.send_nowait(call)
            with anyio.fail_after(CALL_SECONDS):
                await call.ended.wait()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):  # `run()` has ended
            raise McpServerUnavailable(self.away) from None
        except TimeoutError:
            text = f"{name} did not answer within {CALL_SECONDS:g} s."
            error_id = self._log_failure(text)
            raise CallFailed(text, subject=self._subject, error_id=error_id) from None
        finally:
            call.scope.cancel()
        if call.result is None:
            raise self._failed(call)
        return call.result

    async def run(self) -> None:
        """Stay connected until cancelled."""
        async with self._calls, self._to_serve:
            while True:
                began = anyio.current_time()
                await self._run_connection()
                lasted = anyio.current_time() - began
                if lasted > SETTLED:
                    self._logged = ""
                self._log_trouble()
                await anyio.sleep(self._backoff.pause_after(lasted))

    async def _connected(self) -> None:
        """Wait for the connection: CALL_SECONDS for the first, BROKEN_SECONDS for a lost one."""
        if self.is_ready:  # to wait for what has happened takes a turn of the event loop, twice
            return
        with anyio.move_on_after(CALL_SECONDS):
            await self._tried.wait()
        with anyio.move_on_after(BROKEN_SECONDS):
            await self._ready.wait()
        if not self._ready.is_set():
            raise McpServerUnavailable(self.away)

    def _failed(self, call: _Call) -> CallFailed:
        """The error for a call that the server, or the end of the connection, gave no result."""
        text, subject = f"{call.name} did not answer.", self._subject
        error_id = self._log_failure(f"{call.name} failed: {call.failure}")
        if call.refused:
            return CallRefused(text, subject=subject, error_id=error_id, reason=call.failure)
        return CallFailed(text, subject=subject, error_id=error_id)

    def _log_failure(self, what: str) -> str:
        """Log what became of a call; returns the id under which the log has it."""
        error_id = secrets.token_hex(3)
        log.warning("error %s: %s: %s", error_id, self._name, what)
        return error_id

    def _log_trouble(self) -> None:
        """Log why there is no connection, but not again for each attempt."""
        if self.trouble != self._logged:
            advice = f"{'' if self.trouble.endswith('.') else '.'} {self._advice}"
            log.warning(
                "%s is unavailable: %s%s", self._name, self.trouble, advice if self._advice else ""
            )
            self._logged = self.trouble
            self._logged_away = True

    def _log_return(self) -> None:
        """Log that there is a connection, if the log says that there is none."""
        if self._logged_away:
            log.info("%s is available now", self._name)
            self._logged_away = False

    async def _run_connection(self) -> None:
        """Run one connection until it ends, for whatever reason."""
        deadline = anyio.current_time() + CALL_SECONDS
        try:
            with anyio.CancelScope(deadline=deadline) as starting:
                await self._connect(starting)
        except Exception as error:  # noqa: BLE001 -- a transport may raise anything
            self.trouble = _reason(error)
        else:
            lost = "the connection was lost"
            late = f"the server did not start within {CALL_SECONDS:g} s"
            self.trouble = lost if self._ready.is_set() else late
        self._tried.set()
        if self._ready.is_set():  # else a call may be waiting for this very event
            self._ready = anyio.Event()

    async def _connect(self, starting: anyio.CancelScope) -> None:
        """Run one connection; clear the deadline of `starting` once it is ready."""
        changed, to_read = anyio.create_memory_object_stream[None](1)

        async def on_message(message: object) -> None:
            if isinstance(message, ToolListChangedNotification):
                with suppress(anyio.WouldBlock):  # one unread change stands for all
                    changed.send_nowait(None)

        client = Client(self._target(), message_handler=on_message, cache=None)
        async with changed, to_read, client:
            await self._read_tools(client)
            starting.deadline = math.inf
            self.trouble = ""
            self._log_return()
            self._tried.set()
            self._ready.set()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, client, to_read, tasks.cancel_scope)
                while True:
                    call = await self._to_serve.receive()
                    tasks.start_soon(self._serve, client, call, tasks.cancel_scope)

    async def _read_tools(self, client: Client) -> None:
        """Hand on the server's tools.

        Raises:
            TimeoutError: they did not come.
        """
        try:
            with anyio.fail_after(CALL_SECONDS):
                tools = await _listed_tools(client)
        except TimeoutError:
            late = f"its list of tools did not come within {CALL_SECONDS:g} s"
            raise TimeoutError(late) from None
        self._on_tools(tools)

    async def _watch(
        self,
        client: Client,
        changed: MemoryObjectReceiveStream[None],
        connection: anyio.CancelScope,
    ) -> None:
        """Read the tools again whenever the server reports a change, in either protocol era.

        In the newer era this also notices at once when the server ends.
        """
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    await self._read_changed_tools(client)
        except (ListenNotSupportedError, MCPError):
            async for _ in changed:
                await self._read_changed_tools(client)
        except SubscriptionLost:
            connection.cancel()  # the server ended, without a word
        else:
            connection.cancel()  # the server ended the subscription

    async def _read_changed_tools(self, client: Client) -> None:
        await self._read_tools(client)
        await anyio.sleep(RELIST_PAUSE)  # a server may report changes without end

    async def _serve(self, client: Client, call: _Call, connection: anyio.CancelScope) -> None:
        """Send a call and wait for its result.

        Not with `client.call_tool`, which checks the result against a schema of the server's: what
        that costs is up to the server, and nobody here relies on it.
        """
        try:
            with call.scope:
                call.result = await client.session.send_request(
                    _request(call), CallToolResult, request_read_timeout_seconds=CALL_SECONDS
                )
        except MCPError as error:
            call.failure = _reason(error)
            call.refused = error.code == _INVALID_PARAMS  # others come from the transport too
            if error.code == _CONNECTION_CLOSED and call.failure.startswith(_ENDED):
                connection.cancel()
        except (RuntimeError, ValueError) as error:  # the answer is not that of a tool
            call.failure = _reason(error)
        finally:
            call.ended.set()


async def _listed_tools(client: Client) -> list[Tool]:
    """The tools of a server, of all its pages; MOST_TOOLS at most."""
    page = await client.list_tools()
    tools = list(page.tools)
    for _ in range(MOST_PAGES - 1):
        if not page.next_cursor or len(tools) >= MOST_TOOLS:
            break
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    return tools[:MOST_TOOLS]


def _request(call: _Call) -> CallToolRequest:
    """The request for a call, without lone surrogates, which would break the connection."""
    arguments: dict[str, Any] = json.loads(
        json.dumps(call.arguments, ensure_ascii=False).encode("utf-8", "replace")
    )
    meta: Any = dict(call.meta) if call.meta else None
    params = CallToolRequestParams(name=call.name, arguments=arguments, _meta=meta)
    return CallToolRequest(params=params)


def _reason(error: BaseException) -> str:
    """The first error of a group, in one line."""
    single = single_errors(error)[0]
    if isinstance(single, ValidationError):  # whose own first line only counts what is wrong
        wrong = single.errors(include_url=False)[0]
        place = ".".join(map(str, (single.title, *wrong["loc"])))
        return shown(f"{place}: {wrong['msg']}", _LONGEST_REASON)
    return shown(str(single).partition("\n")[0], _LONGEST_REASON) or type(single).__name__
