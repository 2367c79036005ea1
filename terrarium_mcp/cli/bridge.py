"""`terrarium-mcp bridge`: record the channels of IRC_CHANNELS, and answer in them."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import settings_of, settings_options


@click.command()
@click.option("--mcp", "mcp_url", metavar="URL", help="Use this MCP server; default: spawn one.")
@settings_options
def bridge(
    mcp_url: str | None, db: Path | None, config: Path | None, env_file: Path | None
) -> None:
    """Record the channels of IRC_CHANNELS, and answer questions in them."""
    settings = settings_of(db, config, env_file)

    import anyio

    from terrarium_mcp.cli.starting.bridge import talk

    anyio.run(talk, settings, mcp_url)
