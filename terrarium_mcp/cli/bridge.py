"""`terrarium-mcp bridge`: record the channels of IRC_CHANNELS, and answer in them."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import settings_of, settings_options
from terrarium_mcp.cli.running import run


def _address(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    """Refuse now what no connection could ever be made to."""
    if url is None or url.startswith(("http://", "https://")):
        return url
    raise click.BadParameter(f"{url} is no address such as http://127.0.0.1:8765/mcp.")


@click.command()
@click.option(
    "--mcp",
    "mcp_url",
    metavar="URL",
    callback=_address,
    help="Use this MCP server; default: spawn one.",
)
@settings_options
def bridge(
    mcp_url: str | None, db: Path | None, config: Path | None, env_file: Path | None
) -> None:
    """Record the channels of IRC_CHANNELS, and answer questions in them."""
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.bridge import talk

    # A server of our own reads the same settings, from the same files.
    files = {"--config": config, "--env-file": env_file}
    flags = [word for flag, file in files.items() if file for word in (flag, str(file))]
    run(talk, settings, mcp_url, flags)
