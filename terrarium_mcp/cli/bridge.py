"""`terrarium-mcp bridge`: record the channels of IRC_CHANNELS, and answer questions there."""

from functools import partial
from pathlib import Path

import click

from terrarium_mcp.cli.console import date_log_lines
from terrarium_mcp.cli.options import settings_of, settings_options
from terrarium_mcp.cli.process import (
    lasting_imports,
    obey_signals_meanwhile,
    require_posix,
    run_service,
)


def _check_url(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    """Refuse a URL to which no connection is possible."""
    if url is None or url.startswith(("http://", "https://")):
        return url
    raise click.BadParameter(f"{url} is not an address such as http://127.0.0.1:8765/mcp.")


@click.command(short_help="Record the channels of IRC_CHANNELS, and answer questions.")
@click.option(
    "--mcp",
    "mcp_url",
    metavar="URL",
    callback=_check_url,
    help="Use this MCP server; default: start one.",
)
@settings_options
def bridge(
    mcp_url: str | None, db: Path | None, config: Path | None, env_file: Path | None
) -> None:
    """Record the channels of IRC_CHANNELS, and answer questions there."""
    require_posix("bridge")
    date_log_lines()
    obey_signals_meanwhile()
    load = partial(settings_of, db, config, env_file)
    settings = load()

    with lasting_imports():
        from terrarium_mcp.cli.starting.bridge import run_bridge

    # The server that the bridge starts reads its settings from the same files.
    files = {"--config": config, "--env-file": env_file}
    flags = [word for flag, file in files.items() if file for word in (flag, str(file))]
    run_service(run_bridge, settings, load, mcp_url, flags)
