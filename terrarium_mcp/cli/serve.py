"""`terrarium-mcp serve`: the history as an MCP server, over stdio or HTTP."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import http_options, settings_of, settings_options
from terrarium_mcp.cli.process import run_service
from terrarium_mcp.settings import Settings


@click.command()
@click.option("--http", is_flag=True, help="Serve HTTP: /mcp, /sse and /healthz on one port.")
@click.option("--sse", is_flag=True, help="As --http, and print the address of HTTP+SSE.")
@http_options
@settings_options
def serve(
    *,
    http: bool,
    sse: bool,
    host: str,
    port: int,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Publish the history over stdio, or over HTTP with --http or --sse."""
    settings = settings_of(db, config, env_file)
    if http or sse:
        _serve_http(settings, host, port, sse=sse)
    else:
        _serve_stdio(settings)


def _serve_stdio(settings: Settings) -> None:
    from terrarium_mcp.cli.starting.stdio import serve_over_stdio

    run_service(serve_over_stdio, settings)


def _serve_http(settings: Settings, host: str, port: int, *, sse: bool) -> None:
    from terrarium_mcp.cli.starting.http import serve_over_http
    from terrarium_mcp.serving.address import Listening

    def announce(listening: Listening) -> None:
        click.echo(listening.sse_url if sse else listening.mcp_url, err=True)

    run_service(serve_over_http, settings, host, port, announce)
