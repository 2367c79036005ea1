"""`terrarium-mcp up`: the bridge and the HTTP server in one process."""

from functools import partial
from pathlib import Path

import click

from terrarium_mcp.cli.console import date_log_lines
from terrarium_mcp.cli.options import http_options, settings_of, settings_options
from terrarium_mcp.cli.process import (
    lasting_imports,
    obey_signals_meanwhile,
    require_posix,
    run_service,
)


@click.command()
@http_options
@settings_options
def up(host: str, port: int, db: Path | None, config: Path | None, env_file: Path | None) -> None:
    """Run the bridge and the HTTP server in one process."""
    require_posix("up")
    date_log_lines()
    obey_signals_meanwhile()
    load = partial(settings_of, db, config, env_file)
    settings = load()

    with lasting_imports():
        from terrarium_mcp.cli.starting.up import run_bridge_and_server

    run_service(
        run_bridge_and_server,
        settings,
        load,
        host,
        port,
        lambda listening: click.echo(listening.mcp_url, err=True),
    )
