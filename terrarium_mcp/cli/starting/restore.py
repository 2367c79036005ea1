"""A restoration from the command line."""

from contextlib import suppress
from pathlib import Path

import anyio
import click

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.backup import contents
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.path_checks import is_missing
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import (
    CarriedConsent,
    RecordedConsent,
    WrongFile,
    read_consent,
    restore_backup,
)
from terrarium_mcp.wording import and_more, people, quantity

_ENDINGS = (".tar", ".tar.zst")
"""How the names of backups end, where `backup` chooses them."""

_MOST_NAMED = 5


class RestoreFailed(HostFailure):
    """A file cannot be read or written."""


_LACKS = (
    "Opt-outs and removals made after that are not in it: people who opted out since are recorded"
    " again, and lines removed since are back. To apply them, remove what was restored and restore"
    " it again with --consent-from OLD.db, the database used until now."
)


def put_back(bundle: Path, database: Path, settings: Settings, old: Path | None) -> None:
    """Restore a backup, and print what it holds.

    `old` is the database from which people's decisions since the backup are brought over.

    Raises:
        NotABackup: the file is none, or it is damaged.
        RestoreRefused: something is in the way.
        RestoreFailed: it cannot be read, or the database not written.
        TerrariumError: the decisions cannot be read, or not be brought over; nothing is restored.
    """
    lacks_or_applied = _LACKS

    def amend(restored: Path) -> None:
        nonlocal lacks_or_applied
        if consent:
            progress("applying opt-outs and removals")
            carried = anyio.run(_carry, consent, restored, settings)
            lacks_or_applied = f"Applied from {old}: {_amounts(carried)}"

    try:
        if bundle.is_dir():
            names = _backups_in(bundle)
            there = (
                f"Name one of the backups in it: {names}" if names else "There is no backup in it"
            )
            raise RestoreFailed(f"{bundle} is a folder. {there}.")
        consent = _consent_in(old) if old else None
        with Progress() as progress:
            manifest = restore_backup(bundle, database, progress, amend)
    except OSError as error:
        name = error.filename or bundle
        names = _backups_in(bundle.parent) if is_missing(bundle) else ""
        others = f" Backups in {bundle.parent}: {names}." if names else ""
        raise RestoreFailed(
            f"{name}: {error.strerror or error}. The backup {bundle} was not restored.{others}"
        ) from error
    click.echo(f"{database}: restored {contents(manifest)}, as of {manifest.made_at}")
    click.echo(lacks_or_applied)


def _consent_in(old: Path) -> RecordedConsent:
    try:
        return read_consent(old)
    except WrongFile as error:
        raise error.named_by("--consent-from") from error


async def _carry(consent: RecordedConsent, restored: Path, settings: Settings) -> CarriedConsent:
    async with opened_history(restored, settings) as store:
        return await store.carry_consent(consent)


def _amounts(carried: CarriedConsent) -> str:
    """How much was brought over: `the opt-outs and opt-ins of 1 person, 2 removals (...)`."""
    return (
        f"the opt-outs and opt-ins of {people(carried.people)},"
        f" {quantity(carried.removals, 'removal')} ({quantity(carried.messages, 'message')} removed"
        " again)"
    )


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
