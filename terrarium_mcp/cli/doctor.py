"""`terrarium-mcp doctor`: the settings, the state of the database, and whether all is well."""

import logging
import shlex
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from terrarium_mcp.cli.options import (
    loaded_settings,
    refuse_options,
    settings_options,
    warn_of_slips,
)
from terrarium_mcp.cli.process import run_command

log = logging.getLogger(__name__)


@click.command(short_help="Show the settings, the database, and what is wrong.")
@click.option(
    "--live",
    is_flag=True,
    help="Show only whether the bridges are running and recording, by their last reports.",
)
@click.option("--deep", is_flag=True, help="Compare all derived data with a recount, on a copy.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Repair: recreate missing tables and indexes (stop all other processes for this), date new"
    " lines by the clock again if the last ones are ahead of it, then check as --deep does, and"
    " rebuild what is wrong.",
)
@click.option(
    "--temp",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder for the copy; default: the database's.",
)
@settings_options
def doctor(
    *,
    live: bool,
    deep: bool,
    rebuild: bool,
    temp: Path | None,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Show the settings and the state of the database; exit status 1 if something is wrong.

    Changes nothing, except with --rebuild.
    """
    if live:
        refuse_options(("deep", "rebuild", "temp"), "is not part of --live: run doctor twice.")
    if not (deep or rebuild):
        refuse_options(("temp",), "needs --deep, or --rebuild: nothing else makes a copy.")
    loaded = loaded_settings(db, config, env_file)
    warn_of_slips(loaded)
    _warn_of_unread(loaded.settings.db_path.parent / "terrarium.toml", config)

    from terrarium_mcp.cli.starting.doctor import examination, live_examination

    if live:
        sys.exit(0 if live_examination(loaded.settings, datetime.now(UTC)) else 1)
    well = run_command(
        examination,
        loaded.settings,
        loaded.sources,
        loaded.tables,
        deep or rebuild,
        rebuild,
        temp,
    )
    sys.exit(0 if well else 1)


def _warn_of_unread(beside: Path, config: Path | None) -> None:
    """Log that the settings beside the database, which may be a service's, are not those shown."""
    with suppress(OSError):  # the examination says why nobody may look, or why there can be none
        if not beside.is_file():
            return
        with suppress(FileNotFoundError, PermissionError):  # this folder may not be entered
            if beside.samefile(config or "terrarium.toml"):
                return
        log.warning(
            "%s is beside the database, and was not read: add --config %s if it is that of the"
            " service which records into it.",
            beside,
            shlex.quote(str(beside)),
        )
