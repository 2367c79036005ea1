"""Backups: one file with a consistent copy of the database and the backlog, made and restored."""

from terrarium_mcp.store.sqlite.backup.bundle import BackupFailed, Manifest, NotABackup
from terrarium_mcp.store.sqlite.backup.consent import CarriedConsent, RecordedConsent, read_consent
from terrarium_mcp.store.sqlite.backup.making import OnBackupStep, make_backup
from terrarium_mcp.store.sqlite.backup.restoring import RestoreRefused, restore_backup

__all__ = [
    "BackupFailed",
    "CarriedConsent",
    "Manifest",
    "NotABackup",
    "OnBackupStep",
    "RecordedConsent",
    "RestoreRefused",
    "make_backup",
    "read_consent",
    "restore_backup",
]
