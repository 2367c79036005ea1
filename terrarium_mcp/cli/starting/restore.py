"""A restoration from the command line."""

from contextlib import suppress
from pathlib import Path

import click

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.backup import contents
from terrarium_mcp.cli.starting.empty_history import is_missing
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store import restore_backup
from terrarium_mcp.wording import and_more

_ENDINGS = (".tar", ".tar.zst")
"""How the names of backups end, where `backup` chooses them."""

_MOST_NAMED = 5


class RestoreFailed(HostFailure):
    """A file cannot be read or written."""


def put_back(bundle: Path, database: Path) -> None:
    """Restore a backup, and print what it holds.

    Raises:
        NotABackup: the file is none, or it is damaged.
        RestoreRefused: something is in the way.
        RestoreFailed: it cannot be read, or the database not written.
    """
    try:
        if bundle.is_dir():
            names = _backups_in(bundle)
            there = (
                f"Name one of the backups in it: {names}" if names else "There is no backup in it"
            )
            raise RestoreFailed(f"{bundle} is a folder. {there}.")
        with Progress() as progress:
            manifest = restore_backup(bundle, database, progress)
    except OSError as error:
        name = error.filename or bundle
        names = _backups_in(bundle.parent) if is_missing(bundle) else ""
        others = f" Backups in {bundle.parent}: {names}." if names else ""
        raise RestoreFailed(
            f"{name}: {error.strerror or error}. The backup {bundle} was not restored.{others}"
        ) from error
    click.echo(f"{database}: restored {contents(manifest)}, as of {manifest.made_at}")


def _backups_in(folder: Path) -> str:
    """The names of the backups in a folder, the last written first; "" if none can be seen."""
    found = list[tuple[float, str]]()
    with suppress(OSError):  # there is no such folder, or it may not be read
        found = [
            (file.stat().st_mtime, file.name)
            for file in folder.iterdir()
            if file.name.endswith(_ENDINGS) and file.is_file()
        ]
    return harmless(and_more([name for _, name in sorted(found, reverse=True)], _MOST_NAMED))
