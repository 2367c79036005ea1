"""MCP hosts: where each keeps its servers, and what an entry looks like there. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terrarium_mcp.errors import TerrariumError


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What decides where files lie on a machine."""

    platform: str
    """As `sys.platform` says it."""
    home: Path
    folder: Path
    """The current one: the project, where a host keeps a file for each."""
    environ: Mapping[str, str]

    @property
    def application_settings(self) -> Path:
        """The folder in which desktop programs have theirs."""
        match self.platform:
            case "darwin":
                return self.home / "Library" / "Application Support"
            case "win32":
                roaming = self.environ.get("APPDATA")
                return Path(roaming) if roaming else self.home / "AppData" / "Roaming"
            case _:
                chosen = self.environ.get("XDG_CONFIG_HOME", "")
                return Path(chosen) if chosen.startswith("/") else self.home / ".config"


@dataclass(frozen=True, kw_only=True)
class Host:
    """A program that starts MCP servers."""

    name: str
    section: str = "mcpServers"
    """The key under which its file has the servers."""
    says_type: bool = True
    """Whether an entry names its transport."""
    afterwards: str
    """How the host takes notice."""

    def file(self, machine: Machine) -> Path:
        """Where its servers are listed."""
        match self.name:
            case "claude-desktop":
                return machine.application_settings / "Claude" / "claude_desktop_config.json"
            case "claude-code":
                return machine.folder / ".mcp.json"
            case "vscode":
                return machine.application_settings / "Code" / "User" / "mcp.json"
            case "cursor":
                return machine.home / ".cursor" / "mcp.json"
        raise TerrariumError(f"No host {self.name}.")

    def entry(self, words: Sequence[str]) -> dict[str, Any]:
        """The entry that starts a server with this command line."""
        kind = {"type": "stdio"} if self.says_type else {}
        return {**kind, "command": words[0], "args": list(words[1:])}


HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host(
            name="claude-desktop",
            says_type=False,
            afterwards="Restart Claude Desktop: it reads the file only at its start.",
        ),
        Host(
            name="claude-code",
            afterwards="Start claude in this folder; it asks once whether to trust the server.",
        ),
        Host(
            name="vscode",
            section="servers",
            afterwards="In VS Code, run 'MCP: List Servers', and start terrarium.",
        ),
        Host(
            name="cursor",
            says_type=False,
            afterwards="Restart Cursor, and look under Settings, MCP.",
        ),
    )
}
