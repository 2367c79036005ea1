"""`terrarium-mcp search`: the answer of the search tool, and with --explain how it came about."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import adopt_option, settings_of, settings_options
from terrarium_mcp.cli.process import run_command
from terrarium_mcp.cli.query_command import QueryCommand


@click.command(cls=QueryCommand, short_help="Find what was said.")
@click.argument("query", nargs=-1, required=True)
@click.option("--channel", default="", help="Search this channel only.")
@click.option(
    "--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Number of lines."
)
@click.option(
    "--sort",
    type=click.Choice(["relevance", "newest", "oldest"]),
    default="relevance",
    show_default=True,
    help="Order of the lines.",
)
@click.option("--explain", is_flag=True, help="Also explain why these lines were found.")
@adopt_option
@settings_options
def search(
    *,
    query: tuple[str, ...],
    channel: str,
    limit: int,
    sort: str,
    explain: bool,
    adopt: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Find what was said: words, "phrases", -not, from:nick, or a plain question.

    A word that begins with two minuses goes after a --.
    """
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.search import found

    words = " ".join(query)
    click.echo(run_command(found, settings, words, channel, limit, sort, explain, adopt))
