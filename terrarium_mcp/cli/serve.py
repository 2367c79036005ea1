"""`terrarium-mcp serve`: the history as an MCP server, over stdio or HTTP."""

from pathlib import Path

import click

from terrarium_mcp.cli.console import date_log_lines
from terrarium_mcp.cli.options import (
    http_options,
    loaded_settings,
    refuse_options,
    settings_options,
    warn_of_slips,
)
from terrarium_mcp.cli.process import lasting_imports, run_service
from terrarium_mcp.cli.starting.path_checks import may_be_folder
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings


@click.command(short_help="Publish the history as an MCP server: stdio, or HTTP.")
@click.option("--http", is_flag=True, help="Serve HTTP: /mcp, /sse and /healthz on one port.")
@click.option("--sse", is_flag=True, help="As --http, and print the address of HTTP+SSE.")
@click.option("--create", is_flag=True, help="Make the folder of --db if it is missing.")
@http_options
@settings_options
def serve(
    *,
    http: bool,
    sse: bool,
    create: bool,
    host: str,
    port: int,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Publish the history over stdio, or over HTTP with --http or --sse."""
    if not (http or sse):
        # where nothing listens, a client would wait in vain
        refuse_options(("host", "port"), "needs --http, or --sse: stdio has no address.")
    date_log_lines()
    loaded = loaded_settings(db, config, env_file)
    if db and not create:
        _require_folder(loaded.settings.db_path)
    if http or sse:
        warn_of_slips(loaded)
        _serve_http(loaded.settings, host, port, sse=sse)
    else:  # started by a program, in which nobody reads warnings
        _serve_stdio(loaded.settings)


def _require_folder(database: Path) -> None:
    """Refuse a path that was probably mistyped, rather than begin an empty history there."""
    if not may_be_folder(database.parent):
        raise TerrariumError(
            f"There is no folder {database.parent} for the database {database.name}."
            " Correct --db, or add --create to make both."
        )


def _serve_stdio(settings: Settings) -> None:
    with lasting_imports():
        from terrarium_mcp.cli.starting.stdio import serve_over_stdio

    run_service(serve_over_stdio, settings)


def _serve_http(settings: Settings, host: str, port: int, *, sse: bool) -> None:
    with lasting_imports():
        from terrarium_mcp.cli.starting.http import serve_over_http
        from terrarium_mcp.serving.address import Listening

    def announce(listening: Listening) -> None:
        click.echo(listening.sse_url if sse else listening.mcp_url, err=True)

    run_service(serve_over_http, settings, host, port, announce)
