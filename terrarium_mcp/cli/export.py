"""`terrarium-mcp export`: the history as JSON Lines, or in the format of another program."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import adopt_option, settings_of, settings_options
from terrarium_mcp.cli.process import run_command
from terrarium_mcp.cli.query_command import QueryCommand
from terrarium_mcp.logformats.export_formats import ExportFormat


@click.command(
    cls=QueryCommand, short_help="Write the history, or a part of it, in another format."
)
@click.argument("query", nargs=-1)
@click.option(
    "--channel",
    "channels",
    multiple=True,
    help="Export this channel only: #chan, or network/#chan. May be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in ExportFormat]),
    default=ExportFormat.JSONL.value,
    show_default=True,
    help="What to write. jsonl holds everything, and can be imported again as it was.",
)
@click.option(
    "--output",
    default="-",
    help="A file; for weechat, irssi and znc a folder. Default, or -: standard output.",
)
@click.option("--with-hosts", is_flag=True, help="Also write user and host of people.")
@click.option("--private", is_flag=True, help="Also write private messages (jsonl only).")
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@adopt_option
@settings_options
def export(
    *,
    query: tuple[str, ...],
    channels: tuple[str, ...],
    form: str,
    output: str,
    with_hosts: bool,
    private: bool,
    force: bool,
    adopt: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Write the history, or what a query selects, to a file, a folder or standard output.

    The query is that of a search: words, from:nick, in:#chan, after:2026-05-01, before:2026-06.
    With nothing but times and channels it selects every line and event. Exit status 1, and no
    output file, if nothing matches.
    """
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.export import ExportOptions, write_export

    options = ExportOptions(
        settings=settings,
        query=" ".join(query),
        channels=channels,
        form=ExportFormat(form),
        output=None if output == "-" else Path.cwd() / output,
        with_hosts=with_hosts,
        private=private,
        force=force,
        adopt=adopt,
    )
    run_command(write_export, options)
