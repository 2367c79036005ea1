"""`terrarium-mcp restore`: puts a backup in place, where no database is."""

from pathlib import Path

import click

from terrarium_mcp.cli.options import settings_of, settings_options
from terrarium_mcp.cli.process import tidying_up


@click.command(short_help="Check a backup, and put its database and backlog back.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--consent-from",
    "old",
    metavar="OLD.db",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Apply the opt-outs and removals made after the backup: they are in OLD.db, the database"
    " used until now, which is only read.",
)
@settings_options
def restore(
    *,
    path: Path,
    old: Path | None,
    db: Path | None,
    config: Path | None,
    env_file: Path | None,
) -> None:
    """Check the backup PATH, and put its database and backlog where DB_PATH or --db says.

    Refuses if a database is there, if one left its -wal or -shm, or if a process uses it. Nothing
    is written under its final name before everything was checked. Opt-outs and removals made after
    the backup are not in it: move the database used until now away, and name it with
    --consent-from.
    """
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.restore import put_back

    with tidying_up():
        put_back(
            Path.cwd() / path, Path.cwd() / settings.db_path, settings, old and Path.cwd() / old
        )
