"""A backup from the command line: where it is written, and what is said of it."""

import time
from datetime import UTC, datetime
from pathlib import Path

import anyio
import click

from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.output import (
    OutputFailed,
    in_folder,
    looking_at,
    new_file,
    require_free_file,
)
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Manifest, NotAdopted, make_backup, require_adopted
from terrarium_mcp.wording import quantity

_ZSTD = {".zst", ".tzst"}

_OTHERWISE_PACKED = {".gz", ".tgz", ".xz", ".bz2", ".zip", ".7z"}


def back_up(settings: Settings, path: Path, *, compress: bool, adopt: bool) -> None:
    """Back up the database into the file `path`, or into a new file of the folder `path`.

    A `path` without an ending that does not exist is taken for a folder, which is made: as a file
    it would be in the way of the next backup. A file that ends in .zst is compressed. With `adopt`,
    a database of terrarium-irc is adopted once it is certain that the backup may be written there.

    Raises:
        OutputExists, OutputIsSource, OutputFailed: it cannot be written there.
        BackupFailed, NotOurs, NotAdopted, StoreFailed: the database cannot be backed up.
    """
    database = Path.cwd() / settings.db_path
    ending = path.suffix.lower()
    if ending in _OTHERWISE_PACKED or (compress and ending == ".tar"):
        raise OutputFailed(
            f"{path} would not be what its name says: a backup is a tar archive. End its name with"
            " .tar, or with .tar.zst to compress it."
        )
    with looking_at(path):
        is_folder = path.is_dir() or not (path.suffix or path.exists())
    if is_folder:
        with in_folder(path):
            place = path / _name(database, compress=compress)
            _back_up(settings, place, compress=compress, adopt=adopt)
    else:
        compress = compress or ending in _ZSTD
        _back_up(settings, path, compress=compress, adopt=adopt)


def _back_up(settings: Settings, place: Path, *, compress: bool, adopt: bool) -> None:
    database = Path.cwd() / settings.db_path
    require_free_file(place, database)
    if adopt:
        _adopt(database, settings)
    began = time.monotonic()
    with Progress() as progress, new_file(place) as file:
        manifest = make_backup(database, file, progress, compress=compress)
    size = place.stat().st_size / 1e6
    seconds = time.monotonic() - began
    click.echo(f"{place}: {contents(manifest)}; {size:,.1f} MB, checked, {seconds:.1f} s")


def _adopt(database: Path, settings: Settings) -> None:
    """Adopt a database of terrarium-irc; any other is backed up as it is."""

    async def opened() -> None:
        async with opened_history(database, settings, adopt=True):
            pass

    try:
        require_adopted(database)
    except NotAdopted:
        anyio.run(opened)


def contents(manifest: Manifest) -> str:
    """What a backup holds, for people: `1,204 messages in 3 channels, 2 ideas`."""
    ideas = len(manifest.files) - 1  # the other file is the database
    parts = [f"{quantity(manifest.messages, 'message')} in {quantity(manifest.rooms, 'channel')}"]
    if manifest.private_messages:
        parts.append(quantity(manifest.private_messages, "private message"))
    if ideas:
        parts.append(quantity(ideas, "idea"))
    return ", ".join(parts)


def _name(database: Path, *, compress: bool) -> str:
    ending = "tar.zst" if compress else "tar"
    return f"{database.stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}.{ending}"
