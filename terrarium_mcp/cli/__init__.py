"""The command `terrarium-mcp`: one module for each thing it can start.

Modules here import what they start inside their functions: `--help` answers without importing mcp
(a second of CPU), pydle or openai.
"""

import logging
import sys

import click

from terrarium_mcp import __version__
from terrarium_mcp.cli.bridge import bridge
from terrarium_mcp.cli.demo import demo
from terrarium_mcp.cli.doctor import doctor
from terrarium_mcp.cli.purge import purge
from terrarium_mcp.cli.search import search
from terrarium_mcp.cli.serve import serve
from terrarium_mcp.cli.up import up
from terrarium_mcp.errors import TerrariumError, plainly


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def commands() -> None:
    """The memory of your IRC channels, offered to every agent over MCP."""


commands.add_command(serve)
commands.add_command(bridge)
commands.add_command(up)
commands.add_command(doctor)
commands.add_command(demo)
commands.add_command(search)
commands.add_command(purge)


def main() -> None:
    """Run a command. What was expected to go wrong is one line on stderr and exit status 1."""
    # Everything but the stdio transport's own words goes to stderr.
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    logging.getLogger("terrarium_mcp").setLevel(logging.INFO)
    try:
        with plainly():
            commands(prog_name="terrarium-mcp")
    except TerrariumError as why:
        click.echo(f"terrarium-mcp: {why}", err=True)
        sys.exit(1)
