"""MCP hosts: where each keeps its servers, and what an entry looks like there. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
    file: Callable[[Machine], Path]
    """Where its servers are listed."""
    section: str = "mcpServers"
    """The key under which its file has the servers."""
    says_type: bool = True
    """Whether an entry names its transport."""
    afterwards: str
    """How the host takes notice."""

    def entry(self, words: Sequence[str]) -> dict[str, Any]:
        """The entry that starts a server with this command line."""
        kind = {"type": "stdio"} if self.says_type else {}
        return {**kind, "command": words[0], "args": list(words[1:])}


HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host(
            name="claude-desktop",
            file=lambda machine: (
                machine.application_settings / "Claude" / "claude_desktop_config.json"
            ),
            says_type=False,
            afterwards="Restart Claude Desktop: it reads the file only at its start.",
        ),
        Host(
            name="claude-code",
            file=lambda machine: machine.folder / ".mcp.json",
            afterwards="Start claude in this folder; it asks once whether to trust the server.",
        ),
        Host(
            name="vscode",
            file=lambda machine: machine.application_settings / "Code" / "User" / "mcp.json",
            section="servers",
            afterwards="In VS Code, run 'MCP: List Servers', and start terrarium.",
        ),
        Host(
            name="cursor",
            file=lambda machine: machine.home / ".cursor" / "mcp.json",
            says_type=False,
            afterwards="Restart Cursor, and look under Settings, MCP.",
        ),
    )
}
