"""The store's public names: import them from here.

What a server does not need is loaded when it is asked for (PEP 562).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from terrarium_mcp.store.backlog import LONGEST_TITLE, MOST_OPEN, Backlog, Enhancement
from terrarium_mcp.store.errors import (
    BacklogBusy,
    BacklogFailed,
    BacklogFull,
    DiskFull,
    EnhancementTooLong,
    FileInUse,
    ImportWasUndone,
    IndexDamaged,
    Locked,
    NotChecked,
    NotEnoughDisk,
    NotMigrated,
    RankedAnew,
    StillOpening,
    StoreFailed,
    TookTooLong,
    UnknownEnhancement,
    UnknownImport,
    UnstorableMessage,
)
from terrarium_mcp.store.records.figures import (
    MOST_COUNTED,
    MOST_READ,
    MOST_TALLIED,
    RoomStats,
    ScopeDetails,
    ScopeStats,
)
from terrarium_mcp.store.records.people import (
    Evidence,
    NickActivity,
    NickArrival,
    Person,
    PresenceSnapshot,
)
from terrarium_mcp.store.records.readings import Conversation, KnownLine, Link, RecentDigest
from terrarium_mcp.store.search import (
    COUNTED,
    ENOUGH,
    Explanation,
    Hits,
    Rung,
    Search,
    Sort,
)
from terrarium_mcp.store.search.scope import MOST_ROOMS
from terrarium_mcp.store.sqlite.schema import (
    MigrationBlocked,
    NamesTaken,
    NotAdopted,
    NotOurs,
    Obstructed,
    WrongFile,
    WrongSchema,
)
from terrarium_mcp.store.sqlite.schema.adoption import WrongZone
from terrarium_mcp.store.sqlite.schema.backup import CopyFailed
from terrarium_mcp.store.sqlite.schema.recreation import Repair
from terrarium_mcp.store.sqlite.service import require_adopted
from terrarium_mcp.store.sqlite.store import Store, open_store, repair_schema
from terrarium_mcp.store.sqlite.topics.spans import HEARTBEAT

if TYPE_CHECKING:
    from terrarium_mcp.store.records.archive import (
        ArchivedMessage,
        ArchivedPrivateMessage,
        ArchivedRoom,
        ArchivedSpan,
        ArchiveRecord,
        NotRestorable,
        RestoredTotals,
    )
    from terrarium_mcp.store.records.bridge_report import BridgeReport, Heartbeat
    from terrarium_mcp.store.records.dialogue import (
        DialoguePlace,
        DialogueSummary,
        DialogueTurn,
        StoredDialogue,
        ToolStep,
        TurnState,
    )
    from terrarium_mcp.store.records.health import DatabaseSize, DeepCheck, Fact, Section
    from terrarium_mcp.store.records.imports import (
        EarlierCommand,
        EarlierReading,
        ImportRecord,
        ImportTotals,
        LogEnd,
        LogSource,
        UndoResult,
        by_12_hours,
        zone_and_half,
    )
    from terrarium_mcp.store.records.removal import (
        AuditEntry,
        BacklogMentions,
        CleanedFile,
        LegacyCleanup,
        PersonTraces,
        PurgeResult,
        PurgeTarget,
        RemovalReason,
    )
    from terrarium_mcp.store.search.relevance.lookup import AnyOf, Condition, ConditionKind, Lookup
    from terrarium_mcp.store.search.relevance.question import ParsedQuestion, TermGroup
    from terrarium_mcp.store.search.relevance.ranking import RankedLine
    from terrarium_mcp.store.sqlite.backup import (
        BackupFailed,
        CarriedConsent,
        Manifest,
        NotABackup,
        RecordedConsent,
        RestoreRefused,
        make_backup,
        read_consent,
        restore_backup,
    )
    from terrarium_mcp.store.sqlite.claims import (
        AlreadyRecorded,
        claimed,
        further_claims,
        is_claimed,
    )
    from terrarium_mcp.store.sqlite.engine.files import wal_of
    from terrarium_mcp.store.sqlite.health.bridges import read_heartbeats
    from terrarium_mcp.store.sqlite.health.deep_check import check_deeply
    from terrarium_mcp.store.sqlite.health.examination import examine
    from terrarium_mcp.store.sqlite.imports.log_blocks import LINES_IN_BLOCK, PreparedLog
    from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines, prepared
    from terrarium_mcp.store.sqlite.own_files import belongs_to, leftover, unfinished_copies
    from terrarium_mcp.store.sqlite.removal.scrub import check_unused, scrub
    from terrarium_mcp.store.sqlite.topics.heartbeats import this_process

_LOADED_LATER = {
    "records.archive": (
        *("ArchivedMessage", "ArchivedPrivateMessage", "ArchivedRoom", "ArchivedSpan"),
        *("ArchiveRecord", "NotRestorable", "RestoredTotals"),
    ),
    "records.bridge_report": ("BridgeReport", "Heartbeat"),
    "records.dialogue": (
        *("DialoguePlace", "DialogueSummary", "DialogueTurn", "StoredDialogue"),
        *("ToolStep", "TurnState"),
    ),
    "records.health": ("DatabaseSize", "DeepCheck", "Fact", "Section"),
    "records.imports": (
        *("EarlierCommand", "EarlierReading", "ImportRecord", "ImportTotals", "LogEnd"),
        *("LogSource", "UndoResult", "by_12_hours", "zone_and_half"),
    ),
    "records.removal": (
        *("AuditEntry", "BacklogMentions", "CleanedFile", "LegacyCleanup", "PersonTraces"),
        *("PurgeResult", "PurgeTarget", "RemovalReason"),
    ),
    "search.relevance.lookup": ("AnyOf", "Condition", "ConditionKind", "Lookup"),
    "search.relevance.question": ("ParsedQuestion", "TermGroup"),
    "search.relevance.ranking": ("RankedLine",),
    "sqlite.backup": (
        *("BackupFailed", "CarriedConsent", "Manifest", "NotABackup", "RecordedConsent"),
        *("RestoreRefused", "make_backup", "read_consent", "restore_backup"),
    ),
    "sqlite.claims": ("AlreadyRecorded", "claimed", "further_claims", "is_claimed"),
    "sqlite.engine.files": ("wal_of",),
    "sqlite.health.bridges": ("read_heartbeats",),
    "sqlite.health.deep_check": ("check_deeply",),
    "sqlite.health.examination": ("examine",),
    "sqlite.imports.log_blocks": ("LINES_IN_BLOCK", "PreparedLog"),
    "sqlite.ingest.prepared_lines": ("PreparedLines", "prepared"),
    "sqlite.own_files": ("belongs_to", "leftover", "unfinished_copies"),
    "sqlite.removal.scrub": ("check_unused", "scrub"),
    "sqlite.topics.heartbeats": ("this_process",),
}
"""The names that are loaded when asked for, by the module that has them."""

_MODULE_OF = {name: module for module, names in _LOADED_LATER.items() for name in names}

__all__ = [
    "COUNTED",
    "ENOUGH",
    "HEARTBEAT",
    "LINES_IN_BLOCK",
    "LONGEST_TITLE",
    "MOST_COUNTED",
    "MOST_OPEN",
    "MOST_READ",
    "MOST_ROOMS",
    "MOST_TALLIED",
    "AlreadyRecorded",
    "AnyOf",
    "ArchiveRecord",
    "ArchivedMessage",
    "ArchivedPrivateMessage",
    "ArchivedRoom",
    "ArchivedSpan",
    "AuditEntry",
    "Backlog",
    "BacklogBusy",
    "BacklogFailed",
    "BacklogFull",
    "BacklogMentions",
    "BackupFailed",
    "BridgeReport",
    "CarriedConsent",
    "CleanedFile",
    "Condition",
    "ConditionKind",
    "Conversation",
    "CopyFailed",
    "DatabaseSize",
    "DeepCheck",
    "DialoguePlace",
    "DialogueSummary",
    "DialogueTurn",
    "DiskFull",
    "EarlierCommand",
    "EarlierReading",
    "Enhancement",
    "EnhancementTooLong",
    "Evidence",
    "Explanation",
    "Fact",
    "FileInUse",
    "Heartbeat",
    "Hits",
    "ImportRecord",
    "ImportTotals",
    "ImportWasUndone",
    "IndexDamaged",
    "KnownLine",
    "LegacyCleanup",
    "Link",
    "Locked",
    "LogEnd",
    "LogSource",
    "Lookup",
    "Manifest",
    "MigrationBlocked",
    "NamesTaken",
    "NickActivity",
    "NickArrival",
    "NotABackup",
    "NotAdopted",
    "NotChecked",
    "NotEnoughDisk",
    "NotMigrated",
    "NotOurs",
    "NotRestorable",
    "Obstructed",
    "ParsedQuestion",
    "Person",
    "PersonTraces",
    "PreparedLines",
    "PreparedLog",
    "PresenceSnapshot",
    "PurgeResult",
    "PurgeTarget",
    "RankedAnew",
    "RankedLine",
    "RecentDigest",
    "RecordedConsent",
    "RemovalReason",
    "Repair",
    "RestoreRefused",
    "RestoredTotals",
    "RoomStats",
    "Rung",
    "ScopeDetails",
    "ScopeStats",
    "Search",
    "Section",
    "Sort",
    "StillOpening",
    "Store",
    "StoreFailed",
    "StoredDialogue",
    "TermGroup",
    "TookTooLong",
    "ToolStep",
    "TurnState",
    "UndoResult",
    "UnknownEnhancement",
    "UnknownImport",
    "UnstorableMessage",
    "WrongFile",
    "WrongSchema",
    "WrongZone",
    "belongs_to",
    "by_12_hours",
    "check_deeply",
    "check_unused",
    "claimed",
    "examine",
    "further_claims",
    "is_claimed",
    "leftover",
    "load_search",
    "make_backup",
    "open_store",
    "prepared",
    "read_consent",
    "read_heartbeats",
    "repair_schema",
    "require_adopted",
    "restore_backup",
    "scrub",
    "this_process",
    "unfinished_copies",
    "wal_of",
    "zone_and_half",
]


def load_search() -> None:
    """Load what the first search needs, so that it need not."""
    import_module(f"{__name__}.sqlite.search.message_search")


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
