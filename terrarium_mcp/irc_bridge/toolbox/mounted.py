"""Other MCP servers, mounted in some channels: the tools that the operator allowed, no others.

They learn the arguments that the model wrote, and nothing else: neither where the question was
asked nor by whom.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio
from anyio.abc import TaskGroup
from mcp.types import Tool

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.model.chat_types import ToolSchema
from terrarium_mcp.irc_bridge.toolbox.connection import CallRefused, ServerConnection
from terrarium_mcp.irc_bridge.toolbox.foreign import (
    MOST_DESCRIPTION,
    answer_from,
    description_of,
)
from terrarium_mcp.irc_bridge.toolbox.tools import ToolAnswer
from terrarium_mcp.irc_bridge.toolbox.transports import StderrLog, transport_to
from terrarium_mcp.settings import MOUNT_SEPARATOR, Mount

MOST_COMPLAINTS = 20
"""Different mistakes of one server that are logged: it may invent new ones without end."""

log = logging.getLogger(__name__)


class MountedServer:
    """One mounted server, while `run()` runs."""

    def __init__(self, mount: Mount, backoff: Sequence[float]) -> None:
        self.mount = mount
        self.tools: tuple[ToolSchema, ...] = ()
        """The allowed tools that it has, by the names for the model, also while it is away."""
        self._prefix = f"{mount.name}{MOUNT_SEPARATOR}"
        self._complaints = set[str]()
        self._stderr = StderrLog(mount.name)
        self._scope = anyio.CancelScope()
        self._connection = ServerConnection(
            lambda: transport_to(self.mount, self._stderr, self._complain),
            self._choose,
            name=f"the MCP server {mount.name}",
            subject=f"The MCP server {mount.name}",
            advice=_advice(mount),
            backoff=backoff,
        )

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        """The tools offered to the model; none while the server is away."""
        return self.tools if self._connection.is_ready else ()

    def has(self, name: str) -> bool:
        """Whether this is one of its allowed tools, by the name for the model."""
        return any(tool.name == name for tool in self.tools)

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolAnswer:
        """Call one of its tools. What it says is wrong with the call is an answer too.

        Raises:
            McpServerUnavailable: the server is unavailable or too slow.
        """
        try:
            result = await self._connection.call(name.removeprefix(self._prefix), arguments)
        except CallRefused as refused:
            return ToolAnswer(refused.reason, failed=True, foreign=True)
        return answer_from(result)

    async def run(self) -> None:
        """Stay connected until `stop()` or cancellation."""
        with self._scope:
            await self._connection.run()

    def stop(self) -> None:
        """Disconnect for good."""
        self._scope.cancel()

    def _choose(self, tools: Sequence[Tool]) -> None:
        """Offer the allowed tools, in the order of the settings."""
        listed: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in listed and tool.name in self.mount.tools:
                self._complain(f"lists {tool.name} twice; using the first")
            listed.setdefault(tool.name, tool)
        if missing := [name for name in self.mount.tools if name not in listed]:
            self._complain(f"has no tool called {', '.join(missing)}")
        self.tools = tuple(
            self._offered(listed[name]) for name in self.mount.tools if name in listed
        )

    def _offered(self, tool: Tool) -> ToolSchema:
        """A tool as the model sees it."""
        if len(tool.description or "") > MOST_DESCRIPTION:
            self._complain(f"describes {tool.name} in too many words: the description is cut")
        described = description_of(tool, self.mount.name)
        return ToolSchema(f"{self._prefix}{tool.name}", described, tool.input_schema)

    def _complain(self, what: str) -> None:
        """Log it once, however often the server reconnects."""
        if what not in self._complaints and len(self._complaints) < MOST_COMPLAINTS:
            self._complaints.add(what)
            log.warning("the MCP server %s %s", self.mount.name, what)


def _advice(mount: Mount) -> str:
    """What to check if a server is unavailable; without arguments and keys, as the doctor."""
    table = f"[mcp_servers.{mount.name}]"
    if mount.command:
        return f"Check command in {table}, by hand: it starts {mount.server}"
    return (
        f"Check whether an MCP server (Streamable HTTP) is at {mount.server}, and url and token in"
        f" {table}"
    )


class MountedServers:
    """All mounted servers. They are connected while `run()` runs."""

    def __init__(self, mounts: Sequence[Mount], backoff: Sequence[float]) -> None:
        self._mounts = tuple(mounts)
        self._backoff = backoff
        self._servers: tuple[MountedServer, ...] = ()
        self._changed = Bell()

    def servers_in(self, network: str, channel: str, casemapping: str) -> Sequence[MountedServer]:
        """The servers mounted in a channel; none in a private chat, where it is empty."""
        return [
            server
            for server in self._servers
            if channel and server.mount.is_in(network, channel, casemapping)
        ]

    def change(self, mounts: Sequence[Mount]) -> None:
        """Mount these from now on; one that differs in its channels only stays connected."""
        self._mounts = tuple(mounts)
        self._changed.ring()

    async def run(self) -> None:
        """Stay connected to all of them until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                self._apply(tasks)
                await self._changed.wait()

    def _apply(self, tasks: TaskGroup) -> None:
        """Start the servers that are new, stop those that are gone, keep the others."""
        gone = {server.mount.name: server for server in self._servers}
        servers = []
        for mount in self._mounts:
            server = gone.get(mount.name)
            if server and _same_server(server.mount, mount):
                server.mount = mount
                del gone[mount.name]
            else:
                server = MountedServer(mount, self._backoff)
                tasks.start_soon(server.run)
            servers.append(server)
        for server in gone.values():
            server.stop()
        self._servers = tuple(servers)


def _same_server(old: Mount, new: Mount) -> bool:
    """Whether two mounts differ at most in their channels."""
    return replace(old, channels=new.channels) == new
