"""A restoration from the command line."""

from pathlib import Path

import click

from terrarium_mcp.cli.starting.backup import contents
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store import restore_backup


class RestoreFailed(HostFailure):
    """A file cannot be read or written."""


def put_back(bundle: Path, database: Path) -> None:
    """Restore a backup, and print what it holds.

    Raises:
        NotABackup: the file is none, or it is damaged.
        RestoreRefused: something is in the way.
        RestoreFailed: it cannot be read, or the database not written.
    """
    if bundle.is_dir():
        raise RestoreFailed(f"{bundle} is a folder. Name one of the backups in it.")
    try:
        with Progress() as progress:
            manifest = restore_backup(bundle, database, progress)
    except OSError as error:
        name = error.filename or bundle
        raise RestoreFailed(
            f"{name}: {error.strerror or error}. The backup {bundle} was not restored."
        ) from error
    click.echo(f"{database}: restored {contents(manifest)}, as of {manifest.made_at}")
