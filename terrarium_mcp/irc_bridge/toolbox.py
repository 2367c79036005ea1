"""The toolbox: the history through MCP, as any other client has it. The only user of mcp's client.

One task owns the connection, and makes a new one when it breaks (the SDK's client does not). Calls
run as children of that connection: when it dies they end with `ToolboxAway`, never with its death.
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

from terrarium_mcp.errors import TerrariumError, did_you_mean, shown
from terrarium_mcp.irc_bridge.turns import ToolSchema
from terrarium_mcp.policy import VIEW_KEY

CALL_SECONDS = 20.0
"""How long a tool may take, and how long the server may take to start."""

BROKEN_SECONDS = 3.0
"""How long a call waits for a connection that was lost."""

BACKOFF = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between two tries to connect."""

SETTLED = 30.0
"""A connection that lived so many seconds makes the pauses start anew."""

_CONNECTION_CLOSED = -32000

log = logging.getLogger(__name__)

Target: TypeAlias = str | StdioServerParameters | MCPServer[Any]
"""What to connect to: an address, a server to start, or one in this process."""

View = Mapping[str, object]


class ToolboxAway(TerrariumError):
    """The MCP server is not there, or went away during the call."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered: text for the model, structured facts for us."""

    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass(slots=True, eq=False)
class _Call:
    """A call that waits for its answer."""

    name: str
    arguments: Mapping[str, object]
    view: View
    ended: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    answer: ToolAnswer | None = None
    failure: str = "the connection to the MCP server was lost"


def spawned(database: Path, environ: Mapping[str, str]) -> StdioServerParameters:
    """A stdio server of our own for this database."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "terrarium_mcp", "serve", "--db", str(database)],
        env=dict(environ),
    )


class Toolbox:
    """Tools by name. `target` makes what to connect to; `offered` are the model's tools.

    `trouble` says why there is no connection; it is empty while there is one, or the first is made.
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
        self._backoff = backoff
        self._tools: tuple[ToolSchema, ...] = ()
        self._tried = anyio.Event()
        self._ready = anyio.Event()
        self._calls, self._to_serve = anyio.create_memory_object_stream[_Call](math.inf)
        self.trouble = ""

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        """The tools a model is offered; none while the server is away."""
        return self._tools if self._ready.is_set() else ()

    def offers(self, name: str) -> bool:
        """Whether the model may call this tool, also while the server is away."""
        return any(tool.name == name for tool in self._tools)

    def unknown(self, name: str) -> str:
        """What to tell a model that calls a tool which is not there."""
        if not self._tools:
            return self._away()
        known = [tool.name for tool in self._tools]
        return f"No tool {shown(name)}.{did_you_mean(name, known)} Tools: {', '.join(known)}."

    async def call(self, name: str, arguments: Mapping[str, object], view: View) -> ToolAnswer:
        """Call a tool under a view. What a tool says went wrong is an answer that `failed`.

        Raises:
            ToolboxAway: there is no server, or it takes too long.
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
            raise ToolboxAway(f"{name} did not answer: {call.failure}.")
        return call.answer

    async def _connected(self) -> None:
        """Wait for the connection: long while the first is made, shortly for one that broke."""
        with anyio.move_on_after(CALL_SECONDS):
            await self._tried.wait()
        with anyio.move_on_after(BROKEN_SECONDS):
            await self._ready.wait()
        if not self._ready.is_set():
            raise ToolboxAway(self._away())

    def _away(self) -> str:
        return f"The history is away: {self.trouble or 'it is still starting'}."

    async def run(self) -> None:
        """Stay connected, for ever."""
        async with self._calls, self._to_serve:
            failures = -1
            while True:
                began = anyio.current_time()
                await self._live_once()
                settled = anyio.current_time() - began > SETTLED
                failures = 0 if settled else min(failures + 1, len(self._backoff) - 1)
                await anyio.sleep(self._backoff[failures])

    async def _live_once(self) -> None:
        """Live through one connection, whatever ends it."""
        deadline = anyio.current_time() + CALL_SECONDS
        try:
            with anyio.CancelScope(deadline=deadline) as starting:
                await self._connect(starting)
        except Exception as why:  # noqa: BLE001 -- a transport dies of anything
            self.trouble = _reason(why)
        else:
            lost = "the connection was lost"
            late = f"the server did not start within {CALL_SECONDS:g} s"
            self.trouble = lost if self._ready.is_set() else late
        log.warning("the MCP server is away: %s", self.trouble)
        self._tried.set()
        if self._ready.is_set():  # else somebody may be waiting for this very event
            self._ready = anyio.Event()

    async def _connect(self, starting: anyio.CancelScope) -> None:
        """Live through one connection. `starting` has no deadline any more once it is ready."""
        changed, to_read = anyio.create_memory_object_stream[None](1)

        async def on_message(message: object) -> None:
            if isinstance(message, ToolListChangedNotification):
                with suppress(anyio.WouldBlock):  # one unread change is as good as two
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
        everything = self._offered in ("all", "core")  # the core is all there is so far
        wanted = {tool.name for tool in tools} if everything else set(_names(self._offered))
        self._tools = tuple(
            ToolSchema(tool.name, tool.description or tool.name, tool.input_schema)
            for tool in tools
            if tool.name in wanted
        )
        if missing := wanted - {tool.name for tool in tools}:
            log.warning("the MCP server has no tool called %s", ", ".join(sorted(missing)))

    async def _watch(
        self,
        client: Client,
        changed: MemoryObjectReceiveStream[None],
        connection: anyio.CancelScope,
    ) -> None:
        """Read the menu again whenever the server says that it changed, in either era.

        In the newer era this also tells at once that the server has gone.
        """
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    await self._read_menu(client)
        except (ListenNotSupportedError, MCPError):
            async for _ in changed:
                await self._read_menu(client)
        else:
            connection.cancel()  # it said goodbye

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
        except MCPError as why:
            call.failure = str(why)
            if why.code == _CONNECTION_CLOSED:
                connection.cancel()  # nothing will come over this connection any more
        except (RuntimeError, ValueError) as why:  # an answer that is not what its schema promises
            call.failure = _reason(why)
        finally:
            call.ended.set()


def _names(setting: str) -> list[str]:
    return setting.replace(",", " ").split()


def _sendable(arguments: Mapping[str, object]) -> dict[str, Any]:
    """The arguments without lone surrogates, which would be the end of a connection."""
    sendable: dict[str, Any] = json.loads(
        json.dumps(arguments, ensure_ascii=False).encode("utf-8", "replace")
    )
    return sendable


def _as_answer(result: Any) -> ToolAnswer:
    assert isinstance(result, CallToolResult)  # noqa: S101 -- our tools never ask back
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    return ToolAnswer(text, result.structured_content or {}, bool(result.is_error))


def _reason(why: BaseException) -> str:
    """The innermost single reason of a group, in one line."""
    while isinstance(why, BaseExceptionGroup) and why.exceptions:
        why = why.exceptions[0]
    return str(why).splitlines()[0] if str(why) else type(why).__name__
