"""The toolbox: the history through MCP, as any other client has it. The only user of mcp's client.

One task owns the connection, and makes a new one when it breaks (the SDK's client does not). Calls
run as children of that connection: when it dies they end with `ToolboxAway`, never with its death.
"""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ListenNotSupportedError
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

_CONNECTION_CLOSED = -32000

log = logging.getLogger(__name__)

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
    """Tools by name. `target` makes what to connect to: an address, or a server to start."""

    def __init__(
        self,
        target: Callable[[], str | StdioServerParameters],
        *,
        offered: str = "all",
        backoff: Sequence[float] = BACKOFF,
    ) -> None:
        self._target = target
        self._offered = offered
        self._backoff = backoff
        self._tools: tuple[Tool, ...] = ()
        self._ready = anyio.Event()
        self._calls, self._to_serve = anyio.create_memory_object_stream[_Call](float("inf"))
        self.trouble = ""

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        """The tools a model is offered; none while the server is away."""
        if not self._ready.is_set():
            return ()
        everything = self._offered in ("all", "core")  # the core is all there is so far
        wanted = None if everything else self._offered.replace(",", " ").split()
        return tuple(
            ToolSchema(tool.name, tool.description or tool.name, tool.input_schema)
            for tool in self._tools
            if wanted is None or tool.name in wanted
        )

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
        """Wait for the connection: long for the first one, shortly for one that has broken."""
        patience = BROKEN_SECONDS if self.trouble else CALL_SECONDS
        with anyio.move_on_after(patience):
            await self._ready.wait()
        if not self._ready.is_set():
            raise ToolboxAway(f"The history is away: {self.trouble or 'it is still starting'}.")

    def unknown(self, name: str) -> str:
        """What to tell a model that calls a tool which is not there."""
        known = [tool.name for tool in self.menu]
        return f"No tool {shown(name)}.{did_you_mean(name, known)} Tools: {', '.join(known)}."

    async def run(self) -> None:
        """Stay connected, for ever."""
        async with self._calls, self._to_serve:
            failures = 0
            while True:
                reached = await self._live_once()
                failures = 0 if reached else min(failures + 1, len(self._backoff) - 1)
                await anyio.sleep(self._backoff[failures])

    async def _live_once(self) -> bool:
        """Live through one connection, whatever ends it. Returns whether it was ever ready."""
        try:
            await self._connect()
        except (Exception, ExceptionGroup) as why:  # noqa: BLE001 -- a transport dies of anything
            self.trouble = _reason(why)
        else:
            self.trouble = "the connection was lost"
        log.warning("the MCP server is away: %s", self.trouble)
        was_ready = self._ready.is_set()
        self._ready = anyio.Event()
        return was_ready

    async def _connect(self) -> None:
        """Live through one connection."""
        changed = anyio.Event()

        async def on_message(message: object) -> None:
            if isinstance(message, ToolListChangedNotification):
                changed.set()

        async with Client(self._target(), message_handler=on_message) as client:
            await self._read_menu(client)
            self.trouble = ""
            self._ready.set()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, client, changed)
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
        self._tools = tuple(tools)

    async def _watch(self, client: Client, changed: anyio.Event) -> None:
        """Read the menu again whenever the server says that it changed, in either era."""
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    await self._read_menu(client)
        except (ListenNotSupportedError, MCPError):
            await changed.wait()
            await self._read_menu(client)

    async def _serve(self, client: Client, call: _Call, connection: anyio.CancelScope) -> None:
        try:
            with call.scope:
                meta: Any = {VIEW_KEY: dict(call.view)} if call.view else None
                result = await client.call_tool(
                    call.name, dict(call.arguments), meta=meta, read_timeout_seconds=CALL_SECONDS
                )
                call.answer = _as_answer(result)
        except MCPError as why:
            call.failure = str(why)
            if why.code == _CONNECTION_CLOSED:
                connection.cancel()  # nothing will come over this connection any more
        finally:
            call.ended.set()


def _as_answer(result: Any) -> ToolAnswer:
    assert isinstance(result, CallToolResult)  # noqa: S101 -- our tools never ask back
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    return ToolAnswer(text, result.structured_content or {}, bool(result.is_error))


def _reason(why: BaseException) -> str:
    """The innermost single reason of a group, in one line."""
    while isinstance(why, BaseExceptionGroup) and why.exceptions:
        why = why.exceptions[0]
    return str(why).splitlines()[0] if str(why) else type(why).__name__
