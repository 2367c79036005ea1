"""The toolbox: the history through MCP, like any other client. The only user of mcp's client.

One task owns the connection and reconnects when it breaks, which the SDK's client does not do.
Calls run as children of the connection: when it breaks they fail with `ToolboxAway`.
"""

import json
import logging
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, Tool, ToolListChangedNotification

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.errors import TerrariumError, did_you_mean, shown, single_errors
from terrarium_mcp.irc_bridge.model.chat_types import ToolSchema
from terrarium_mcp.policy import VIEW_KEY
from terrarium_mcp.settings.tool_choice import selected_tools, unknown_tools

CALL_SECONDS = 20.0
"""Most seconds for a tool call, and for the server to start."""

BROKEN_SECONDS = 3.0
"""Seconds that a call waits for a lost connection to return."""

BACKOFF = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between attempts to connect."""

SETTLED = 30.0
"""Seconds of a stable connection after which the pauses start from the first again."""

_CONNECTION_CLOSED = -32000

log = logging.getLogger(__name__)

Target: TypeAlias = str | StdioServerParameters | MCPServer[Any]
"""What to connect to: a URL, a server to start, or a server in this process."""

ViewMeta = Mapping[str, object]


class ToolboxAway(TerrariumError):
    """The MCP server is unavailable, or became so during the call."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's answer: `text` for the model, structured `facts` for the bridge."""

    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass(slots=True, eq=False)
class _Call:
    """A call waiting for its answer."""

    name: str
    arguments: Mapping[str, object]
    view: ViewMeta
    ended: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    answer: ToolAnswer | None = None
    failure: str = "the connection to the MCP server was lost"


def stdio_server(database: Path, environ: Mapping[str, str]) -> StdioServerParameters:
    """The stdio server `terrarium-mcp serve` for this database."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "terrarium_mcp", "serve", "--db", str(database)],
        env=dict(environ),
    )


class Toolbox:
    """Calls tools by name. `target` returns what to connect to; `offered` names the model's tools.

    `trouble` is the reason why there is no connection; empty while there is one, and at first.
    """

    def __init__(
        self,
        target: Callable[[], Target],
        *,
        offered: str = "all",
        backoff: Sequence[float] = BACKOFF,
    ) -> None:
        self._target = target
        self._offered = offered
        self._backoff = Backoff(backoff, settled=SETTLED)
        self._tools: tuple[ToolSchema, ...] = ()
        self._tried = anyio.Event()
        self._ready = anyio.Event()
        self._calls, self._to_serve = anyio.create_memory_object_stream[_Call](math.inf)
        self.trouble = ""

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        """The tools offered to the model; none while the server is away."""
        return self._tools if self._ready.is_set() else ()

    def offers(self, name: str, *, only_reads: bool = False) -> bool:
        """Whether the model may call this tool, also while the server is away.

        With `only_reads`, no tool that may change something.
        """
        return any(tool.name == name and tool.only_reads >= only_reads for tool in self._tools)

    def unknown(self, name: str) -> str:
        """The answer to a model that calls a tool which does not exist."""
        if not self._tools:
            return self._away()
        known = [tool.name for tool in self._tools]
        return f"No tool {shown(name)}.{did_you_mean(name, known)} Tools: {', '.join(known)}."

    async def call(self, name: str, arguments: Mapping[str, object], view: ViewMeta) -> ToolAnswer:
        """Call a tool under a view. A tool error is an answer with `failed` set.

        Raises:
            ToolboxAway: the server is unavailable or too slow.
        """
        call = _Call(name, arguments, view)
        await self._connected()
        self._calls.send_nowait(call)
        try:
            with anyio.fail_after(CALL_SECONDS):
                await call.ended.wait()
        except TimeoutError:
            raise ToolboxAway(f"{name} did not answer within {CALL_SECONDS:g} s.") from None
        finally:
            call.scope.cancel()
        if call.answer is None:
            log.warning("%s did not answer: %s", name, call.failure)
            raise ToolboxAway(f"{name} did not answer.")
        return call.answer

    async def _connected(self) -> None:
        """Wait for the connection: CALL_SECONDS for the first, BROKEN_SECONDS for a lost one."""
        with anyio.move_on_after(CALL_SECONDS):
            await self._tried.wait()
        with anyio.move_on_after(BROKEN_SECONDS):
            await self._ready.wait()
        if not self._ready.is_set():
            raise ToolboxAway(self._away())

    def _away(self) -> str:
        # The log has the reason: it may name an address, which is not for the channel.
        return (
            f"The history is {'unavailable at the moment' if self.trouble else 'still starting'}."
        )

    async def run(self) -> None:
        """Stay connected until cancelled."""
        async with self._calls, self._to_serve:
            while True:
                began = anyio.current_time()
                await self._run_connection()
                await anyio.sleep(self._backoff.pause_after(anyio.current_time() - began))

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
        log.warning("the MCP server is unavailable: %s", self.trouble)
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

        async with changed, to_read, Client(self._target(), message_handler=on_message) as client:
            await self._read_menu(client)
            starting.deadline = math.inf
            self.trouble = ""
            self._tried.set()
            self._ready.set()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, client, to_read, tasks.cancel_scope)
                while True:
                    call = await self._to_serve.receive()
                    tasks.start_soon(self._serve, client, call, tasks.cancel_scope)

    async def _read_menu(self, client: Client) -> None:
        tools: list[Tool] = []
        page = await client.list_tools(cache_mode="refresh")
        tools += page.tools
        while page.next_cursor:
            page = await client.list_tools(cursor=page.next_cursor, cache_mode="refresh")
            tools += page.tools
        known = [tool.name for tool in tools]
        wanted = selected_tools(self._offered, known)
        self._tools = tuple(
            ToolSchema(
                tool.name,
                tool.description or tool.name,
                tool.input_schema,
                only_reads=bool(tool.annotations and tool.annotations.read_only_hint),
            )
            for tool in tools
            if tool.name in wanted
        )
        if missing := unknown_tools(self._offered, known):
            log.warning("the MCP server has no tool called %s", ", ".join(sorted(missing)))

    async def _watch(
        self,
        client: Client,
        changed: MemoryObjectReceiveStream[None],
        connection: anyio.CancelScope,
    ) -> None:
        """Read the menu again whenever the server reports a change, in either protocol era.

        In the newer era this also notices at once when the server ends.
        """
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    await self._read_menu(client)
        except (ListenNotSupportedError, MCPError):
            async for _ in changed:
                await self._read_menu(client)
        else:
            connection.cancel()  # the server ended the subscription

    async def _serve(self, client: Client, call: _Call, connection: anyio.CancelScope) -> None:
        try:
            with call.scope:
                meta: Any = {VIEW_KEY: dict(call.view)} if call.view else None
                result = await client.call_tool(
                    call.name,
                    _sendable(call.arguments),
                    meta=meta,
                    read_timeout_seconds=CALL_SECONDS,
                )
                call.answer = _as_answer(result)
        except MCPError as error:
            call.failure = str(error)
            if error.code == _CONNECTION_CLOSED:
                connection.cancel()
        except (RuntimeError, ValueError) as error:  # the answer does not match its schema
            call.failure = _reason(error)
        finally:
            call.ended.set()


def _sendable(arguments: Mapping[str, object]) -> dict[str, Any]:
    """The arguments without lone surrogates, which would break the connection."""
    sendable: dict[str, Any] = json.loads(
        json.dumps(arguments, ensure_ascii=False).encode("utf-8", "replace")
    )
    return sendable


def _as_answer(result: Any) -> ToolAnswer:
    assert isinstance(result, CallToolResult)  # noqa: S101 -- our tools never elicit input
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    return ToolAnswer(text, result.structured_content or {}, bool(result.is_error))


def _reason(error: BaseException) -> str:
    """The first error of a group, in one line."""
    single = single_errors(error)[0]
    return str(single).splitlines()[0] if str(single) else type(single).__name__
