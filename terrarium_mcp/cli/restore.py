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
    help="The database that was there before: keep the opt-outs and removals since the backup.",
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
    is written under its final name before everything was checked. What people decided after the
    backup is not in it: --consent-from brings it from the database that was there before.
    """
    settings = settings_of(db, config, env_file)

    from terrarium_mcp.cli.starting.restore import put_back

    with tidying_up():
        put_back(
            Path.cwd() / path, Path.cwd() / settings.db_path, settings, old and Path.cwd() / old
        )
