"""The command `terrarium-mcp`, one module per subcommand.

Modules here import what they run inside their functions, so that `--help` loads neither mcp (a
second of CPU) nor pydle nor openai.
"""

import logging
import os
import sys
from pathlib import Path

import click

from terrarium_mcp import __version__
from terrarium_mcp.cli.backup import backup
from terrarium_mcp.cli.bridge import bridge
from terrarium_mcp.cli.completion import completion
from terrarium_mcp.cli.console import ConsoleHandler, colour_wanted
from terrarium_mcp.cli.demo import demo
from terrarium_mcp.cli.doctor import doctor
from terrarium_mcp.cli.export import export
from terrarium_mcp.cli.help import help_
from terrarium_mcp.cli.import_logs import import_logs
from terrarium_mcp.cli.init import init
from terrarium_mcp.cli.install import install
from terrarium_mcp.cli.purge import purge
from terrarium_mcp.cli.restore import restore
from terrarium_mcp.cli.search import search
from terrarium_mcp.cli.serve import serve
from terrarium_mcp.cli.talk import talk
from terrarium_mcp.cli.up import up
from terrarium_mcp.errors import TerrariumError, plainly


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def commands() -> None:
    """Record IRC channels, and give agents their history over MCP."""


commands.add_command(init)
commands.add_command(serve)
commands.add_command(bridge)
commands.add_command(up)
commands.add_command(install)
commands.add_command(doctor)
commands.add_command(demo)
commands.add_command(import_logs)
commands.add_command(search)
commands.add_command(talk)
commands.add_command(export)
commands.add_command(backup)
commands.add_command(restore)
commands.add_command(purge)
commands.add_command(help_)
commands.add_command(completion)


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
        click.echo(f"{name} {error}", err=True, color=colour_wanted())
        sys.exit(1)
