"""`terrarium-mcp import`: bring in the logs of other programs."""

from datetime import datetime
from pathlib import Path

import click

from terrarium_mcp.cli.options import (
    adopt_option,
    refuse_options,
    settings_of,
    settings_options,
)
from terrarium_mcp.cli.process import run_command

_OF_IMPORTS_ONLY = frozenset(
    {"form", "network", "channel", "day", "timezone", "clock", "encoding", "renamed"}
    | {"private", "dry_run", "rejects"}
)
"""The parameters that say how to import, and nothing of the imports so far."""


@click.command("import", short_help="Import the logs of other programs.")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--format", "form", default="", help="Format of the logs, such as weechat or znc.")
@click.option("--network", default="", help="Network of the logs.")
@click.option("--channel", default="", help="Channel of the logs.")
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Day of the first line, if the log has no date: 2015-10-24.",
)
@click.option("--timezone", default="", help="Time zone of local times: Europe/Berlin.")
@click.option(
    "--clock",
    type=click.Choice(["am", "pm", "24"]),
    help="Half of the day in which a log of 12 hours begins, or 24: it has 24 hours.",
)
@click.option("--encoding", default="", help="Encoding of what is not UTF-8: cp1251.")
@click.option(
    "--map",
    "renamed",
    multiple=True,
    metavar="OLD=NEW",
    help="Channel OLD in the names of files is NEW; may be repeated.",
)
@click.option("--private", is_flag=True, help="Also import private conversations.")
@click.option("--dry-run", is_flag=True, help="Read everything, report, and store nothing.")
@click.option(
    "--rejects",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the lines that cannot be read to this file.",
)
@click.option("--list", "listed", is_flag=True, help="List the imports so far.")
@click.option("--undo", type=int, metavar="NUMBER", help="Remove what an import added.")
@adopt_option
@settings_options
def import_logs(
    *,
    paths: tuple[str, ...],
    form: str,
    network: str,
    channel: str,
    day: datetime | None,
    timezone: str,
    clock: str | None,
    encoding: str,
    renamed: tuple[str, ...],
    private: bool,
    dry_run: bool,
    rejects: Path | None,
    listed: bool,
    undo: int | None,
    adopt: bool,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Import logs: files, folders, patterns, archives; - is standard input.

    Format, network, channel and date follow from the logs; what does not is asked for.
    Lines that are recorded already are recognised, so an import may be interrupted and repeated.
    """
    settings = settings_of(db, config, env_file)
    if sum((bool(paths), listed, undo is not None)) != 1:
        raise click.UsageError("Name the logs, or --list, or --undo NUMBER.")
    if not paths:
        what = "--list" if listed else "--undo"
        refuse_options(_OF_IMPORTS_ONLY, f"is not part of {what}: it is about logs to import.")

    from terrarium_mcp.cli.starting import import_logs as starting
    from terrarium_mcp.cli.starting import past_imports
    from terrarium_mcp.cli.starting.import_choices import choices_of

    if listed:
        run_command(past_imports.list_imports, settings, adopt)
    elif undo is not None:
        run_command(past_imports.undo_import, settings, adopt, undo)
    else:
        options = starting.ImportOptions(
            paths=paths,
            choices=choices_of(form, network, channel, day, timezone, clock, encoding, renamed),
            private=private,
            dry_run=dry_run,
            rejects=rejects,
            adopt=adopt,
        )
        run_command(starting.import_logs, settings, options)
