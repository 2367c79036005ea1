"""The imports so far: a list of them, and how one is undone."""

from pathlib import Path

import click

from terrarium_mcp.cli.starting.import_report import import_lines
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.path_checks import is_missing
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings
from terrarium_mcp.wording import quantity


class NoHistory(TerrariumError):
    """There is no database whose imports could be listed or undone."""


async def list_imports(settings: Settings, adopt: bool) -> None:
    """Print the imports so far.

    Raises:
        NoHistory: there is no database.
    """
    _require_history(settings.db_path)
    async with opened_history(settings.db_path, settings, adopt=adopt) as store:
        records = await store.imports.all()
    for line in import_lines(records) if records else ["Nothing has been imported yet."]:
        click.echo(line)


async def undo_import(settings: Settings, adopt: bool, number: int) -> None:
    """Remove what an import added and no other log has, and print how much that was.

    Raises:
        NoHistory: there is no database.
        UnknownImport: there was no such import.
    """
    _require_history(settings.db_path)
    async with opened_history(settings.db_path, settings, adopt=adopt) as store:
        with Progress() as progress:
            result = await store.imports.undo(
                number, lambda gone: progress(f"{quantity(gone, 'message')} removed so far")
            )
    was_complete = result.again and not result.removed
    click.echo(
        f"Import {number} was undone already: nothing of it is left to remove."
        if was_complete
        else f"Import {number} is undone: {quantity(result.removed, 'message')} removed,"
        f" {result.kept:,} kept, which are also recorded from elsewhere."
    )


def _require_history(path: Path) -> None:
    """Refuse a path that was perhaps mistyped, rather than begin an empty history there."""
    if is_missing(path):
        raise NoHistory(f"There is no database {path}. Name one with DB_PATH or --db.")
