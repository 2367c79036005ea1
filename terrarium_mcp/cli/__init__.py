"""The command `terrarium-mcp`, one module per subcommand.

A command's module is imported when the command is run, and imports what it runs inside its
functions, so that `--help` loads neither mcp (a second of CPU) nor pydle nor openai.
"""

import logging
import os
import sys
from pathlib import Path
from pkgutil import resolve_name

import click

from terrarium_mcp import __version__
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.console import ConsoleHandler, colour_wanted
from terrarium_mcp.cli.process import lasting_imports
from terrarium_mcp.errors import TerrariumError, plainly

_COMMANDS = {
    "init": "init:init",
    "serve": "serve:serve",
    "bridge": "bridge:bridge",
    "up": "up:up",
    "install": "install:install",
    "doctor": "doctor:doctor",
    "demo": "demo:demo",
    "import": "import_logs:import_logs",
    "search": "search:search",
    "talk": "talk:talk",
    "export": "export:export",
    "backup": "backup:backup",
    "restore": "restore:restore",
    "purge": "purge:purge",
    "help": "help:help_",
    "completion": "completion:completion",
}
"""Where each command is defined: module and function."""


class Commands(click.Group):
    """The commands. One is loaded when it is run; all of them to be listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """Their names, by alphabet."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The named command.

        For an unknown name all are loaded, so that click can suggest the nearest.
        """
        with lasting_imports():
            for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
                self.commands[name] = resolve_name(f"{__name__}.{_COMMANDS[name]}")
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def commands() -> None:
    """Record IRC channels, and give agents their history over MCP."""


def main() -> None:
    """Run a command. An expected failure is one line on stderr and exit status 1."""
    if sys.stdin is None:  # closed by what started us: as if there were nothing to read
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 -- open until the end
    console = ConsoleHandler()  # on stderr, since stdout belongs to the stdio transport
    logging.basicConfig(handlers=[console], level=logging.WARNING, format="%(message)s")
    logging.getLogger("terrarium_mcp").setLevel(logging.INFO)
    try:
        with plainly():
            commands(prog_name="terrarium-mcp", color=colour_wanted())
    except TerrariumError as error:
        console.end_progress()
        name = click.style("terrarium-mcp:", fg="red")
        said = "\n".join(map(harmless, str(error).splitlines()))  # a file may have any name
        click.echo(f"{name} {said}", err=True, color=colour_wanted())
        sys.exit(1)
