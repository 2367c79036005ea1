"""The toolbox: the history through MCP, like any other client, and what is mounted beside it."""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from mcp import StdioServerParameters
from mcp.types import TextContent, Tool

from terrarium_mcp.errors import HostFailure
from terrarium_mcp.irc_bridge.model.chat_types import ToolSchema
from terrarium_mcp.irc_bridge.toolbox.connection import (
    McpServerUnavailable,
    ServerConnection,
    Target,
)
from terrarium_mcp.irc_bridge.toolbox.mounted import MountedServer, MountedServers
from terrarium_mcp.irc_bridge.toolbox.tools import ToolAnswer, ToolsAtHand, ViewMeta
from terrarium_mcp.policy import ERROR_KEY, UNUSABLE_KEY, VIEW_KEY, UnknownCutoff
from terrarium_mcp.settings import Mount
from terrarium_mcp.settings.tool_choice import selected_tools, unknown_tools
from terrarium_mcp.wording import did_you_mean, shown

BACKOFF = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between attempts to connect to a server, whether our own or a mounted one."""

_OF_ANOTHER = HostFailure().public
"""What a channel hears where the server does not know a message that was recorded here."""

log = logging.getLogger(__name__)


def stdio_server(
    database: Path, environ: Mapping[str, str], flags: Sequence[str] = ()
) -> StdioServerParameters:
    """The stdio server `terrarium-mcp serve` for this database, with further `flags`."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "terrarium_mcp", "serve", "--db", str(database), *flags],
        env=dict(environ),
    )


class Toolbox:
    """Calls the tools of our own server by name, and holds those of mounted ones ready.

    `target` returns what to connect to, `advice` says what to check if that fails, and `offered`
    names the model's tools.
    """

    def __init__(
        self,
        target: Callable[[], Target],
        *,
        advice: str = "",
        offered: str = "all",
        mounts: Sequence[Mount] = (),
        backoff: Sequence[float] = BACKOFF,
    ) -> None:
        self._offered = offered
        self._tools: tuple[ToolSchema, ...] = ()
        self._is_other_told = False
        self._mounted = MountedServers(mounts, backoff)
        self._connection = ServerConnection(
            target,
            self._choose,
            name="the MCP server",
            subject="The history",
            advice=advice,
            backoff=backoff,
        )

    @property
    def trouble(self) -> str:
        """Why our own server is away; empty while it is not, and at first."""
        return self._connection.trouble

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        """The tools offered to the model; none while the server is away."""
        return self._tools if self._connection.is_ready else ()

    def offers(self, name: str, *, only_reads: bool = False) -> bool:
        """Whether the model may call this tool, also while the server is away.

        With `only_reads`, no tool that may change something.
        """
        return any(tool.name == name and tool.only_reads >= only_reads for tool in self._tools)

    def unknown(self, name: str, others: Sequence[str] = ()) -> str:
        """The answer to a model that calls a tool which does not exist; `others` do as well."""
        known = [*(tool.name for tool in self._tools), *others]
        if not known:
            return self._connection.away
        return f"No tool {shown(name)}.{did_you_mean(name, known)} Tools: {', '.join(known)}."

    async def call(self, name: str, arguments: Mapping[str, object], view: ViewMeta) -> ToolAnswer:
        """Call a tool under a view. A tool error is an answer with `failed` set.

        Raises:
            McpServerUnavailable: the server is unavailable or too slow.
        """
        result = await self._connection.call(name, arguments, {VIEW_KEY: view} if view else None)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        error = str((result.meta or {}).get(ERROR_KEY, ""))
        if error == UnknownCutoff.code:
            self._tell_of_other_database(view)
            raise McpServerUnavailable(_OF_ANOTHER)
        return ToolAnswer(text, result.structured_content or {}, bool(result.is_error), error)

    def _tell_of_other_database(self, view: ViewMeta) -> None:
        """Log once that the server does not know a message that was recorded here."""
        if not self._is_other_told:
            self._is_other_told = True
            log.error(
                "the MCP server does not know message %s, which was recorded here: it reads"
                " another database (give it and this process the same DB_PATH), or the message"
                " was removed meanwhile",
                view.get("as_of"),
            )

    def at_hand(
        self, network: str, channel: str, casemapping: str, *, off_record: bool
    ) -> ToolsAtHand:
        """The tools for a question in a channel; in a private chat `channel` is empty.

        A question off the record gets no mounted tool: even one that only reads is sent words.
        """
        mounted = [] if off_record else self._mounted.servers_in(network, channel, casemapping)
        return _ToolsOfPlace(self, mounted) if mounted else self

    def change_mounts(self, mounts: Sequence[Mount]) -> None:
        """Mount these servers from now on."""
        self._mounted.change(mounts)

    async def run(self) -> None:
        """Stay connected until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._connection.run)
            tasks.start_soon(self._mounted.run)

    def _choose(self, tools: Sequence[Tool]) -> None:
        """Offer the tools that the setting names, of those that work at the server."""
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
            if tool.name in wanted and UNUSABLE_KEY not in (tool.meta or {})
        )
        if missing := unknown_tools(self._offered, known):
            log.warning("the MCP server has no tool called %s", ", ".join(sorted(missing)))


@dataclass(frozen=True, slots=True)
class _ToolsOfPlace:
    """Our own tools, with those of the servers that are mounted in one channel."""

    own: Toolbox
    mounted: Sequence[MountedServer]

    @property
    def menu(self) -> tuple[ToolSchema, ...]:
        return (*self.own.menu, *(tool for server in self.mounted for tool in server.menu))

    def offers(self, name: str, *, only_reads: bool = False) -> bool:
        foreign = not only_reads and any(server.has(name) for server in self.mounted)
        return foreign or self.own.offers(name, only_reads=only_reads)

    def unknown(self, name: str) -> str:
        others = [tool.name for server in self.mounted for tool in server.tools]
        return self.own.unknown(name, others)

    async def call(self, name: str, arguments: Mapping[str, object], view: ViewMeta) -> ToolAnswer:
        for server in self.mounted:
            if server.has(name):
                return await server.call(name, arguments)  # the view is not theirs to know
        return await self.own.call(name, arguments, view)
